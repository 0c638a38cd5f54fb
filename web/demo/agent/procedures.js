// domain:devices.disable: a server operation offered to agents with the selection bound to it. The agent gives only a
// reason; which devices are meant comes from the page, and the server checks everything again.
import { runtime } from "./runtime.js";
import { COUNT, DEVICE_ID } from "./schemas.js";
import { inDevicesView } from "./view.js";

/** @typedef {import("./types.js").Model} Model */
/** @typedef {{ ids: string[], reason: string }} DisableInput */

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

/**
 * Connects the registry with the server and returns the bindings for the component that owns the selection.
 * @param {import("./types.js").Registry} registry
 * @param {Model} app
 * @returns {object[]}
 */
export function connectProcedures(registry, app) {
  registry.setProcedureExecutor({
    paths: ["devices.disable"],
    /** @param {{ input: DisableInput, info: { signal: AbortSignal } }} call */
    execute: ({ input, info }) => disable(app, input, info.signal),
  });
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
