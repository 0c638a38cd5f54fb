// @ts-check
/** Values as text of a bounded length: what a page says may be as long as it likes, what the panel shows may not. */

/** The most characters of a text in a row of a list, and of a value that is looked at. */
export const ROW = 200;
const WHOLE = 20_000;

/** @param {unknown} text @param {number} [most] */
export function clip(text, most = ROW) {
  const whole = typeof text === "string" ? text : String(text);
  return whole.length <= most ? whole : `${whole.slice(0, most)}… (${whole.length} characters)`;
}

/** A value as indented JSON; "" for nothing. @param {unknown} value */
export function pretty(value) {
  return value === undefined ? "" : clip(JSON.stringify(value, null, 2), WHOLE);
}

/** @param {number} ms */
export function duration(ms) {
  if (ms < 10) {
    return `${ms.toFixed(1)} ms`;
  }
  return ms < 10_000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** The time of day, local. @param {number} at milliseconds since 1970 */
export function clockTime(at) {
  const date = new Date(at);
  const two = (/** @type {number} */ n) => `${n}`.padStart(2, "0");
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${`${date.getMilliseconds()}`.padStart(3, "0")}`;
}

const KINDS = ["embedded", "webmcp", "mcp-bridge", "test", "other"];

/**
 * The consumer that a key means, KIND:ID; one without a kind is embedded. Undefined for what names nobody.
 * @param {string} key
 * @returns {import("../pagewarden.js").Consumer | undefined}
 */
export function consumerOf(key) {
  const colon = key.indexOf(":");
  const kind = colon < 0 ? "embedded" : key.slice(0, colon);
  const id = key.slice(colon + 1).trim();
  return id === "" || !KINDS.includes(kind) ? undefined : { kind: /** @type {any} */ (kind), id };
}
