// How values are written for people.

const moment = new Intl.DateTimeFormat("en-GB", {
  day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", timeZone: "UTC",
});

/**
 * @param {string} iso ISO 8601
 * @returns {string} such as "30 Nov 2026, 08:57"
 */
export function formatTime(iso) {
  return moment.format(new Date(iso));
}

const euro = new Intl.NumberFormat("en-IE", { style: "currency", currency: "EUR" });

/**
 * @param {number} cents
 * @returns {string} such as "€12.90"
 */
export function formatPrice(cents) {
  return euro.format(cents / 100);
}

/**
 * @param {number} count
 * @param {string} singular
 * @returns {string} such as "1 device" or "3 devices"
 */
export function formatCount(count, singular) {
  return `${count} ${singular}${count === 1 ? "" : "s"}`;
}

/** @type {Readonly<Record<string, string>>} */
export const STATUS_LABELS = Object.freeze({ online: "Online", offline: "Offline", maintenance: "Maintenance" });
