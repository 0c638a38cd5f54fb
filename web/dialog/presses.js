// @ts-check
/** When the person began what ends as a click: a key may have been held, or a finger put down, long before. */
import { addListener, isRepeat, isTrusted, timeOf } from "./intrinsics.js";

/** How long after a release, in milliseconds, its click may come. */
const LINGER = 100;

export class Presses {
  /** @type {import("./clock.js").Clock} */ #clock;
  /** @type {number | undefined} the moment of the last press */ #began;
  /** Whether the last press is of an earlier question. */ #earlier = true;
  #down = false;
  /** When the last press ended, by the events' own time. */ #released = -Infinity;

  /** @param {ShadowRoot} root @param {import("./clock.js").Clock} clock */
  constructor(root, clock) {
    this.#clock = clock;
    const pressed = (/** @type {Event} */ event) => this.#pressed(event, false);
    const released = (/** @type {Event} */ event) => this.#ended(event);
    addListener(root, "pointerdown", pressed, true);
    addListener(root, "pointerup", released, true);
    addListener(root, "pointercancel", released, true);
    addListener(root, "keydown", (/** @type {Event} */ event) => this.#pressed(event, isRepeat(event)), true);
    addListener(root, "keyup", released, true);
  }

  /** A new question is shown: what has been pressed until now was not meant for it. */
  forget() {
    this.#earlier = true;
  }

  /**
   * The moment at which a click began. One without a press, as assistive technology makes it, began when it came.
   * @param {Event} click
   */
  beginOf(click) {
    const came = this.#clock.momentOf(click);
    if (this.#earlier) {
      return this.#down || timeOf(click) <= this.#released + LINGER ? -Infinity : came;
    }
    return /** @type {number} */ (this.#began);
  }

  /** @param {Event} event @param {boolean} held */
  #pressed(event, held) {
    if (!isTrusted(event)) {
      return;
    }
    this.#down = true;
    if (!held) {
      this.#earlier = false;
      this.#began = this.#clock.momentOf(event);
    }
  }

  /** @param {Event} event */
  #ended(event) {
    if (isTrusted(event)) {
      this.#down = false;
      this.#released = timeOf(event);
    }
  }
}
