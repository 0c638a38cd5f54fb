// devices.table: the rows that are shown and which of them are selected.
import { runtime } from "./runtime.js";
import { COUNT, DEVICE, DEVICE_ID, describeDevice } from "./schemas.js";
import { inDevicesView } from "./view.js";

/** @typedef {import("./types.js").Model} Model */

const { fromJsonSchema } = runtime;

/** How many rows readRows gives. */
const MAX_ROWS = 50;

const SELECTED = fromJsonSchema({ type: "object", properties: { selected: COUNT }, required: ["selected"], additionalProperties: false });

const contract = runtime.defineAgentComponentContract({
  type: "devices.table",
  description: "The table of devices. Rows can be selected, and the only selected one can be opened.",
  observations: {
    readRows: {
      description: "The first 50 devices that match the filters, in the table's order, and the selected ids.",
      // People name devices, so names may say anything.
      untrustedContent: true,
      output: fromJsonSchema({
        type: "object",
        properties: {
          total: COUNT,
          matching: COUNT,
          selected: { type: "array", items: DEVICE_ID },
          rows: { type: "array", items: DEVICE, maxItems: MAX_ROWS },
          truncated: { type: "boolean" },
        },
        required: ["total", "matching", "selected", "rows", "truncated"],
        additionalProperties: false,
      }),
    },
  },
  actions: {
    selectRows: {
      description: "Select exactly these devices, in place of the current selection.",
      input: fromJsonSchema({
        type: "object",
        properties: { ids: { type: "array", items: DEVICE_ID, minItems: 1, maxItems: 50, uniqueItems: true } },
        required: ["ids"],
        additionalProperties: false,
      }),
      output: SELECTED,
      effect: "local-state",
      idempotent: true,
    },
    clearSelection: {
      description: "Deselect every device.",
      input: runtime.emptyObjectSchema,
      output: SELECTED,
      effect: "local-state",
    },
    openSelected: {
      description: "Open the selected device in the drawer.",
      input: runtime.emptyObjectSchema,
      output: fromJsonSchema({ type: "object", properties: { id: DEVICE_ID }, required: ["id"], additionalProperties: false }),
      effect: "local-state",
    },
  },
});

/**
 * @param {import("./types.js").Registry} registry
 * @param {Model} app
 * @param {object[]} procedures bindings of server operations that act on the selection
 */
export function registerTable(registry, app, procedures) {
  return registry.register(contract.bind({
    observations: { readRows: { read: () => readRows(app) } },
    actions: {
      selectRows: selectRows(app),
      clearSelection: {
        ...inDevicesView(app, () => app.selected.size > 0, "No device is selected."),
        execute: () => {
          app.clearSelection();
          return { selected: app.selected.size };
        },
      },
      openSelected: {
        ...inDevicesView(app, () => app.selected.size === 1, "Exactly one device must be selected."),
        execute: () => {
          const [id] = app.selected;
          app.open(id);
          return { id };
        },
      },
    },
    procedures,
  }));
}

/** @param {Model} app */
function readRows(app) {
  const matching = app.matching();
  return {
    total: app.devices.length,
    matching: matching.length,
    selected: [...app.selected],
    rows: matching.slice(0, MAX_ROWS).map(describeDevice),
    truncated: matching.length > MAX_ROWS,
  };
}

/** @param {Model} app */
function selectRows(app) {
  return {
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
