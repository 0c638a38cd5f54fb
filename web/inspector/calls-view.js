// @ts-check
/** The log of calls: a row for each, and the active one in full. */
import { code, button, facts, label, make, perFrame, section, told } from "./elements.js";
import { matchesCall, phaseTimes } from "./calls.js";
import { Rows } from "./rows.js";
import { Split } from "./split.js";
import { searchField } from "./surface-view.js";
import { clockTime, duration, pretty } from "./words.js";

/** @typedef {import("./calls.js").Call} Call */

export class CallsView {
  element = make("div", "view");
  /** @type {import("./feed.js").Feed} */ #feed;
  #filter = searchField("Filter calls");
  #errors = make("input", "");
  #count = label("quiet count", "");
  /** @type {Rows<Call>} */ #rows;
  /** @type {Split} */ #split;
  #shown = false;
  #update = perFrame(() => this.#refresh());

  /** @param {import("./feed.js").Feed} feed */
  constructor(feed) {
    this.#feed = feed;
    this.#rows = new Rows({
      role: "listbox", label: "Calls", empty: "Calls appear here as they run.", keyOf: ({ number }) => `${number}`, draw: drawRow, mark: markRow,
      selected: () => this.#showActive(), entered: () => this.#split.open(),
    }, true);
    this.#errors.type = "checkbox";
    const errors = make("label", "check", this.#errors, label("", "Errors only"));
    const clear = button("Clear", () => {
      feed.log.clear();
      feed.tell("calls");
    });
    this.#split = new Split("Call", () => this.#rows.focus(), make("div", "toolbar", this.#filter, errors, clear, this.#count), this.#rows.element);
    this.element.append(this.#split.element);
    this.#filter.addEventListener("input", () => this.#update.ask());
    this.#errors.addEventListener("change", () => this.#update.ask());
    feed.on("calls", () => this.#shown && this.#update.ask());
    this.#showActive();
  }

  show() {
    this.#shown = true;
    this.#refresh();
  }

  hide() {
    this.#shown = false;
  }

  stop() {
    this.#update.stop();
  }

  escape() {
    return this.#split.close();
  }

  #refresh() {
    const { calls, dropped } = this.#feed.log;
    const text = this.#filter.value.trim().toLowerCase();
    const onlyErrors = this.#errors.checked;
    const shown = text === "" && !onlyErrors ? calls.slice() : calls.filter((call) => matchesCall(call, text, onlyErrors));
    const all = shown.length === calls.length ? `${calls.length}` : `${shown.length} of ${calls.length}`;
    this.#count.textContent = `${all} ${calls.length === 1 ? "call" : "calls"}${dropped > 0 ? `, ${dropped} older ones dropped` : ""}`;
    this.#rows.set(shown);
    if (this.#rows.active?.number !== this.#drawnNumber || this.#rows.active?.status !== this.#drawnStatus) {
      this.#showActive();
    }
  }

  #drawnNumber = -1;
  #drawnStatus = "";

  #showActive() {
    const call = this.#rows.active;
    this.#drawnNumber = call?.number ?? -1;
    this.#drawnStatus = call?.status ?? "";
    this.#split.show(...(call === undefined ? [label("empty", "Choose a call to see its phases, its input and what came of it.")] : callDetails(call)));
  }
}

/** @param {Call} call @returns {Node[]} */
function callDetails(call) {
  const { capabilityId, consumerId, status, code: errorCode, queueWaitMs, invocationId, registrationId, confirmationId, began, ended, startedAt } = call;
  return [
    make("h2", "", told("mono", capabilityId)),
    facts([
      ["Result", label(`badge ${status}`, errorCode ?? status)],
      ["Consumer", told("mono", consumerId)],
      ["Began", label("", clockTime(startedAt))],
      ["Took", ended === undefined ? undefined : label("", duration(ended - began))],
      ["Waited in queue", queueWaitMs === undefined ? undefined : label("", duration(queueWaitMs))],
      ["Invocation", told("mono", invocationId)],
      ["Registration", registrationId === undefined ? undefined : told("mono", registrationId)],
      ["Confirmation", confirmationId === undefined ? undefined : told("mono", confirmationId)],
    ]),
    section("Phases", phases(call)),
    ...payload("Input", call.input),
    ...payload("Input that the handler gets", call.effectiveInput),
    ...payload(status === "error" ? "Error" : "Output", call.result),
  ];
}

/** @param {Call} call */
function phases(call) {
  const list = make("ol", "phases");
  const whole = Math.max(0.1, (call.ended ?? performance.now()) - call.began);
  for (const { name, from, ms } of phaseTimes(call)) {
    const bar = make("span", "bar");
    bar.style.marginInlineStart = `${Math.min(99, from / whole * 100)}%`;
    bar.style.width = `${Math.max(1, Math.min(100, (ms ?? whole - from) / whole * 100))}%`;
    list.append(make("li", "", label("name", name), make("span", "track", bar), label("quiet ms", ms === undefined ? "running" : duration(ms))));
  }
  return list;
}

/** @param {string} title @param {string} text JSON, perhaps cut short @returns {Node[]} */
function payload(title, text) {
  if (text === "") {
    return [];
  }
  let shown = text;
  try {
    shown = pretty(JSON.parse(text));
  } catch {
    // It was cut short when it was kept.
  }
  return [section(title, code(shown, title))];
}

/** @param {Call} call @returns {Node[]} */
function drawRow({ startedAt, status, capabilityId, consumerId, code: errorCode, began, ended, phases: reached }) {
  const now = status === "running" ? reached.at(-1)?.name ?? "" : errorCode ?? "ok";
  return [
    label("quiet time", clockTime(startedAt)), label(`dot ${status}`, ""), told("mono grow", capabilityId), told("quiet cut who", consumerId, 60),
    label(`chip result ${errorCode === "CONFIRMATION_REQUIRED" ? "asks" : status}`, now), label("quiet ms", ended === undefined ? "" : duration(ended - began)),
  ];
}

/** @param {Call} call @param {HTMLElement} element */
function markRow({ capabilityId, status, code: errorCode }, element) {
  element.setAttribute("aria-label", `${capabilityId.slice(0, 150)}, ${errorCode ?? status}`);
}
