// @ts-check
/** The optional script pagewarden-cursor.js: shows what a web tool does on the page. */
export { mountAgentCursor } from "./cursor/mount.js";
