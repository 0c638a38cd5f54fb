// @ts-check
/** A form that calls a capability by hand, as the chosen consumer, and shows what comes of it. */
import { button, label, make, say, told } from "./elements.js";
import { FieldView } from "./field-view.js";
import { fieldOf } from "./fields.js";
import { Trial } from "./trial.js";

/** @typedef {import("./surface.js").Capability} Capability */

const MOST_TRIALS = 5;

export class CallForm {
  element = make("section", "call");
  /** @type {import("./feed.js").Feed} */ #feed;
  /** @type {Capability | undefined} */ #capability;
  #schemaText = "";
  /** @type {FieldView | undefined} undefined while the input is written as JSON */ #view;
  #json = make("textarea", "json mono");
  #title = make("h3", "");
  #inputs = make("div", "inputs");
  #problem = make("p", "problem");
  #asJson = button("As JSON", () => this.#turn());
  #results = make("div", "trials");
  /** @type {Trial[]} */ #trials = [];

  /** @param {import("./feed.js").Feed} feed */
  constructor(feed) {
    this.#feed = feed;
    this.#json.rows = 6;
    this.#json.spellcheck = false;
    this.#json.setAttribute("aria-label", "Input as JSON");
    this.#problem.setAttribute("role", "status");
    this.#results.setAttribute("aria-live", "polite");
    const run = button("Call", () => this.#call(), "primary");
    const form = make("form", "", this.#title, this.#inputs, this.#problem, make("div", "actions", run, this.#asJson));
    form.addEventListener("submit", (event) => event.preventDefault()); // Enter in a field calls nothing: the button does
    this.element.append(form, this.#results);
    feed.on("consumer", () => this.#name());
  }

  /** Shows the form of a capability. What was entered stays while that is the same. @param {Capability} capability */
  show(capability) {
    const another = this.#capability?.key !== capability.key;
    const schema = capability.view?.inputSchema ?? capability.entry?.inputSchema;
    const schemaText = JSON.stringify(schema) ?? "";
    this.#capability = capability;
    if (another) {
      this.#forgetTrials();
    }
    if (another || schemaText !== this.#schemaText) {
      this.#schemaText = schemaText;
      this.#make(capability, schema);
    }
    this.#name();
  }

  forget() {
    this.#capability = undefined;
    this.#forgetTrials();
  }

  stop() {
    this.#forgetTrials();
  }

  #forgetTrials() {
    this.#trials.splice(0).forEach((trial) => trial.stop());
    this.#results.replaceChildren();
  }

  #name() {
    const { kind, id } = this.#feed.consumer;
    this.#title.replaceChildren(this.#capability?.kind === "observation" ? "Read as " : "Call as ", told("mono", `${kind}:${id}`, 60));
  }

  /** @param {Capability} capability @param {any} schema */
  #make(capability, schema) {
    say(this.#problem, "");
    if (capability.kind === "observation") {
      this.#view = new FieldView({ kind: "object", hint: "", choices: [], members: [], initial: "" });
      this.#asJson.hidden = true;
      this.#inputs.replaceChildren(label("quiet", "A read takes no input."));
      return;
    }
    this.#asJson.hidden = false;
    const field = fieldOf(schema ?? {});
    this.#view = new FieldView(field);
    this.#json.value = "{}";
    this.#show(field.kind === "object");
  }

  /** @param {boolean} asForm */
  #show(asForm) {
    const nothing = asForm && this.#view?.field.members.length === 0;
    this.#asJson.setAttribute("aria-pressed", `${!asForm}`);
    this.#inputs.replaceChildren(nothing ? label("quiet", "It takes no input.") : asForm && this.#view !== undefined ? this.#view.element : this.#json);
  }

  get #isForm() {
    return this.#asJson.getAttribute("aria-pressed") === "false";
  }

  /** Between the form and JSON; what was entered goes along to JSON. */
  #turn() {
    const asForm = !this.#isForm;
    if (!asForm) {
      this.#json.value = JSON.stringify(this.#view?.made().value ?? {}, null, 2); // whole: it is sent from there
    }
    say(this.#problem, "");
    this.#show(asForm);
  }

  /** @returns {{ value: unknown, issues: string[] }} */
  #entered() {
    if (this.#capability?.kind === "observation") {
      return { value: undefined, issues: [] };
    }
    if (this.#isForm && this.#view !== undefined) {
      return this.#view.made();
    }
    try {
      return { value: JSON.parse(this.#json.value), issues: [] };
    } catch (error) {
      return { value: undefined, issues: [`The input is not JSON: ${/** @type {Error} */ (error).message}`] };
    }
  }

  #call() {
    const capability = this.#capability;
    const { value, issues } = this.#entered();
    this.#problem.replaceChildren(...issues.slice(0, 1).map((issue) => told("", issue)));
    if (capability === undefined || issues.length > 0) {
      return;
    }
    const trial = new Trial(this.#feed, { capabilityId: capability.capabilityId, registrationId: capability.registrationId, input: value });
    this.#results.prepend(trial.element);
    this.#trials.unshift(trial);
    this.#trials.splice(MOST_TRIALS).forEach((old) => {
      old.stop();
      old.element.remove();
    });
    trial.run();
  }
}
