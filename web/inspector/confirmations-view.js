// @ts-check
/** What waits for a person, as the dialog shows it. Here it can only be denied: to approve is for the dialog. */
import { Labels } from "../dialog/labels.js";
import { subjectOf } from "../dialog/subject.js";
import { InputTable } from "../dialog/table.js";
import { button, facts, label, make, perFrame, section, told } from "./elements.js";
import { clockTime } from "./words.js";

/** @typedef {import("../pagewarden.js").PendingConfirmation} Pending */

const SECOND = 1000;
const MOST = 40;

export class ConfirmationsView {
  element = make("div", "view scroll");
  /** @type {import("./feed.js").Feed} */ #feed;
  #waiting = make("div", "cards");
  #ended = make("div", "");
  /** @type {Map<string, { card: HTMLElement, left: HTMLElement, expires: number }>} */ #cards = new Map();
  #labels = new Labels(undefined);
  #timer = 0;
  #shown = false;
  #update = perFrame(() => this.#refresh());

  /** @param {import("./feed.js").Feed} feed */
  constructor(feed) {
    this.#feed = feed;
    this.element.append(this.#waiting, this.#ended);
    feed.on("confirmations", () => this.#shown && this.#update.ask());
  }

  show() {
    this.#shown = true;
    this.#refresh();
    this.#timer = window.setInterval(() => this.#count(), SECOND);
  }

  hide() {
    this.#shown = false;
    clearInterval(this.#timer);
  }

  stop() {
    this.hide();
    this.#update.stop();
  }

  escape() {
    return false;
  }

  #refresh() {
    const pending = this.#feed.pending().slice(0, MOST);
    const ids = new Set(pending.map(({ confirmationId }) => confirmationId));
    for (const [id, { card }] of this.#cards) {
      if (!ids.has(id)) {
        card.remove();
        this.#cards.delete(id);
      }
    }
    for (const record of pending) {
      if (!this.#cards.has(record.confirmationId)) {
        this.#add(record);
      }
    }
    this.#waiting.querySelector(".empty")?.remove();
    if (pending.length === 0) {
      this.#waiting.append(label("empty", "Nothing waits for a person."));
    }
    this.#ended.replaceChildren(...(this.#feed.outcomes.length === 0 ? [] : [section("Decided", this.#history())]));
    this.#count();
  }

  #count() {
    for (const { left, expires } of this.#cards.values()) {
      left.textContent = `${Math.max(0, Math.ceil((expires - Date.now()) / SECOND))} s left`;
    }
  }

  #history() {
    const list = make("ol", "plain");
    for (const { capabilityId, outcome, at } of this.#feed.outcomes) {
      list.append(make("li", "", label("quiet time", clockTime(at)), told("mono grow", capabilityId), label(`badge ${outcome}`, outcome)));
    }
    return list;
  }

  /** @param {Pending} record */
  #add(record) {
    const { confirmations } = this.#feed.registry;
    const left = label("quiet", "");
    const input = new InputTable(this.#labels);
    input.show(record.input);
    const deny = button("Deny", () => confirmations.resolve(record.confirmationId, { approved: false, reason: "inspector" }));
    const expire = button("Let it expire", () => confirmations.forceExpire(record.confirmationId));
    const card = make("article", "card",
      make("h2", "", told("mono", record.capabilityId), label(`chip effect ${record.effect}`, record.effect), left),
      told("lead summary", record.summary, 2000), this.#facts(record), input.element,
      make("div", "actions", deny, expire, label("quiet", record.decidedBy === "control" ? "Approved beside the control of its tool." : "Approved in the page's own UI, or its dialog.")));
    this.#cards.set(record.confirmationId, { card, left, expires: Date.parse(record.expiresAt) });
    this.#waiting.append(card);
  }

  /** @param {Pending} record */
  #facts(record) {
    const { title, component, instance, description } = subjectOf(this.#feed.registry, record);
    return facts([
      ["Action", title === undefined ? undefined : told("", title)],
      ["Part of the page", component === undefined ? undefined : told("mono", instance === undefined ? component : `${component} (${instance})`)],
      ["Which is", description === undefined ? undefined : told("", description, 400)],
      ["Asked by", told("mono", record.consumerKey)],
      ["Record", told("mono", record.confirmationId)],
    ]);
  }
}
