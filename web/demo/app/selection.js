// The bar above the table: how many devices are shown and selected, and what can be done with the selection.
import { byId } from "./dom.js";
import { formatCount } from "./format.js";
import { MAX_BATCH } from "./model.js";

/** @typedef {import("./model.js").Model} Model */
/** @typedef {import("./toast.js").Toast} Toast */

/**
 * @param {Document} document
 * @param {Model} model
 * @param {Toast} toast
 */
export function bindSelection(document, model, toast) {
  const all = /** @type {HTMLInputElement} */ (byId(document, "select-all"));
  all.addEventListener("change", () => model.toggle(model.matching().map((device) => device.id), all.checked));
  byId(document, "selection-clear").addEventListener("click", () => model.clearSelection());
  byId(document, "selection-disable").addEventListener("click", () => void changeAll(model, toast, false));
  byId(document, "selection-enable").addEventListener("click", () => void changeAll(model, toast, true));
  const render = () => {
    renderBar(document, model);
    renderSelectAll(all, model);
  };
  model.subscribe(render);
  render();
}

/**
 * Enables or disables devices and says so, with a way back.
 * @param {Model} model
 * @param {Toast} toast
 * @param {boolean} enable
 * @param {string[]} [ids] the selected devices that it applies to, by default
 */
export async function changeAll(model, toast, enable, ids = candidates(model, enable)) {
  try {
    const changed = await (enable ? model.enable(ids) : model.disable(ids));
    const text = `${formatCount(changed.length, "device")} ${enable ? "enabled" : "disabled"}.`;
    toast.show(text, () => changeAll(model, toast, !enable, changed.map((device) => device.id)));
  } catch (error) {
    toast.show(error instanceof Error ? error.message : String(error));
  }
}

/**
 * @param {Model} model
 * @param {boolean} enable
 * @returns {string[]} the selected devices that are not in the wanted state yet
 */
function candidates(model, enable) {
  return model.selectedDevices().filter((device) => device.enabled !== enable).map((device) => device.id);
}

/**
 * @param {Document} document
 * @param {Model} model
 */
function renderBar(document, model) {
  const matching = model.matching();
  const hidden = model.selected.size - matching.filter((device) => model.selected.has(device.id)).length;
  const [disable, enable] = [candidates(model, false).length, candidates(model, true).length];
  setText(byId(document, "table-count"), countText(model, matching.length, hidden));
  setDisabled(document, "selection-clear", model.selected.size === 0);
  setDisabled(document, "selection-disable", disable === 0 || disable > MAX_BATCH);
  setDisabled(document, "selection-enable", enable === 0 || enable > MAX_BATCH);
  const hint = byId(document, "selection-hint");
  hint.hidden = Math.max(disable, enable) <= MAX_BATCH;
  setText(hint, `At most ${MAX_BATCH} devices can be changed at a time. Narrow the selection to continue.`);
}

/**
 * @param {Model} model
 * @param {number} matching
 * @param {number} hidden
 */
function countText(model, matching, hidden) {
  if (model.phase !== "ready") return "";
  const total = model.devices.length;
  if (model.selected.size === 0) return `${matching} of ${formatCount(total, "device")}`;
  const outside = hidden > 0 ? ` (${hidden} outside the filters)` : "";
  return `${matching} of ${total} · ${model.selected.size} selected${outside}`;
}

/**
 * Live regions speak on every change of text, so text that stays is left alone.
 * @param {HTMLElement} target
 * @param {string} text
 */
function setText(target, text) {
  if (target.textContent !== text) target.textContent = text;
}

/**
 * @param {Document} document
 * @param {string} id
 * @param {boolean} disabled
 */
function setDisabled(document, id, disabled) {
  /** @type {HTMLButtonElement} */ (byId(document, id)).disabled = disabled;
}

/**
 * @param {HTMLInputElement} all
 * @param {Model} model
 */
function renderSelectAll(all, model) {
  const matching = model.matching();
  const selected = matching.filter((device) => model.selected.has(device.id)).length;
  all.checked = selected > 0 && selected === matching.length;
  all.indeterminate = selected > 0 && selected < matching.length;
  all.disabled = matching.length === 0;
}
