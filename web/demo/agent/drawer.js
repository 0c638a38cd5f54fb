// devices.drawer: the details of one device. It exists only while the drawer is open.
import { runtime } from "./runtime.js";
import { DEVICE_FIELDS, DEVICE_REQUIRED, describeDevice } from "./schemas.js";

/** @typedef {import("./types.js").Model} Model */
/** @typedef {import("./types.js").Registry} Registry */

const contract = runtime.defineAgentComponentContract({
  type: "devices.drawer",
  description: "The open drawer with one device's details.",
  observations: {
    readDevice: {
      description: "The device in the drawer.",
      untrustedContent: true,
      output: runtime.fromJsonSchema({
        type: "object",
        properties: { ...DEVICE_FIELDS, disabledReason: { type: "string" } },
        required: DEVICE_REQUIRED,
        additionalProperties: false,
      }),
    },
  },
  actions: {
    closeDrawer: {
      description: "Close the drawer.",
      input: runtime.emptyObjectSchema,
      effect: "local-state",
    },
  },
});

/**
 * Registers the component when the drawer opens and unregisters it when the drawer closes.
 * @param {Registry} registry
 * @param {Model} app
 * @param {object[]} procedures bindings of server operations on the open device
 */
export function registerDrawer(registry, app, procedures) {
  /** @type {any} */
  let handle;
  /** @type {string | undefined} */
  let shownId;
  const follow = () => {
    const id = app.openDevice()?.id;
    if (id === shownId) return;
    const [before, now] = [shownId, id];
    shownId = id;
    if (before === undefined) handle = registry.register(definition(app, procedures));
    else if (now === undefined) handle.unregister();
    else handle.invalidate();
  };
  app.subscribe(follow);
  follow();
}

/**
 * @param {Model} app
 * @param {object[]} procedures
 */
function definition(app, procedures) {
  return contract.bind({
    parent: { type: "devices.table" },
    observations: { readDevice: { read: () => readDevice(app) } },
    actions: { closeDrawer: { execute: () => app.closeDrawer() } },
    procedures,
  });
}

/** @param {Model} app */
function readDevice(app) {
  const device = app.openDevice();
  if (!device) {
    throw new runtime.AgentSurfaceError({
      code: "PRECONDITION_FAILED", message: "The drawer is closed.", retry: "after-refresh",
    });
  }
  const reason = device.disabledReason ? { disabledReason: device.disabledReason } : {};
  return { ...describeDevice(device), ...reason };
}
