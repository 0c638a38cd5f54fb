// @ts-check
/** The runtime that the tools run in: the page's own if it has one, else what connect was given. */
import { NativeError, NativeTypeError, hasOwn, isObject } from "../shim/builtins.js";
import { endAll } from "./ends.js";

/** Under it a runtime has what it does for web tools (web/shim/runtime.js). */
const key = Symbol.for("pagewarden.webtools");

/**
 * What web tools need of a runtime.
 * @typedef {{
 *   __proto__?: null, source: any, describe: (definition: any) => any, result: (value: unknown) => any, error: (code: string, message: string) => any,
 *   payload: (code: string, message: string) => any, outcome: (result: any) => any, gone: () => any, registry: () => any,
 * }} Connection
 */

/** @type {Connection | undefined} */
let connection;

/**
 * Lets the tools run in a runtime. The first one counts: a script that comes later cannot put another in its place.
 * @param {any} runtime
 */
export function connect(runtime) {
  const own = isObject(runtime) && hasOwn(runtime, key) ? /** @type {any} */ (runtime)[key] : undefined;
  if (own === undefined) {
    throw new NativeTypeError("connect needs a runtime of pagewarden: what load() gives, or PageWarden.ready");
  }
  if (connection !== undefined && connection.source !== runtime) {
    throw new NativeError("pagewarden-webtools.js is connected to another runtime already");
  }
  if (connection !== undefined) {
    return;
  }
  own.join((/** @type {string} */ text) => (text === "" ? endAll() : 0)); // nobody asks it anything else
  connection = {
    __proto__: null, source: runtime, describe: own.webTool, result: own.webToolResult, error: own.webToolError, payload: own.webToolPayload,
    outcome: own.webToolOutcome, gone: own.webToolGone, registry: own.registry,
  };
}

/** The connection; an error says how to get one. @returns {Connection} */
export function connected() {
  if (connection === undefined) {
    throw new NativeError("pagewarden-webtools.js has no runtime yet: load pagewarden.js before it, or call connect(await load(…))");
  }
  return connection;
}
