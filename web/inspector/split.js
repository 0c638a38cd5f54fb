// @ts-check
/** A list with what is known of its active row beside it, or, where there is no room for both, in its place. */
import { iconButton, make } from "./elements.js";

export class Split {
  element = make("div", "split");
  details = make("div", "details");
  #list = make("div", "list");
  #body = make("div", "body");
  /** @type {() => void} */ #back;

  /** @param {string} label of the details @param {() => void} back gives the focus to the list @param {...Node} list */
  constructor(label, back, ...list) {
    this.#back = back;
    this.#list.append(...list);
    this.details.setAttribute("role", "region");
    this.details.setAttribute("aria-label", label);
    this.details.tabIndex = -1;
    this.details.append(iconButton("back", "Back to the list", () => this.close(), "back"), this.#body);
    this.element.append(this.#list, this.details);
  }

  /** @param {...Node} nodes */
  show(...nodes) {
    this.#body.replaceChildren(...nodes);
  }

  /** Where there is no room for both, the details take the place of the list, and the focus that was in it. */
  open() {
    this.element.classList.add("open");
    if (this.#takesThePlace) {
      this.details.focus();
    }
  }

  get #takesThePlace() {
    return this.element.classList.contains("open") && this.#list.offsetParent === null;
  }

  /** Whether there was something to close. */
  close() {
    const back = this.#takesThePlace;
    this.element.classList.remove("open");
    if (back) {
      this.#back();
    }
    return back;
  }
}
