// One message at a time at the bottom of the page, with an optional way to undo.
import { byId } from "./dom.js";

/** @typedef {{ show: (text: string, undo?: () => unknown) => void }} Toast */

/** How long a message stays, in milliseconds. */
const STAY = 8000;

/**
 * @param {Document} document
 * @returns {Toast}
 */
export function createToast(document) {
  const root = byId(document, "toast");
  const undoButton = byId(document, "toast-undo");
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  /** @type {(() => unknown) | undefined} */
  let undoAction;

  const hide = () => {
    root.hidden = true;
  };
  // A message that somebody is using stays.
  const hideLater = () => {
    clearTimeout(timer);
    timer = setTimeout(() => (root.matches(":hover, :focus-within") ? hideLater() : hide()), STAY);
  };
  byId(document, "toast-close").addEventListener("click", hide);
  undoButton.addEventListener("click", () => {
    hide();
    undoAction?.();
  });
  return {
    show(text, undo) {
      undoAction = undo;
      byId(document, "toast-text").textContent = text;
      undoButton.hidden = !undo;
      root.hidden = false;
      hideLater();
    },
  };
}
