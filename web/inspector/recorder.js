// @ts-check
/** Keeps the calls of a surface so that they can be carried out again. docs/inspector.md has the format. */
import { consumerOf } from "./words.js";

/** @typedef {import("../pagewarden.js").CallStep} CallStep */
/** @typedef {import("../pagewarden-inspector.js").Recording} Recording */
/** @typedef {import("../pagewarden-inspector.js").RecordedCall} RecordedCall */

export const FORMAT = "pagewarden-recording/1";
const MOST_CALLS = 2000;

export class Recorder {
  #recordedAt = "";
  isOn = false;
  /** Whether it had to stop because it was full. */ isFull = false;
  /** In order of start; a call that has no result yet is not exported. @type {RecordedCall[]} */ calls = [];
  /** @type {Map<string, RecordedCall>} */ #running = new Map();
  /** The call that each confirmation was asked by. @type {Map<string, RecordedCall>} */ #askers = new Map();
  /** @type {(registrationId: string) => string | undefined} */ #instanceOf;

  /** @param {(registrationId: string) => string | undefined} instanceOf the instance of a registration: its id is another when the page is loaded again */
  constructor(instanceOf) {
    this.#instanceOf = instanceOf;
  }

  /** @param {string} at */
  start(at) {
    this.#recordedAt = at;
    this.isOn = true;
    this.isFull = false;
    this.calls = [];
    this.#running.clear();
    this.#askers.clear();
  }

  stop() {
    this.isOn = false;
  }

  /** @param {CallStep} step */
  add(step) {
    const key = `${step.consumerId} ${step.invocationId}`;
    const call = this.#running.get(key);
    if (call !== undefined && step.result !== undefined) {
      this.#running.delete(key);
      this.#end(call, step.result);
    } else if (this.isOn && step.request !== undefined) {
      this.#begin(key, step);
    }
  }

  /** @param {string} key @param {CallStep} step */
  #begin(key, { capabilityId, consumerId, request = {} }) {
    if (this.calls.length >= MOST_CALLS) {
      this.isOn = false;
      this.isFull = true;
      return;
    }
    const instanceId = request.instanceId ?? (request.registrationId === undefined ? undefined : this.#instanceOf(request.registrationId));
    const asker = request.confirmationId === undefined ? undefined : this.#askers.get(request.confirmationId);
    /** @type {any} */
    const call = {
      capabilityId, consumer: consumerOf(consumerId) ?? { kind: "other", id: consumerId },
      ...(instanceId !== undefined && { instanceId }), ...(request.input !== undefined && { input: request.input }),
      ...(asker !== undefined && { confirmationOf: this.calls.indexOf(asker) }),
    };
    this.calls.push(call);
    this.#running.set(key, call);
  }

  /** @param {any} call @param {import("../pagewarden.js").InvokeResult} result */
  #end(call, result) {
    const { status, output, error } = result;
    call.result = error === undefined ? { status, ...(output !== undefined && { output }) } : { status, error: errorOf(error) };
    if (error?.code === "CONFIRMATION_REQUIRED") {
      this.#askers.set(error.details?.["confirmationId"], call);
    }
  }

  /** @returns {Recording} */
  recording() {
    const running = new Set(this.#running.values());
    const done = this.calls.filter((call) => !running.has(call));
    const calls = done.map((call) => {
      const { confirmationOf, ...rest } = call;
      const at = confirmationOf === undefined ? -1 : done.indexOf(/** @type {RecordedCall} */ (this.calls[confirmationOf]));
      return at < 0 ? rest : { ...rest, confirmationOf: at };
    });
    return { format: FORMAT, recordedAt: this.#recordedAt, calls };
  }
}

/** What of an error is the same in every run: texts may have ids and times in them. @param {import("../pagewarden.js").ErrorPayload} error */
export function errorOf({ code, details }) {
  const reason = details?.["reason"];
  return { code, ...(typeof reason === "string" && { reason }) };
}
