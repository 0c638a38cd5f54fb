// The drawer with one device's details. It is not modal: the table stays usable beside it.
import { byId, element } from "./dom.js";
import { formatTime } from "./format.js";
import { statusBadge } from "./rows.js";
import { changeAll } from "./selection.js";

/** @typedef {import("./api.js").Device} Device */
/** @typedef {import("./model.js").Model} Model */
/** @typedef {import("./toast.js").Toast} Toast */

/**
 * @param {Document} document
 * @param {Model} model
 * @param {Toast} toast
 */
export function bindDrawer(document, model, toast) {
  byId(document, "drawer-close").addEventListener("click", () => model.closeDrawer());
  document.addEventListener("keydown", (event) => {
    // A modal dialog on top takes Escape for itself.
    if (event.key === "Escape" && !document.querySelector(":modal")) model.closeDrawer();
  });
  byId(document, "drawer-toggle").addEventListener("click", () => {
    const device = model.openDevice();
    if (device) void changeAll(model, toast, !device.enabled, [device.id]);
  });
  bindRename(document, model, toast);

  /** @type {Device | undefined} */
  let shown;
  const render = () => {
    const device = model.openDevice();
    if (device === shown) return;
    const before = shown;
    shown = device;
    if (device) renderDevice(document, device, before);
    placeFocus(document, device, before);
  };
  model.subscribe(render);
}

/**
 * Focus enters the drawer when it opens for a device and goes back to that device's row when it closes.
 * @param {Document} document
 * @param {Device | undefined} device
 * @param {Device | undefined} before
 */
function placeFocus(document, device, before) {
  const drawer = byId(document, "drawer");
  const hadFocus = drawer.contains(document.activeElement);
  drawer.hidden = !device;
  if (device && device.id !== before?.id) byId(document, "drawer-close").focus();
  if (device || !before || !hadFocus) return;
  const row = document.querySelector(`tr[data-id="${CSS.escape(before.id)}"] .row-name`);
  /** @type {HTMLElement | null} */ (row)?.focus();
}

/**
 * @param {Document} document
 * @param {Device} device
 * @param {Device | undefined} before
 */
function renderDevice(document, device, before) {
  byId(document, "drawer-id").textContent = device.id;
  byId(document, "drawer-title").textContent = device.name;
  byId(document, "drawer").dataset.pending = String(device.pending === true);
  byId(document, "drawer-saving").hidden = device.pending !== true;
  byId(document, "drawer-facts").replaceChildren(...facts(device));
  const toggle = byId(document, "drawer-toggle");
  toggle.textContent = device.enabled ? "Disable device" : "Enable device";
  toggle.classList.toggle("button-danger", device.enabled);
  if (device.id === before?.id && device.name === before.name) return;
  /** @type {HTMLInputElement} */ (byId(document, "drawer-name")).value = device.name;
  /** @type {HTMLButtonElement} */ (byId(document, "drawer-save")).disabled = true;
  byId(document, "drawer-name-error").hidden = true;
}

/** @param {Device} device */
function facts(device) {
  const access = element("span", { class: device.enabled ? "" : "tag" }, device.enabled ? "Enabled" : "Disabled");
  const seen = element("time", { datetime: device.lastSeen }, `${formatTime(device.lastSeen)} UTC`);
  /** @type {[string, Node | string][]} */
  const list = [
    ["Status", statusBadge(device.status)], ["Access", access], ["City", device.city], ["Firmware", device.firmware],
    ["Last seen", seen], ["Version", String(device.version)],
  ];
  if (device.disabledReason) list.splice(2, 0, ["Reason", device.disabledReason]);
  return list.map(([term, value]) => element("div", {}, element("dt", {}, term), element("dd", {}, value)));
}

/**
 * @param {Document} document
 * @param {Model} model
 * @param {Toast} toast
 */
function bindRename(document, model, toast) {
  const name = /** @type {HTMLInputElement} */ (byId(document, "drawer-name"));
  const save = /** @type {HTMLButtonElement} */ (byId(document, "drawer-save"));
  const problem = byId(document, "drawer-name-error");
  name.addEventListener("input", () => {
    const value = name.value.trim();
    save.disabled = value === "" || value === model.openDevice()?.name;
    problem.hidden = true;
  });
  byId(document, "drawer-rename").addEventListener("submit", async (event) => {
    event.preventDefault();
    const device = model.openDevice();
    if (!device || save.disabled) return;
    try {
      const renamed = await model.rename(device.id, name.value.trim(), device.version);
      toast.show(`Renamed to ${renamed.name}.`);
    } catch (error) {
      problem.textContent = error instanceof Error ? error.message : String(error);
      problem.hidden = false;
    }
  });
}
