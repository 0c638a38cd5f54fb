// @ts-check
/** The optional script pagewarden-inspector.js: what a surface offers and what is called on it, for developers. */
export { mountInspector } from "./inspector/mount.js";
export { replayRecording } from "./inspector/replay.js";
