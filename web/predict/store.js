// @ts-check
/** createPredictionStore: one authoritative state and the predictions over it. Its rules are Go (predict/store.go). */
import { NativeMap, NativeTypeError, NativeWeakMap, freeze, isObject, mapDelete, mapForEach, mapSet, weakGet, weakSet } from "../shim/builtins.js";
import { forgetListener, keepListener } from "./hear.js";
import { whenLost } from "./loss.js";
import { want } from "./runtime.js";

/** The runtime's numbers. @type {WeakMap<object, number>} */
const numbers = new NativeWeakMap();

/** @param {any} store @param {string} where */
export function numberOf(store, where) {
  const number = isObject(store) ? weakGet(numbers, store) : undefined;
  if (number === undefined) {
    throw new NativeTypeError(`${where} needs a store that createPredictionStore made`);
  }
  return number;
}

/** pagewarden-predict.d.ts has its contract. @param {any} initial { state, version } */
export function createPredictionStore(initial) {
  const number = want(null, "store", initial);
  /** Its listeners by the runtime's numbers. @type {Map<number, true>} */
  const listeners = new NativeMap();
  const store = freeze({
    snapshot: () => want(null, "snapshot", number),
    predict: (/** @type {any} */ id, /** @type {any} */ prediction, /** @type {any} */ now) => want(null, "predict", number, id, prediction, now),
    commit: (/** @type {any} */ id, /** @type {any} */ server, /** @type {any} */ now, /** @type {any} */ options) => want(null, "commit", number, id, server, now, options),
    rollback: (/** @type {any} */ id) => want(null, "rollback", number, id),
    expire: (/** @type {any} */ now) => want(null, "expire", number, now),
    subscribe: (/** @type {any} */ listener) => subscribe(number, listeners, listener),
  });
  weakSet(numbers, store, number);
  whenLost(store, () => {
    mapForEach(listeners, (_, listener) => forgetListener(listener));
    want(null, "drop", number);
  });
  return store;
}

/** @param {number} number @param {Map<number, true>} listeners @param {any} listener */
function subscribe(number, listeners, listener) {
  if (typeof listener !== "function") {
    throw new NativeTypeError("subscribe: listener must be a function");
  }
  const own = want(null, "listen", number);
  keepListener(own, listener);
  mapSet(listeners, own, true);
  return () => {
    if (mapDelete(listeners, own)) {
      forgetListener(own);
      want(null, "ignore", number, own);
    }
  };
}
