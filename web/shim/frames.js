// @ts-check
/** Which document an object of WebMCP lives and dies with: the page may hand over one of its frames'. */
import { pageDocument, pageNavigator, pageWindow, pick } from "./builtins.js";

/** How deep frames are looked into, and how many each may have. */
const DEEPEST = 10;
const MOST = 1000;

/** The document whose modelContext an object is, as far as the page may look; else the page's own. @param {object} object */
export const homeOf = (object) => (pageWindow && homeIn(outermost(pageWindow), object, 0)) ?? pageDocument;

/** The outermost frame around a window that the page may look into. @param {any} window */
function outermost(window) {
  let outer = window;
  try {
    for (let i = 0; i < DEEPEST && outer.parent.document !== undefined; i++) {
      outer = outer.parent;
    }
  } catch {
    // The next one is of another origin.
  }
  return outer;
}

/** @param {any} window @param {object} object @param {number} depth @returns {Document | undefined} */
function homeIn(window, object, depth) {
  try {
    const { document } = window;
    const navigator = window === pageWindow ? pageNavigator : window.navigator;
    if (pick(document, "modelContext") === object || pick(navigator, "modelContext") === object) {
      return document;
    }
    for (let i = 0; i < window.length && i < MOST && depth < DEEPEST; i++) {
      const home = homeIn(window[i], object, depth + 1);
      if (home !== undefined) {
        return home;
      }
    }
  } catch {
    // A frame of another origin keeps its object to itself.
  }
  return undefined;
}
