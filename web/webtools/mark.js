// @ts-check
/** Marks the control that waits for the person, and takes the mark away again. */
import { NativeMap, mapForEach, mapSet } from "../shim/builtins.js";
import { attribute, hasAttribute, propertyPriority, propertyValue, removeAttribute, removeProperty, scrollIntoView, setAttribute, setProperty, styleOfElement } from "./dom.js";

/** What a page can style the control by. */
const MARK = "data-pagewarden-confirm";

/** So that it stands out on any page, with a light and a dark ring, and comes into view with all of that. */
const LOOKS = /** @type {const} */ ({
  __proto__: null, outline: "3px solid #d9480f", "outline-offset": "3px", "box-shadow": "0 0 0 3px #fff, 0 0 0 9px rgba(217, 72, 15, 0.35)", "scroll-margin": "24px",
});
const PROPERTIES = /** @type {const} */ ({ __proto__: null, length: 4, 0: "outline", 1: "outline-offset", 2: "box-shadow", 3: "scroll-margin" });

/**
 * Brings an element into view and marks it. One that has the mark already is a copy that the page has made of a marked one.
 * @param {any} element @returns {() => void} what takes the mark away
 */
export function mark(element) {
  const style = styleOfElement(element);
  const copied = hasAttribute(element, MARK);
  const unstyled = copied || attribute(element, "style") === null;
  /** @type {Map<string, { __proto__?: null, value: string, priority: string }>} */
  const before = new NativeMap();
  setAttribute(element, MARK, "");
  for (let i = 0; style !== undefined && i < PROPERTIES.length; i++) {
    const name = /** @type {"outline"} */ (PROPERTIES[/** @type {0} */ (i)]);
    mapSet(before, name, { __proto__: null, value: copied ? "" : propertyValue(style, name), priority: propertyPriority(style, name) });
    setProperty(style, name, LOOKS[name], "important");
  }
  scrollIntoView(element, { __proto__: null, block: "nearest", inline: "nearest", behavior: "instant" });
  return () => {
    removeAttribute(element, MARK);
    mapForEach(before, ({ value, priority }, name) => {
      removeProperty(style, name);
      if (value !== "") {
        setProperty(style, name, value, priority);
      }
    });
    if (unstyled && attribute(element, "style") === "") {
      removeAttribute(element, "style");
    }
  };
}
