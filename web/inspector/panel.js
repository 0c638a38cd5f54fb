// @ts-check
/** The panel: its place on the page, its tabs, and the consumer for whom the surface is shown. */
import { adoptSheet, attachShadow, setAttribute } from "../dialog/intrinsics.js";
import { AdaptersView } from "./adapters-view.js";
import { CallsView } from "./calls-view.js";
import { ConfirmationsView } from "./confirmations-view.js";
import { button, iconButton, label, make, perFrame } from "./elements.js";
import css from "./inspector.css";
import { RecordingView } from "./recording-view.js";
import { Resizer } from "./resizer.js";
import { SurfaceView } from "./surface-view.js";
import { Tabs } from "./tabs.js";
import { consumerOf } from "./words.js";

const MOST_NAMED = 99;

export class Panel {
  host = make("div", "");
  /** @type {import("./feed.js").Feed} */ #feed;
  #frame = make("section", "panel");
  /** @type {HTMLButtonElement} */ #launcher;
  /** @type {Tabs} */ #tabs;
  #views;
  #problem = make("p", "banner");
  #consumer = make("input", "mono");
  #known = make("datalist", "");
  #badges = perFrame(() => this.#count());

  /** @param {import("./feed.js").Feed} feed @param {readonly import("./adapters-view.js").Adapter[]} adapters @param {Element | ShadowRoot | undefined} home */
  constructor(feed, adapters, home) {
    this.#feed = feed;
    this.#views = [new SurfaceView(feed), new CallsView(feed), new ConfirmationsView(feed), new AdaptersView(adapters), new RecordingView(feed)];
    const names = ["Surface", "Calls", "Confirmations", "Adapters", "Recording"];
    this.#tabs = new Tabs("Inspector", names.map((name, i) => ({ name, view: /** @type {any} */ (this.#views[i]) })));
    this.#launcher = button("pagewarden", () => this.#open(), "launcher");
    this.#launcher.hidden = true;
    setAttribute(this.host, "data-pagewarden", "inspector");
    setAttribute(this.host, "class", home === undefined ? "over" : "inside");
    const root = attachShadow(this.host, { __proto__: null, mode: "closed" });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    adoptSheet(root, sheet);
    this.#build(home === undefined);
    root.append(this.#frame, this.#launcher);
    (home ?? document.documentElement).append(this.host);
    this.#tabs.choose(0);
    for (const topic of /** @type {const} */ (["calls", "confirmations", "consumers"])) {
      feed.on(topic, () => this.#badges.ask());
    }
    feed.on("problem", () => this.#complain());
  }

  remove() {
    this.#badges.stop();
    this.#views.forEach((view) => view.stop());
    this.host.remove();
  }

  /** @param {boolean} floats */
  #build(floats) {
    this.#frame.setAttribute("aria-label", "pagewarden inspector");
    this.#problem.setAttribute("role", "status");
    this.#problem.hidden = true;
    const close = iconButton("down", "Make small (Escape)", () => this.#close(), "close");
    close.hidden = !floats;
    const bar = make("header", "bar", label("brand", "pagewarden"), this.#tabs.list, this.#who(), close);
    this.#frame.append(...(floats ? [new Resizer(this.#frame).element] : []), bar, this.#problem, this.#tabs.body);
    this.#frame.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !event.defaultPrevented) {
        event.stopPropagation();
        if (!this.#tabs.shown.escape() && floats) {
          this.#close();
        }
      }
    });
  }

  /** The choice of a consumer. */
  #who() {
    const input = this.#consumer;
    input.setAttribute("list", "known");
    input.value = keyOf(this.#feed.consumer);
    input.spellcheck = false;
    input.autocomplete = "off";
    input.title = "The consumer for whom the surface is shown, and as whom the form calls: KIND:ID";
    input.addEventListener("focus", () => this.#name());
    input.addEventListener("change", () => {
      const chosen = this.#feed.consumers.get(input.value.trim()) ?? consumerOf(input.value.trim());
      input.setAttribute("aria-invalid", `${chosen === undefined}`);
      if (chosen !== undefined) {
        input.value = keyOf(chosen);
        this.#feed.become(chosen);
      }
    });
    this.#known.id = "known";
    return make("label", "who", label("quiet", "as"), input, this.#known);
  }

  #name() {
    this.#known.replaceChildren(...[...this.#feed.consumers.keys()].slice(0, MOST_NAMED).map((key) => new Option(key, key)));
  }

  #count() {
    const pending = this.#feed.pending().length;
    this.#tabs.badge(1, this.#feed.log.calls.length);
    this.#tabs.badge(2, pending, true);
    this.#tabs.badge(4, this.#feed.recorder.isOn ? "on" : 0, true);
    this.#launcher.textContent = pending > 0 ? `pagewarden · ${pending} waiting` : "pagewarden";
  }

  #complain() {
    this.#problem.hidden = this.#feed.problem === "";
    this.#problem.textContent = this.#feed.problem.slice(0, 400);
  }

  #close() {
    this.#frame.hidden = true;
    this.#launcher.hidden = false;
    this.#tabs.shown.hide();
    this.#launcher.focus();
  }

  #open() {
    this.#frame.hidden = false;
    this.#launcher.hidden = true;
    this.#tabs.shown.show();
    this.#tabs.focus();
  }
}

/** @param {import("../pagewarden.js").Consumer} consumer */
const keyOf = ({ kind, id }) => `${kind}:${id}`;
