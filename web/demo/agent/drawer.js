// devices.drawer: the details of one device. It exists only while the drawer is open.
import { DEVICE, describeDevice, object } from "./schemas.js";

/** @typedef {import("./types.js").Model} Model */
/** @typedef {import("./types.js").Runtime} Runtime */
/** @typedef {import("./types.js").Registry} Registry */

/**
 * Registers the component when the drawer opens and unregisters it when the drawer closes.
 * @param {Runtime} runtime
 * @param {Registry} registry
 * @param {Model} app
 */
export function registerDrawer(runtime, registry, app) {
  /** @type {any} */
  let handle;
  /** @type {string | undefined} */
  let shownId;
  const follow = () => {
    const id = app.openDevice()?.id;
    if (id === shownId) return;
    const [before, now] = [shownId, id];
    shownId = id;
    if (before === undefined) handle = registry.register(definition(runtime, app));
    else if (now === undefined) handle.unregister();
    else handle.invalidate();
  };
  app.subscribe(follow);
  follow();
}

/**
 * @param {Runtime} runtime
 * @param {Model} app
 */
function definition(runtime, app) {
  const device = { ...DEVICE.properties, disabledReason: { type: "string" } };
  return {
    type: "devices.drawer",
    description: "The open drawer with one device's details.",
    parent: { type: "devices.table" },
    observations: {
      readDevice: {
        description: "The device in the drawer.",
        untrustedContent: true,
        output: runtime.fromJsonSchema(object(device, DEVICE.required)),
        read: () => readDevice(runtime, app),
      },
    },
    actions: {
      closeDrawer: {
        description: "Close the drawer.",
        input: runtime.fromJsonSchema(object({})),
        effect: "local-state",
        execute: () => app.closeDrawer(),
      },
    },
  };
}

/**
 * @param {Runtime} runtime
 * @param {Model} app
 */
function readDevice(runtime, app) {
  const device = app.openDevice();
  if (!device) {
    throw new runtime.AgentSurfaceError({
      code: "PRECONDITION_FAILED", message: "The drawer is closed.", retry: "after-refresh",
    });
  }
  const reason = device.disabledReason ? { disabledReason: device.disabledReason } : {};
  return { ...describeDevice(device), ...reason };
}
