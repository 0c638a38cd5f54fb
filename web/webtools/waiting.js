// @ts-check
/** Waits for one click of a person on a tool's control. */
import { NativeMap, NativeWeakMap, addListener, mapDelete, mapForEach, mapSet, removeListener, signalAborted, weakGet, weakSet } from "../shim/builtins.js";
import { deferred } from "../shim/promises.js";
import { controlOf, isUsable } from "./control.js";
import {
  NativeMutationObserver, clearTimer, dateNow, dateParse, disconnect, isTrusted, keyOf, max, observeMutations, pageWindow, rootNodeOf, setTimer,
} from "./dom.js";
import { formOf } from "./fields.js";
import { newList } from "./find.js";
import { mark } from "./mark.js";
import { Presses } from "./presses.js";

/** How often, in milliseconds, the control is looked at: not everything that hides one can be observed. */
const LOOK = 100;

/** How long, in milliseconds, a control may be gone before that means no: a page that renders anew takes a moment. */
const GRACE = 500;

/** What waits at a control. @type {WeakMap<object, Waiting>} */
const waits = new NativeWeakMap();

/** All that wait. @type {Map<Waiting, true>} */
const all = new NativeMap();

/** What waits at a control, undefined when nothing does. @param {object} element */
export const waitingAt = (element) => weakGet(waits, element);

/** The fields that the last call of a tool has written into. @type {WeakMap<object, any>} */
const written = new NativeWeakMap();

/** @param {import("./define.js").Kept} kept @param {any} elements a list */
export const noteFields = (kept, elements) => weakSet(written, kept, elements);

/**
 * What waits for a person who looks at this field: it was written for the question, or is in the form of its control.
 * Nobody else may change it meanwhile.
 * @param {any} field @returns {Waiting | undefined}
 */
export function waitingWith(field) {
  /** @type {Waiting | undefined} */
  let found;
  mapForEach(all, (_, one) => {
    found = one.holds(field) ? one : found;
  });
  return found;
}

/**
 * Resolves with true when the person has clicked the tool's control, with false when they have denied it. Nobody waits for
 * what comes after signal has aborted.
 * @param {import("./define.js").Kept} kept @param {any} pending the record @param {AbortSignal} signal
 */
export function awaitClick(kept, pending, signal) {
  const outcome = deferred();
  const { element } = controlOf(kept);
  if (signalAborted(signal) || (element !== undefined && waitingAt(element) !== undefined)) {
    outcome.resolve(false);
  } else {
    const waiting = new Waiting(kept, pending, signal, outcome.resolve);
    if (element === undefined) {
      waiting.seek(); // what was written may have made the page render it anew
    } else {
      waiting.at(element);
    }
  }
  return outcome.promise;
}

export class Waiting {
  /** @type {import("./define.js").Kept} */ kept;
  /** @type {any} */ input;
  /** @type {number} */ #expires;
  /** @type {AbortSignal} */ #signal;
  /** @type {(approved: boolean) => void} */ #decide;
  /** Undefined before it was there for the first time. @type {any} */ #control;
  /** @type {any} */ #fields;
  /** @type {Presses} */ #presses = /** @type {any} */ (undefined);
  #unmark = () => {};
  /** When the control was last there, undefined while it is. @type {number | undefined} */ #gone;
  #over = false;
  /** @type {any} */ #timer;
  /** @type {any} */ #observer;

  /** @param {import("./define.js").Kept} kept @param {any} pending @param {AbortSignal} signal @param {(approved: boolean) => void} decide */
  constructor(kept, pending, signal, decide) {
    this.kept = kept;
    this.input = pending.input;
    this.#expires = dateParse(pending.expiresAt);
    this.#signal = signal;
    this.#decide = decide;
    this.#fields = weakGet(written, kept) ?? newList();
    mapSet(all, this, true);
    addListener(signal, "abort", this.#stop);
    addListener(pageWindow, "keydown", this.#key, true);
    this.#observer = new NativeMutationObserver(() => this.#look());
  }

  /** How long it can still last, in milliseconds. */
  left() {
    return max(1, this.#expires - dateNow());
  }

  /** @param {any} field */
  holds(field) {
    for (let i = 0; i < this.#fields.length; i++) {
      if (this.#fields[i] === field) {
        return true;
      }
    }
    const form = this.#control === undefined ? null : formOf(this.#control);
    return form !== null && formOf(field) === form;
  }

  /** Waits for the control to come. */
  seek() {
    this.#gone = dateNow();
    this.#again();
  }

  /** @param {any} element the control */
  at(element) {
    this.#control = element;
    this.#gone = undefined;
    weakSet(waits, element, this);
    this.#presses = new Presses(element, this.#confirmed);
    addListener(element, "click", this.#clicked, true);
    this.#unmark = mark(element);
    const changes = { __proto__: null, subtree: true, childList: true, attributes: true };
    observeMutations(this.#observer, rootNodeOf(element), changes);
    this.#again();
  }

  #leave() {
    if (this.#control === undefined) {
      return;
    }
    disconnect(this.#observer);
    removeListener(this.#control, "click", this.#clicked, true);
    this.#presses.stop();
    this.#unmark();
    weakSet(waits, this.#control, /** @type {any} */ (undefined));
  }

  /** Looks again after a while. */
  #again() {
    clearTimer(this.#timer);
    this.#timer = setTimer(() => {
      this.#look();
      if (!this.#over) {
        this.#again();
      }
    }, LOOK);
  }

  /** Follows a control that the page has replaced. One that does not come back has been taken away. */
  #look() {
    if (this.#over || (this.#control !== undefined && isUsable(this.#control))) {
      this.#gone = undefined;
      return;
    }
    const { element } = controlOf(this.kept);
    if (element !== undefined && element !== this.#control && waitingAt(element) === undefined) {
      this.#leave();
      this.at(element);
      return;
    }
    this.#gone ??= dateNow();
    if (dateNow() - this.#gone >= GRACE) {
      this.#end(false);
    }
  }

  /** The page does first what it always does with the click. @param {Event} event */
  #clicked = (event) => {
    if (isTrusted(event) && isUsable(this.#control) && this.#presses.endsWith(event)) {
      this.#confirmed();
    }
  };

  #confirmed = () => {
    this.#stop();
    setTimer(() => this.#decide(true), 0);
  };

  /** @param {Event} event */
  #key = (event) => {
    if (isTrusted(event) && keyOf(event) === "Escape") {
      this.#end(false);
    }
  };

  /** @param {boolean} approved */
  #end(approved) {
    this.#stop();
    this.#decide(approved);
  }

  #stop = () => {
    if (!this.#over) {
      this.#over = true;
      mapDelete(all, this);
      clearTimer(this.#timer);
      removeListener(this.#signal, "abort", this.#stop);
      removeListener(pageWindow, "keydown", this.#key, true);
      this.#leave();
    }
  };
}
