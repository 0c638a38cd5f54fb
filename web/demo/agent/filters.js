// devices.filters: which devices the table shows, and in which order.
import { runtime } from "./runtime.js";
import { COUNT, SORT, STATUSES } from "./schemas.js";
import { inDevicesView } from "./view.js";

/** @typedef {import("./types.js").Model} Model */
/** @typedef {import("../app/model.js").Filters} Filters */
/** @typedef {import("../app/model.js").Sort} Sort */

const { fromJsonSchema } = runtime;

const STATUS = { type: "string", enum: [...STATUSES, "any"] };
const CITY = { type: "string", minLength: 1, maxLength: 80, description: "A city's name, or \"any\"." };
const QUERY = { type: "string", maxLength: 80, description: "Text in a name, city, firmware or id; \"\" for none." };
const MATCHING = fromJsonSchema({ type: "object", properties: { matching: COUNT }, required: ["matching"], additionalProperties: false });

const contract = runtime.defineAgentComponentContract({
  type: "devices.filters",
  description: "The filters and the sort order of the devices table.",
  observations: {
    readFilters: {
      description: "The current filters and sort order. \"any\" and an empty query do not filter.",
      output: fromJsonSchema({
        type: "object",
        properties: { status: STATUS, city: CITY, query: QUERY, sort: SORT },
        required: ["status", "city", "query", "sort"],
        additionalProperties: false,
      }),
    },
  },
  actions: {
    setFilters: {
      description: "Filter the table by status, city and text. What is left out stays as it is.",
      input: fromJsonSchema({ type: "object", properties: { status: STATUS, city: CITY, query: QUERY }, required: [], additionalProperties: false }),
      output: MATCHING,
      effect: "local-state",
      idempotent: true,
    },
    clearFilters: {
      description: "Remove all filters, so that the table shows every device. The sort order stays.",
      input: runtime.emptyObjectSchema,
      output: MATCHING,
      effect: "local-state",
      idempotent: true,
    },
    sortBy: {
      description: "Sort the table by one column.",
      input: fromJsonSchema(SORT),
      output: fromJsonSchema({ type: "object", properties: { sort: SORT }, required: ["sort"], additionalProperties: false }),
      effect: "local-state",
      idempotent: true,
    },
  },
});

/**
 * @param {import("./types.js").Registry} registry
 * @param {Model} app
 */
export function registerFilters(registry, app) {
  return registry.register(contract.bind({
    observations: {
      readFilters: { read: () => ({ ...app.filters, sort: { ...app.sort } }) },
    },
    actions: {
      setFilters: setFilters(app),
      clearFilters: {
        ...inDevicesView(app),
        execute: () => {
          app.clearFilters();
          return { matching: app.matching().length };
        },
      },
      sortBy: {
        ...inDevicesView(app),
        /** @param {Sort} input */
        execute: ({ column, direction }) => {
          app.sortBy(column, direction);
          return { sort: { ...app.sort } };
        },
      },
    },
  }));
}

/** @param {Model} app */
function setFilters(app) {
  return {
    ...inDevicesView(app),
    /** @param {Partial<Filters>} input */
    precondition: ({ city = "any" }) => {
      const cities = app.cities();
      if (city === "any" || cities.includes(city)) return undefined;
      return { message: "No device is in that city. Use one of the listed cities, or \"any\".", details: { cities } };
    },
    /** @param {Partial<Filters>} input */
    execute: (input) => {
      app.setFilters(input);
      return { matching: app.matching().length };
    },
  };
}
