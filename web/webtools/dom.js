// @ts-check
/**
 * What the tools use of the browser, captured when the module loads. The page's own document is the page's: what is read
 * of it decides only where something is written and what has to be pressed.
 */
import { accessor, getter, method, missing, setter } from "../capture.js";

const scope = /** @type {any} */ (globalThis);

export const setTimer = scope.setTimeout;
export const clearTimer = scope.clearTimeout;
export const microtask = scope.queueMicrotask;
export const { now: dateNow, parse: dateParse } = Date;
export const NativeDate = Date;
export const fullYear = method("Date", "getFullYear");
export const month = method("Date", "getMonth");
export const day = method("Date", "getDate");
export const hours = method("Date", "getHours");
export const minutes = method("Date", "getMinutes");
export const seconds = method("Date", "getSeconds");
export const { max, min } = Math;
/** The page's window, where there is one. @type {any} */
export const pageWindow = scope;

export const toLowerCase = method("String", "toLowerCase");
export const trim = method("String", "trim");
export const regExec = method("RegExp", "exec");

// Events.
/** The browser puts this accessor onto each event itself, where no page can replace it. @type {(event: any) => boolean} */
export const isTrusted = accessor(scope.Event && new scope.Event("a"), "isTrusted", "get");
export const timeOf = getter("Event", "timeStamp");
export const typeOf = getter("Event", "type");
export const pathOf = method("Event", "composedPath");
export const keyOf = getter("KeyboardEvent", "key");
export const codeOf = getter("KeyboardEvent", "code");
export const hasAlt = getter("KeyboardEvent", "altKey");
export const isRepeat = getter("KeyboardEvent", "repeat");
export const pointerX = getter("MouseEvent", "clientX");
export const pointerY = getter("MouseEvent", "clientY");
export const dispatch = method("EventTarget", "dispatchEvent");
const NativeEvent = scope.Event ?? missing("Event");
const NativeInputEvent = scope.InputEvent ?? missing("InputEvent");
/** @param {string} type */
export const bubbling = (type) => new NativeEvent(type, { __proto__: null, bubbles: true, composed: type === "input" });
/** @param {string} type @param {string} data @param {boolean} cancelable */
export const inputEvent = (type, data, cancelable) =>
  new NativeInputEvent(type, { __proto__: null, bubbles: true, composed: true, cancelable, data, inputType: "insertReplacementText" });

// Nodes.
export const nodeType = getter("Node", "nodeType");
export const parentNode = getter("Node", "parentNode");
export const isConnected = getter("Node", "isConnected");
export const rootNodeOf = method("Node", "getRootNode");
export const containsNode = method("Node", "contains");
export const textOf = getter("Node", "textContent");
export const setText = setter("Node", "textContent");
export const hostOf = getter("ShadowRoot", "host");
export const shadowOf = getter("Element", "shadowRoot");
export const tagOf = getter("Element", "localName");
export const attribute = method("Element", "getAttribute");
export const hasAttribute = method("Element", "hasAttribute");
export const setAttribute = method("Element", "setAttribute");
export const removeAttribute = method("Element", "removeAttribute");
export const matches = method("Element", "matches");
export const closest = method("Element", "closest");
export const scrollIntoView = method("Element", "scrollIntoView");
export const rectangleOf = method("Element", "getBoundingClientRect");
export const rectanglesOf = method("Element", "getClientRects");
export const rectangleCount = getter("DOMRectList", "length");
export const leftOf = getter("DOMRectReadOnly", "left");
export const rightOf = getter("DOMRectReadOnly", "right");
export const topOf = getter("DOMRectReadOnly", "top");
export const bottomOf = getter("DOMRectReadOnly", "bottom");
export const seesElement = method("Element", "checkVisibility");
const queryDocument = method("Document", "querySelectorAll");
const queryFragment = method("DocumentFragment", "querySelectorAll");
export const documentElement = getter("Document", "documentElement");
const DOCUMENT = 9;
/** @param {any} root a document or a shadow root @param {string} selector @returns {NodeListOf<Element>} */
export const query = (root, selector) => (nodeType(root) === DOCUMENT ? queryDocument(root, selector) : queryFragment(root, selector));
export const nodeCount = getter("NodeList", "length");

const hitDocument = method("Document", "elementFromPoint");
const hitShadow = method("ShadowRoot", "elementFromPoint");
/** What a click there would hit, as a root sees it. @param {any} root @param {number} x @param {number} y @returns {any} */
export const hitAt = (root, x, y) => (nodeType(root) === DOCUMENT ? hitDocument(root, x, y) : hitShadow(root, x, y));

// Observers.
export const NativeMutationObserver = scope.MutationObserver;
export const observeMutations = method("MutationObserver", "observe");
export const disconnect = method("MutationObserver", "disconnect");

// Style.
export const styleOfElement = (/** @type {any} */ element) => ("style" in element ? element.style : undefined);
export const setProperty = method("CSSStyleDeclaration", "setProperty");
export const removeProperty = method("CSSStyleDeclaration", "removeProperty");
export const propertyValue = method("CSSStyleDeclaration", "getPropertyValue");
export const propertyPriority = method("CSSStyleDeclaration", "getPropertyPriority");

// Forms: each kind's own accessors, since a framework may have put others onto an element.
export const inputType = getter("HTMLInputElement", "type");
export const inputValue = getter("HTMLInputElement", "value");
export const setInputValue = setter("HTMLInputElement", "value");
export const inputChecked = getter("HTMLInputElement", "checked");
export const inputName = getter("HTMLInputElement", "name");
export const inputForm = getter("HTMLInputElement", "form");
export const inputMaxLength = getter("HTMLInputElement", "maxLength");
export const inputReadOnly = getter("HTMLInputElement", "readOnly");
export const inputMultiple = getter("HTMLInputElement", "multiple");
export const areaValue = getter("HTMLTextAreaElement", "value");
export const setAreaValue = setter("HTMLTextAreaElement", "value");
export const areaMaxLength = getter("HTMLTextAreaElement", "maxLength");
export const areaReadOnly = getter("HTMLTextAreaElement", "readOnly");
export const areaForm = getter("HTMLTextAreaElement", "form");
export const selectOptions = getter("HTMLSelectElement", "options");
export const selectMultiple = getter("HTMLSelectElement", "multiple");
export const selectForm = getter("HTMLSelectElement", "form");
export const optionCount = getter("HTMLOptionsCollection", "length");
export const setSelectedIndex = setter("HTMLSelectElement", "selectedIndex");
export const selectedIndex = getter("HTMLSelectElement", "selectedIndex");
export const optionValue = getter("HTMLOptionElement", "value");
export const optionLabel = getter("HTMLOptionElement", "label");
export const optionSelected = getter("HTMLOptionElement", "selected");
export const setOptionSelected = setter("HTMLOptionElement", "selected");
export const optionDisabled = (/** @type {any} */ option) => matches(option, ":disabled");
export const buttonForm = getter("HTMLButtonElement", "form");
export const buttonType = getter("HTMLButtonElement", "type");
export const formElements = getter("HTMLFormElement", "elements");
export const elementCount = getter("HTMLCollection", "length");
export const pressElement = method("HTMLElement", "click");
export const isEditable = getter("HTMLElement", "isContentEditable");
