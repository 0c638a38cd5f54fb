// @ts-check
/** Whether a person sees the whole dialog: it stands on the screen, and nothing covers, dims or moves it. */
import {
  NativeIntersectionObserver, disconnect, elementFromPoint, elementInShadow, getRectangle, height, hostOf, intersectionRatio, isVisible, left, matches,
  nodeType, observe, pageDocument, pointerX, pointerY, rootElement, rootNodeOf, tellsVisibility, top, unobserve, width,
} from "./intrinsics.js";

/** How much of the dialog must be on the screen. Not all of it: its edges may lie between two pixels. */
const MOST = 0.9;

/** The least size, in CSS pixels, in which anybody can read it. */
const LEAST_WIDTH = 200;
const LEAST_HEIGHT = 100;

/** How often, in milliseconds, the browser looks again; it does not allow less. */
const DELAY = 100;

/** The type of node that a shadow root is; what is in no page may hang from an element or another document. */
const SHADOW = 11;

/** @typedef {{ host: HTMLElement, root: ShadowRoot, dialog: HTMLDialogElement, approve: HTMLElement }} Parts */

export class Sight {
  /** @type {Parts} */ #parts;
  /** @type {(seen: boolean) => void} */ #changed;
  /** @type {IntersectionObserver} */ #observer;

  /**
   * @param {Parts} parts
   * @param {(seen: boolean) => void} changed told first what is so after look, and then of each change
   */
  constructor(parts, changed) {
    this.#parts = parts;
    this.#changed = changed;
    const options = { __proto__: null, threshold: MOST, trackVisibility: tellsVisibility, delay: DELAY };
    this.#observer = new NativeIntersectionObserver((/** @type {any} */ entries) => this.#told(entries), options);
  }

  /** Looks anew. */
  look() {
    unobserve(this.#observer, this.#parts.dialog);
    observe(this.#observer, this.#parts.dialog);
  }

  stop() {
    disconnect(this.#observer);
  }

  /** @param {IntersectionObserverEntry[]} entries */
  #told(entries) {
    const last = entries[entries.length - 1];
    this.#changed(intersectionRatio(last) >= MOST && isVisible(last) && isLegible(getRectangle(this.#parts.dialog)));
  }

  /** Whether the dialog, and the button under the pointer, can be seen at the moment of a click. @param {Event} event @param {boolean} pointed */
  confirms(event, pointed) {
    if (inTransition()) {
      return false;
    }
    const { approve, dialog } = this.#parts;
    const whole = getRectangle(dialog);
    const button = getRectangle(approve);
    return isLegible(whole) && this.#uncovered(whole)
      && this.#hits(left(button) + width(button) / 2, top(button) + height(button) / 2)
      && (!pointed || this.#hits(pointerX(event), pointerY(event)));
  }

  /** Whether what covers the dialog lets clicks through: a message of the page's, and no dialog that wants an answer first. */
  isUnderGlass() {
    return !inTransition() && this.#uncovered(getRectangle(this.#parts.dialog));
  }

  /** Looks at points all over the dialog; what lies on one of them and takes clicks is something else. @param {DOMRect} whole */
  #uncovered(whole) {
    const steps = 8;
    for (let i = 1; i < steps; i++) {
      for (let j = 1; j < steps; j++) {
        if (!isOnTop(this.#parts.host, left(whole) + (width(whole) * i) / steps, top(whole) + (height(whole) * j) / steps)) {
          return false;
        }
      }
    }
    return true;
  }

  /** Whether a click there goes to Approve. @param {number} x @param {number} y */
  #hits(x, y) {
    return isOnTop(this.#parts.host, x, y) && elementInShadow(this.#parts.root, x, y) === this.#parts.approve;
  }
}

/** Whether a click there goes into an element's shadow root, through all that it is itself in. @param {Element} host @param {number} x @param {number} y */
function isOnTop(host, x, y) {
  let inner = host;
  let scope = rootNodeOf(host);
  for (; nodeType(scope) === SHADOW; scope = rootNodeOf(inner)) {
    if (elementInShadow(scope, x, y) !== inner) {
      return false;
    }
    inner = hostOf(scope);
  }
  return scope === pageDocument && elementFromPoint(pageDocument, x, y) === inner;
}

/** @param {DOMRect} whole */
function isLegible(whole) {
  return width(whole) >= LEAST_WIDTH && height(whole) >= LEAST_HEIGHT;
}

/** Whether the browser shows pictures of the page in place of the page. */
function inTransition() {
  try {
    return matches(rootElement(pageDocument), ":active-view-transition");
  } catch {
    return false; // a browser without view transitions of this kind does not know the selector
  }
}
