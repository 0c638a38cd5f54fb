// @ts-check
/** The exact input as a table: a row for each leaf, the whole of it within reach. */
import { addListener, appendChild, focusElement, isArray, isObject, isSame, isTrusted, min, removeElement, replaceChildren, setAttribute } from "./intrinsics.js";
import { make, say, sayVisibly } from "./elements.js";
import { Leaves, countLeaves } from "./leaves.js";

/** How many rows are made at a time: a browser lays out so many at once without being felt. */
const PORTION = 1000;

/** From how many characters on a text's length is told, and its field can be scrolled by keys. */
const LONG = 200;

export class InputTable {
  /** The element to place. */
  element = make("section", "input");
  /** @type {import("./labels.js").Labels} */ #labels;
  #title = make("h3", "");
  #head = make("thead", "unseen");
  #rows = make("tbody", "");
  #table = make("table", "", make("colgroup", "", make("col", "names"), make("col", "")), this.#head, this.#rows);
  #nothing = make("p", "quiet");
  #more = make("button", "more");
  /** @type {Leaves} */ #leaves = new Leaves({});
  #left = 0;

  /** @param {import("./labels.js").Labels} labels */
  constructor(labels) {
    this.#labels = labels;
    setAttribute(this.#title, "id", "input");
    setAttribute(this.#table, "aria-labelledby", "input");
    setAttribute(this.#more, "type", "button");
    const names = make("tr", "", columnHead(labels.text("inputName")), columnHead(labels.text("inputValue")));
    appendChild(this.#head, names);
    say(this.#nothing, labels.text("noInput"));
    addListener(this.#more, "click", (/** @type {Event} */ event) => isTrusted(event) && this.#addMore());
  }

  /** @param {unknown} input plain JSON */
  show(input) {
    const none = isObject(input) && !isArray(input) && countLeaves(input) === 1 && new Leaves(input).next()?.path === "";
    this.#left = none ? 0 : countLeaves(input);
    this.#leaves = new Leaves(input);
    say(this.#title, this.#labels.text("input", this.#left));
    replaceChildren(this.#rows);
    replaceChildren(this.element, this.#title, none ? this.#nothing : this.#table, this.#more);
    this.#add();
  }

  /** Reading goes on at the first of the new rows. */
  #addMore() {
    const first = this.#add();
    setAttribute(first, "tabindex", "-1");
    focusElement(first, { __proto__: null, preventScroll: true });
  }

  /** @returns {HTMLElement | undefined} the first row that was added */
  #add() {
    let first;
    const count = min(PORTION, this.#left);
    for (let i = 0; i < count; i++) {
      const row = this.#row(/** @type {import("./leaves.js").Leaf} */ (this.#leaves.next()));
      appendChild(this.#rows, row);
      first ??= row;
    }
    this.#left -= count;
    if (this.#left === 0) {
      removeElement(this.#more);
    } else {
      say(this.#more, this.#labels.text("more", min(PORTION, this.#left), this.#left));
    }
    return first;
  }

  /** @param {import("./leaves.js").Leaf} leaf */
  #row({ path, value }) {
    const name = path === "" ? this.#labels.text("wholeInput") : path;
    const head = make("th", "", field(name, "name"));
    setAttribute(head, "scope", "row");
    const cell = make("td", "", this.#value(value));
    if (typeof value === "string" && value.length > LONG) {
      appendChild(cell, say(make("p", "quiet"), this.#labels.text("characters", value.length)));
    }
    return make("tr", "", head, cell);
  }

  /** @param {unknown} value a leaf */
  #value(value) {
    if (typeof value === "string") {
      return value === "" ? say(make("div", "quiet"), this.#labels.text("emptyText")) : field(value, "text");
    }
    if (isArray(value) || isObject(value)) {
      return say(make("div", "quiet"), this.#labels.text(isArray(value) ? "emptyList" : "emptyObject"));
    }
    return say(make("div", "literal"), isSame(value, -0) ? "-0" : `${value}`);
  }
}

/** @param {string} text */
function columnHead(text) {
  const head = say(make("th", ""), text);
  setAttribute(head, "scope", "col");
  return head;
}

/** Text of any length in a bounded field. @param {string} text @param {string} name */
function field(text, name) {
  const made = make("div", `field ${name}`);
  sayVisibly(made, text);
  if (text.length > LONG) {
    setAttribute(made, "tabindex", "0");
  }
  return made;
}
