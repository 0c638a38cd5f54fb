// @ts-check
/** Finds elements of the page as a person would: by what can be seen, used and read, inside open shadow roots too. */
import { computeAccessibleName } from "dom-accessibility-api";
import { apply, freeze, isObject, pageDocument, stringIndexOf } from "../shim/builtins.js";
import { attribute, hasAttribute, hostOf, isConnected, matches, nodeCount, nodeType, parentNode, query, seesElement, shadowOf, toLowerCase, trim } from "./dom.js";

/** The type of node that an element is, and that a shadow root is. */
const ELEMENT = 1;
const FRAGMENT = 11;

/** A list that no setter on Array.prototype can see. @returns {any} */
export const newList = () => ({ __proto__: null, length: 0 });

/** @param {any} list @param {any} item */
export function add(list, item) {
  list[list.length++] = item;
}

/** Every element of the page that a selector means, in tree order within each root. @param {string} selector */
export function everywhere(selector) {
  const found = newList();
  if (pageDocument !== undefined) {
    collect(pageDocument, selector, found);
  }
  return found;
}

/** @param {any} root @param {string} selector @param {any} found */
function collect(root, selector, found) {
  const here = query(root, selector);
  const count = nodeCount(here);
  for (let i = 0; i < count; i++) {
    add(found, here[i]);
  }
  const all = query(root, "*");
  const size = nodeCount(all);
  for (let i = 0; i < size; i++) {
    const inner = shadowOf(all[i]);
    if (inner !== null) {
      collect(inner, selector, found);
    }
  }
}

/** The element around one, out of shadow roots; null at the top. @param {any} element @returns {any} */
export function parentOf(element) {
  const parent = parentNode(element);
  if (parent === null) {
    return null;
  }
  if (nodeType(parent) === ELEMENT) {
    return parent;
  }
  return nodeType(parent) === FRAGMENT ? hostOf(parent) : null;
}

const SEEN = freeze({ __proto__: null, visibilityProperty: true, contentVisibilityAuto: true });
const CLEARLY = freeze({ __proto__: null, visibilityProperty: true, contentVisibilityAuto: true, opacityProperty: true });

/** Whether an element is drawn and neither it nor what is around it is out of use. @param {any} element @param {boolean} clearly not transparent either */
export function isVisible(element, clearly) {
  if (!isConnected(element) || !seesElement(element, clearly ? CLEARLY : SEEN)) {
    return false;
  }
  for (let around = element; around !== null; around = parentOf(around)) {
    if (hasAttribute(around, "inert") || attribute(around, "aria-hidden") === "true") {
      return false;
    }
  }
  return !isBehindDialog(element);
}

/** Whether a modal dialog of the page keeps everybody from an element. @param {any} element */
function isBehindDialog(element) {
  const dialogs = modalDialogs();
  for (let around = element; around !== null; around = parentOf(around)) {
    for (let i = 0; i < dialogs.length; i++) {
      if (around === dialogs[i]) {
        return false;
      }
    }
  }
  return dialogs.length > 0;
}

function modalDialogs() {
  try {
    return everywhere("dialog:modal");
  } catch {
    return newList(); // a browser that does not know the selector
  }
}

/** @param {any} element */
export function isEnabled(element) {
  return !matches(element, ":disabled") && attribute(element, "aria-disabled") !== "true";
}

const NAMING = freeze({ computedStyleSupportsPseudoElements: true });

/**
 * What assistive technology calls an element, as names are compared. The last resort of browsers, the placeholder, is not
 * in the algorithm that the library follows.
 * @param {any} element
 */
export function nameOf(element) {
  try {
    return flat(computeAccessibleName(element, NAMING) || (attribute(element, "placeholder") ?? ""));
  } catch {
    return ""; // of an element that has gone meanwhile
  }
}

/**
 * Text as names are compared: in small letters and without spaces, of which nobody knows where a line break or a picture
 * puts one.
 * @param {string} text @returns {string}
 */
export function flat(text) {
  let bare = "";
  for (let i = 0; i < text.length; i++) {
    const letter = /** @type {string} */ (text[i]);
    bare += trim(letter) === "" ? "" : letter;
  }
  return toLowerCase(bare);
}

/** The words of an id, as a person would write them: clear_cart and clearCart are "clear cart". @param {string} id */
export function wordsOf(id) {
  let words = "";
  for (let i = 0; i < id.length; i++) {
    const letter = /** @type {string} */ (id[i]);
    const separates = stringIndexOf("_.-", letter) >= 0;
    const begins = letter >= "A" && letter <= "Z" && i > 0 && /** @type {string} */ (id[i - 1]) >= "a" && /** @type {string} */ (id[i - 1]) <= "z";
    words += separates ? " " : begins ? ` ${letter}` : letter;
  }
  return toLowerCase(words);
}

/**
 * What an author's target means now: an element, a function that gives one, or a selector.
 * @param {any} target @returns {any} a list
 */
export function targets(target) {
  if (typeof target === "string") {
    return everywhere(target);
  }
  const element = typeof target === "function" ? apply(target, undefined, []) : target;
  const found = newList();
  if (isElement(element)) {
    add(found, element);
  }
  return found;
}

/** @param {any} value */
function isElement(value) {
  try {
    return isObject(value) && nodeType(value) === ELEMENT;
  } catch {
    return false;
  }
}
