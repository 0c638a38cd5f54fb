// @ts-check
/**
 * What a person does with the control: presses it with mouse, finger or key, and lets it go there. A click counts only
 * right after that. The browser also calls clicks its own that a script has caused, for example by clicking a label of the
 * control; no press goes before those. Of an access key the page hears only after the click. A key does nothing to a control
 * that is covered: the person does not see what they would press.
 */
import { addListener, removeListener } from "../shim/builtins.js";
import { isCovered } from "./covered.js";
import {
  attribute, bottomOf, buttonType, codeOf, elementCount, formElements, hasAlt, inputType, isRepeat, isTrusted, keyOf, leftOf, pageWindow, pathOf, pointerX, pointerY,
  rectangleOf, rightOf, tagOf, timeOf, toLowerCase, topOf, typeOf,
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
  /** What the control's access key was when the wait began: the page cannot make another key of the person's one. */ #accessKey;
  /** When a click came that no press went before. */ #unexplained = -Infinity;
  /** Called for a click that came by the access key. */ #late;

  /** @param {any} control @param {() => void} late called for a click of which it turns out only now that a person made it */
  constructor(control, late) {
    this.#control = control;
    this.#accessKey = toLowerCase(attribute(control, "accesskey") ?? "");
    this.#late = late;
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
    this.#unexplained = fits || isCovered(this.#control) ? -Infinity : timeOf(click);
    return fits;
  }

  /** Whether a key explains the click before it: the browser clicks for an access key first, and tells of the key then. @param {Event} event */
  #isAccessKey(event) {
    const age = this.#unexplained - timeOf(event);
    if (this.#accessKey === "" || !hasAlt(event) || isRepeat(event) || !(age >= 0 && age <= LINGER)) {
      return false;
    }
    const code = toLowerCase(codeOf(event)); // where Alt makes another letter of the key
    return toLowerCase(keyOf(event)) === this.#accessKey || code === `key${this.#accessKey}` || code === `digit${this.#accessKey}`;
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
        if (this.#isAccessKey(event)) {
          this.#late();
        } else if (keyOf(event) === "Enter" && !isRepeat(event) && this.#isSentFrom(pathOf(event)[0])) {
          this.#releaseByKey(event);
        }
        break;
      default:
        this.#pointed = this.#spaced = false;
    }
    this.#unexplained = -Infinity;
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
        if (keyOf(event) === "Enter" && !isRepeat(event)) {
          this.#releaseByKey(event);
        }
        break;
      case "keyup":
        if (keyOf(event) === " " && this.#spaced) {
          this.#releaseByKey(event);
        }
    }
  };

  /** @param {Event} event */
  #releaseByKey(event) {
    this.#release(event, !isCovered(this.#control));
  }

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
    const count = elementCount(elements);
    for (let i = 0; i < count; i++) {
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
