// @ts-check
/** What the runtime asks of this script, and tells it (jsbridge/guests.go). */
import { NativeMap, apply, freeze, jsonParse, mapDelete, mapGet, mapSet, pick } from "../shim/builtins.js";
import { deferred, follow, settled } from "../shim/promises.js";
import { inDevelopment } from "../webtools/environment.js";
import { report } from "../webtools/report.js";
import { answered, clockOf, loseAll, waiting } from "./pending.js";
import { connected } from "./runtime.js";

/**
 * The functions of a capability as they were when it was defined; self is the author's object.
 * @typedef {{ __proto__?: null, name: any, self: any, execute: any, predict: any, reconcile: any, key: any, store: any, input: any, output: any }} Functions
 */

/** By the numbers of capabilities. @type {Map<number, Functions>} */
const capabilities = new NativeMap();
let lastCapability = 0;

/** By the numbers of projections. @type {Map<number, any>} */
const checks = new NativeMap();
let lastCheck = 0;

/** By the runtime's numbers. @type {Map<number, (event: any) => void>} */
const listeners = new NativeMap();

/** @param {Functions} functions @returns {number} */
export function keepCapability(functions) {
  mapSet(capabilities, ++lastCapability, functions);
  return lastCapability;
}

/** @param {number} number */
export const forgetCapability = (number) => void mapDelete(capabilities, number);

/** @param {any} authorize */
export function keepCheck(authorize) {
  mapSet(checks, ++lastCheck, authorize);
  return lastCheck;
}

/** @param {number} number */
export const forgetCheck = (number) => void mapDelete(checks, number);

/** @param {number} number @param {(event: any) => void} listener */
export const keepListener = (number, listener) => void mapSet(listeners, number, listener);

/** @param {number} number */
export const forgetListener = (number) => void mapDelete(listeners, number);

/**
 * Answers a question, or takes note of news. What it throws is an answer too.
 * @param {string} text empty when the runtime is dead, ? for how many promises are open @param {() => AbortSignal} [signal] of a question that may be answered later
 * @returns {unknown}
 */
export function hear(text, signal) {
  if (text === "") {
    return loseAll();
  }
  if (text === "?") {
    return waiting();
  }
  const asked = jsonParse(text);
  switch (asked.do) {
    case "answered":
      return answered(asked.ticket, asked);
    case "event":
      return tell(asked.listener, asked.event);
    case "forget":
      return forgetCapability(asked.of);
    case "now":
      return apply(clockOf(asked.ticket), undefined, []);
    case "authorize":
      return apply(mapGet(checks, asked.of), undefined, [asked.input]);
  }
  const functions = /** @type {Functions} */ (mapGet(capabilities, asked.of));
  try {
    return work(functions, asked, signal);
  } catch (error) {
    complain(functions, asked, error);
    throw error;
  }
}

/** An error for the agent is no failure. @param {Functions} functions @param {any} asked @param {unknown} error */
function complain(functions, asked, error) {
  if (inDevelopment() && !connected().runtime.isAgentSurfaceError(error)) {
    report(`${asked.do} of the capability ${functions.name} failed`, error);
  }
}

/** What a capability is asked. @param {Functions} functions @param {any} asked @param {any} signal */
function work(functions, asked, signal) {
  const { self } = functions;
  const { input } = asked;
  switch (asked.do) {
    case "execute":
      return watched(functions, asked, apply(functions.execute, self, [input, infoOf(asked, signal)]));
    case "predict":
      return apply(functions.predict, self, [freeze({ input, snapshot: asked.snapshot, version: asked.version, now: asked.now })]);
    case "reconcile":
      return watched(functions, asked, apply(functions.reconcile, self, [freeze({
        input, output: pick(asked, "output"), previous: asked.previous, prediction: asked.prediction, now: asked.now,
      })]));
    case "key":
      return apply(functions.key, self, [input]);
    case "parse":
      return parse(asked.schema === "input" ? functions.input : functions.output, input);
    case "recall":
      return wrapped(apply(functions.store.get, functions.store.self, [asked.key]));
    case "remember":
      return apply(functions.store.put, functions.store.self, [asked.key, pick(asked, "output")]);
  }
  return undefined;
}

/** Lets developers know of a promise that is rejected. @param {Functions} functions @param {any} asked @param {any} given */
function watched(functions, asked, given) {
  if (inDevelopment()) {
    try {
      settled(given, () => {}, (error) => complain(functions, asked, error));
    } catch {
      // It is no promise.
    }
  }
  return given;
}

/** What a handler is told. @param {any} asked @param {() => AbortSignal} signal */
function infoOf(asked, signal) {
  const { invocationId, consumer } = asked;
  return freeze({
    get signal() {
      return signal();
    },
    invocationId,
    consumer: freeze(consumer),
  });
}

/** The page's own check of a value. @param {any} schema @param {any} input */
function parse(schema, input) {
  try {
    return { __proto__: null, value: apply(pick(schema, "parse"), schema, [input]) };
  } catch (error) {
    return { __proto__: null, issues: pick(error, "issues") ?? freeze([]) };
  }
}

/** What a store of outputs gives, or nothing. @param {unknown} found */
function wrapped(found) {
  const outcome = deferred();
  follow(found, (output) => outcome.resolve(output === undefined || output === null ? undefined : { __proto__: null, output }), outcome.reject);
  return outcome.promise;
}

/** @param {number} number @param {any} event */
function tell(number, event) {
  const listener = mapGet(listeners, number);
  try {
    listener?.(freeze(event));
  } catch (error) {
    report("a listener of a prediction store failed", error);
  }
}
