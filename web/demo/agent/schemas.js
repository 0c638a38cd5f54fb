// JSON Schemas that several components use: constants, since `pagewarden contract` reads them without running anything.
import { COLUMNS } from "../app/model.js";

export const STATUSES = Object.freeze(["online", "offline", "maintenance"]);
export const VIEWS = Object.freeze(["devices", "overview"]);

export const COUNT = Object.freeze({ type: "integer", minimum: 0 });

/** The id of a device, such as "dev-017". */
export const DEVICE_ID = Object.freeze({ type: "string", minLength: 1, maxLength: 64 });

/** What agents see of a device. */
export const DEVICE_FIELDS = Object.freeze({
  id: DEVICE_ID,
  name: { type: "string" },
  status: { type: "string", enum: STATUSES },
  city: { type: "string" },
  firmware: { type: "string" },
  lastSeen: { type: "string", format: "date-time" },
  enabled: { type: "boolean" },
});

export const DEVICE_REQUIRED = Object.freeze(["id", "name", "status", "city", "firmware", "lastSeen", "enabled"]);

/** One device as agents see it. */
export const DEVICE = Object.freeze({ type: "object", properties: DEVICE_FIELDS, required: DEVICE_REQUIRED, additionalProperties: false });

/** The order of the table. */
export const SORT = Object.freeze({
  type: "object",
  properties: { column: { type: "string", enum: COLUMNS }, direction: { type: "string", enum: ["ascending", "descending"] } },
  required: ["column", "direction"],
  additionalProperties: false,
});

/**
 * Picks what DEVICE describes.
 * @param {import("../app/api.js").Device} device
 */
export function describeDevice({ id, name, status, city, firmware, lastSeen, enabled }) {
  return { id, name, status, city, firmware, lastSeen, enabled };
}
