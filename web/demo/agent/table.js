// devices.table: the rows that are shown and which of them are selected.
import { DEVICE, DEVICE_ID, describeDevice, object } from "./schemas.js";
import { inDevicesView } from "./view.js";

/** @typedef {import("./types.js").Model} Model */
/** @typedef {import("./types.js").Runtime} Runtime */

/** How many rows readRows gives. */
const MAX_ROWS = 50;

const COUNT = { type: "integer", minimum: 0 };
const SELECTED = object({ selected: COUNT });

/**
 * @param {Runtime} runtime
 * @param {import("./types.js").Registry} registry
 * @param {Model} app
 * @param {object[]} procedures bindings of server operations that act on the selection
 */
export function registerTable(runtime, registry, app, procedures) {
  return registry.register({
    type: "devices.table",
    description: "The table of devices. Rows can be selected, and the only selected one can be opened.",
    observations: { readRows: readRows(runtime, app) },
    actions: {
      selectRows: selectRows(runtime, app),
      clearSelection: clearSelection(runtime, app),
      openSelected: openSelected(runtime, app),
    },
    ...(procedures.length > 0 && { procedures }),
  });
}

/**
 * @param {Runtime} runtime
 * @param {Model} app
 */
function readRows(runtime, app) {
  const ids = { type: "array", items: DEVICE_ID };
  const rows = { type: "array", items: DEVICE, maxItems: MAX_ROWS };
  const output = object({ total: COUNT, matching: COUNT, selected: ids, rows, truncated: { type: "boolean" } });
  return {
    description: `The first ${MAX_ROWS} devices that match the filters, in the table's order, and the selected ids.`,
    // People name devices, so names may say anything.
    untrustedContent: true,
    output: runtime.fromJsonSchema(output),
    read: () => {
      const matching = app.matching();
      return {
        total: app.devices.length,
        matching: matching.length,
        selected: [...app.selected],
        rows: matching.slice(0, MAX_ROWS).map(describeDevice),
        truncated: matching.length > MAX_ROWS,
      };
    },
  };
}

/**
 * @param {Runtime} runtime
 * @param {Model} app
 */
function selectRows(runtime, app) {
  const ids = { type: "array", items: DEVICE_ID, minItems: 1, maxItems: 50, uniqueItems: true };
  return {
    description: "Select exactly these devices, in place of the current selection.",
    input: runtime.fromJsonSchema(object({ ids })),
    output: runtime.fromJsonSchema(SELECTED),
    effect: "local-state",
    idempotent: true,
    ...inDevicesView(app),
    /** @param {{ ids: string[] }} input */
    precondition: (input) => {
      const unknown = input.ids.filter((id) => !app.device(id));
      if (unknown.length === 0) return undefined;
      return { message: "Some ids belong to no device. Read the rows and use their ids.", details: { unknown: unknown.slice(0, 10) } };
    },
    /** @param {{ ids: string[] }} input */
    execute: (input) => {
      app.select(input.ids);
      return { selected: app.selected.size };
    },
  };
}

/**
 * @param {Runtime} runtime
 * @param {Model} app
 */
function clearSelection(runtime, app) {
  return {
    description: "Deselect every device.",
    input: runtime.fromJsonSchema(object({})),
    output: runtime.fromJsonSchema(SELECTED),
    effect: "local-state",
    ...inDevicesView(app, () => app.selected.size > 0, "No device is selected."),
    execute: () => {
      app.clearSelection();
      return { selected: app.selected.size };
    },
  };
}

/**
 * @param {Runtime} runtime
 * @param {Model} app
 */
function openSelected(runtime, app) {
  return {
    description: "Open the selected device in the drawer.",
    input: runtime.fromJsonSchema(object({})),
    output: runtime.fromJsonSchema(object({ id: DEVICE_ID })),
    effect: "local-state",
    ...inDevicesView(app, () => app.selected.size === 1, "Exactly one device must be selected."),
    execute: () => {
      const [id] = app.selected;
      app.open(id);
      return { id };
    },
  };
}
