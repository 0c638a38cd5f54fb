// @ts-check
/** Promises without the look-ups that a page can reach. */
import {
  NativePromise, apply, arrayPrototype, deepFreeze, defineProperty, freeze, getPrototypeOf, hasOwn, isArray, isExtensible, isObject, objectPrototype, pick,
  promisePrototype, promiseThen, setPrototypeOf,
} from "./builtins.js";

const noSpecies = { __proto__: null, value: undefined, configurable: true };

/**
 * Calls back when a promise of this realm settles. Promise.prototype.then asks the promise's constructor what
 * to make; for the length of the call it is undefined, which means the built-in one. A frozen promise is asked as it
 * is: what a page puts in the constructor's place gets nothing of the result and cannot keep it from us, short of throwing.
 * @param {Promise<any>} promise
 * @param {(value: any) => void} onValue
 * @param {(error: any) => void} onError
 */
export function settled(promise, onValue, onError) {
  if (isExtensible(promise) && !hasOwn(promise, "constructor")) {
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
 * Resolves a promise with a plain object, frozen. While it is being resolved the object has a then of its own, so
 * that one on Object.prototype is not asked. Where that was the last member, V8 takes it away at no cost.
 * @param {{ resolve: (value: any) => void }} outcome
 * @param {any} value a literal whose last member is then, undefined, and whose other members are frozen
 */
export function resolvePlain(outcome, value) {
  outcome.resolve(value);
  delete value.then;
  freeze(value);
}

/**
 * Resolves a promise with plain data. While it is being resolved the object has no prototype, so that a then on
 * Object.prototype is not asked.
 * @param {{ resolve: (value: any) => void }} outcome
 * @param {any} value parsed JSON, an object or an array
 */
export function resolveData(outcome, value) {
  setPrototypeOf(value, null);
  outcome.resolve(value);
  setPrototypeOf(value, isArray(value) ? arrayPrototype : objectPrototype);
  deepFreeze(value);
}

/**
 * The then of a thenable, undefined for any other value.
 * @param {unknown} value
 * @returns {((onValue: (v: any) => void, onError: (e: any) => void) => unknown) | undefined} may throw what a getter throws
 */
function thenOf(value) {
  const then = isObject(value) ? pick(value, "then") : undefined;
  return typeof then === "function" ? then : undefined;
}

/** How many thenables may resolve to one another; where they do so at once, each takes a piece of the stack. */
const LONGEST = 100;

/**
 * Follows what a page's function returned. A value that is no promise is given to onValue at once; onError
 * gets a rejection or what reading the value threw. Each thenable is heard once.
 * @param {unknown} value
 * @param {(value: any) => void} onValue
 * @param {(error: any) => void} onError
 * @param {number} [length] of the chain that has led here
 */
export function follow(value, onValue, onError, length = 0) {
  let heard = false;
  /** @param {(result: any) => void} run @returns {(result: any) => void} */
  const once = (run) => (result) => {
    if (!heard) {
      heard = true;
      run(result);
    }
  };
  const fail = once(onError);
  if (length > LONGEST) {
    fail(undefined);
    return;
  }
  let then;
  try {
    then = thenOf(value);
  } catch (error) {
    fail(error);
    return;
  }
  if (then === undefined) {
    onValue(value);
    return;
  }
  try {
    const resolved = once((/** @type {any} */ result) => follow(result, onValue, onError, length + 1));
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

/** Runs after the present question has been answered. @param {() => void} run */
export function later(run) {
  const soon = deferred();
  soon.resolve(undefined);
  follow(soon.promise, run, run);
}
