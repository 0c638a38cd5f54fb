// @ts-check
/** What the cursor uses of the browser, captured when the module loads; see web/shim/intrinsics.js for the rules. */
import { getter, method, setter, uncurry } from "../capture.js";

const scope = /** @type {any} */ (globalThis);

export const { defineProperty, freeze, keys: objectKeys } = Object;
export const { ceil, min } = Math;
export const NativeTypeError = TypeError;
/** The page's document; undefined where there is none. @type {Document} */
export const pageDocument = scope.document;
export const setTimer = scope.setTimeout;
export const clearTimer = scope.clearTimeout;
const media = uncurry(scope.matchMedia ?? (() => ({})));
const mediaMatches = getter("MediaQueryList", "matches");
/** Whether the person has asked their system for less motion. */
export const wantsLessMotion = () => mediaMatches(media(scope, "(prefers-reduced-motion: reduce)"));

export const addListener = method("EventTarget", "addEventListener");
export const removeListener = method("EventTarget", "removeEventListener");
export const signalAborted = getter("AbortSignal", "aborted");

export const createElement = method("Document", "createElement");
export const createElementNS = method("Document", "createElementNS");
export const rootElement = getter("Document", "documentElement");
export const activeElement = getter("Document", "activeElement");
export const ownerOf = getter("Node", "ownerDocument");
export const appendChild = method("Node", "appendChild");
export const setText = setter("Node", "textContent");
export const isConnected = getter("Node", "isConnected");
export const attachShadow = method("Element", "attachShadow");
export const setAttribute = method("Element", "setAttribute");
export const removeElement = method("Element", "remove");
export const matches = method("Element", "matches");
export const rectangleOf = method("Element", "getBoundingClientRect");
export const scrollIntoView = method("Element", "scrollIntoView");
export const showPopover = method("HTMLElement", "showPopover");
export const styleOf = getter("HTMLElement", "style");
export const setProperty = method("CSSStyleDeclaration", "setProperty");
export const left = getter("DOMRectReadOnly", "left");
export const top = getter("DOMRectReadOnly", "top");
export const width = getter("DOMRectReadOnly", "width");
export const height = getter("DOMRectReadOnly", "height");
export const viewWidth = () => scope.innerWidth;
export const viewHeight = () => scope.innerHeight;

const NativeStyleSheet = scope.CSSStyleSheet;
const replaceStyle = method("CSSStyleSheet", "replaceSync");
const adoptedSheets = getter("ShadowRoot", "adoptedStyleSheets");
const push = method("Array", "push");
/** Assigning a list would iterate it, which a page can watch; pushing goes to the browser's own array. @param {ShadowRoot} root @param {string} css */
export function adoptStyle(root, css) {
  const sheet = new NativeStyleSheet();
  replaceStyle(sheet, css);
  push(adoptedSheets(root), sheet);
}

/** @param {unknown} value @returns {value is object} */
export const isObject = (value) => (typeof value === "object" && value !== null) || typeof value === "function";
