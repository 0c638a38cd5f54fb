// Server operations offered to agents. Which devices are meant comes from the page, and the server checks everything again:
// domain:devices.disable is for the selection, and the agent gives only a reason; domain:devices.rename is for the device
// in the drawer, as it is seen there, and the agent gives only a name.
import { runtime } from "./runtime.js";
import { COUNT, DEVICE_ID } from "./schemas.js";
import { inDevicesView } from "./view.js";

/** @typedef {import("./types.js").Model} Model */
/** @typedef {{ ids: string[], reason: string }} DisableInput */
/** @typedef {{ id: string, version: number, name: string }} RenameInput */

/** How many names the question to the person lists; all ids are in the input beside it. */
const MAX_NAMES = 4;

const disableDevices = runtime.defineAgentProcedureContract({
  id: "domain:devices.disable",
  description: "Disable the selected devices on the server. They stop reporting until someone enables them again.",
  input: runtime.fromJsonSchema({
    type: "object",
    properties: {
      ids: { type: "array", items: DEVICE_ID, minItems: 1, maxItems: 50, uniqueItems: true },
      reason: { type: "string", minLength: 1, maxLength: 200, description: "Why; it is kept with each device." },
    },
    required: ["ids", "reason"],
    additionalProperties: false,
  }),
  output: runtime.fromJsonSchema({ type: "object", properties: { disabled: COUNT }, required: ["disabled"], additionalProperties: false }),
  effect: "destructive",
  boundFields: [{ path: "ids", locked: true }],
  policies: [{ name: "require-confirmation", phase: "invoke" }],
});

const renameDevice = runtime.defineAgentProcedureContract({
  id: "domain:devices.rename",
  description: "Rename the device in the drawer. The page shows the new name at once and marks it until the server has it.",
  input: runtime.fromJsonSchema({
    type: "object",
    properties: { id: DEVICE_ID, version: { type: "integer", minimum: 1 }, name: { type: "string", minLength: 1, maxLength: 80 } },
    required: ["id", "version", "name"],
    additionalProperties: false,
  }),
  output: runtime.fromJsonSchema({ type: "object", properties: { id: DEVICE_ID, name: { type: "string" } }, required: ["id", "name"], additionalProperties: false }),
  effect: "server-mutation",
  boundFields: [{ path: "id", locked: true }, { path: "version", locked: true }],
});

/**
 * Connects the registry with the server and returns the bindings: for the component that owns the selection, and for the
 * one with an open device.
 * @param {import("./types.js").Registry} registry
 * @param {Model} app
 * @returns {{ ofSelection: object[], ofDevice: object[] }}
 */
export function connectProcedures(registry, app) {
  registry.setProcedureExecutor({
    paths: ["devices.disable", "devices.rename"],
    /** @param {{ path: string, input: any, info: { signal: AbortSignal } }} call */
    execute: ({ path, input, info }) => path === "devices.rename" ? rename(app, input, info.signal) : disable(app, input, info.signal),
  });
  return { ofSelection: bindDisable(app), ofDevice: bindRename(app) };
}

/** @param {Model} app */
function bindRename(app) {
  return [renameDevice.bind({
    // Nobody waits for another's rename: of two for the same version, the server takes one.
    concurrency: { mode: "parallel", max: 4 },
    when: () => app.openDevice() !== undefined,
    unavailableReason: () => "No device is open.",
    bind: () => {
      const device = app.openDevice();
      return { id: device?.id ?? "", version: device?.version ?? 0 };
    },
  })];
}

/** @param {Model} app */
function bindDisable(app) {
  return [disableDevices.bind({
    ...inDevicesView(app, () => app.canChangeSelection(), "Between 1 and 50 devices must be selected."),
    bind: () => ({ ids: [...app.selected] }),
    describe: () => `Applies to the ${app.selected.size} selected device(s).`,
    policies: [runtime.requireConfirmation({
      /** @param {{ effectiveInput: DisableInput }} call */
      summary: ({ effectiveInput }) => summary(app, effectiveInput),
    })],
  })];
}

/**
 * What the person is asked, with the names that the table shows.
 * @param {Model} app
 * @param {DisableInput} input
 */
function summary(app, { ids, reason }) {
  const names = ids.slice(0, MAX_NAMES).map((id) => app.device(id)?.name ?? id);
  const more = ids.length > MAX_NAMES ? ` and ${ids.length - MAX_NAMES} more` : "";
  const count = ids.length === 1 ? "1 device" : `${ids.length} devices`;
  return `Disable ${count}: ${names.join(", ")}${more}. The agent's reason: ${reason}`;
}

/**
 * @param {Model} app
 * @param {DisableInput} input
 * @param {AbortSignal} signal
 */
async function disable(app, { ids, reason }, signal) {
  try {
    const changed = await app.disable(ids, reason, signal);
    return { disabled: changed.length };
  } catch (error) {
    throw explain(error);
  }
}

/**
 * @param {Model} app
 * @param {RenameInput} input
 * @param {AbortSignal} signal
 */
async function rename(app, { id, version, name }, signal) {
  try {
    const device = await app.rename(id, name, version, signal);
    return { id: device.id, name: device.name };
  } catch (error) {
    throw explain(error);
  }
}

/**
 * The server's refusals are written for people and safe to pass on; anything else is not.
 * @param {any} error
 */
function explain(error) {
  if (error?.code === "network") return Object.assign(new Error(error.message), { transient: true });
  if (error?.status !== 400 && error?.status !== 404 && error?.status !== 409) return error;
  return new runtime.AgentSurfaceError({
    code: "PRECONDITION_FAILED",
    message: error.message,
    retry: "with-changes",
    details: { serverCode: error.code, ...(error.field && { field: error.field }) },
  });
}
