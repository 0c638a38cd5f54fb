// The filter form.
import { byId, element } from "./dom.js";
import { COLUMNS } from "./model.js";

/** @typedef {import("./model.js").Model} Model */

const COLUMN_LABELS = { name: "Name", status: "Status", city: "City", firmware: "Firmware", lastSeen: "Last seen" };

/**
 * @param {Document} document
 * @param {Model} model
 */
export function bindFilters(document, model) {
  const form = byId(document, "filters");
  const query = /** @type {HTMLInputElement} */ (byId(document, "filter-query"));
  const status = /** @type {HTMLSelectElement} */ (byId(document, "filter-status"));
  const city = /** @type {HTMLSelectElement} */ (byId(document, "filter-city"));
  const sort = /** @type {HTMLSelectElement} */ (byId(document, "filter-sort"));
  const clear = /** @type {HTMLButtonElement} */ (byId(document, "filter-clear"));

  sort.append(...sortOptions());
  query.addEventListener("input", () => model.setFilters({ query: query.value }));
  status.addEventListener("change", () => model.setFilters({ status: /** @type {any} */ (status.value) }));
  city.addEventListener("change", () => model.setFilters({ city: city.value }));
  sort.addEventListener("change", () => {
    const [column, direction] = /** @type {[any, any]} */ (sort.value.split(" "));
    model.sortBy(column, direction);
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", (event) => {
    event.preventDefault();
    model.clearFilters();
    query.focus();
  });

  const render = () => {
    renderCities(city, model.cities());
    if (query.value !== model.filters.query) query.value = model.filters.query;
    status.value = model.filters.status;
    city.value = model.filters.city;
    sort.value = `${model.sort.column} ${model.sort.direction}`;
    clear.disabled = !model.isFiltered();
  };
  model.subscribe(render);
  render();
}

function sortOptions() {
  return COLUMNS.flatMap((column) => [
    element("option", { value: `${column} ascending` }, `${COLUMN_LABELS[column]}, ascending`),
    element("option", { value: `${column} descending` }, `${COLUMN_LABELS[column]}, descending`),
  ]);
}

/**
 * @param {HTMLSelectElement} select
 * @param {string[]} cities
 */
function renderCities(select, cities) {
  if (select.options.length === cities.length + 1) return;
  const options = cities.map((city) => element("option", { value: city }, city));
  select.replaceChildren(element("option", { value: "any" }, "Any city"), ...options);
}
