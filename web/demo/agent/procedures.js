// domain:devices.disable: a server operation offered to agents with the selection bound to it. The agent gives only a
// reason; which devices are meant comes from the page, and the server checks everything again.
import { DEVICE_ID, object } from "./schemas.js";
import { inDevicesView } from "./view.js";

/** @typedef {import("./types.js").Model} Model */
/** @typedef {import("./types.js").Runtime} Runtime */
/** @typedef {{ ids: string[], reason: string }} DisableInput */

const PATH = "devices.disable";

/** How many names the question to the person lists; all ids are in the input beside it. */
const MAX_NAMES = 4;

const INPUT = object({
  ids: { type: "array", items: DEVICE_ID, minItems: 1, maxItems: 50, uniqueItems: true },
  reason: { type: "string", minLength: 1, maxLength: 200, description: "Why; it is kept with each device." },
});

const OUTPUT = object({ disabled: { type: "integer", minimum: 0 } });

/**
 * Connects the registry with the server and returns the bindings for the component that owns the selection.
 * @param {Runtime} runtime
 * @param {import("./types.js").Registry} registry
 * @param {Model} app
 * @returns {object[]}
 */
export function connectProcedures(runtime, registry, app) {
  // Without procedures in the runtime, the rest of the page's capabilities still work.
  if (!registry.setProcedureExecutor) return [];
  registry.setProcedureExecutor({
    paths: [PATH],
    /** @param {{ path: string, input: DisableInput, info: { signal: AbortSignal } }} call */
    execute: ({ input, info }) => disable(runtime, app, input, info.signal),
  });
  return [disableBinding(runtime, app)];
}

/**
 * @param {Runtime} runtime
 * @param {Model} app
 */
function disableBinding(runtime, app) {
  return {
    kind: "procedure-binding",
    ref: {
      id: `domain:${PATH}`,
      path: PATH,
      description: "Disable the selected devices on the server. They stop reporting until someone enables them again.",
      inputSchema: INPUT,
      outputSchema: OUTPUT,
      effect: "destructive",
    },
    config: {
      ...inDevicesView(app, () => app.canChangeSelection(), "Between 1 and 50 devices must be selected."),
      bind: () => ({ ids: [...app.selected] }),
      describe: () => `Applies to the ${app.selected.size} selected device(s).`,
      policies: [runtime.requireConfirmation({
        /** @param {{ effectiveInput: DisableInput }} call */
        summary: ({ effectiveInput }) => summary(app, effectiveInput),
      })],
    },
    boundKeys: ["ids"],
    lockedKeys: ["ids"],
  };
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
 * @param {Runtime} runtime
 * @param {Model} app
 * @param {DisableInput} input
 * @param {AbortSignal} signal
 */
async function disable(runtime, app, { ids, reason }, signal) {
  try {
    const changed = await app.disable(ids, reason, signal);
    return { disabled: changed.length };
  } catch (error) {
    throw explain(runtime, error);
  }
}

/**
 * The server's refusals are written for people and safe to pass on; anything else is not.
 * @param {Runtime} runtime
 * @param {any} error
 */
function explain(runtime, error) {
  if (error?.code === "network") return Object.assign(new Error(error.message), { transient: true });
  if (error?.status !== 400 && error?.status !== 404 && error?.status !== 409) return error;
  return new runtime.AgentSurfaceError({
    code: "PRECONDITION_FAILED",
    message: error.message,
    retry: "with-changes",
    details: { serverCode: error.code, ...(error.field && { field: error.field }) },
  });
}
