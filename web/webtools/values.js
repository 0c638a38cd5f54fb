// @ts-check
/**
 * How each kind of form control takes a value. Nothing here takes the focus. What a control cannot hold leaves it as it
 * was, and is said.
 */
import { isArray, stringSlice } from "../shim/builtins.js";
import {
  NativeDate, areaMaxLength, areaValue, bubbling, day, dispatch, fullYear, hours, inputChecked, inputEvent, inputMaxLength, inputMultiple, inputType, inputValue,
  minutes, month, optionCount, optionDisabled, optionLabel, optionSelected, optionValue, pressElement, regExec, seconds, selectMultiple, selectOptions, selectedIndex,
  setAreaValue, setInputValue, setOptionSelected, setSelectedIndex, setText, tagOf, textOf, toLowerCase, trim,
} from "./dom.js";
import { add, flat, isEnabled, nameOf, newList } from "./find.js";

/**
 * How a value gets into a field, in steps that are counted from 1. Of a text that is typed the last one is enough; each
 * says that none may be left out. write takes one, and says why it cannot, or "".
 * @typedef {{ __proto__?: null, steps: number, each: boolean, write: (step: number) => string }} Writing
 */

const UNFIT = "the value does not fit";

/** @param {() => string} write @returns {Writing} */
const atOnce = (write) => ({ __proto__: null, steps: 1, each: false, write });

/** @param {import("./fields.js").Field} field one that can be written @param {any} value @returns {Writing} */
export function writingOf(field, value) {
  const first = field.elements[0];
  switch (tagOf(first)) {
    case "select":
      return atOnce(() => writeSelect(first, value));
    case "textarea":
      return typing(first, textFor(value), areas, areaMaxLength(first), sameLines);
    case "input":
      return inputWriting(field, first, value);
  }
  return editing(first, textFor(value));
}

/** @param {import("./fields.js").Field} field @param {any} first @param {any} value @returns {Writing} */
function inputWriting(field, first, value) {
  switch (inputType(first)) {
    case "radio":
      return atOnce(() => writeRadio(field.elements, value));
    case "checkbox":
      return field.elements.length === 1 && isFlag(value) ? atOnce(() => press(first, value === true || value === "true")) : pressing(field.elements, value);
    case "date": case "month": case "week": case "time": case "datetime-local":
      return setting(first, temporal(inputType(first), textFor(value)), holdsSomething);
    case "color":
      return setting(first, textFor(value), (held, given) => held === toLowerCase(given));
    case "range": case "number":
      return setting(first, textFor(value), (held, given) => (given === "" ? held === "" : held !== "" && +held === +given));
    case "email":
      return typing(first, isArray(value) && inputMultiple(first) ? joined(value) : textFor(value), inputs, inputMaxLength(first), trimmed);
    case "url":
      return typing(first, textFor(value), inputs, inputMaxLength(first), trimmed);
  }
  return typing(first, textFor(value), inputs, inputMaxLength(first), same);
}

/** How a value is read from an element and written to it. @typedef {{ __proto__?: null, get: (e: any) => string, set: (e: any, text: string) => void }} Access */
/** Whether what the browser holds is what it was given. @typedef {(held: string, given: string) => boolean} Holds */

/** @type {Access} */
const inputs = { __proto__: null, get: inputValue, set: setInputValue };
/** @type {Access} */
const areas = { __proto__: null, get: areaValue, set: setAreaValue };

/** @type {Holds} */
const same = (held, given) => held === given;
/** @type {Holds} */
const trimmed = (held, given) => held === trim(given);
/** @type {Holds} */
const sameLines = (held, given) => held === plainLines(given);
/** @type {Holds} */
const holdsSomething = (held, given) => held !== "" || given === "";

/** The text of a value, undefined for what has none. @param {any} value @returns {string | undefined} */
function textFor(value) {
  switch (typeof value) {
    case "string":
      return value;
    case "number": case "boolean":
      return `${value}`;
  }
  return value === null ? "" : undefined;
}

/** @param {any} list */
function joined(list) {
  let text = "";
  for (let i = 0; i < list.length; i++) {
    text += i > 0 ? `,${list[i]}` : list[i];
  }
  return text;
}

/** A value that is set as a whole. @param {any} element @param {string | undefined} text @param {Holds} holds @returns {Writing} */
const setting = (element, text, holds) => atOnce(() => (text === undefined ? UNFIT : put(element, text, inputs, holds)));

/**
 * Text that is typed. A person could not type more than the field's longest.
 * @param {any} element @param {string | undefined} text @param {Access} access @param {number} longest below 0 for none @param {Holds} holds
 * @returns {Writing}
 */
function typing(element, text, access, longest, holds) {
  if (text === undefined || (longest >= 0 && text.length > longest)) {
    return atOnce(() => UNFIT);
  }
  const steps = text.length > 1 ? text.length : 1;
  return { __proto__: null, steps, each: false, write: (step) => (step < steps ? type(element, start(text, step), access) : put(element, text, access, holds)) };
}

/** Shows the first part of a text. @param {any} element @param {string} text @param {Access} access */
function type(element, text, access) {
  access.set(element, text);
  dispatch(element, inputEvent("input", text, false));
  return "";
}

/** @param {any} element @param {string} text @param {Access} access @param {Holds} holds */
function put(element, text, access, holds) {
  const before = access.get(element);
  access.set(element, text);
  if (!holds(access.get(element), text)) { // a browser keeps nothing that the field cannot hold
    access.set(element, before);
    return UNFIT;
  }
  dispatch(element, inputEvent("input", text, false));
  dispatch(element, bubbling("change"));
  return "";
}

/** The first part of a text, which does not end in the middle of a character. @param {string} text @param {number} length */
function start(text, length) {
  const last = /** @type {string} */ (text[length - 1]);
  return stringSlice(text, 0, last >= "\ud800" && last <= "\udbff" ? length + 1 : length);
}

/** @param {string} text with the line ends that a browser makes of it */
function plainLines(text) {
  let plain = "";
  for (let i = 0; i < text.length; i++) {
    if (text[i] === "\r") {
      plain += text[i + 1] === "\n" ? "" : "\n";
    } else {
      plain += text[i];
    }
  }
  return plain;
}

/** Date, time, and whether there is an offset, of a point in time as JSON has it. */
const POINT = /^(\d{4,}-\d{2}-\d{2})T(\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)(Z|[+-]\d{2}:\d{2})?$/i;
const DATE = /^(\d{4,}-\d{2})-\d{2}$/;

/** What a field of that type takes of a date or a time. One with an offset is shown as it is where the person is. @param {string} type @param {string | undefined} text */
function temporal(type, text) {
  if (text === undefined) {
    return undefined;
  }
  const found = regExec(POINT, text);
  const { 0: date, 1: time } = found === null ? { 0: text, 1: text } : found[3] === undefined ? { 0: `${found[1]}`, 1: `${found[2]}` } : local(text);
  switch (type) {
    case "date":
      return date;
    case "time":
      return time;
    case "month":
      return regExec(DATE, date)?.[1] ?? date;
    case "datetime-local":
      return found === null ? text : `${date}T${time}`;
  }
  return text;
}

/** @param {string} text */
function local(text) {
  const at = new NativeDate(text);
  const two = (/** @type {number} */ n) => (n < 10 ? `0${n}` : `${n}`);
  return { 0: `${fullYear(at)}-${two(month(at) + 1)}-${two(day(at))}`, 1: `${two(hours(at))}:${two(minutes(at))}:${two(seconds(at))}` };
}

/** Whether a value says on or off. @param {any} value */
const isFlag = (value) => value === true || value === false || value === "true" || value === "false" || value === null;

/** Checks or unchecks a box, by the click that frameworks listen to. @param {any} box @param {boolean} wanted */
function press(box, wanted) {
  if (inputChecked(box) !== wanted) {
    pressElement(box);
  }
  return inputChecked(box) === wanted ? "" : "the page did not take it";
}

/** Checks those of a group that a value names, and no others, one after the other. @param {any} boxes @param {any} value @returns {Writing} */
function pressing(boxes, value) {
  const wanted = isArray(value) ? value : value === null ? [] : [value];
  const named = newList();
  for (let i = 0; i < wanted.length; i++) {
    const box = choiceOf(boxes, wanted[i]);
    if (box === undefined) {
      return atOnce(() => UNFIT);
    }
    add(named, box);
  }
  return { __proto__: null, steps: boxes.length, each: true, write: (step) => press(boxes[step - 1], has(named, boxes[step - 1])) };
}

/** @param {any} list @param {any} item */
function has(list, item) {
  for (let i = 0; i < list.length; i++) {
    if (list[i] === item) {
      return true;
    }
  }
  return false;
}

/** @param {any} buttons @param {any} value */
function writeRadio(buttons, value) {
  const button = choiceOf(buttons, value);
  return button === undefined ? UNFIT : press(button, true);
}

/** The radio button or checkbox that a value names, by its own value or its label. @param {any} choices @param {any} value */
function choiceOf(choices, value) {
  const text = textFor(value);
  if (text === undefined) {
    return undefined;
  }
  for (let i = 0; i < choices.length; i++) {
    if (isEnabled(choices[i]) && inputValue(choices[i]) === text) {
      return choices[i];
    }
  }
  for (let i = 0; i < choices.length; i++) {
    if (isEnabled(choices[i]) && nameOf(choices[i]) === flat(text)) {
      return choices[i];
    }
  }
  return undefined;
}

/** @param {any} select @param {any} value */
function writeSelect(select, value) {
  const options = selectOptions(select);
  if (selectMultiple(select)) {
    return writeOptions(select, options, isArray(value) ? value : value === null ? [] : [value]);
  }
  const index = optionOf(options, value);
  if (index < 0) {
    return UNFIT;
  }
  if (selectedIndex(select) !== index) {
    setSelectedIndex(select, index);
    changed(select);
  }
  return "";
}

/** @param {any} select @param {any} options @param {any[]} wanted */
function writeOptions(select, options, wanted) {
  for (let i = 0; i < wanted.length; i++) {
    if (optionOf(options, wanted[i]) < 0) {
      return UNFIT;
    }
  }
  const count = optionCount(options);
  let news = false;
  for (let i = 0; i < count; i++) {
    let named = false;
    for (let j = 0; j < wanted.length; j++) {
      named = named || optionOf(options, wanted[j]) === i;
    }
    if (optionSelected(options[i]) !== named) {
      setOptionSelected(options[i], named);
      news = true;
    }
  }
  if (news) {
    changed(select);
  }
  return "";
}

/** @param {any} options @param {any} value @returns {number} -1 for none */
function optionOf(options, value) {
  const text = textFor(value);
  if (text === undefined) {
    return -1;
  }
  const count = optionCount(options);
  for (let i = 0; i < count; i++) {
    if (optionValue(options[i]) === text && !optionDisabled(options[i])) {
      return i;
    }
  }
  for (let i = 0; i < count; i++) {
    if (flat(optionLabel(options[i])) === flat(text) && !optionDisabled(options[i])) {
      return i;
    }
  }
  return -1;
}

/** @param {any} element */
function changed(element) {
  dispatch(element, bubbling("input"));
  dispatch(element, bubbling("change"));
}

/** What is edited in place. Whoever has an editor of their own there can take over. @param {any} element @param {string | undefined} text @returns {Writing} */
function editing(element, text) {
  if (text === undefined) {
    return atOnce(() => UNFIT);
  }
  return atOnce(() => {
    if (dispatch(element, inputEvent("beforeinput", text, true))) {
      setText(element, text);
      dispatch(element, inputEvent("input", text, false));
      return textOf(element) === text ? "" : "the page did not take it";
    }
    return "";
  });
}
