// @ts-check
/**
 * The built-ins that the optional scripts use as well, captured when the module loads. It changes nothing on the page.
 * What the rest of a script keeps to is said in intrinsics.js.
 */

const global = globalThis;

/**
 * uncurry(f)(self, ...args) calls f with self as this, without looking anything up.
 * @type {<S, A extends unknown[], R>(f: (this: S, ...args: A) => R) => (self: S, ...args: A) => R}
 */
export const uncurry = Function.prototype.bind.bind(Function.prototype.call);

/**
 * @param {object} prototype
 * @param {string} name
 * @returns {(self: any) => any}
 */
export function getter(prototype, name) {
  const get = Object.getOwnPropertyDescriptor(prototype, name)?.get;
  if (get === undefined) {
    throw new TypeError(`pagewarden: this host has no ${name}`);
  }
  return /** @type {any} */ (uncurry(get));
}

export const {
  defineProperty,
  freeze,
  getPrototypeOf,
  hasOwn,
  isExtensible,
  keys: objectKeys,
  prototype: objectPrototype,
  setPrototypeOf,
} = Object;
export const { isArray, prototype: arrayPrototype } = Array;
export const { parse: jsonParse, stringify: jsonStringify } = JSON;
export const { apply } = Reflect;
const functionPrototype = Function.prototype;
const errorPrototype = Error.prototype;
export const { isFinite: isFiniteNumber } = Number;
export const { floor } = Math;

export const NativeError = Error;
export const NativeTypeError = TypeError;
export const NativePromise = Promise;
export const promisePrototype = Promise.prototype;
export const promiseThen = uncurry(Promise.prototype.then);

export const NativeMap = Map;
export const mapGet = uncurry(Map.prototype.get);
export const mapSet = uncurry(Map.prototype.set);
export const mapDelete = uncurry(Map.prototype.delete);
export const mapClear = uncurry(Map.prototype.clear);
export const mapForEach = uncurry(Map.prototype.forEach);
export const mapSize = getter(Map.prototype, "size");
export const NativeWeakMap = WeakMap;
export const weakGet = uncurry(WeakMap.prototype.get);
export const weakSet = uncurry(WeakMap.prototype.set);

export const charCode = uncurry(String.prototype.charCodeAt);
export const { fromCharCode } = String;
export const stringIndexOf = uncurry(String.prototype.indexOf);
export const stringSlice = uncurry(String.prototype.slice);

export const NativeAbortController = AbortController;
export const abortSignalOf = getter(AbortController.prototype, "signal");
export const abortController = uncurry(AbortController.prototype.abort);
export const signalAborted = getter(AbortSignal.prototype, "aborted");
export const addListener = uncurry(EventTarget.prototype.addEventListener);
export const removeListener = uncurry(EventTarget.prototype.removeEventListener);

/** The page's document, undefined in a worker and in Node. */
export const pageDocument = /** @type {Document | undefined} */ (global.document);
const viewOf = global.Document ? getter(Document.prototype, "defaultView") : () => global;
/** Whether a document's frame has been removed or has moved on; whoever holds an object of it can still call that. @param {Document | undefined} document */
export const isGone = (document) => viewOf(document) === null;
export const pageWindow = global.window;
export const pageNavigator = /** @type {Navigator | undefined} */ (global.navigator);

/**
 * A property of an object, its own or inherited, but never from a prototype that objects of all scripts share, where
 * any script of the page may put one; of anything else it is undefined. The read itself may run a getter of the page
 * and throw.
 * @param {any} object
 * @param {string} name
 * @returns {any}
 */
export function pick(object, name) {
  for (let holder = object; isObject(holder); holder = getPrototypeOf(holder)) {
    if (holder === objectPrototype || holder === arrayPrototype || holder === functionPrototype || holder === errorPrototype) {
      break;
    }
    if (hasOwn(holder, name)) {
      return object[name];
    }
  }
  return undefined;
}

/**
 * Gives an object an enumerable property that cannot be changed.
 * @param {object} object @param {string | symbol} name @param {unknown} value
 */
export function define(object, name, value) {
  defineProperty(object, name, /** @type {PropertyDescriptor} */ ({ __proto__: null, value, enumerable: true }));
}

/** @param {unknown} value @returns {value is object} */
export const isObject = (value) => (typeof value === "object" && value !== null) || typeof value === "function";

/**
 * @param {any} value parsed JSON, so without cycles and of bounded depth
 * @returns {any}
 */
export function deepFreeze(value) {
  if (typeof value !== "object" || value === null) {
    return value;
  }
  const names = objectKeys(value);
  for (let i = 0; i < names.length; i++) {
    deepFreeze(value[/** @type {string} */ (names[i])]);
  }
  return freeze(value);
}
