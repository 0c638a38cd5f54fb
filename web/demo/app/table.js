// The table: rows, sorting, and moving through it by keyboard.
import { byId } from "./dom.js";
import { formatCount } from "./format.js";
import { createRow } from "./rows.js";

/** @typedef {import("./model.js").Model} Model */
/** @typedef {import("./model.js").Column} Column */
/** @typedef {import("./rows.js").Row} Row */

/** How many rows Page Up and Page Down move. */
const PAGE = 10;

/**
 * @param {Document} document
 * @param {Model} model
 */
export function bindTable(document, model) {
  const body = byId(document, "devices-rows");
  /** @type {Map<string, Row>} */
  const rows = new Map();
  bindHeaders(document, model);
  bindRowEvents(body, model);
  byId(document, "empty-clear").addEventListener("click", () => model.clearFilters());
  byId(document, "error-retry").addEventListener("click", () => void model.load());

  const render = () => {
    const matching = model.matching();
    for (const device of matching) {
      const row = rows.get(device.id) ?? createRow(device.id);
      rows.set(device.id, row);
      row.update(device, model.selected.has(device.id), model.openId === device.id);
    }
    placeRows(body, matching.map((device) => /** @type {Row} */ (rows.get(device.id)).root));
    keepOneTabStop(body);
    renderStates(document, model, matching.length);
  };
  model.subscribe(render);
  render();
}

/**
 * Touches the DOM only if the rows or their order changed, so that focus and scroll position stay.
 * @param {HTMLElement} body
 * @param {HTMLElement[]} wanted
 */
function placeRows(body, wanted) {
  const same = body.children.length === wanted.length && wanted.every((row, i) => body.children[i] === row);
  if (same) return;
  const focused = /** @type {HTMLElement | null} */ (body.ownerDocument.activeElement);
  body.replaceChildren(...wanted);
  if (focused && body.contains(focused)) focused.focus({ preventScroll: true });
}

/**
 * @param {Document} document
 * @param {Model} model
 */
function bindHeaders(document, model) {
  const headers = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("#devices-table th[data-column]"));
  for (const header of headers) {
    const column = /** @type {Column} */ (header.dataset.column);
    header.querySelector("button")?.addEventListener("click", () => {
      const again = model.sort.column === column && model.sort.direction === "ascending";
      model.sortBy(column, again ? "descending" : "ascending");
    });
  }
  const render = () => {
    for (const header of headers) {
      const active = header.dataset.column === model.sort.column;
      if (active) header.setAttribute("aria-sort", model.sort.direction);
      else header.removeAttribute("aria-sort");
    }
  };
  model.subscribe(render);
  render();
}

/**
 * @param {HTMLElement} body
 * @param {Model} model
 */
function bindRowEvents(body, model) {
  body.addEventListener("change", (event) => {
    const check = /** @type {HTMLInputElement} */ (event.target);
    model.toggle([rowId(check)], check.checked);
  });
  body.addEventListener("click", (event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    if (target.closest(".cell-check")) return;
    // Selecting text in a row is not a request to open it.
    if (!target.closest("button") && body.ownerDocument.getSelection()?.toString()) return;
    model.open(rowId(target));
  });
  body.addEventListener("focusin", (event) => {
    keepOneTabStop(body, /** @type {HTMLElement} */ (event.target).closest("tr"));
  });
  body.addEventListener("keydown", (event) => moveFocus(event, body));
}

/** @param {HTMLElement} inside */
function rowId(inside) {
  return inside.closest("tr")?.dataset.id ?? "";
}

/**
 * Moves to the same control of another row.
 * @param {KeyboardEvent} event
 * @param {HTMLElement} body
 */
function moveFocus(event, body) {
  const target = /** @type {HTMLElement} */ (event.target);
  const rows = [...body.children];
  const from = rows.indexOf(/** @type {Element} */ (target.closest("tr")));
  const last = rows.length - 1;
  /** @type {Record<string, number>} */
  const destinations = {
    ArrowDown: from + 1, ArrowUp: from - 1, PageDown: from + PAGE, PageUp: from - PAGE, Home: 0, End: last,
  };
  const to = destinations[event.key];
  if (to === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  const control = target.matches("input") ? "input" : "button";
  const next = /** @type {HTMLElement | null} */ (rows[Math.min(Math.max(to, 0), last)].querySelector(control));
  next?.focus();
}

/**
 * The table has one tab stop per control, on the row that was used last; arrow keys reach the others.
 * @param {HTMLElement} body
 * @param {Element | null} [wanted]
 */
function keepOneTabStop(body, wanted = body.querySelector("tr[data-current]") ?? body.firstElementChild) {
  for (const row of body.ownerDocument.querySelectorAll("tr[data-current]")) {
    if (row !== wanted) setTabStop(row, false);
  }
  if (wanted) setTabStop(wanted, true);
}

/**
 * @param {Element} row
 * @param {boolean} on
 */
function setTabStop(row, on) {
  row.toggleAttribute("data-current", on);
  for (const control of row.querySelectorAll("input, button")) control.setAttribute("tabindex", on ? "0" : "-1");
}

/**
 * @param {Document} document
 * @param {Model} model
 * @param {number} matching
 */
function renderStates(document, model, matching) {
  const { phase } = model;
  byId(document, "table-empty").hidden = phase !== "ready" || matching > 0;
  byId(document, "table-error").hidden = phase !== "failed";
  byId(document, "table-error-text").textContent = model.failure;
  byId(document, "devices-table").setAttribute("aria-busy", String(phase === "loading"));
  const summary = `${formatCount(model.devices.length, "device")} in ${model.cities().length} cities`;
  byId(document, "devices-summary").textContent =
    phase === "ready" ? summary : phase === "loading" ? "Loading devices…" : "No data";
}
