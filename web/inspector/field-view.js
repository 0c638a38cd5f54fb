// @ts-check
/** The controls of a form, for what fields.js says of a schema. */
import { inputOf } from "./fields.js";
import { label, make, told } from "./elements.js";

/** @typedef {import("./fields.js").Field} Field */

let last = 0;

export class FieldView {
  /** @type {HTMLElement} */ element;
  /** @type {Field} */ field;
  /** @type {{ name: string, view: FieldView }[]} */ #members = [];
  /** @type {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement | undefined} */ #control;

  /** @param {Field} field @param {string} [name] @param {boolean} [required] */
  constructor(field, name = "", required = true) {
    this.field = field;
    this.element = field.kind === "object" ? this.#group(name, required) : this.#single(name, required);
  }

  /** The input of what is entered. */
  made() {
    return inputOf(this.field, this.#entered());
  }

  /** @returns {import("./fields.js").Entered} */
  #entered() {
    return this.#control === undefined ? Object.fromEntries(this.#members.map(({ name, view }) => [name, view.#entered()])) : this.#control.value;
  }

  /** @param {string} name @param {boolean} required */
  #group(name, required) {
    this.#members = this.field.members.map((member) => ({ name: member.name, view: new FieldView(member.field, member.name, member.required) }));
    if (name === "") {
      return make("div", "fields", ...this.#members.map(({ view }) => view.element));
    }
    const legend = make("legend", "", nameOf(name, required), told("hint", this.field.hint, 160));
    return make("fieldset", "fields", legend, ...this.#members.map(({ view }) => view.element));
  }

  /** @param {string} name @param {boolean} required */
  #single(name, required) {
    const control = (this.#control = controlOf(this.field, required));
    const title = make("label", "", nameOf(name, required));
    const hint = told("hint", this.field.hint, 160);
    control.id = title.htmlFor = `field-${++last}`;
    hint.id = `${control.id}-hint`;
    control.setAttribute("aria-describedby", hint.id);
    control.setAttribute("aria-required", `${required}`);
    return make("div", "field", title, control, hint);
  }
}

/** @param {string} name @param {boolean} required */
function nameOf(name, required) {
  const shown = told("mono", name === "" ? "input" : name, 80);
  return required ? make("span", "", shown, label("must", " *")) : shown;
}

/** @param {Field} field @param {boolean} required */
function controlOf(field, required) {
  switch (field.kind) {
    case "choice":
      return select([["", required ? "choose…" : "(left out)"], ...field.choices.map((choice, i) => [`${i}`, wordsOf(choice)])], field.initial);
    case "boolean":
      return select([["", required ? "choose…" : "(left out)"], ["true", "true"], ["false", "false"]], field.initial);
    case "json": {
      const area = make("textarea", "mono");
      area.rows = 2;
      area.placeholder = "JSON";
      area.value = field.initial;
      area.spellcheck = false;
      return area;
    }
  }
  const input = make("input", "");
  input.type = "text";
  input.inputMode = field.kind === "number" ? "decimal" : "text";
  input.value = field.initial;
  input.spellcheck = false;
  input.autocomplete = "off";
  return input;
}

/** @param {unknown} choice */
const wordsOf = (choice) => (typeof choice === "string" ? choice : JSON.stringify(choice)).slice(0, 120);

/** @param {string[][]} options value and words @param {string} initial */
function select(options, initial) {
  const made = make("select", "");
  for (const [value = "", words = ""] of options) {
    made.append(new Option(words, value));
  }
  made.value = initial;
  return made;
}
