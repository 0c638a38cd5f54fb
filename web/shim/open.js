// @ts-check
/** What is open: handlers and policy hooks of the page that the runtime waits for, and their signals. */
import {
  NativeAbortController, NativeError, NativePromise, abortController, abortSignalOf, defineProperty, freeze, getPrototypeOf,
} from "./intrinsics.js";
import { deferred, follow } from "./promises.js";

/** A handler or policy hook that has not settled. */
export class Open {
  /** @type {AbortController | null} */ controller = null;
  /** @type {Error | null} */ stopped = null;
  nexts = 0;
  /** @type {ReturnType<typeof deferred> | null} */ next = null;
  returned = false;
  over = false;
}

/** A class of this kind adds its private fields to an object that it is given. */
const Adding = /** @type {any} */ (function (/** @type {object} */ object) {
  return object;
});

/** What a handler is told, and what is open for it. */
class Told extends Adding {
  /** @type {Open} */ #open;

  /** @param {object} info @param {Open} open */
  constructor(info, open) {
    super(info);
    this.#open = open;
  }

  /** @param {any} info what was told, or an object that inherits from it @returns {AbortSignal} */
  static signalOf(info) {
    while (!(#open in info)) {
      info = getPrototypeOf(info);
    }
    const open = info.#open;
    if (open.controller === null) {
      open.controller = new NativeAbortController();
      if (open.stopped !== null) {
        abortController(open.controller, open.stopped);
      }
    }
    return abortSignalOf(open.controller);
  }
}

/** One getter for all: an object with a getter of its own costs V8 more than a microsecond. */
const lazySignal = {
  __proto__: null,
  /** @this {any} */
  get() {
    return Told.signalOf(this);
  },
  enumerable: true,
};

/**
 * Gives what a handler is told its signal, which is made when it is first looked at, and freezes it.
 * @param {object} info @param {Open} open @returns {any}
 */
export function withSignal(info, open) {
  defineProperty(info, "signal", /** @type {any} */ (lazySignal));
  new Told(info, open);
  return freeze(info);
}

/** @param {Open} open @param {string} reason */
export function abort(open, reason) {
  if (open.stopped === null) {
    open.stopped = new NativeError(reason);
    if (open.controller !== null) {
      abortController(open.controller, open.stopped);
    }
  }
}

/** A promise that is rejected, and whose rejection nobody has to look at. @param {string} reason */
export function refusal(reason) {
  const refused = new NativePromise((_, reject) => reject(new NativeError(reason)));
  follow(refused, () => {}, () => {});
  return refused;
}
