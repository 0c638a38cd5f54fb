// @ts-check
/** Tabs by the pattern of ARIA: one is within reach of Tab, the arrow keys move and show. */
import { label, make } from "./elements.js";

/** @typedef {{ name: string, tab: HTMLElement, badge: HTMLElement, view: View, page: HTMLElement }} Tab */
/** @typedef {{ element: HTMLElement, show(): void, hide(): void, stop(): void, escape(): boolean }} View escape reports whether it used the key */

export class Tabs {
  list = make("div", "tabs");
  body = make("div", "tab-body");
  /** @type {Tab[]} */ #all;
  #chosen = 0;

  /** @param {string} name @param {{ name: string, view: View }[]} views */
  constructor(name, views) {
    this.list.setAttribute("role", "tablist");
    this.list.setAttribute("aria-label", name);
    this.#all = views.map((one, i) => this.#make(one.name, one.view, i));
    this.list.addEventListener("keydown", (event) => this.#pressed(event));
  }

  /** The view that is shown. @returns {View} */
  get shown() {
    return this.#at(this.#chosen).view;
  }

  focus() {
    this.#at(this.#chosen).tab.focus();
  }

  /** @param {number} i */
  choose(i) {
    this.shown.hide();
    this.#chosen = i;
    this.#all.forEach(({ tab, page }, at) => {
      tab.setAttribute("aria-selected", `${at === i}`);
      tab.tabIndex = at === i ? 0 : -1;
      page.hidden = at !== i;
    });
    this.#at(i).tab.scrollIntoView({ block: "nearest", inline: "nearest" });
    this.shown.show();
  }

  /** A number beside a name; none for 0. @param {number} i @param {number | string} value @param {boolean} [urgent] */
  badge(i, value, urgent = false) {
    const { badge, name, tab } = this.#at(i);
    tab.setAttribute("aria-label", value === 0 ? name : `${name}, ${value}`);
    badge.textContent = value === 0 ? "" : `${value}`;
    badge.classList.toggle("urgent", urgent && value !== 0);
  }

  /** @param {number} i */
  #at(i) {
    return /** @type {Tab} */ (this.#all[i]);
  }

  /** @param {string} name @param {View} view @param {number} i */
  #make(name, view, i) {
    const badge = label("count", "");
    const tab = make("button", "tab", label("", name), badge);
    tab.type = "button";
    tab.id = `tab-${i}`;
    tab.setAttribute("role", "tab");
    tab.setAttribute("aria-controls", `page-${i}`);
    tab.addEventListener("click", () => this.choose(i));
    const page = make("div", "page", view.element);
    page.id = `page-${i}`;
    page.setAttribute("role", "tabpanel");
    page.setAttribute("aria-labelledby", tab.id);
    this.list.append(tab);
    this.body.append(page);
    return { name, tab, badge, view, page };
  }

  /** @param {KeyboardEvent} event */
  #pressed(event) {
    const { length } = this.#all;
    const to = /** @type {Record<string, number>} */ ({
      ArrowRight: (this.#chosen + 1) % length, ArrowLeft: (this.#chosen + length - 1) % length, Home: 0, End: length - 1,
    })[event.key];
    if (to !== undefined) {
      event.preventDefault();
      this.choose(to);
      this.focus();
    }
  }
}
