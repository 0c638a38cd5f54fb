// What the application knows and can do, without a page: devices, filters, sorting, selection, the open device and
// the view. Every change reaches the listeners before the call that made it returns.

import { ApiError } from "./api.js";

/** @typedef {import("./api.js").Api} Api */
/** @typedef {import("./api.js").Device} Device */
/** @typedef {"name" | "status" | "city" | "firmware" | "lastSeen"} Column */
/** @typedef {"ascending" | "descending"} Direction */
/** @typedef {"devices" | "overview"} View */
/** @typedef {{ status: "any" | Device["status"], city: string, query: string }} Filters */
/** @typedef {{ column: Column, direction: Direction }} Sort */
/** @typedef {(id: string, name: string, version: number, signal?: AbortSignal) => Promise<Device>} Rename */

/** The columns of the table, in their order. */
export const COLUMNS = Object.freeze(/** @type {Column[]} */ (["name", "status", "city", "firmware", "lastSeen"]));

/** The largest number of devices that the server changes in one request. */
export const MAX_BATCH = 50;

/** @type {Readonly<Filters>} */
const NO_FILTERS = Object.freeze({ status: "any", city: "any", query: "" });

const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

/** @param {Api} api */
export function createModel(api) {
  return new Model(api);
}

export class Model {
  /** @type {Device[]} what is shown: what the server has said, with the names that are expected */ devices = [];
  /** @type {"loading" | "ready" | "failed"} */ phase = "loading";
  /** Why loading failed. */ failure = "";
  /** @type {Readonly<Filters>} */ filters = NO_FILTERS;
  /** @type {Readonly<Sort>} */ sort = Object.freeze({ column: "name", direction: "ascending" });
  /** @type {ReadonlySet<string>} */ selected = new Set();
  /** @type {string | undefined} the device in the drawer */ openId;
  /** @type {View} */ view = "devices";

  /** @type {Api} */ #api;
  /** @type {Set<() => void>} */ #listeners = new Set();
  /** @type {Device[]} what the server has said */ #known = [];
  /** @type {Map<string, string>} names that the server has not confirmed yet, by device */ #expected = new Map();
  /** @type {Rename} */ #rename = (id, name, version, signal) => this.renameOnServer(id, name, version, signal);

  /** @param {Api} api */
  constructor(api) {
    this.#api = api;
  }

  /**
   * @param {() => void} listener called after each change
   * @returns {() => void} stops it
   */
  subscribe(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  // Reads.

  /** @returns {Device[]} the devices that pass the filters, in the current order */
  matching() {
    const query = this.filters.query.trim().toLowerCase();
    const passing = this.devices.filter((device) => passes(device, this.filters, query));
    const { column, direction } = this.sort;
    const sign = direction === "ascending" ? 1 : -1;
    return passing.sort((a, b) => sign * collator.compare(a[column], b[column]) || collator.compare(a.id, b.id));
  }

  /** @returns {string[]} every city that has a device, sorted */
  cities() {
    return [...new Set(this.devices.map((device) => device.city))].sort(collator.compare);
  }

  /** @param {string} id */
  device(id) {
    return this.devices.find((device) => device.id === id);
  }

  /** @returns {Device | undefined} the device in the drawer */
  openDevice() {
    return this.openId === undefined ? undefined : this.device(this.openId);
  }

  /** @returns {Device[]} the selected devices, in the order of the list */
  selectedDevices() {
    return this.devices.filter((device) => this.selected.has(device.id));
  }

  /** Whether the selection has a size that the server takes. */
  canChangeSelection() {
    return this.selected.size > 0 && this.selected.size <= MAX_BATCH;
  }

  isFiltered() {
    return this.filters.status !== "any" || this.filters.city !== "any" || this.filters.query !== "";
  }

  // Changes of what is shown.

  /** @param {Partial<Filters>} changes */
  setFilters(changes) {
    this.filters = Object.freeze({ ...this.filters, ...changes });
    this.#changed();
  }

  clearFilters() {
    this.setFilters(NO_FILTERS);
  }

  /**
   * @param {Column} column
   * @param {Direction} direction
   */
  sortBy(column, direction) {
    this.sort = Object.freeze({ column, direction });
    this.#changed();
  }

  /** @param {Iterable<string>} ids the whole new selection; unknown ids are left out */
  select(ids) {
    const known = new Set(this.devices.map((device) => device.id));
    this.selected = new Set([...ids].filter((id) => known.has(id)));
    this.#changed();
  }

  /**
   * @param {Iterable<string>} ids
   * @param {boolean} on
   */
  toggle(ids, on) {
    const next = new Set(this.selected);
    for (const id of ids) {
      if (on) next.add(id);
      else next.delete(id);
    }
    this.select(next);
  }

  clearSelection() {
    this.select([]);
  }

  /** @param {string} id */
  open(id) {
    if (!this.device(id)) return;
    this.openId = id;
    this.#changed();
  }

  closeDrawer() {
    if (this.openId === undefined) return;
    this.openId = undefined;
    this.#changed();
  }

  /** @param {View} view */
  goTo(view) {
    if (this.view === view) return;
    this.view = view;
    this.openId = undefined;
    this.#changed();
  }

  // Changes on the server. Each rejects with an ApiError when the server refuses.

  async load() {
    if (this.phase !== "ready") {
      this.phase = "loading";
      this.#changed();
    }
    try {
      this.#show(await this.#api.list());
      this.phase = "ready";
    } catch (error) {
      this.failure = error instanceof Error ? error.message : String(error);
      this.phase = "failed";
    }
    this.select(this.selected);
  }

  /**
   * @param {string[]} ids
   * @param {string} [reason]
   * @param {AbortSignal} [signal]
   */
  async disable(ids, reason, signal) {
    const changed = await this.#orReload(this.#api.disable(ids, reason, signal));
    this.#merge(changed, true);
    return changed;
  }

  /** @param {string[]} ids */
  async enable(ids) {
    const changed = await this.#orReload(this.#api.enable(ids));
    this.#merge(changed, true);
    return changed;
  }

  /**
   * @param {string} id
   * @param {string} name
   * @param {number} version the version that the person saw
   * @param {AbortSignal} [signal]
   */
  rename(id, name, version, signal) {
    return this.#rename(id, name, version, signal);
  }

  /** @param {Rename} rename what makes renames from now on; it may show the name before the server has it */
  renameBy(rename) {
    this.#rename = rename;
  }

  /** @type {Rename} shows the name when the server has it */
  async renameOnServer(id, name, version, signal) {
    const changed = await this.#orReload(this.#api.rename(id, name, version, signal));
    this.#merge([changed], false);
    return changed;
  }

  /**
   * Shows a name that a device is going to have, marked as such; undefined takes it back.
   * @param {string} id
   * @param {string | undefined} name
   */
  expectName(id, name) {
    if (name === this.#expected.get(id)) return;
    if (name === undefined) this.#expected.delete(id);
    else this.#expected.set(id, name);
    this.#show(this.#known);
    this.#changed();
  }

  /** @param {Device[]} known */
  #show(known) {
    this.#known = known;
    this.devices = known.map((device) => {
      const name = this.#expected.get(device.id);
      return name === undefined ? device : { ...device, name, pending: true };
    });
  }

  /**
   * A refusal because of the devices' state means that what is shown here is old.
   * @template T
   * @param {Promise<T>} change
   */
  async #orReload(change) {
    try {
      return await change;
    } catch (error) {
      if (error instanceof ApiError && (error.status === 404 || error.status === 409)) await this.load();
      throw error;
    }
  }

  /**
   * @param {Device[]} changed
   * @param {boolean} deselect whether the work that the selection was made for is done
   */
  #merge(changed, deselect) {
    const fresh = new Map(changed.map((device) => [device.id, device]));
    // Of two answers the one that comes last may be the older one.
    const newer = (/** @type {Device} */ device) => {
      const answer = fresh.get(device.id);
      return answer !== undefined && answer.version >= device.version ? answer : device;
    };
    this.#show(this.#known.map(newer));
    if (deselect) this.selected = new Set([...this.selected].filter((id) => !fresh.has(id)));
    this.#changed();
  }

  #changed() {
    for (const listener of [...this.#listeners]) listener();
  }
}

/**
 * @param {Device} device
 * @param {Filters} filters
 * @param {string} query lower case
 */
function passes(device, filters, query) {
  if (filters.status !== "any" && device.status !== filters.status) return false;
  if (filters.city !== "any" && device.city !== filters.city) return false;
  if (query === "") return true;
  return [device.id, device.name, device.city, device.firmware].some((text) => text.toLowerCase().includes(query));
}
