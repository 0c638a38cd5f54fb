// @ts-check
/**
 * A list or a tree of any length: only the rows in sight are elements, and the one that has the focus. The focus roves:
 * one row is within reach of Tab, the arrow keys move it.
 */
import { label, make } from "./elements.js";

/** The height of a row in CSS pixels, which inspector.css has too. */
const HEIGHT = 28;

/** How many rows beyond the visible ones are there, on each side. */
const BEYOND = 8;

/**
 * @template T
 * @typedef {object} Settings
 * @property {"tree" | "listbox"} role
 * @property {string} label
 * @property {string} empty what stands in place of no rows
 * @property {(item: T) => string} keyOf
 * @property {(item: T) => Node[]} draw
 * @property {(item: T, row: HTMLElement) => void} [mark] sets attributes of a row
 * @property {(item: T | undefined) => void} selected told when another row is the active one
 * @property {(item: T) => void} [entered] Enter, Space or a click
 * @property {(item: T, way: "open" | "close") => "changed" | "first" | "parent" | undefined} [turn] what an arrow to the side does in a tree
 * @property {(item: T) => number} [levelOf]
 */

/** @template T */
export class Rows {
  element = make("div", "rows");
  /** @type {T[]} */ items = [];
  /** @type {Settings<T>} */ #settings;
  #span = make("div", "span");
  #empty;
  /** @type {Map<number, HTMLElement>} */ #drawn = new Map();
  #active = -1;
  /** Whether it shows the end as the end moves on. */ #follows = false;
  #toFollow = false;

  /** @param {Settings<T>} settings @param {boolean} [follows] whether the newest rows, at the end, stay in sight */
  constructor(settings, follows = false) {
    this.#settings = settings;
    this.#follows = this.#toFollow = follows;
    this.#empty = label("empty", settings.empty);
    this.element.append(this.#span, this.#empty);
    this.#span.setAttribute("role", settings.role);
    this.#span.setAttribute("aria-label", settings.label);
    this.element.addEventListener("scroll", () => this.#scrolled());
    this.element.addEventListener("keydown", (event) => this.#pressed(event));
    this.#span.addEventListener("click", (event) => this.#clicked(event));
    new ResizeObserver(() => this.#draw(false)).observe(this.element);
  }

  /** The active item. @returns {T | undefined} */
  get active() {
    return this.items[this.#active];
  }

  /** Shows other items; the active one stays active if it is among them. @param {T[]} items */
  set(items) {
    const { keyOf } = this.#settings;
    const was = this.active;
    const key = was === undefined ? undefined : keyOf(was);
    const kept = this.#drawn.get(this.#active);
    this.items = items;
    const active = key === undefined ? -1 : this.#find(key);
    if (kept !== undefined && active !== this.#active) { // its element goes with it, and the focus with that
      this.#drawn.get(active)?.remove();
      this.#drawn.delete(this.#active);
      this.#drawn.set(active, kept);
    }
    this.#active = active;
    if (active < 0 && was !== undefined) {
      this.#settings.selected(undefined);
    }
    this.#empty.hidden = items.length > 0;
    this.#span.hidden = items.length === 0;
    this.#span.style.height = `${Math.max(1, items.length) * HEIGHT}px`;
    if (this.#follows && this.#toFollow) {
      this.element.scrollTop = items.length * HEIGHT;
    }
    this.#draw(true);
  }

  /** Makes a row the active one and brings it into sight. @param {string} key */
  choose(key) {
    const index = this.#find(key);
    if (index >= 0) {
      this.#go(index, false);
    }
  }

  focus() {
    if (this.#active < 0) {
      this.#go(0, true);
    }
    this.#drawn.get(this.#active)?.focus({ preventScroll: true });
  }

  /** @param {string} key */
  #find(key) {
    const { keyOf } = this.#settings;
    const here = this.items[this.#active];
    return here !== undefined && keyOf(here) === key ? this.#active : this.items.findIndex((item) => keyOf(item) === key);
  }

  #scrolled() {
    const { scrollTop, clientHeight, scrollHeight } = this.element;
    this.#toFollow = scrollTop + clientHeight >= scrollHeight - HEIGHT;
    this.#draw(false);
  }

  /** @param {boolean} anew whether rows that are there may say something else now */
  #draw(anew) {
    const first = Math.max(0, Math.floor(this.element.scrollTop / HEIGHT) - BEYOND);
    const last = Math.min(this.items.length, Math.ceil((this.element.scrollTop + this.element.clientHeight) / HEIGHT) + BEYOND);
    for (const [index, row] of this.#drawn) {
      if ((index < first || index >= last) && index !== this.#active) {
        row.remove();
        this.#drawn.delete(index);
      }
    }
    for (let i = first; i < last; i++) {
      this.#row(i, anew);
    }
    if (this.#active >= 0) {
      this.#row(this.#active, anew);
    } else {
      for (const [index, row] of this.#drawn) {
        row.setAttribute("tabindex", index === first ? "0" : "-1"); // where Tab enters
      }
    }
  }

  /** @param {number} index @param {boolean} anew */
  #row(index, anew) {
    const known = this.#drawn.get(index);
    if (known !== undefined && !anew) {
      return;
    }
    const row = known ?? make("div", "row");
    const item = /** @type {T} */ (this.items[index]);
    row.style.transform = `translateY(${index * HEIGHT}px)`;
    row.setAttribute("role", this.#settings.role === "tree" ? "treeitem" : "option");
    row.setAttribute("aria-posinset", `${index + 1}`);
    row.setAttribute("aria-setsize", `${this.items.length}`);
    this.#markActive(row, index);
    row.replaceChildren(...this.#settings.draw(item));
    this.#settings.mark?.(item, row);
    if (known === undefined) {
      this.#drawn.set(index, row);
      this.#span.append(row);
    }
  }

  /** @param {HTMLElement} row @param {number} index */
  #markActive(row, index) {
    row.setAttribute("aria-selected", `${index === this.#active}`);
    row.setAttribute("tabindex", index === this.#active ? "0" : "-1");
  }

  /** @param {number} index @param {boolean} focus */
  #go(index, focus) {
    const to = Math.max(0, Math.min(index, this.items.length - 1));
    if (this.items.length === 0) {
      return;
    }
    const before = this.#active;
    this.#active = to;
    this.#reveal(to);
    this.#draw(false);
    for (const [at, row] of this.#drawn) {
      this.#markActive(row, at);
    }
    if (focus) {
      this.#drawn.get(to)?.focus({ preventScroll: true });
    }
    if (before !== to) {
      this.#settings.selected(this.items[to]);
      this.#draw(false);
    }
  }

  /** @param {number} index */
  #reveal(index) {
    const { scrollTop, clientHeight } = this.element;
    const top = index * HEIGHT;
    if (top < scrollTop) {
      this.element.scrollTop = top;
    } else if (top + HEIGHT > scrollTop + clientHeight) {
      this.element.scrollTop = top + HEIGHT - clientHeight;
    }
  }

  /** @param {MouseEvent} event */
  #clicked(event) {
    const target = /** @type {Element} */ (event.target);
    const row = /** @type {HTMLElement | null} */ (target.closest(".row"));
    const index = [...this.#drawn].find(([, one]) => one === row)?.[0];
    if (index === undefined) {
      return;
    }
    this.#go(index, true);
    const item = /** @type {T} */ (this.items[index]);
    if (target.closest(".twist") !== null) {
      this.#turn(item, row?.getAttribute("aria-expanded") === "true" ? "close" : "open");
    } else {
      this.#settings.entered?.(item);
    }
  }

  /** @param {T} item @param {"open" | "close"} way */
  #turn(item, way) {
    const move = this.#settings.turn?.(item, way);
    if (move === "first") {
      this.#go(this.#active + 1, true);
    } else if (move === "parent") {
      const level = this.#settings.levelOf?.(item) ?? 1;
      for (let i = this.#active - 1; i >= 0; i--) {
        if ((this.#settings.levelOf?.(/** @type {T} */ (this.items[i])) ?? 1) < level) {
          return this.#go(i, true);
        }
      }
    }
  }

  /** @param {KeyboardEvent} event */
  #pressed(event) {
    const page = Math.max(1, Math.floor(this.element.clientHeight / HEIGHT) - 1);
    const from = Math.max(0, this.#active);
    const to = /** @type {Record<string, number>} */ ({
      ArrowDown: this.#active + 1, ArrowUp: from - 1, PageDown: from + page, PageUp: from - page, Home: 0, End: this.items.length - 1,
    })[event.key];
    const item = this.active;
    if (event.altKey || event.ctrlKey || event.metaKey) {
      return;
    }
    if (to !== undefined) {
      this.#go(to, true);
    } else if (item !== undefined && (event.key === "ArrowRight" || event.key === "ArrowLeft")) {
      this.#turn(item, event.key === "ArrowRight" ? "open" : "close");
    } else if (item !== undefined && (event.key === "Enter" || event.key === " ")) {
      this.#settings.entered?.(item);
    } else {
      return;
    }
    event.preventDefault();
  }
}
