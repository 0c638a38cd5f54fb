// @ts-check
/** The control of a tool: the one element that a person would press for the same. */
import { messageOf } from "./errors.js";
import { add, everywhere, flat, isEnabled, isVisible, nameOf, newList, targets, wordsOf } from "./find.js";

/** What a control that is found by its name can be. */
const CONTROLS = "button, a[href], area[href], input[type=button], input[type=submit], input[type=reset], input[type=image], [role=button], [role=link]";

/**
 * The control, or why there is not exactly one.
 * @param {import("./define.js").Kept} kept
 * @returns {{ element: any, why: string }}
 */
export function controlOf(kept) {
  return kept.control === undefined ? byName(kept) : byTarget(kept);
}

/** @param {import("./define.js").Kept} kept */
function byTarget(kept) {
  let found;
  try {
    found = targets(kept.control);
  } catch (error) {
    return nothing(`The control of this tool cannot be found: ${messageOf(error)}`);
  }
  return only(usable(found), () => "the control that this tool names");
}

/** @param {import("./define.js").Kept} kept */
function byName(kept) {
  const candidates = usable(everywhere(CONTROLS));
  const title = kept.title === undefined ? "" : flat(kept.title);
  const named = title === "" ? newList() : withName(candidates, title);
  if (named.length > 0) {
    return only(named, () => `a button or link named "${kept.title}"`);
  }
  const words = wordsOf(kept.id);
  return only(withName(candidates, flat(words)), () => `a button or link named "${kept.title ?? words}"`);
}

/** @param {any} elements */
function usable(elements) {
  const left = newList();
  for (let i = 0; i < elements.length; i++) {
    if (isUsable(elements[i])) {
      add(left, elements[i]);
    }
  }
  return left;
}

/** Whether a person can see and press it. @param {any} element */
export const isUsable = (element) => isEnabled(element) && isVisible(element, true);

/** @param {any} elements @param {string} name */
function withName(elements, name) {
  const named = newList();
  for (let i = 0; i < elements.length; i++) {
    if (nameOf(elements[i]) === name) {
      add(named, elements[i]);
    }
  }
  return named;
}

/** @param {any} elements @param {() => string} what */
function only(elements, what) {
  switch (elements.length) {
    case 0:
      return nothing(`There is not ${what()} that a person can see and press now.`);
    case 1:
      return { element: elements[0], why: "" };
  }
  return nothing(`There are ${elements.length} elements that could be ${what()}; which one is meant is not clear.`);
}

/** @param {string} why @returns {{ element: any, why: string }} */
const nothing = (why) => ({ element: undefined, why });
