// @ts-check
/** The part of a registry that the dialog needs. Any object will do that has it. */
import { NativeTypeError, apply, isArray, isObject, own, quietly } from "./intrinsics.js";

/** @typedef {import("../pagewarden.js").PendingConfirmation} Pending */

export class Confirmations {
  /** @type {any} */ #source;
  /** @type {(...args: any[]) => any} */ #pending;
  /** @type {(...args: any[]) => any} */ #resolve;
  /** @type {(...args: any[]) => any} */ #subscribe;

  /** @param {any} registry */
  constructor(registry) {
    const source = isObject(registry) ? /** @type {any} */ (registry).confirmations : undefined;
    const { pending, resolve, subscribe } = isObject(source) ? /** @type {any} */ (source) : /** @type {any} */ ({});
    if (typeof pending !== "function" || typeof resolve !== "function" || typeof subscribe !== "function") {
      throw new NativeTypeError("mountConfirmationDialog needs a registry: an object whose confirmations can pending, resolve and subscribe");
    }
    this.#source = source;
    this.#pending = pending;
    this.#resolve = resolve;
    this.#subscribe = subscribe;
  }

  /**
   * The record to show, of those that wait: the one that is shown, while it waits, else the oldest.
   * @param {string | undefined} shown its id
   * @returns {{ next: Pending | undefined, count: number }}
   */
  look(shown) {
    const all = this.#all();
    let next;
    let count = 0;
    for (let i = 0; isArray(all) && i < all.length; i++) {
      if (own(all[i], "decidedBy") !== "control") { // that one is decided beside the control of its tool
        count++;
        next = next === undefined || own(all[i], "confirmationId") === shown ? all[i] : next;
      }
    }
    return { next, count };
  }

  /** @returns {any} */
  #all() {
    try {
      return apply(this.#pending, this.#source, []);
    } catch {
      return undefined; // a registry that has been disposed of has no questions left
    }
  }

  /** @param {string} id @param {boolean} approved */
  resolve(id, approved) {
    quietly(() => apply(this.#resolve, this.#source, [id, { __proto__: null, approved }]));
  }

  /** @param {() => void} listener @returns {() => void} what ends it */
  subscribe(listener) {
    const stop = apply(this.#subscribe, this.#source, [() => listener()]);
    return () => void quietly(() => apply(stop, undefined, []));
  }
}
