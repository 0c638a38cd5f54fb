// @ts-check
/** The dialog's time: the page's own, or that of a test. */
import {
  NativeTypeError, apply, clearTimer, dateNow, isObject, monotonicNow, setTimer, timeOf,
} from "./intrinsics.js";

/** @typedef {{ __proto__?: null, setTimeout: any, clearTimeout: any, now: any }} Timers */

/** Two readings: the time of day, which records expire by, and moments, which only go forward. */
export class Clock {
  /** @type {Timers | null} */ #timers;

  /** @param {unknown} timers what a test gives in place of the page's own, as load takes it */
  constructor(timers) {
    this.#timers = timers === undefined ? null : checked(timers);
  }

  /** Milliseconds since 1970. @returns {number} */
  now() {
    return this.#timers === null ? dateNow() : apply(this.#timers.now, undefined, []);
  }

  /** @returns {number} milliseconds */
  moment() {
    return this.#timers === null ? monotonicNow() : this.now();
  }

  /**
   * The moment of a person's input. The browser notes it when it happens: a page that keeps the script busy cannot make
   * an early click late.
   * @param {Event} event @returns {number}
   */
  momentOf(event) {
    return this.#timers === null ? timeOf(event) : this.now();
  }

  /** Runs once after that many milliseconds, unless the returned function is called before. @param {number} ms @param {() => void} run */
  after(ms, run) {
    const { setTimeout: set, clearTimeout: clear } = this.#timers ?? { setTimeout: setTimer, clearTimeout: clearTimer };
    const timer = apply(set, undefined, [run, ms]);
    return () => void apply(clear, undefined, [timer]);
  }
}

/** @param {unknown} timers @returns {Timers} */
function checked(timers) {
  const kept = /** @type {Timers} */ ({ __proto__: null, setTimeout: undefined, clearTimeout: undefined, now: undefined });
  const names = /** @type {const} */ (["setTimeout", "clearTimeout", "now"]);
  for (let i = 0; i < names.length; i++) {
    const name = /** @type {"setTimeout" | "clearTimeout" | "now"} */ (names[i]);
    kept[name] = isObject(timers) ? /** @type {any} */ (timers)[name] : undefined;
    if (typeof kept[name] !== "function") {
      throw new NativeTypeError("timers must have the functions setTimeout, clearTimeout and now");
    }
  }
  return kept;
}
