// @ts-check
/**
 * Every built-in that the dialog uses, captured when the module loads. Nothing below this module touches a global, or
 * calls a method or reads an accessor that is looked up on a prototype that a page can reach later.
 *
 * What the rest of the dialog keeps to, because each of these reads such a prototype: no for…of, spread, array
 * destructuring, await, promise methods, instanceof, methods of regular expressions; no array that is written by index
 * or pushed to; no option bag with a prototype.
 */

import { accessor, getter, method, missing, setter, uncurry } from "../capture.js";

const scope = /** @type {any} */ (globalThis);

export const { freeze, hasOwn, is: isSame, keys: objectKeys } = Object;
export const { isArray } = Array;
export const { stringify: jsonStringify } = JSON;
export const { apply } = Reflect;
export const { ceil, floor, max, min } = Math;
export const NativeTypeError = TypeError;
export const NativeMap = Map;
export const mapDelete = method("Map", "delete");
export const mapForEach = method("Map", "forEach");
export const mapSet = method("Map", "set");
export const mapSize = getter("Map", "size");
export const NativeWeakMap = WeakMap;
export const weakGet = method("WeakMap", "get");
export const weakSet = method("WeakMap", "set");
export const codePointAt = method("String", "codePointAt");
export const stringIndexOf = method("String", "indexOf");
export const stringSlice = method("String", "slice");
export const numberToText = method("Number", "toString");
export const execute = method("RegExp", "exec");
export const { now: dateNow, parse: dateParse } = Date;

/** The page's document; undefined where there is none. @type {Document} */
export const pageDocument = scope.document;
export const setTimer = scope.setTimeout;
export const clearTimer = scope.clearTimeout;
const clock = scope.performance;
const clockNow = uncurry(clock?.now);
/** @returns {number} milliseconds on the time line of events' timeStamp */
export const monotonicNow = () => clockNow(clock);
/** Hands an error of the page's own to whoever watches its errors. @type {(error: unknown) => void} */
const reportPageError = scope.reportError ?? missing("reportError");

export const addListener = method("EventTarget", "addEventListener");
export const removeListener = method("EventTarget", "removeEventListener");
/** The browser puts this accessor onto each event itself, where no page can replace it. @type {(event: any) => boolean} */
export const isTrusted = accessor(scope.Event && new scope.Event("a"), "isTrusted", "get");
export const timeOf = getter("Event", "timeStamp");
export const preventDefault = method("Event", "preventDefault");
export const stopPropagation = method("Event", "stopPropagation");
export const eventDetail = getter("UIEvent", "detail");
export const pointerX = getter("MouseEvent", "clientX");
export const pointerY = getter("MouseEvent", "clientY");
export const keyOf = getter("KeyboardEvent", "key");
export const isRepeat = getter("KeyboardEvent", "repeat");

export const createElement = method("Document", "createElement");
export const createElementNS = method("Document", "createElementNS");
export const bodyOf = getter("Document", "body");
/** What has the focus, in open shadow roots too. @returns {Element | null} */
export function deepActiveElement() {
  let active = activeElement(pageDocument);
  for (let root = active && shadowOf(active); root && activeInShadow(root); root = shadowOf(active)) {
    active = activeInShadow(root);
  }
  return active;
}
export const rootElement = getter("Document", "documentElement");
export const activeElement = getter("Document", "activeElement");
export const elementFromPoint = method("Document", "elementFromPoint");
export const elementInShadow = method("ShadowRoot", "elementFromPoint");
export const appendChild = method("Node", "appendChild");
export const setText = setter("Node", "textContent");
export const isConnected = getter("Node", "isConnected");
export const ownerOf = getter("Node", "ownerDocument");
export const nodeType = getter("Node", "nodeType");
export const parentOf = getter("Node", "parentNode");
export const rootNodeOf = method("Node", "getRootNode");
export const hostOf = getter("ShadowRoot", "host");
const shadowOf = getter("Element", "shadowRoot");
const activeInShadow = getter("ShadowRoot", "activeElement");
export const attachShadow = method("Element", "attachShadow");
export const getRectangle = method("Element", "getBoundingClientRect");
export const matches = method("Element", "matches");
export const removeAttribute = method("Element", "removeAttribute");
export const removeElement = method("Element", "remove");
export const replaceChildren = method("Element", "replaceChildren");
export const setAttribute = method("Element", "setAttribute");
export const setScrollTop = setter("Element", "scrollTop");
export const clientHeight = getter("Element", "clientHeight");
export const scrollHeight = getter("Element", "scrollHeight");
export const focusElement = method("HTMLElement", "focus");
export const showModal = method("HTMLDialogElement", "showModal");
export const dialogIsOpen = getter("HTMLDialogElement", "open");
export const left = getter("DOMRectReadOnly", "left");
export const top = getter("DOMRectReadOnly", "top");
export const width = getter("DOMRectReadOnly", "width");
export const height = getter("DOMRectReadOnly", "height");

export const NativeStyleSheet = scope.CSSStyleSheet;
export const replaceStyle = method("CSSStyleSheet", "replaceSync");
const adoptedSheets = getter("ShadowRoot", "adoptedStyleSheets");
const push = method("Array", "push");
/** Assigning a list would iterate it, which a page can watch; pushing goes to the browser's own array. @param {ShadowRoot} root @param {CSSStyleSheet} sheet */
export const adoptSheet = (root, sheet) => void push(adoptedSheets(root), sheet);

export const NativeIntersectionObserver = scope.IntersectionObserver;
export const observe = method("IntersectionObserver", "observe");
export const unobserve = method("IntersectionObserver", "unobserve");
export const disconnect = method("IntersectionObserver", "disconnect");
export const intersectionRatio = getter("IntersectionObserverEntry", "intersectionRatio");
/** Whether the browser can tell that nothing covers or alters an element. */
export const tellsVisibility = scope.IntersectionObserverEntry !== undefined && "isVisible" in scope.IntersectionObserverEntry.prototype;
export const isVisible = tellsVisibility ? getter("IntersectionObserverEntry", "isVisible") : () => true;

/** @param {unknown} value @returns {value is object} */
export const isObject = (value) => (typeof value === "object" && value !== null) || typeof value === "function";

/** A property of the object itself, and never one of its prototype. @param {any} object @param {string} name */
export const own = (object, name) => (isObject(object) && hasOwn(object, name) ? /** @type {any} */ (object)[name] : undefined);

/** Runs what is the page's own; what it throws is the page's matter. @template T @param {() => T} run @returns {T | undefined} */
export function quietly(run) {
  try {
    return run();
  } catch (error) {
    reportPageError(error);
    return undefined;
  }
}
