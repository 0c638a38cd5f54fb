// The overview: a few counts, each a way into the list behind it.
import { byId, element } from "./dom.js";
import { STATUS_LABELS, formatCount } from "./format.js";

/** @typedef {import("./api.js").Device} Device */
/** @typedef {import("./model.js").Model} Model */
/** @typedef {import("./model.js").Filters} Filters */

/**
 * @param {Document} document
 * @param {Model} model
 */
export function bindOverview(document, model) {
  const render = () => {
    if (model.view !== "overview") return;
    const { devices } = model;
    const disabled = devices.filter((device) => !device.enabled).length;
    byId(document, "overview-summary").textContent =
      `${formatCount(devices.length, "device")}, ${disabled} of them disabled`;
    byId(document, "overview-tiles").replaceChildren(...tiles(model));
    byId(document, "overview-cities").replaceChildren(...cityBars(model));
    byId(document, "overview-firmware").replaceChildren(...firmwareBars(model));
  };
  model.subscribe(render);
  render();
}

/** @param {Model} model */
function tiles(model) {
  const { devices } = model;
  const statuses = /** @type {Device["status"][]} */ (Object.keys(STATUS_LABELS));
  return [
    tile(model, "All devices", devices.length, "any"),
    ...statuses.map((status) => {
      const count = devices.filter((device) => device.status === status).length;
      return tile(model, STATUS_LABELS[status], count, status);
    }),
  ];
}

/**
 * @param {Model} model
 * @param {string} label
 * @param {number} count
 * @param {Filters["status"]} status
 */
function tile(model, label, count, status) {
  const share = model.devices.length ? Math.round((100 * count) / model.devices.length) : 0;
  const button = element("button", { type: "button", class: "tile", "data-status": status },
    element("span", { class: "tile-label" }, label),
    element("span", { class: "tile-count" }, String(count)),
    element("span", { class: "tile-note" }, status === "any" ? "Show the list" : `${share} % of all`));
  button.addEventListener("click", () => showList(model, { status }));
  return element("li", {}, button);
}

/** @param {Model} model */
function cityBars(model) {
  return model.cities().map((city) => {
    const there = model.devices.filter((device) => device.city === city);
    const online = there.filter((device) => device.status === "online").length;
    return bar(model, city, `${online} of ${there.length}`, online / there.length, { city, status: "online" });
  });
}

/** @param {Model} model */
function firmwareBars(model) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const { firmware } of model.devices) counts.set(firmware, (counts.get(firmware) ?? 0) + 1);
  const sorted = [...counts].sort(([a], [b]) => b.localeCompare(a, "en", { numeric: true }));
  return sorted.map(([firmware, count]) =>
    bar(model, firmware, String(count), count / model.devices.length, { query: firmware }));
}

/**
 * @param {Model} model
 * @param {string} label
 * @param {string} value
 * @param {number} share 0 to 1
 * @param {Partial<Filters>} filters the list behind it
 */
function bar(model, label, value, share, filters) {
  const fill = element("span", { class: "bar-fill" });
  fill.style.setProperty("--share", String(share));
  const button = element("button", { type: "button", class: "bar" },
    element("span", { class: "bar-label" }, label),
    element("span", { class: "bar-track", "aria-hidden": "true" }, fill),
    element("span", { class: "bar-value" }, value));
  button.addEventListener("click", () => showList(model, filters));
  return element("li", {}, button);
}

/**
 * @param {Model} model
 * @param {Partial<Filters>} filters
 */
function showList(model, filters) {
  model.clearFilters();
  model.setFilters(filters);
  model.goTo("devices");
}
