// Renaming a device shows the new name at once, marked, and then what the server says. One store for each device holds what
// the server has said last and what is expected of it; the rules of the store are the runtime's. An agent's call is a
// procedure of the page's registry already, so this drives the store by itself, where executePredicted would make the call.
import { createPredictionStore } from "/pagewarden-predict.js";

/** @typedef {import("./types.js").Model} Model */
/** @typedef {import("../app/api.js").Device} Device */

/**
 * A store of pagewarden-predict.js; its .d.ts has the whole shape.
 * @typedef {Record<string, any>} Store
 */

/** How long a name may be shown that the server does not have, in milliseconds. */
const EXPIRY = 4000;

/**
 * From now on renames of the application, whoever asks for them, are predicted.
 * @param {Model} app
 */
export function predictRenames(app) {
  /** @type {Map<string, Store>} */
  const stores = new Map();
  let count = 0;
  app.renameBy(async (id, name, version, signal) => {
    const attempt = `rename-${++count}`;
    // What is shown beforehand is for show: without it, as when the runtime has ended, renaming goes on.
    const show = (/** @type {() => void} */ change) => {
      try {
        change();
      } catch {
        app.expectName(id, undefined);
      }
    };
    /** @type {Store | undefined} */
    let store;
    show(() => {
      store = storeOf(app, stores, id, version);
      // The version is the one that the caller has seen: what an old one would give is not shown, and the server refuses it.
      store.predict(attempt, { baseVersion: String(version), patch: [{ op: "replace", path: "/name", value: name }], expiresAt: Date.now() + EXPIRY });
    });
    const timer = setTimeout(() => show(() => store?.expire()), EXPIRY);
    try {
      const device = await app.renameOnServer(id, name, version, signal);
      show(() => store?.commit(attempt, { state: { name: device.name }, version: String(device.version) }));
      return device;
    } catch (error) {
      show(() => store?.rollback(attempt));
      throw error;
    } finally {
      clearTimeout(timer);
    }
  });
}

/**
 * The store of a device. One that nobody waits with, and that has missed what the server said since, is made anew.
 * @param {Model} app
 * @param {Map<string, Store>} stores
 * @param {string} id
 * @param {number} version
 * @returns {Store}
 */
function storeOf(app, stores, id, version) {
  const device = app.device(id);
  const kept = stores.get(id);
  const known = kept?.snapshot();
  if (kept && (known.activePredictionIds.length > 0 || known.authoritativeVersion === String(device?.version))) return kept;
  const store = createPredictionStore({ state: { name: device?.name ?? "" }, version: String(device?.version ?? version) });
  store.subscribe(() => {
    const { state, activePredictionIds } = store.snapshot();
    app.expectName(id, activePredictionIds.length > 0 ? state.name : undefined);
  });
  stores.set(id, store);
  return store;
}
