// @ts-check
/** Whether something lies over a control, so that a click there would go to that. */
import { bottomOf, containsNode, hitAt, leftOf, min, rectangleCount, rectanglesOf, rightOf, rootNodeOf, topOf } from "./dom.js";

/** How many of an element's boxes are looked at: a link goes over several lines. */
const BOXES = 8;

/** Where in a box is looked, of its width and height. */
const PLACES = /** @type {const} */ ({ __proto__: null, length: 3, 0: 0.5, 1: 0.15, 2: 0.85 });

/**
 * Whether a click would hit something else wherever the element is in the window. What lets clicks through covers nothing;
 * what is outside of the window is not covered.
 * @param {any} element
 */
export function isCovered(element) {
  const root = rootNodeOf(element);
  const boxes = rectanglesOf(element);
  const count = min(rectangleCount(boxes), BOXES);
  let covered = false;
  for (let i = 0; i < count; i++) {
    const box = boxes[i];
    for (let j = 0; j < PLACES.length; j++) {
      const part = PLACES[/** @type {0} */ (j)];
      const x = leftOf(box) + (rightOf(box) - leftOf(box)) * part;
      const y = topOf(box) + (bottomOf(box) - topOf(box)) * part;
      const hit = hitAt(root, x, y); // null outside of the window
      if (hit !== null && containsNode(element, hit)) {
        return false;
      }
      covered = covered || hit !== null;
    }
  }
  return covered;
}
