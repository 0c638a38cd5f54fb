// JSON Schemas that several components use.
import { COLUMNS } from "../app/model.js";

export const STATUSES = Object.freeze(["online", "offline", "maintenance"]);
export const VIEWS = Object.freeze(["devices", "overview"]);

/** The id of a device, such as "dev-017". */
export const DEVICE_ID = Object.freeze({ type: "string", minLength: 1, maxLength: 64 });

/** One device as agents see it. */
export const DEVICE = object({
  id: DEVICE_ID,
  name: { type: "string" },
  status: { type: "string", enum: STATUSES },
  city: { type: "string" },
  firmware: { type: "string" },
  lastSeen: { type: "string", format: "date-time" },
  enabled: { type: "boolean" },
});

/** The order of the table. */
export const SORT = object({
  column: { type: "string", enum: COLUMNS },
  direction: { type: "string", enum: ["ascending", "descending"] },
});

/**
 * A closed object schema.
 * @param {Record<string, unknown>} properties
 * @param {string[]} [required] all of them by default
 */
export function object(properties, required = Object.keys(properties)) {
  return { type: "object", properties, required, additionalProperties: false };
}

/**
 * Picks what DEVICE describes.
 * @param {import("../app/api.js").Device} device
 */
export function describeDevice({ id, name, status, city, firmware, lastSeen, enabled }) {
  return { id, name, status, city, firmware, lastSeen, enabled };
}
