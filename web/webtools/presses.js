// @ts-check
/**
 * What a person does with the control: presses it with mouse, finger or key, and lets it go there. A click counts only
 * right after that. The browser also calls clicks its own that a script has caused, for example by clicking a label of the
 * control; no press goes before those.
 */
import { addListener, removeListener } from "../shim/builtins.js";
import {
  bottomOf, buttonType, formElements, inputType, isRepeat, isTrusted, keyOf, leftOf, pageWindow, pathOf, pointerX, pointerY, rectangleOf, rightOf, tagOf, timeOf, topOf,
  typeOf,
} from "./dom.js";
import { formOf } from "./fields.js";

/** How long, in milliseconds, a browser takes at most from letting go to the click: it may wait for a second tap. */
const LINGER = 700;

const EVENTS = /** @type {const} */ ({
  __proto__: null, length: 8, 0: "pointerdown", 1: "mousedown", 2: "pointerup", 3: "mouseup", 4: "pointercancel", 5: "dragstart", 6: "keydown", 7: "keyup",
});

export class Presses {
  /** @type {any} */ #control;
  /** Whether the last thing that was pressed with mouse or finger is the control, and with the space bar. */ #pointed = false;
  #spaced = false;
  /** When the control was let go after a press, by the events' own time. */ #released = -Infinity;

  /** @param {any} control */
  constructor(control) {
    this.#control = control;
    for (let i = 0; i < EVENTS.length; i++) {
      const type = EVENTS[/** @type {0} */ (i)];
      addListener(pageWindow, type, this.#anywhere, true);
      addListener(control, type, this.#here, true);
    }
  }

  stop() {
    for (let i = 0; i < EVENTS.length; i++) {
      const type = EVENTS[/** @type {0} */ (i)];
      removeListener(pageWindow, type, this.#anywhere, true);
      removeListener(this.#control, type, this.#here, true);
    }
  }

  /** Whether a click ends a press of the control. Each press is good for one. @param {Event} click */
  endsWith(click) {
    const fits = timeOf(click) - this.#released <= LINGER;
    this.#released = -Infinity;
    return fits;
  }

  /** Whatever a person does, wherever, ends what was before; the window hears of it first. @param {Event} event */
  #anywhere = (event) => {
    if (!isTrusted(event)) {
      return;
    }
    this.#released = -Infinity;
    switch (typeOf(event)) {
      case "pointerup": case "mouseup": case "keyup":
        break;
      case "keydown":
        this.#pointed = this.#spaced = false;
        if (keyOf(event) === "Enter" && !isRepeat(event) && this.#isSentFrom(pathOf(event)[0])) {
          this.#released = timeOf(event);
        }
        break;
      default:
        this.#pointed = this.#spaced = false;
    }
  };

  /** @param {Event} event */
  #here = (event) => {
    if (!isTrusted(event)) {
      return;
    }
    switch (typeOf(event)) {
      case "pointerdown": case "mousedown":
        this.#pointed = true;
        break;
      case "pointerup":
        this.#release(event, this.#pointed && this.#isOver(event)); // a finger that slides off is still heard here
        break;
      case "mouseup":
        this.#release(event, this.#pointed);
        break;
      case "keydown":
        this.#spaced = keyOf(event) === " " && !isRepeat(event);
        this.#release(event, keyOf(event) === "Enter" && !isRepeat(event));
        break;
      case "keyup":
        this.#release(event, keyOf(event) === " " && this.#spaced);
    }
  };

  /** @param {Event} event @param {boolean} fits */
  #release(event, fits) {
    if (fits) {
      this.#released = timeOf(event);
    }
  }

  /** @param {Event} event */
  #isOver(event) {
    const x = pointerX(event);
    const y = pointerY(event);
    const box = rectangleOf(this.#control);
    return x >= leftOf(box) && x <= rightOf(box) && y >= topOf(box) && y <= bottomOf(box);
  }

  /** Whether Enter in a field sends its form by pressing the control: it is the form's first button that sends. @param {any} field */
  #isSentFrom(field) {
    const form = formOf(this.#control);
    if (form === null || field === this.#control || tagOf(field) === "textarea" || formOf(field) !== form) {
      return false;
    }
    const elements = formElements(form);
    for (let i = 0; i < elements.length; i++) {
      if (sends(elements[i])) {
        return elements[i] === this.#control;
      }
    }
    return false;
  }
}

/** @param {any} element */
function sends(element) {
  const tag = tagOf(element);
  return (tag === "button" && buttonType(element) === "submit") || (tag === "input" && inputType(element) === "submit");
}
