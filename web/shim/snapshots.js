// @ts-check
/** Snapshots, made of what the runtime sends and of what it has sent before (jsbridge/snapshot.go). */
import { NativeMap, freeze, jsonParse, mapGet, mapSet, objectKeys } from "./intrinsics.js";
import { deepFreeze } from "./values.js";

/** @typedef {import("./callbacks.js").Callbacks} Callbacks */

/**
 * A snapshot. What has not changed since the last one is the same frozen object.
 * @param {Callbacks} callbacks @param {import("./surface.js").Surface} surface @param {string} text what the runtime gave
 */
export function snapshotOf(callbacks, surface, text) {
  const made = jsonParse(text);
  if (made.length > 1) {
    const part = partsOf(callbacks, made[3]);
    const components = made[1];
    for (let i = 0; i < components.length; i++) {
      components[i] = part(components[i])[1];
    }
    const procedures = made[2];
    for (let i = 0; i < procedures.length; i++) {
      procedures[i] = part(procedures[i][0])[2][procedures[i][1]];
    }
    surface.components = freeze(components);
    surface.procedures = freeze(procedures);
  }
  const snapshot = made[0];
  const names = objectKeys(snapshot);
  for (let i = 0; i < names.length; i++) {
    deepFreeze(snapshot[/** @type {string} */ (names[i])]);
  }
  snapshot.components = surface.components;
  snapshot.procedures = surface.procedures;
  return freeze(snapshot);
}

/**
 * Keeps what is new of a snapshot and gives a look-up of all of it.
 * @param {Callbacks} callbacks @param {any[]} fresh parts as [definition, component, procedures]
 * @returns {(definition: number) => any}
 */
function partsOf(callbacks, fresh) {
  const news = new NativeMap();
  for (let i = 0; i < fresh.length; i++) {
    const part = deepFreeze(fresh[i]);
    mapSet(news, part[0], part);
    const kept = callbacks.definition(part[0]);
    if (kept !== undefined) {
      kept.seen = part;
    }
  }
  return (definition) => mapGet(news, definition) ?? callbacks.definition(definition)?.seen;
}
