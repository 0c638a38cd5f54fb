// @ts-check
/** The adapters: which surface of the browser each has found, what it has registered there, and what was refused and why. */
import { facts, label, make, told } from "./elements.js";
import { Rows } from "./rows.js";
import { Split } from "./split.js";

/** @typedef {Pick<import("../pagewarden.js").WebMcpAdapter, "name" | "status">} Adapter */
/** A line: an adapter, or a tool of one. @typedef {{ key: string, title?: string, surface?: string, name?: string, capabilityId?: string, error?: string }} Line */

/** What each surface means, as docs/webmcp.md says at length. @type {Record<string, string>} */
const SURFACES = {
  "by-name": "by-name: registerTool and unregisterTool", "whole-set": "whole-set: provideContext", "by-signal": "by-signal: registerTool with a signal",
  none: "none: this browser lists no tools",
};

/** How often an adapter is asked: it tells nobody when its status changes. */
const PAUSE = 1000;

export class AdaptersView {
  element = make("div", "view");
  /** @type {readonly Adapter[]} */ #adapters;
  /** @type {Rows<Line>} */ #rows;
  #note = label("empty", "");
  /** @type {Split} */ #split;
  #timer = 0;
  #text = "";

  /** @param {readonly Adapter[]} adapters */
  constructor(adapters) {
    this.#adapters = adapters;
    this.#rows = new Rows({
      role: "listbox", label: "Adapters and their tools", empty: "", keyOf: ({ key }) => key, draw: drawLine, mark: markLine,
      selected: () => this.#showActive(), entered: () => this.#split.open(),
    });
    this.#split = new Split("Tool", () => this.#rows.focus(), this.#rows.element);
    this.element.append(this.#note, this.#split.element);
    this.#note.textContent = "No adapter was given: mountInspector(registry, { adapters: [adapter] }).";
    this.#note.hidden = adapters.length > 0;
    this.#split.element.hidden = adapters.length === 0;
    this.#showActive();
  }

  show() {
    this.#refresh();
    this.#timer = window.setInterval(() => this.#refresh(), PAUSE);
  }

  hide() {
    clearInterval(this.#timer);
  }

  stop() {
    this.hide();
  }

  escape() {
    return this.#split.close();
  }

  #refresh() {
    const lines = this.#adapters.flatMap(linesOf);
    const text = JSON.stringify(lines);
    if (text !== this.#text) {
      this.#text = text;
      this.#rows.set(lines);
      this.#showActive();
    }
  }

  #showActive() {
    const line = this.#rows.active;
    if (line === undefined) {
      this.#split.show(label("empty", "What the browser refused comes first. Choose a row to see it in full."));
      return;
    }
    const { name, title, surface, capabilityId, error } = line;
    this.#split.show(make("h2", "", told("mono", name)), facts([
      ["Status", title === undefined ? label(`badge ${error === undefined ? "ok" : "error"}`, error === undefined ? "registered" : "refused") : told("", title, 400)],
      ["Surface found", surface === undefined ? undefined : told("", SURFACES[surface] ?? surface)],
      ["Stands for", capabilityId === undefined ? undefined : told("mono", capabilityId)],
      ["Why", error === undefined ? undefined : told("", error, 1000)],
    ]));
  }
}

/** @param {Adapter} adapter @param {number} i @returns {Line[]} */
function linesOf(adapter, i) {
  /** @type {Line[]} */
  let tools = [];
  let title = "";
  let surface = "";
  try {
    const { supported, surface: found, registered, refused } = adapter.status();
    surface = found;
    title = supported ? `${registered.length} registered, ${refused.length} refused` : "no WebMCP here, or not started";
    tools = [
      ...refused.map(({ name, capabilityId, error }) => ({ key: `${i} - ${name}`, name, capabilityId, error })),
      ...registered.map(({ name, capabilityId }) => ({ key: `${i} + ${name}`, name, capabilityId })),
    ];
  } catch (error) {
    title = `its status cannot be read: ${/** @type {any} */ (error)?.message ?? error}`;
  }
  return [{ key: `${i}`, name: String(adapter.name), title, surface }, ...tools];
}

/** @param {Line} line @returns {Node[]} */
function drawLine({ title, surface, name, capabilityId, error }) {
  if (title !== undefined) {
    return [told("strong", name ?? "", 60), label("chip", `surface: ${surface || "unknown"}`), told("quiet grow", title)];
  }
  return [
    label(`dot ${error === undefined ? "ok" : "error"}`, ""), told("mono grow", name ?? ""), told("quiet cut who", capabilityId ?? "", 120),
    ...(error === undefined ? [] : [told("chip result error", error, 160)]),
  ];
}

/** @param {Line} line @param {HTMLElement} element */
function markLine({ title, name, error, surface }, element) {
  element.classList.toggle("head", title !== undefined);
  element.setAttribute("aria-label", title === undefined ? `${name}, ${error ?? "registered"}` : `${name}: surface ${surface}, ${title}`);
}
