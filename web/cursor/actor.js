// @ts-check
/** Plays one call after the other: to each field, typing, and then to the control. */
import { deferred, settled } from "../shim/promises.js";
import {
  activeElement, addListener, ceil, clearTimer, height, matches, min, pageDocument, rectangleOf, removeListener, scrollIntoView, setTimer, signalAborted, top, viewHeight,
} from "./intrinsics.js";

/**
 * One call as web/webtools/stage.js shows it.
 * @typedef {{ element: Element, steps: number, write: (step: number) => boolean }} Field
 * @typedef {{ id: string, title: string | undefined, control: Element | undefined, confirms: boolean, signal: AbortSignal, fields: ArrayLike<Field> }} Scene
 */

/** In milliseconds: the way to the next place, one letter, all letters of a field at most, the rest at a control, and how long the cursor stays afterwards. */
const WAY = 440;
const LETTER = 38;
const TYPING = 1100;
/** As often as a person sees: a long text is typed several letters at a time. */
const FRAME = 16;
const REST = 280;
const LINGER = 1600;

/** What the arrow and its label need below an element, in CSS pixels. */
const ROOM = 48;

/** What a person can be typing in. */
const TYPED_IN = "input, textarea, select, [contenteditable]:not([contenteditable=false])";

export class Actor {
  /** @type {import("./figure.js").Figure} */ #figure;
  /** @type {() => boolean} */ #still;
  /** The end of the scene before, for which the next one waits. @type {Promise<void> | undefined} */ #before;
  /** @type {Performance | undefined} */ #current;
  #stopped = false;
  /** @type {any} */ #goodbye;

  /** @param {import("./figure.js").Figure} figure @param {() => boolean} still whether nothing may move */
  constructor(figure, still) {
    this.#figure = figure;
    this.#still = still;
  }

  /** Plays a scene, and resolves when it has ended, whole or not. @param {Scene} scene */
  play(scene) {
    const outcome = deferred();
    const begin = () => this.#begin(scene, outcome.resolve);
    if (this.#before === undefined) {
      begin();
    } else {
      settled(this.#before, begin, begin);
    }
    this.#before = outcome.promise;
    return outcome.promise;
  }

  /** @param {Scene} scene @param {(nothing: undefined) => void} done */
  #begin(scene, done) {
    clearTimer(this.#goodbye);
    this.#current = new Performance(this.#figure, scene, this.#still(), () => {
      this.#goodbye = setTimer(() => this.#figure.hide(), LINGER);
      done(undefined);
    });
    if (this.#stopped) {
      this.#current.end();
    } else {
      this.#current.start();
    }
  }

  /** Ends what is played now and what was to come: the tools write the rest by themselves. */
  stop() {
    this.#stopped = true;
    this.#current?.end();
    clearTimer(this.#goodbye);
    this.#figure.hide();
  }
}

/** One scene while it is played. */
class Performance {
  /** @type {import("./figure.js").Figure} */ #figure;
  /** @type {Scene} */ #scene;
  #still;
  #done;
  #over = false;
  /** @type {any} */ #timer;

  /** @param {import("./figure.js").Figure} figure @param {Scene} scene @param {boolean} still @param {() => void} done */
  constructor(figure, scene, still, done) {
    this.#figure = figure;
    this.#scene = scene;
    this.#still = still;
    this.#done = done;
  }

  start() {
    const { signal, id, title } = this.#scene;
    if (signalAborted(signal)) {
      this.end();
      return;
    }
    addListener(signal, "abort", this.end);
    this.#figure.show(title ?? id);
    this.#goTo(0);
  }

  end = () => {
    if (!this.#over) {
      this.#over = true;
      clearTimer(this.#timer);
      removeListener(this.#scene.signal, "abort", this.end);
      this.#done();
    }
  };

  /** @param {() => void} next @param {number} ms */
  #after(next, ms) {
    this.#timer = setTimer(() => this.#over || next(), this.#still ? 0 : ms);
  }

  /** @param {number} index of a field; after the last comes the control */
  #goTo(index) {
    const field = this.#scene.fields[index];
    if (field !== undefined) {
      this.#pointAt(field.element, true);
      this.#after(() => this.#type(field, 1, () => this.#goTo(index + 1)), WAY);
    } else if (this.#scene.control !== undefined) {
      this.#pointAt(this.#scene.control, !this.#scene.confirms); // which marks it by itself
      this.#after(this.end, WAY + REST);
    } else {
      this.end();
    }
  }

  /** @param {Element} element @param {boolean} ringed */
  #pointAt(element, ringed) {
    const box = rectangleOf(element);
    const away = top(box) < 0 || top(box) + height(box) + ROOM > viewHeight();
    if (away && !personIsTyping()) {
      scrollIntoView(element, { __proto__: null, block: "center", inline: "nearest", behavior: "instant" });
    }
    this.#figure.pointAt(element, !this.#still, ringed);
  }

  /** Types, letter by letter, until something stops it. @param {Field} field @param {number} step @param {() => void} next */
  #type(field, step, next) {
    const at = this.#still ? field.steps : min(step, field.steps);
    if (!field.write(at)) {
      next();
    } else if (at === field.steps) {
      this.#after(next, REST);
    } else {
      const stride = ceil((field.steps * FRAME) / TYPING);
      this.#after(() => this.#type(field, at + stride, next), min(LETTER, (TYPING * stride) / field.steps));
    }
  }
}

/** Whether a person may be typing somewhere, who must not be carried away from it. */
function personIsTyping() {
  const active = activeElement(pageDocument);
  return active !== null && matches(active, TYPED_IN);
}
