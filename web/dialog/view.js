// @ts-check
/** What a person sees: one modal dialog in a closed shadow root, filled with one question at a time. */
import {
  NativeStyleSheet, adoptSheet, appendChild, attachShadow, clientHeight, removeAttribute, replaceChildren, replaceStyle, scrollHeight, setAttribute,
  setScrollTop,
} from "./intrinsics.js";
import css from "./dialog.css";
import { icon, make, say, sayVisibly } from "./elements.js";
import { InputTable } from "./table.js";

/** @typedef {import("../pagewarden.js").PendingConfirmation} Pending */
/** @typedef {import("./subject.js").Subject} Subject */

/** How grave an effect is. @typedef {"mild" | "grave" | "dangerous"} Tone */

const TONES = /** @type {Record<string, Tone>} */ (/** @type {unknown} */ ({
  __proto__: null, "local-state": "mild", navigation: "mild", "server-query": "mild", "server-mutation": "grave", "external-side-effect": "grave",
  destructive: "dangerous",
}));

const CIRCLE = "M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13Z";
const ICONS = {
  mild: `${CIRCLE}M8 7.3v3.9M8 4.8v.1`,
  grave: `${CIRCLE}M8 4.7v4M8 11.1v.1`,
  dangerous: "M8 1.8 14.8 14H1.2ZM8 6.3v3.6M8 11.9v.1",
};

/** With how many seconds left a person who cannot see the clock is told of it, once each. */
const WARNINGS = { first: 30, last: 10 };

/** The style sheet of all dialogs, made when the module loads. */
const sheet = NativeStyleSheet && new NativeStyleSheet();
if (sheet) {
  replaceStyle(sheet, css);
}

export class View {
  // A plain div: the browser hands the shadow root of a custom element to whoever defines that element.
  host = make("div", "");
  /** @type {ShadowRoot} */ root = attachShadow(this.host, { __proto__: null, mode: "closed" });
  dialog = make("dialog", "");
  title = make("h2", "");
  deny = make("button", "deny");
  approve = make("button", "approve");
  /** @type {import("./labels.js").Labels} */ #labels;
  /** @type {InputTable} */ #input;
  #icon = icon();
  #effect = make("span", "");
  #summary = make("p", "summary field");
  #facts = make("dl", "");
  #body = make("div", "body");
  #left = make("p", "left");
  #waiting = make("p", "waiting");
  #covered = make("p", "covered");
  #isCovered = false;
  #spoken = make("p", "unseen");
  /** The smallest number of seconds that was spoken. */ #warned = Infinity;

  /** @param {import("./labels.js").Labels} labels */
  constructor(labels) {
    this.#labels = labels;
    this.#input = new InputTable(labels);
    adoptSheet(this.root, sheet);
    setAttribute(this.host, "data-pagewarden", "confirmation");
    this.#describe();
    const effect = make("p", "effect", this.#icon.picture, this.#effect);
    setAttribute(effect, "id", "effect");
    replaceChildren(this.#body, this.title, effect, this.#summary, this.#facts, this.#input.element);
    replaceChildren(this.dialog, this.#body, this.#foot());
    appendChild(this.root, this.dialog);
  }

  #describe() {
    setAttribute(this.dialog, "role", "alertdialog");
    setAttribute(this.dialog, "aria-modal", "true");
    setAttribute(this.dialog, "aria-labelledby", "title");
    setAttribute(this.dialog, "aria-describedby", "effect summary");
    setAttribute(this.dialog, "lang", this.#labels.text("language"));
    setAttribute(this.dialog, "dir", this.#labels.text("direction"));
    setAttribute(this.title, "id", "title");
    setAttribute(this.title, "tabindex", "-1");
    setAttribute(this.#summary, "id", "summary");
    setAttribute(this.#body, "role", "group");
    setAttribute(this.#body, "aria-labelledby", "title");
  }

  #foot() {
    setAttribute(this.deny, "type", "button");
    setAttribute(this.approve, "type", "button");
    say(this.deny, this.#labels.text("deny"));
    say(this.approve, this.#labels.text("approve"));
    setAttribute(this.#left, "role", "timer");
    setAttribute(this.#spoken, "role", "status");
    return make("div", "foot", this.#covered, make("div", "state", this.#left, this.#waiting), this.deny, this.approve, this.#spoken);
  }

  /** Puts a question before the person. @param {Pending} pending @param {Subject} subject @param {boolean} another whether it takes the place of one */
  show(pending, subject, another) {
    const tone = TONES[pending.effect] ?? "grave"; // what nobody knows is not harmless
    setAttribute(this.dialog, "class", tone);
    this.#icon.draw(ICONS[tone]);
    sayVisibly(this.#effect, this.#labels.effect(pending.effect));
    say(this.title, this.#labels.text(tone === "dangerous" ? "titleDestructive" : "title"));
    sayVisibly(this.#summary, pending.summary);
    this.#showFacts(pending, subject);
    this.#input.show(pending.input);
    this.#warned = Infinity;
    this.cover(false);
    this.arm(false);
    say(this.#spoken, another ? this.#labels.text("next") : "");
    setScrollTop(this.#body, 0);
  }

  /** @param {Pending} pending @param {Subject} subject */
  #showFacts(pending, { title, component, instance, description, asker, kind }) {
    replaceChildren(this.#facts);
    this.#fact("action", title, pending.capabilityId);
    if (component !== undefined) {
      this.#fact("component", description, instance === undefined ? component : `${component} (${instance})`);
    }
    this.#fact("consumer", asker, kind);
  }

  /** @param {"action" | "component" | "consumer"} name @param {string | undefined} text for people @param {string | undefined} id exact */
  #fact(name, text, id) {
    const value = make("dd", "field");
    for (let i = 0; i < 2; i++) {
      const part = i === 0 ? text : id;
      if (part !== undefined) {
        const shown = make("span", i === 0 ? "told" : "exact");
        sayVisibly(shown, part);
        appendChild(value, shown);
      }
    }
    appendChild(this.#facts, say(make("dt", ""), this.#labels.text(name)));
    appendChild(this.#facts, value);
  }

  /** Says how long is left, and how many more wait. @param {number} seconds @param {number} waiting */
  count(seconds, waiting) {
    say(this.#left, this.#labels.text("timeLeft", seconds));
    say(this.#waiting, waiting === 0 ? "" : this.#labels.text("queue", waiting));
    const due = seconds <= WARNINGS.last ? WARNINGS.last : WARNINGS.first;
    if (seconds <= due && due < this.#warned) {
      this.#warned = due;
      say(this.#spoken, this.#labels.text("timeWarning", seconds));
    }
    // A part that scrolls must be within reach of the keyboard.
    if (scrollHeight(this.#body) > clientHeight(this.#body)) {
      setAttribute(this.#body, "tabindex", "0");
    } else {
      removeAttribute(this.#body, "tabindex");
    }
  }

  /** Shows whether Approve would work now. @param {boolean} armed */
  arm(armed) {
    setAttribute(this.approve, "aria-disabled", armed ? "false" : "true");
  }

  /** Says that something covers the dialog, or no longer. @param {boolean} covered */
  cover(covered) {
    if (covered === this.#isCovered) {
      return;
    }
    this.#isCovered = covered;
    const text = covered ? this.#labels.text("covered") : "";
    say(this.#covered, text);
    say(this.#spoken, text);
  }
}
