// @ts-check
/** executePredicted: shows what a call will change, makes the call, and reconciles. */
import { NativeTypeError } from "../shim/builtins.js";
import { isSignal } from "../shim/contexts.js";
import { deferred, settled } from "../shim/promises.js";
import { keptOf } from "./define.js";
import { forgetCheck, keepCheck } from "./hear.js";
import { optionsOf } from "./options.js";
import { begin, throwLost } from "./pending.js";
import { want } from "./runtime.js";
import { numberOf } from "./store.js";

const OPTIONS = /** @type {any} */ ({
  __proto__: null, predictionId: "data", signal: "object", now: "data", capabilities: "data", registry: "object", consumer: "data", authorize: "function",
  wait: "data", invocationId: "data", confirmationId: "data",
});

/** pagewarden-predict.d.ts has its contract. @param {any} capability @param {any} input @param {any} store @param {any} [options] */
export function executePredicted(capability, input, store, options) {
  try {
    return execute(capability, input, store, options);
  } catch (error) {
    const outcome = deferred();
    outcome.reject(error);
    return outcome.promise;
  }
}

/** @param {any} capability @param {any} input @param {any} store @param {any} options */
function execute(capability, input, store, options) {
  const kept = keptOf(capability, "executePredicted");
  const number = numberOf(store, "executePredicted");
  const { signal, registry, now, authorize, ...data } = optionsOf(options, "executePredicted", OPTIONS);
  if (signal !== undefined && !isSignal(signal)) {
    throw new NativeTypeError("executePredicted: options.signal must be an AbortSignal");
  }
  const clock = typeof now === "function" ? now : undefined;
  const check = authorize === undefined ? 0 : keepCheck(authorize);
  const about = { __proto__: null, signal, clock, lost: throwLost, kept: { kept, store } };
  const promise = begin(about, (ticket, aborted) => {
    const call = { __proto__: null, ...data, now: clock === undefined ? now : undefined, clock: clock !== undefined, authorize: check, aborted };
    want(registry, "execute", kept.number, number, ticket, call, input);
  });
  const over = () => forgetCheck(check);
  settled(promise, over, over);
  return promise;
}
