// @ts-check
/** replayRecording: carries recorded calls out again and compares what comes of them. It needs no page. */
import { FORMAT, errorOf } from "./recorder.js";

/** @typedef {import("../pagewarden-inspector.js").Recording} Recording */
/** @typedef {import("../pagewarden-inspector.js").RecordedCall} RecordedCall */
/** @typedef {import("../pagewarden-inspector.js").ReplayOptions} Options */
/** @typedef {import("../pagewarden-inspector.js").ReplayedCall} ReplayedCall */
/** @typedef {import("../pagewarden-inspector.js").Difference} Difference */

const MOST_DIFFERENCES = 100;

/**
 * pagewarden-inspector.d.ts has its contract.
 * @param {any} target a registry or a test surface @param {any} recording @param {Options} [options]
 */
export async function replayRecording(target, recording, options = {}) {
  const registry = target?.registry ?? target;
  if (typeof registry?.invoke !== "function") {
    throw new TypeError("replayRecording needs a registry or a test surface");
  }
  if (recording?.format !== FORMAT || !Array.isArray(recording.calls)) {
    throw new TypeError(`recording must be an object of the format ${FORMAT}`);
  }
  /** @type {ReplayedCall[]} */
  const calls = [];
  /** What each call came to. @type {any[]} */
  const results = [];
  for (const [i, recorded] of recording.calls.entries()) {
    checkCall(recorded, i);
    const confirmationId = await evidenceOf(registry, recorded, results, options);
    const result = await registry.invoke(requestOf(recorded, confirmationId), { consumer: options.consumer?.(recorded.consumer) ?? recorded.consumer });
    results.push(result);
    const differences = compare(recorded, result, i, options);
    const call = { index: i, capabilityId: recorded.capabilityId, ok: differences.length === 0, differences, result };
    calls.push(call);
    options.onCall?.(call);
  }
  return { ok: calls.every(({ ok }) => ok), calls };
}

/** @param {any} call @param {number} i */
function checkCall(call, i) {
  if (typeof call?.capabilityId !== "string" || typeof call.consumer?.id !== "string" || typeof call.result?.status !== "string") {
    throw new TypeError(`recording.calls[${i}] must have a capabilityId, a consumer and a result`);
  }
  const of = call.confirmationOf;
  if (of !== undefined && !(Number.isInteger(of) && of >= 0 && of < i)) {
    throw new TypeError(`recording.calls[${i}].confirmationOf must be the index of an earlier call`);
  }
}

/** @param {RecordedCall} recorded @param {string | undefined} confirmationId */
function requestOf({ capabilityId, instanceId, input }, confirmationId) {
  return {
    capabilityId, ...(instanceId !== undefined && { instanceId }), ...(input !== undefined && { input }), ...(confirmationId !== undefined && { confirmationId }),
  };
}

/**
 * The confirmation that a call comes with, once it is decided: by the caller's own function, or by whoever decides on this
 * page. Nothing here approves.
 * @param {any} registry @param {RecordedCall} recorded @param {any[]} results @param {Options} options
 * @returns {Promise<string | undefined>}
 */
async function evidenceOf(registry, recorded, results, options) {
  const id = recorded.confirmationOf === undefined ? undefined : results[recorded.confirmationOf]?.error?.details?.confirmationId;
  const pending = () => registry.confirmations.pending().find((/** @type {any} */ one) => one.confirmationId === id);
  const record = id === undefined ? undefined : pending();
  const decided = outcomeOf(recorded);
  if (record === undefined || decided === "pending") {
    return id;
  }
  await options.decide?.(record, decided);
  if (pending() !== undefined) {
    await registry.confirmations.waitFor(id);
  }
  return id;
}

/** What had been decided when a call came with its confirmation. @param {RecordedCall} recorded */
function outcomeOf({ result: { error } }) {
  switch (error?.code) {
    case "CONFIRMATION_REQUIRED":
      return "pending";
    case "CONFIRMATION_INVALID":
      return error.reason === "denied" || error.reason === "expired" ? error.reason : "approved";
  }
  return "approved";
}

/** @param {RecordedCall} recorded @param {any} result @param {number} index @param {Options} options */
function compare(recorded, result, index, options) {
  const { status, output, error } = result;
  const came = error === undefined ? { status, ...(output !== undefined && { output }) } : { status, error: errorOf(error) };
  /** @type {Difference[]} */
  const differences = [];
  differ(recorded.result, came, "", (difference) => {
    if (differences.length < MOST_DIFFERENCES && options.ignore?.(difference, recorded, index) !== true) {
      differences.push(difference);
    }
  });
  return differences;
}

/** Finds the places where two values differ. @param {any} expected @param {any} actual @param {string} path @param {(difference: Difference) => void} found */
function differ(expected, actual, path, found) {
  const memberOf = (/** @type {any} */ value, /** @type {string} */ name) => (Object.hasOwn(value, name) ? value[name] : undefined);
  if (Object.is(expected, actual)) {
    return;
  }
  const lists = Array.isArray(expected);
  const walkable = isObject(expected) && isObject(actual) && lists === Array.isArray(actual);
  if (!walkable) {
    found({ path, expected, actual });
    return;
  }
  for (const name of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
    const inner = lists ? `${path}[${name}]` : `${path === "" ? "" : `${path}.`}${name}`;
    differ(memberOf(expected, name), memberOf(actual, name), inner, found);
  }
}

/** @param {unknown} value */
const isObject = (value) => typeof value === "object" && value !== null;
