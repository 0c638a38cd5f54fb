// @ts-check
/** The upper edge of the panel: it is dragged, or moved by the arrow keys. */
import { make } from "./elements.js";

const STEP = 24;

export class Resizer {
  element = make("div", "resizer");
  /** @type {HTMLElement} */ #frame;

  /** @param {HTMLElement} frame whose height it sets */
  constructor(frame) {
    this.#frame = frame;
    const { element } = this;
    element.tabIndex = 0;
    element.setAttribute("role", "separator");
    element.setAttribute("aria-orientation", "horizontal");
    element.setAttribute("aria-label", "Height of the panel");
    element.setAttribute("aria-valuemin", "20");
    element.setAttribute("aria-valuemax", "100");
    element.setAttribute("aria-valuenow", "50");
    element.addEventListener("pointerdown", (event) => element.setPointerCapture(event.pointerId));
    element.addEventListener("pointermove", (event) => element.hasPointerCapture(event.pointerId) && this.#set(innerHeight - event.clientY));
    element.addEventListener("keydown", (event) => {
      const by = event.key === "ArrowUp" ? STEP : event.key === "ArrowDown" ? -STEP : 0;
      if (by !== 0) {
        event.preventDefault();
        this.#set(frame.offsetHeight + by);
      }
    });
  }

  /** @param {number} height in CSS pixels; the style sheet keeps it between bounds */
  #set(height) {
    this.#frame.style.height = `${height}px`;
    this.element.setAttribute("aria-valuenow", `${Math.round(this.#frame.offsetHeight / innerHeight * 100)}`);
  }
}
