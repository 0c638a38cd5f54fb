// devices.filters: which devices the table shows, and in which order.
import { SORT, STATUSES, object } from "./schemas.js";
import { inDevicesView } from "./view.js";

/** @typedef {import("./types.js").Model} Model */
/** @typedef {import("./types.js").Runtime} Runtime */
/** @typedef {import("../app/model.js").Filters} Filters */
/** @typedef {import("../app/model.js").Sort} Sort */

const STATUS = { type: "string", enum: [...STATUSES, "any"] };
const CITY = { type: "string", minLength: 1, maxLength: 80, description: "A city's name, or \"any\"." };
const QUERY = { type: "string", maxLength: 80, description: "Text in a name, city, firmware or id; \"\" for none." };
const MATCHING = object({ matching: { type: "integer", minimum: 0 } });

/**
 * @param {Runtime} runtime
 * @param {import("./types.js").Registry} registry
 * @param {Model} app
 */
export function registerFilters(runtime, registry, app) {
  return registry.register({
    type: "devices.filters",
    description: "The filters and the sort order of the devices table.",
    observations: { readFilters: readFilters(runtime, app) },
    actions: {
      setFilters: setFilters(runtime, app),
      clearFilters: clearFilters(runtime, app),
      sortBy: sortBy(runtime, app),
    },
  });
}

/**
 * @param {Runtime} runtime
 * @param {Model} app
 */
function readFilters(runtime, app) {
  return {
    description: "The current filters and sort order. \"any\" and an empty query do not filter.",
    output: runtime.fromJsonSchema(object({ status: STATUS, city: CITY, query: QUERY, sort: SORT })),
    read: () => ({ ...app.filters, sort: { ...app.sort } }),
  };
}

/**
 * @param {Runtime} runtime
 * @param {Model} app
 */
function setFilters(runtime, app) {
  return {
    description: "Filter the table by status, city and text. What is left out stays as it is.",
    input: runtime.fromJsonSchema(object({ status: STATUS, city: CITY, query: QUERY }, [])),
    output: runtime.fromJsonSchema(MATCHING),
    effect: "local-state",
    idempotent: true,
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

/**
 * @param {Runtime} runtime
 * @param {Model} app
 */
function clearFilters(runtime, app) {
  return {
    description: "Remove all filters, so that the table shows every device. The sort order stays.",
    input: runtime.fromJsonSchema(object({})),
    output: runtime.fromJsonSchema(MATCHING),
    effect: "local-state",
    idempotent: true,
    ...inDevicesView(app),
    execute: () => {
      app.clearFilters();
      return { matching: app.matching().length };
    },
  };
}

/**
 * @param {Runtime} runtime
 * @param {Model} app
 */
function sortBy(runtime, app) {
  return {
    description: "Sort the table by one column.",
    input: runtime.fromJsonSchema(SORT),
    output: runtime.fromJsonSchema(object({ sort: SORT })),
    effect: "local-state",
    idempotent: true,
    ...inDevicesView(app),
    /** @param {Sort} input */
    execute: ({ column, direction }) => {
      app.sortBy(column, direction);
      return { sort: { ...app.sort } };
    },
  };
}
