// @ts-check
/**
 * Every built-in that the script uses, captured when it loads. Nothing below this module touches a global,
 * or calls a method that is looked up on a prototype that a page can reach.
 *
 * What the rest of the script keeps to, because each of these reads such a prototype: no for…of, spread,
 * array destructuring, await, promise methods, instanceof, regular expressions; no array that is written by
 * index or pushed to; no option bag or property descriptor with a prototype.
 */

const global = globalThis;

/**
 * uncurry(f)(self, ...args) calls f with self as this, without looking anything up.
 * @type {<S, A extends unknown[], R>(f: (this: S, ...args: A) => R) => (self: S, ...args: A) => R}
 */
const uncurry = Function.prototype.bind.bind(Function.prototype.call);

/**
 * @param {object} prototype
 * @param {string} name
 * @returns {(self: any) => any}
 */
function getter(prototype, name) {
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

export const Bytes = Uint8Array;
export const Words = Int32Array;
export const isView = ArrayBuffer.isView;

const encoder = new TextEncoder();
const encodeIntoOf = uncurry(TextEncoder.prototype.encodeInto);
/** @param {string} text @param {Uint8Array} to @returns {{ read: number, written: number }} */
export const encodeInto = (text, to) => encodeIntoOf(encoder, text, to);
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const decodeOf = uncurry(TextDecoder.prototype.decode);
/** @param {Uint8Array} bytes @returns {string} */
export const decode = (bytes) => decodeOf(decoder, /** @type {Uint8Array<ArrayBuffer>} */ (bytes));

export const NativeAbortController = AbortController;
export const abortSignalOf = getter(AbortController.prototype, "signal");
export const abortController = uncurry(AbortController.prototype.abort);
export const signalAborted = getter(AbortSignal.prototype, "aborted");
export const addListener = uncurry(EventTarget.prototype.addEventListener);
export const removeListener = uncurry(EventTarget.prototype.removeEventListener);

export const wasmCompile = WebAssembly.compile;
export const wasmCompileStreaming = WebAssembly.compileStreaming;
export const wasmInstantiate = WebAssembly.instantiate;
export const WasmInstance = WebAssembly.Instance;
export const WasmModule = WebAssembly.Module;
export const moduleSections = WasmModule.customSections;
export const instanceExports = getter(WebAssembly.Instance.prototype, "exports");
export const memoryBuffer = getter(WebAssembly.Memory.prototype, "buffer");

const cryptoObject = crypto;
const fillRandom = uncurry(cryptoObject.getRandomValues);
/** @param {Uint8Array<ArrayBuffer>} bytes */
export const getRandomValues = (bytes) => fillRandom(cryptoObject, bytes);
const clock = performance;
const clockNow = uncurry(clock.now);
/** @returns {number} */
export const monotonicNow = () => clockNow(clock);
export const dateNow = Date.now;
export const setTimer = global.setTimeout;
export const clearTimer = global.clearTimeout;
export const microtask = global.queueMicrotask;
export const fetchURL = global.fetch;
export const urlText = getter(URL.prototype, "href");
export const responseURL = getter(Response.prototype, "url");
export const responseStatus = getter(Response.prototype, "status");
export const responseHeaders = getter(Response.prototype, "headers");
export const responseBytes = uncurry(Response.prototype.arrayBuffer);
export const headerOf = uncurry(Headers.prototype.get);
export const bufferLength = getter(ArrayBuffer.prototype, "byteLength");

// While the module loads, the host resolves promises with objects of these classes. Each is asked for a then, and
// without one of its own that is the one on Object.prototype, which would get the module and could forge it.
const loaded = [Response.prototype, ArrayBuffer.prototype, WasmModule.prototype, WasmInstance.prototype];
for (let i = 0; i < loaded.length; i++) {
  defineProperty(/** @type {object} */ (loaded[i]), "then", /** @type {PropertyDescriptor} */ ({ __proto__: null }));
}

const { port1, port2 } = new MessageChannel();
const postOf = uncurry(MessagePort.prototype.postMessage);
/** @type {Map<number, () => void>} what the posted tasks run, in their order */
const tasks = new NativeMap();
let posted = 0;
let ran = 0;
/** @type {{ ref?: () => void, unref?: () => void }} */
const nodePort = /** @type {any} */ (port1);
const hold = nodePort.ref === undefined ? () => {} : uncurry(nodePort.ref);
const letGo = nodePort.unref === undefined ? () => {} : uncurry(nodePort.unref);
port1.onmessage = () => {
  const run = mapGet(tasks, ++ran);
  mapDelete(tasks, ran);
  if (ran === posted) {
    letGo(port1);
  }
  run?.();
};
letGo(port1); // in Node an open port keeps the process alive, which only a task that waits should do
/** Runs something in a later task, which no timer of the page's test framework delays. @param {() => void} run */
export function postTask(run) {
  mapSet(tasks, ++posted, run);
  if (posted - ran === 1) {
    hold(port1);
  }
  postOf(port2, null);
}

const consoleObject = console;
const consoleOf = { error: uncurry(console.error), warn: uncurry(console.warn), debug: uncurry(console.debug) };
/** @param {"error" | "warn" | "debug"} level @param {string} text @param {unknown} [detail] */
export function report(level, text, detail) {
  try {
    if (detail === undefined) {
      consoleOf[level](consoleObject, text);
    } else {
      consoleOf[level](consoleObject, text, detail);
    }
  } catch {
    // A page's console that throws is the page's matter.
  }
}

/** Where the caller is, as far as the host and the page (Error.prepareStackTrace) tell. @returns {string} */
export function stackNow() {
  try {
    const here = new NativeError("registered here");
    define(here, "name", "Error"); // its own, or the engine asks Error.prototype
    const stack = pick(here, "stack");
    return typeof stack === "string" ? stack : "";
  } catch {
    return "";
  }
}

/** The page's document, undefined in a worker and in Node. */
export const pageDocument = /** @type {Document | undefined} */ (global.document);
const viewOf = global.Document ? getter(Document.prototype, "defaultView") : () => global;
/** Whether the page's frame has been removed or has moved on; whoever holds an object of the page can still call it. */
export const pageIsGone = () => viewOf(pageDocument) === null;
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
