// @ts-check
/** Promises without the look-ups that a page can reach. */
import { NativePromise, arrayPrototype, defineProperty, getPrototypeOf, hasOwn, isObject, objectPrototype, promisePrototype, promiseThen, apply } from "./intrinsics.js";

const noSpecies = { __proto__: null, value: undefined, configurable: true };

/**
 * Calls back when a promise of this realm settles. Promise.prototype.then asks the promise's constructor what
 * to make; for the length of the call it is undefined, which means the built-in one.
 * @param {Promise<any>} promise
 * @param {(value: any) => void} onValue
 * @param {(error: any) => void} onError
 */
export function settled(promise, onValue, onError) {
  if (!hasOwn(promise, "constructor")) {
    try {
      defineProperty(promise, "constructor", noSpecies);
      promiseThen(promise, onValue, onError);
      return;
    } finally {
      delete (/** @type {any} */ (promise).constructor);
    }
  }
  promiseThen(promise, onValue, onError);
}

/**
 * A promise and what settles it.
 * @returns {{ promise: Promise<any>, resolve: (value: any) => void, reject: (error: any) => void }}
 */
export function deferred() {
  /** @type {any} */
  const made = { promise: undefined, resolve: undefined, reject: undefined };
  made.promise = new NativePromise((resolve, reject) => {
    made.resolve = resolve;
    made.reject = reject;
  });
  return made;
}

/**
 * The then of a thenable, undefined for any other value. One that a script put on Object.prototype makes
 * nothing a thenable.
 * @param {unknown} value
 * @returns {((onValue: (v: any) => void, onError: (e: any) => void) => unknown) | undefined} may throw what a getter throws
 */
function thenOf(value) {
  if (!isObject(value)) {
    return undefined;
  }
  for (let holder = value; holder !== null && holder !== objectPrototype && holder !== arrayPrototype; holder = getPrototypeOf(holder)) {
    if (hasOwn(holder, "then")) {
      const then = /** @type {any} */ (value).then;
      return typeof then === "function" ? then : undefined;
    }
  }
  return undefined;
}

/**
 * Follows what a page's function returned. A value that is no promise is given to onValue at once; onError
 * gets a rejection or what reading the value threw. Each thenable is heard once.
 * @param {unknown} value
 * @param {(value: any) => void} onValue
 * @param {(error: any) => void} onError
 */
export function follow(value, onValue, onError) {
  let heard = false;
  /** @param {(result: any) => void} run @returns {(result: any) => void} */
  const once = (run) => (result) => {
    if (!heard) {
      heard = true;
      run(result);
    }
  };
  const fail = once(onError);
  try {
    const then = thenOf(value);
    if (then === undefined) {
      heard = true;
      onValue(value);
      return;
    }
    const resolved = once((/** @type {any} */ result) => follow(result, onValue, onError));
    if (isNativePromise(value)) {
      settled(/** @type {Promise<any>} */ (value), resolved, fail);
    } else {
      apply(then, value, [resolved, fail]);
    }
  } catch (error) {
    fail(error);
  }
}

/** @param {any} value */
function isNativePromise(value) {
  return getPrototypeOf(value) === promisePrototype && !hasOwn(value, "then");
}
