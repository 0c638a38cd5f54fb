// @ts-check
/** The log of calls, made of the steps that the runtime tells. It is bounded in calls and in characters. */

/** @typedef {import("../pagewarden.js").CallStep} CallStep */
/** A phase that a call came to, and when, in milliseconds on the page's time line. @typedef {{ name: string, at: number }} Phase */
/**
 * A call. startedAt is the time of day, began and ended are moments on the page's time line. The payloads are JSON, perhaps cut short.
 * @typedef {object} Call
 * @property {number} number
 * @property {string} invocationId
 * @property {string} capabilityId
 * @property {string} consumerId
 * @property {number} startedAt
 * @property {number} began
 * @property {number | undefined} ended
 * @property {Phase[]} phases
 * @property {"running" | "ok" | "error"} status
 * @property {string | undefined} code
 * @property {number | undefined} queueWaitMs
 * @property {string | undefined} registrationId
 * @property {string | undefined} confirmationId the evidence that it came with
 * @property {string} input
 * @property {string} effectiveInput
 * @property {string} result
 */

export const MOST_CALLS = 10_000;
const MOST_CHARACTERS = 20_000_000;
const MOST_OF_ONE = 20_000;

export class CallLog {
  /** Oldest first. @type {Call[]} */ calls = [];
  /** How many were dropped to make room. */ dropped = 0;
  /** @type {Map<string, Call>} */ #running = new Map();
  #last = 0;
  #characters = 0;
  /** @type {() => number} */ #now;
  /** @type {() => number} */ #today;

  /** @param {() => number} now moments @param {() => number} today the time of day */
  constructor(now, today) {
    this.#now = now;
    this.#today = today;
  }

  /** Takes a step in, and gives its call. @param {CallStep} step @returns {Call} */
  add(step) {
    const at = this.#now();
    const key = `${step.consumerId} ${step.invocationId}`;
    const call = this.#running.get(key) ?? this.#begin(step, key, at);
    if (step.phase === "settlement") {
      this.#running.delete(key);
      this.#end(call, step, at);
    } else {
      call.phases.push({ name: step.phase, at });
    }
    return call;
  }

  clear() {
    this.calls = this.calls.filter((call) => call.status === "running");
    this.#characters = this.calls.reduce((sum, { input }) => sum + input.length, 0);
    this.dropped = 0;
  }

  /** @param {CallStep} step @param {string} key @param {number} at @returns {Call} */
  #begin(step, key, at) {
    const { invocationId, capabilityId, consumerId, request } = step;
    /** @type {Call} */
    const call = {
      number: ++this.#last, invocationId, capabilityId, consumerId, startedAt: this.#today(), began: at, ended: undefined, phases: [], status: "running",
      code: undefined, queueWaitMs: undefined, registrationId: request?.registrationId, confirmationId: request?.confirmationId,
      input: kept(request?.input), effectiveInput: "", result: "",
    };
    this.#characters += charactersOf(call);
    this.#running.set(key, call);
    this.calls.push(call);
    return call;
  }

  /** @param {Call} call @param {CallStep} step @param {number} at */
  #end(call, step, at) {
    call.ended = at;
    call.status = step.result?.status ?? "error";
    call.code = step.result?.error?.code;
    call.queueWaitMs = step.queueWaitMs;
    call.registrationId = step.registrationId ?? call.registrationId;
    if (call.number < (this.calls[0]?.number ?? 0)) {
      return; // it was dropped while it ran
    }
    this.#characters -= charactersOf(call);
    call.result = kept(step.result?.error ?? step.result?.output);
    const effective = kept(step.effectiveInput);
    call.effectiveInput = effective === call.input ? "" : effective;
    this.#characters += charactersOf(call);
    this.#makeRoom();
  }

  /** Drops the oldest in portions: taking them out one by one would move all the others each time. */
  #makeRoom() {
    const least = this.calls.length > MOST_CALLS + 500 ? this.calls.length - MOST_CALLS : 0;
    let count = 0;
    while (count < least || this.#characters > MOST_CHARACTERS && count < this.calls.length - 1) {
      this.#characters -= charactersOf(/** @type {Call} */ (this.calls[count]));
      count++;
    }
    this.calls.splice(0, count);
    this.dropped += count;
  }
}

/** What is kept of a payload. @param {unknown} value */
function kept(value) {
  const text = value === undefined ? "" : JSON.stringify(value);
  return text.length <= MOST_OF_ONE ? text : `${text.slice(0, MOST_OF_ONE)}… (${text.length} characters)`;
}

/** @param {Call} call */
const charactersOf = ({ input, effectiveInput, result }) => input.length + effectiveInput.length + result.length;

/**
 * How long each phase of a call took, in order; the last one of a call that runs has none yet.
 * @param {Call} call
 * @returns {{ name: string, from: number, ms: number | undefined }[]} from is milliseconds after the call began
 */
export function phaseTimes(call) {
  return call.phases.map(({ name, at }, i) => {
    const until = call.phases[i + 1]?.at ?? call.ended;
    return { name, from: at - call.began, ms: until === undefined ? undefined : until - at };
  });
}

/** Whether a call has a text in what a row shows of it. @param {Call} call @param {string} text in lower case @param {boolean} onlyErrors */
export function matchesCall(call, text, onlyErrors) {
  return (!onlyErrors || call.status === "error") &&
    (text === "" || `${call.capabilityId} ${call.consumerId} ${call.code ?? ""} ${call.invocationId}`.toLowerCase().includes(text));
}
