// @ts-check
/** The optional script pagewarden-dialog.js: a dialog for confirmations. */
export { mountConfirmationDialog } from "./dialog/mount.js";
