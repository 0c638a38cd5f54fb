// @ts-check
/** The dialog's words: English ones, and those of the page in their place. */
import { NativeTypeError, apply, floor, freeze, hasOwn, isObject, objectKeys, own, quietly } from "./intrinsics.js";

/** @typedef {import("../pagewarden-dialog.js").DialogLabels} DialogLabels */

/** @param {number} count @param {string} one @param {string} many */
const counted = (count, one, many) => (count === 1 ? one : `${count} ${many}`);

/** @param {number} seconds */
const clockText = (seconds) => `${floor(seconds / 60)}:${seconds % 60 < 10 ? "0" : ""}${seconds % 60}`;

/** @type {Required<DialogLabels>} */
const ENGLISH = {
  language: "en",
  direction: "ltr",
  title: "Allow this action?",
  titleDestructive: "Allow this destructive action?",
  effects: {
    "local-state": "Changes what this page shows",
    navigation: "Leaves this view",
    "server-query": "Reads data from the server",
    "server-mutation": "Changes data on the server",
    "external-side-effect": "Acts outside this system",
    destructive: "Destructive: what it changes may be lost",
  },
  component: "Part of the page",
  action: "Action",
  consumer: "Asked by",
  input: (values) => `Exact input: ${counted(values, "1 value", "values")}`,
  inputName: "Name",
  inputValue: "Value",
  noInput: "This action takes no input.",
  wholeInput: "(input)",
  emptyText: "empty text",
  emptyList: "empty list",
  emptyObject: "empty object",
  characters: (count) => `${count} characters`,
  more: (next, left) => `Show ${next} more of ${left}`,
  deny: "Deny",
  approve: "Approve",
  next: "Another question",
  queue: (waiting) => counted(waiting, "1 more is waiting", "more are waiting"),
  timeLeft: (seconds) => `${clockText(seconds)} left`,
  timeWarning: (seconds) => `${seconds} seconds left to decide`,
  covered: "Something covers this dialog. Approve works when all of it can be seen.",
};

/** The dialog's words as it asks for them. What the page gives is text, and is shown as text. */
export class Labels {
  /** @type {any} */ #given;

  /** @param {unknown} given the page's own words; a TypeError names what is none of them */
  constructor(given) {
    this.#given = checked(given, ENGLISH, "labels");
  }

  /** @param {keyof DialogLabels} name @param {...number} values what a function is asked with */
  text(name, ...values) {
    const told = word(own(this.#given, name), values);
    return told ?? /** @type {string} */ (word(ENGLISH[name], values));
  }

  /** What an effect means; one that nobody knows is shown by its name. @param {string} effect */
  effect(effect) {
    const given = own(this.#given, "effects");
    return word(isObject(given) ? own(given, effect) : undefined, []) ?? word(own(ENGLISH.effects, effect), []) ?? effect;
  }
}

/** @param {unknown} label @param {number[]} values */
function word(label, values) {
  const told = typeof label === "function" ? quietly(() => apply(label, undefined, values)) : label;
  return typeof told === "string" ? told : undefined;
}

/**
 * A copy of the page's words, so that they stay what they were.
 * @param {unknown} given @param {any} known @param {string} where
 */
function checked(given, known, where) {
  const copy = /** @type {any} */ ({ __proto__: null });
  if (given === undefined) {
    return copy;
  }
  if (!isObject(given)) {
    throw new NativeTypeError(`${where} must be an object`);
  }
  const names = objectKeys(given);
  for (let i = 0; i < names.length; i++) {
    const name = /** @type {string} */ (names[i]);
    if (!hasOwn(known, name)) {
      throw new NativeTypeError(`${where}.${name} is no text of the dialog`);
    }
    copy[name] = checkedLabel(own(given, name), known[name], `${where}.${name}`);
  }
  return freeze(copy);
}

/** @param {unknown} label @param {unknown} known @param {string} where */
function checkedLabel(label, known, where) {
  if (typeof known === "object") {
    return checked(label, known, where);
  }
  if (typeof label === "string" || (typeof label === "function" && typeof known === "function")) {
    return label;
  }
  throw new NativeTypeError(`${where} must be a string${typeof known === "function" ? " or a function that returns one" : ""}`);
}
