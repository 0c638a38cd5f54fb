// @ts-check
/**
 * Every built-in that the script uses, captured when it loads. Nothing below this module touches a global,
 * or calls a method that is looked up on a prototype that a page can reach.
 *
 * What the rest of the script keeps to, because each of these reads such a prototype: no for…of, spread,
 * array destructuring, await, promise methods, instanceof, regular expressions; no array that is written by
 * index or pushed to; no option bag or property descriptor with a prototype.
 */

import { NativeError, NativeMap, define, defineProperty, getter, mapDelete, mapGet, mapSet, pick, uncurry } from "./builtins.js";

export * from "./builtins.js";

const global = globalThis;

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
