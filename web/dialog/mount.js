// @ts-check
/** mountConfirmationDialog: what a page calls. */
import {
  NativeMap, NativeTypeError, NativeWeakMap, freeze, hasOwn, isObject, mapDelete, mapForEach, mapSet, mapSize, objectKeys, own, ownerOf, pageDocument, weakGet,
  weakSet,
} from "./intrinsics.js";
import { Clock } from "./clock.js";
import { Confirmations } from "./confirmations.js";
import { Controller } from "./controller.js";
import { Labels } from "./labels.js";

/** The dialogs of each registry, in the order in which they were mounted; the first is the one that is shown. @type {WeakMap<object, Map<Controller, true>>} */
const mounted = new NativeWeakMap();

/**
 * Mounts a dialog that asks a person about every confirmation of a registry. pagewarden-dialog.d.ts has its contract.
 * @param {any} registry
 * @param {unknown} [options]
 */
export function mountConfirmationDialog(registry, options) {
  const controller = new Controller(settingsOf(registry, options));
  const dialogs = weakGet(mounted, registry) ?? new NativeMap();
  weakSet(mounted, registry, dialogs);
  mapSet(dialogs, controller, true);
  if (mapSize(dialogs) === 1) {
    try {
      controller.start();
    } catch (error) { // of a registry that cannot be asked: nothing is mounted
      unmount(dialogs, controller);
      throw error;
    }
  }
  return freeze({ unmount: () => unmount(dialogs, controller) });
}

/** Two dialogs would ask everything twice: the next is shown when the first is gone. @param {Map<Controller, true>} dialogs @param {Controller} controller */
function unmount(dialogs, controller) {
  const first = firstOf(dialogs);
  if (!mapDelete(dialogs, controller) || first !== controller) {
    return;
  }
  controller.stop();
  firstOf(dialogs)?.start();
}

/** @param {Map<Controller, true>} dialogs */
function firstOf(dialogs) {
  /** @type {Controller | undefined} */
  let first;
  mapForEach(dialogs, (/** @type {true} */ _, /** @type {Controller} */ controller) => (first ??= controller));
  return /** @type {Controller | undefined} */ (first);
}

const OPTIONS = /** @type {any} */ ({ __proto__: null, root: true, labels: true, onShow: true, timers: true });

/** @param {any} registry @param {unknown} options @returns {import("./controller.js").Settings} */
function settingsOf(registry, options) {
  if (pageDocument === undefined) {
    throw new NativeTypeError("mountConfirmationDialog needs a page with a document");
  }
  const confirmations = new Confirmations(registry);
  const given = options === undefined ? {} : options;
  if (!isObject(given)) {
    throw new NativeTypeError("options must be an object");
  }
  const names = objectKeys(given);
  for (let i = 0; i < names.length; i++) {
    if (!hasOwn(OPTIONS, names[i])) {
      throw new NativeTypeError(`options.${names[i]} is no option: there are root, labels, onShow and timers`);
    }
  }
  const onShow = own(given, "onShow");
  if (onShow !== undefined && typeof onShow !== "function") {
    throw new NativeTypeError("options.onShow must be a function");
  }
  return {
    registry, confirmations, onShow, root: rootIn(given), labels: new Labels(own(given, "labels")), clock: new Clock(own(given, "timers")),
  };
}

/** @param {object} options @returns {Node | undefined} */
function rootIn(options) {
  const root = own(options, "root");
  try {
    if (root === undefined || ownerOf(root) === pageDocument) {
      return root;
    }
  } catch {
    // What has no owner is no node.
  }
  throw new NativeTypeError("options.root must be an element or a shadow root of this page");
}
