// @ts-check
/** The optional scripts that work with the module (jsbridge/guests.go). Each is a function that is asked and told by text. */
import { NativeMap, mapForEach, mapGet, mapSet } from "./intrinsics.js";

/** Besides what the module asks: nothing when the runtime is dead, and ? for how many promises are open. @typedef {(text: string, signal?: () => AbortSignal) => unknown} Guest */

export class Guests {
  /** @type {Map<number, Guest>} */ #guests = new NativeMap();
  #last = 0;

  /** @param {Guest} guest */
  join(guest) {
    mapSet(this.#guests, ++this.#last, guest);
    return this.#last;
  }

  /** @param {number} number @returns {any} */
  byNumber(number) {
    return mapGet(this.#guests, number);
  }

  /** What all of them answer, as a sum; one that fails says nothing. @param {string} text */
  askAll(text) {
    let sum = 0;
    mapForEach(this.#guests, (guest) => {
      try {
        sum += /** @type {number} */ (guest(text));
      } catch {
        // as above
      }
    });
    return sum;
  }
}
