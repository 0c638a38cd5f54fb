// @ts-check
/** The surface: a tree of components, capabilities and policies, and the active one in full with a form to call it. */
import { aboutCapability, componentDetails, moreOfCapability, voteOf } from "./details.js";
import { button, label, make, perFrame, told } from "./elements.js";
import { CallForm } from "./call-form.js";
import { Rows } from "./rows.js";
import { Split } from "./split.js";
import { Openness, rowsOf } from "./surface.js";

/** @typedef {import("./surface.js").Row} Row */
/** @typedef {import("./surface.js").Component} Component */

/** The least time between two looks at a surface that goes on changing, in milliseconds. */
const PAUSE = 200;

export class SurfaceView {
  element = make("div", "view");
  /** @type {import("./feed.js").Feed} */ #feed;
  #filter = searchField("Filter capabilities");
  #count = label("quiet count", "");
  /** @type {Rows<Row>} */ #rows;
  /** @type {Split} */ #split;
  /** @type {CallForm} */ #form;
  #openness = new Openness();
  /** @type {Component[]} */ #components = [];
  #about = make("div", "part about");
  #more = make("div", "part more");
  #factsText = "";
  #shown = false;
  #due = 0;
  #update = perFrame(() => this.#rows.set(rowsOf(this.#components, this.#openness, this.#filter.value)));

  /** @param {import("./feed.js").Feed} feed */
  constructor(feed) {
    this.#feed = feed;
    this.#rows = new Rows({
      role: "tree", label: "Surface", empty: "Nothing to see.", keyOf: ({ key }) => key, draw: drawRow, mark: markRow, levelOf: ({ level }) => level,
      selected: () => this.#showActive(), entered: () => this.#split.open(), turn: (row, way) => this.#turn(row, way),
    });
    const bar = make("div", "toolbar", this.#filter, button("Refresh", () => this.refresh()), this.#count);
    this.#split = new Split("Capability", () => this.#rows.focus(), bar, this.#rows.element);
    this.#form = new CallForm(feed);
    this.element.append(this.#split.element);
    this.#filter.addEventListener("input", () => this.#update.ask());
    feed.on("surface", () => this.#changed());
    this.#showActive();
  }

  show() {
    this.#shown = true;
    this.refresh();
  }

  hide() {
    this.#shown = false;
  }

  stop() {
    clearTimeout(this.#due);
    this.#update.stop();
    this.#form.stop();
  }

  escape() {
    return this.#split.close();
  }

  #changed() {
    if (this.#shown) {
      this.#due ||= window.setTimeout(() => this.refresh(), PAUSE);
    }
  }

  /** Looks at the surface again. */
  refresh() {
    clearTimeout(this.#due);
    this.#due = 0;
    const seen = this.#feed.look();
    this.#components = seen?.components ?? [];
    this.#count.textContent = countText(this.#components);
    this.#rows.set(rowsOf(this.#components, this.#openness, this.#filter.value));
    this.#showActive();
  }

  /** @param {Row} row @param {"open" | "close"} way */
  #turn(row, way) {
    if (row.open === undefined || row.open === (way === "open")) {
      return way === "close" ? "parent" : row.open ? "first" : undefined;
    }
    this.#openness.turn(row.key);
    this.#rows.set(rowsOf(this.#components, this.#openness, this.#filter.value));
    return "changed";
  }

  /** Draws what is known of the active row, if that is something else than before: what the person entered stays. */
  #showActive() {
    const row = this.#rows.active;
    const text = row === undefined ? "" : JSON.stringify([row.component.key, row.component.description, row.capability ?? row.component.capabilities.length]);
    if (text === this.#factsText && text !== "") {
      return;
    }
    this.#factsText = text;
    if (row === undefined) {
      this.#split.show(label("empty", "Choose a row to see why it looks as it does, and to call it."));
      this.#form.forget();
      return;
    }
    const { capability, component } = row;
    this.#about.replaceChildren(...(capability === undefined ? componentDetails(component) : aboutCapability(capability)));
    this.#more.replaceChildren(...(capability === undefined ? [] : moreOfCapability(capability)));
    if (capability === undefined) {
      this.#form.forget();
      this.#split.show(this.#about);
    } else {
      this.#form.show(capability);
      if (this.#more.parentNode === null || this.#form.element.parentNode === null) { // what has the focus stays where it is
        this.#split.show(this.#about, this.#form.element, this.#more);
      }
    }
  }
}

/** @param {string} text */
export function searchField(text) {
  const field = make("input", "search");
  field.type = "search";
  field.placeholder = text;
  field.setAttribute("aria-label", text);
  field.spellcheck = false;
  return field;
}

/** @param {Component[]} components */
function countText(components) {
  const counts = { available: 0, unavailable: 0, disabled: 0, hidden: 0 };
  let all = 0;
  for (const { capabilities } of components) {
    for (const { state } of capabilities) {
      counts[state]++;
      all++;
    }
  }
  const rest = /** @type {const} */ (["unavailable", "disabled", "hidden"]).filter((state) => counts[state] > 0).map((state) => `${counts[state]} ${state}`);
  return [`${all} ${all === 1 ? "capability" : "capabilities"}`, ...rest].join(" · ");
}

/** @param {Row} row @returns {Node[]} */
function drawRow({ open, level, component, capability, policy }) {
  const twist = label(open === undefined ? "twist none" : "twist", "");
  const indent = make("span", "indent");
  indent.style.width = `${Math.min(level - 1, 12) * 16}px`;
  if (policy !== undefined) {
    return [indent, twist, label("quiet", "policy "), told("mono grow", policy.name), told("quiet cut", policy.reason ?? "", 80), voteOf(policy.vote, policy.threw)];
  }
  if (capability !== undefined) {
    const { state, name, effect, confirmation, reason } = capability;
    return [
      indent, twist, label(`dot ${state}`, ""), told("mono grow", name), ...(state === "available" ? [] : [told("quiet cut", reason ?? state, 80)]),
      ...(confirmation === "required" ? [label("chip asks", "asks")] : []), label(`chip effect ${effect}`, effect),
    ];
  }
  return [
    indent, twist, told("mono strong grow", component.type), ...(component.instanceId === "default" ? [] : [told("quiet", component.instanceId, 40)]),
    label("quiet", `${component.capabilities.length}`),
  ];
}

/** @param {Row} row @param {HTMLElement} element */
function markRow({ level, position, siblings, open, capability, component, policy }, element) {
  element.setAttribute("aria-level", `${level}`);
  element.setAttribute("aria-posinset", `${position}`);
  element.setAttribute("aria-setsize", `${siblings}`);
  if (open === undefined) {
    element.removeAttribute("aria-expanded");
  } else {
    element.setAttribute("aria-expanded", `${open}`);
  }
  const name = policy !== undefined ? `policy ${policy.name}, ${policy.vote ?? "no vote"}`
    : capability !== undefined ? `${capability.name}, ${capability.state}, ${capability.effect}` : component.type;
  element.setAttribute("aria-label", name.slice(0, 200));
}
