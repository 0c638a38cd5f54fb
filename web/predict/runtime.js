// @ts-check
/** The runtime that the capabilities run in: the page's own if it has one, else what connect was given. */
import { NativeError, NativeTypeError, hasOwn, isObject, pick } from "../shim/builtins.js";
import { hear } from "./hear.js";

/** Under it a runtime has what it does for optional scripts (web/shim/runtime.js). */
const key = Symbol.for("pagewarden.webtools");
const NativeRangeError = RangeError;

/** @type {{ __proto__?: null, runtime: any, isOwnSchema: (schema: object) => boolean, call: (...given: any[]) => any } | undefined} */
let connection;

/**
 * Lets the capabilities run in a runtime. The first one counts: a script that comes later cannot put another in its place.
 * @param {any} runtime
 */
export function connect(runtime) {
  const own = isObject(runtime) && hasOwn(runtime, key) ? /** @type {any} */ (runtime)[key] : undefined;
  const join = pick(own, "join");
  if (typeof join !== "function") {
    throw new NativeTypeError("connect needs a runtime of pagewarden: what load() gives, or PageWarden.ready");
  }
  if (connection !== undefined && connection.runtime !== runtime) {
    throw new NativeError("pagewarden-predict.js is connected to another runtime already");
  }
  connection ??= { __proto__: null, runtime, isOwnSchema: own.isOwnSchema, call: join(hear) };
}

/** The connection; an error says how to get one. */
export function connected() {
  if (connection === undefined) {
    throw new NativeError("pagewarden-predict.js has no runtime yet: load pagewarden.js before it, or call connect(await load(…))");
  }
  return connection;
}

/**
 * What the runtime does for this script (jsbridge/guests.go).
 * @param {any} registry the page's, undefined for the one of capabilities that are in no registry, null where none is needed
 * @param {string} wish @param {any} [a] @param {any} [b] @param {any} [c] @param {any} [d] @param {any} [e] its arguments
 * @returns {any} frozen plain data, or undefined
 */
export function want(registry, wish, a, b, c, d, e) {
  const back = connected().call(registry, wish, a, b, c, d, e);
  const tooLarge = pick(back, "tooLarge");
  if (typeof tooLarge === "string") {
    throw new NativeRangeError(tooLarge);
  }
  return back;
}

/** What failed after its operation, as it would have been thrown. @param {any} fault as jsbridge/guests.go writes it */
export function errorOf(fault) {
  const { AgentSurfaceDefinitionError } = connected().runtime;
  const tooLarge = pick(fault, "tooLarge");
  if (tooLarge !== undefined) {
    return new NativeRangeError(tooLarge);
  }
  const code = pick(fault, "code");
  if (code !== undefined) {
    return new AgentSurfaceDefinitionError(code, fault.message);
  }
  return pick(fault, "closed") === true ? new NativeError("this registry has been disposed of") : new NativeTypeError(fault.message);
}
