// What capabilities of the devices view have in common.

/** @typedef {import("./types.js").Model} Model */

const ELSEWHERE = "The devices view is not shown; go there first.";
const NOT_LOADED = "The devices are not loaded.";

/** @param {Model} app */
export function devicesShown(app) {
  return app.view === "devices" && app.phase === "ready";
}

/**
 * Availability of an action of the devices view.
 * @param {Model} app
 * @param {() => boolean} [condition] what else must hold
 * @param {string} [reason] said when it does not
 */
export function inDevicesView(app, condition = () => true, reason = "") {
  return {
    when: () => devicesShown(app) && condition(),
    unavailableReason: () => (app.view !== "devices" ? ELSEWHERE : app.phase !== "ready" ? NOT_LOADED : reason),
  };
}
