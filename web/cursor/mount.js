// @ts-check
/** mountAgentCursor: what a page calls. */
import { Actor } from "./actor.js";
import { Figure } from "./figure.js";
import { NativeTypeError, defineProperty, freeze, isObject, objectKeys, ownerOf, pageDocument, wantsLessMotion } from "./intrinsics.js";

/** Where the page's document has the function of the cursor that is mounted (web/webtools/stage.js). */
const CURSOR = Symbol.for("pagewarden.cursor");

/** pagewarden-cursor.d.ts has its contract. @param {unknown} [options] */
export function mountAgentCursor(options) {
  const { root, reducedMotion } = settingsOf(options);
  const actor = new Actor(new Figure(root), () => reducedMotion ?? wantsLessMotion());
  const perform = (/** @type {any} */ scene) => actor.play(scene);
  const value = { __proto__: null, value: perform, configurable: true };
  defineProperty(pageDocument, CURSOR, /** @type {PropertyDescriptor} */ (value));
  return freeze({
    unmount() {
      actor.stop();
      const document = /** @type {any} */ (pageDocument);
      if (document[CURSOR] === perform) {
        delete document[CURSOR];
      }
    },
  });
}

/** @param {unknown} options @returns {{ root: Node | undefined, reducedMotion: boolean | undefined }} */
function settingsOf(options) {
  if (pageDocument === undefined) {
    throw new NativeTypeError("mountAgentCursor needs a page with a document");
  }
  const given = options === undefined ? {} : options;
  if (!isObject(given)) {
    throw new NativeTypeError("options must be an object");
  }
  const names = objectKeys(given);
  for (let i = 0; i < names.length; i++) {
    if (names[i] !== "root" && names[i] !== "reducedMotion") {
      throw new NativeTypeError(`options.${names[i]} is no option: there are root and reducedMotion`);
    }
  }
  const { root, reducedMotion } = /** @type {any} */ ({ __proto__: null, ...given });
  if (reducedMotion !== undefined && typeof reducedMotion !== "boolean") {
    throw new NativeTypeError("options.reducedMotion must be true or false");
  }
  if (root !== undefined && !isOfPage(root)) {
    throw new NativeTypeError("options.root must be an element or a shadow root of this page");
  }
  return { root, reducedMotion };
}

/** @param {any} root */
function isOfPage(root) {
  try {
    return ownerOf(root) === pageDocument;
  } catch {
    return false;
  }
}
