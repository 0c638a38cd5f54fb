// @ts-check
/** The fields of a call: for each parameter the one form control that it is typed into, or why there is none. */
import { objectKeys, pick } from "../shim/builtins.js";
import { areaForm, areaReadOnly, attribute, buttonForm, closest, inputForm, inputName, inputReadOnly, inputType, isEditable, selectForm, tagOf } from "./dom.js";
import { add, everywhere, flat, isEnabled, isVisible, nameOf, newList, targets, wordsOf } from "./find.js";

/** What a parameter can be typed into. */
const FIELDS = "input:not([type=hidden], [type=button], [type=submit], [type=reset], [type=image]), select, textarea, [contenteditable]:not([contenteditable=false])";

/**
 * Where a parameter goes. elements are several for a group of radio buttons or checkboxes.
 * @typedef {{ __proto__?: null, name: string, elements: any, why: string }} Field
 */

/**
 * A field for each parameter of the input that has a value.
 * @param {import("./define.js").Kept} kept @param {any} input @param {() => any} control the tool's, undefined without one
 * @returns {any} a list of fields
 */
export function fieldsOf(kept, input, control) {
  const found = newList();
  const names = objectKeys(input);
  const candidates = names.length > 0 ? candidatesOf() : newList();
  for (let i = 0; i < names.length; i++) {
    const name = /** @type {string} */ (names[i]);
    if (input[name] !== undefined) {
      add(found, fieldOf(kept, name, candidates, control));
    }
  }
  return found;
}

function candidatesOf() {
  const all = everywhere(FIELDS);
  const visible = newList();
  for (let i = 0; i < all.length; i++) {
    if (isVisible(all[i], false)) {
      add(visible, all[i]);
    }
  }
  return visible;
}

/** @param {import("./define.js").Kept} kept @param {string} name @param {any} candidates @param {() => any} control @returns {Field} */
function fieldOf(kept, name, candidates, control) {
  const target = kept.fields?.[name];
  let elements;
  if (target === undefined) {
    elements = byName(kept, name, candidates);
  } else {
    try {
      elements = visibleOf(targets(target));
    } catch {
      elements = newList();
    }
  }
  if (elements.length > 1 && !isGroup(elements)) {
    elements = withinForm(elements, control);
  }
  return { __proto__: null, name, elements, why: whyNot(elements) };
}

/** @param {any} elements */
function visibleOf(elements) {
  const visible = newList();
  for (let i = 0; i < elements.length; i++) {
    if (isVisible(elements[i], false)) {
      add(visible, elements[i]);
    }
  }
  return visible;
}

/** The candidates whose name is the parameter's; else those with its id; else those with its label. @param {import("./define.js").Kept} kept @param {string} name @param {any} candidates */
function byName(kept, name, candidates) {
  const title = pick(pick(pick(pick(kept.schema, "jsonSchema"), "properties"), name), "title");
  const labels = { __proto__: null, title: typeof title === "string" ? flat(title) : "", words: flat(wordsOf(name)) };
  const tests = [
    (/** @type {any} */ field) => attribute(field, "name") === name,
    (/** @type {any} */ field) => attribute(field, "id") === name,
    (/** @type {any} */ field) => isLabel(labels, nameOf(field)) || isLabel(labels, groupName(field)),
  ];
  for (let i = 0; i < 3; i++) {
    const found = newList();
    for (let j = 0; j < candidates.length; j++) {
      if (/** @type {any} */ (tests[i])(candidates[j])) {
        add(found, candidates[j]);
      }
    }
    if (found.length > 0) {
      return found;
    }
  }
  return newList();
}

/** @param {any} labels @param {string} text */
const isLabel = (labels, text) => text !== "" && (text === labels.title || text === labels.words);

/** What a group of radio buttons or checkboxes is called. @param {any} field */
function groupName(field) {
  if (!isChoice(field)) {
    return "";
  }
  const group = closest(field, "fieldset, [role=radiogroup], [role=group]");
  return group === null ? "" : nameOf(group);
}

/** @param {any} field */
const isChoice = (field) => tagOf(field) === "input" && (inputType(field) === "radio" || inputType(field) === "checkbox");

/** Whether several elements are one field: radio buttons or checkboxes of one name and form. @param {any} elements */
function isGroup(elements) {
  const first = elements[0];
  for (let i = 0; i < elements.length; i++) {
    const one = elements[i];
    if (!isChoice(one) || inputType(one) !== inputType(first) || inputName(one) !== inputName(first) || formOf(one) !== formOf(first)) {
      return false;
    }
  }
  return true;
}

/** Of several, those in the form of the tool's control: the person would send that. @param {any} elements @param {() => any} control */
function withinForm(elements, control) {
  const pressed = control();
  const form = pressed === undefined ? null : formOf(pressed);
  if (form === null) {
    return elements;
  }
  const inside = newList();
  for (let i = 0; i < elements.length; i++) {
    if (formOf(elements[i]) === form) {
      add(inside, elements[i]);
    }
  }
  return inside.length > 0 ? inside : elements;
}

/** The form that an element belongs to, null without one. @param {any} element @returns {any} */
export function formOf(element) {
  switch (tagOf(element)) {
    case "input":
      return inputForm(element);
    case "select":
      return selectForm(element);
    case "textarea":
      return areaForm(element);
    case "button":
      return buttonForm(element);
  }
  return closest(element, "form");
}

/** Why nothing is written, "" when something can be. @param {any} elements */
export function whyNot(elements) {
  if (elements.length === 0) {
    return "missing";
  }
  if (elements.length > 1 && !isGroup(elements)) {
    return "ambiguous";
  }
  const first = elements[0];
  if (tagOf(first) === "input" && inputType(first) === "file") {
    return "only a person can choose a file";
  }
  let usable = false;
  for (let i = 0; i < elements.length; i++) {
    usable = usable || isEnabled(elements[i]);
  }
  return !usable ? "disabled" : isReadOnly(first) ? "read-only" : "";
}

/** @param {any} field */
function isReadOnly(field) {
  const tag = tagOf(field);
  return attribute(field, "aria-readonly") === "true" || (tag === "input" && inputReadOnly(field)) || (tag === "textarea" && areaReadOnly(field))
    || (tag !== "input" && tag !== "textarea" && tag !== "select" && !isEditable(field));
}
