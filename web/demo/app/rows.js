// One table row per device, built once and then kept up to date.
import { element } from "./dom.js";
import { STATUS_LABELS, formatTime } from "./format.js";

/** @typedef {import("./api.js").Device} Device */
/** @typedef {{ root: HTMLTableRowElement, check: HTMLInputElement, name: HTMLButtonElement, device?: Device,
 *   update: (device: Device, selected: boolean, open: boolean) => void }} Row */

/**
 * @param {Device["status"]} status
 * @returns {HTMLElement}
 */
export function statusBadge(status) {
  return element("span", { class: "status", "data-status": status }, STATUS_LABELS[status] ?? status);
}

/**
 * @param {string} id
 * @returns {Row}
 */
export function createRow(id) {
  const check = element("input", { type: "checkbox", tabindex: "-1" });
  const name = element("button", { type: "button", class: "row-name", tabindex: "-1" });
  const tag = element("span", { class: "tag" }, "Disabled");
  const saving = element("span", { class: "tag tag-saving" }, "Saving…");
  const more = element("span", { class: "row-more" });
  const [status, city, firmware, seen] = ["status", "city", "firmware", "seen"].map((part) =>
    element("td", { class: `cell-${part}` }));
  const root = element("tr", { "data-id": id },
    element("td", { class: "cell-check" }, check),
    element("th", { class: "cell-name", scope: "row" }, name, saving, tag, more),
    status, city, firmware, seen);
  /** @type {Row} */
  const row = { root, check, name, update };

  /** @type {Row["update"]} */
  function update(device, selected, open) {
    check.checked = selected;
    root.dataset.selected = String(selected);
    root.dataset.open = String(open);
    if (row.device === device) return;
    row.device = device;
    name.textContent = device.name;
    check.setAttribute("aria-label", `Select ${device.name}`);
    root.dataset.pending = String(device.pending === true);
    saving.hidden = device.pending !== true;
    tag.hidden = device.enabled;
    more.textContent = `${device.city} · ${device.firmware}`;
    status.replaceChildren(statusBadge(device.status));
    city.textContent = device.city;
    firmware.textContent = device.firmware;
    seen.replaceChildren(element("time", { datetime: device.lastSeen }, formatTime(device.lastSeen)));
  }
  return row;
}
