// @ts-check
/** One call of a tool: through the registry, through the person's decision, to a result for the agent. */
import { NativeAbortController, NativeMap, abortController, abortSignalOf, freeze, isObject, mapDelete, mapGet, mapSet, pick, signalAborted } from "../shim/builtins.js";
import { isSignal } from "../shim/contexts.js";
import { deferred, resolvePlain, settled } from "../shim/promises.js";
import { unguessable } from "./chance.js";
import { messageOf } from "./errors.js";
import { decoded } from "./schema.js";

/**
 * What a call brings along for those who work for it, by its invocation id.
 * context is the page's function; thrown is the AbortError that the tool gave up with.
 * @typedef {{ __proto__?: null, context: any, thrown: any }} Errand
 */

const CONSUMER = freeze({ id: "web-tools", kind: "webmcp" });

/** @type {Map<string, Errand>} */
const errands = new NativeMap();
const prefix = unguessable();
let started = 0;

/** What the call of that id brings along; undefined for one that somebody else made. @param {string} invocationId */
export const errandOf = (invocationId) => mapGet(errands, invocationId);

/**
 * Calls a tool and gives a promise of its result. It rejects only with an AbortError, or when the registry is gone.
 * @param {import("./membership.js").Membership} member @param {any} args @param {any} options what the browser gives beside the arguments @param {any} context
 */
export function callTool(member, args, options, context) {
  return new Call(member, signalIn(options), context).begin(args);
}

/** @param {any} options @returns {AbortSignal | undefined} */
function signalIn(options) {
  const signal = pick(options, "signal");
  return isSignal(signal) ? signal : undefined;
}

class Call {
  /** @type {import("./membership.js").Membership} */ #member;
  /** @type {AbortSignal | undefined} */ #signal;
  #outcome = deferred();
  #id = `tool_${prefix}_${++started}`;
  /** @type {Errand} */ #errand;
  /** @type {any} */ #request;

  /** @param {import("./membership.js").Membership} member @param {AbortSignal | undefined} signal @param {any} context */
  constructor(member, signal, context) {
    this.#member = member;
    this.#signal = signal;
    this.#errand = { __proto__: null, context, thrown: undefined };
  }

  /** @param {any} args */
  begin(args) {
    mapSet(errands, this.#id, this.#errand);
    let input;
    try {
      input = decoded(args);
    } catch (error) {
      this.#answer(this.#member.kept.connection.error("invalid_input", messageOf(error)));
      return this.#outcome.promise;
    }
    const { kept, registrationId } = this.#member;
    this.#request = { __proto__: null, invocationId: this.#id, capabilityId: `domain:${kept.id}`, registrationId, input };
    this.#invoke((/** @type {any} */ result) => this.#answered(result));
    return this.#outcome.promise;
  }

  /** @param {(result: any) => void} then */
  #invoke(then) {
    const options = { __proto__: null, consumer: CONSUMER, signal: this.#signal };
    this.#then(this.#member.registry.invoke(this.#request, options), then);
  }

  /** @param {Promise<any>} promise @param {(value: any) => void} then */
  #then(promise, then) {
    settled(promise, (value) => {
      try {
        then(value);
      } catch (error) {
        this.#fail(error);
      }
    }, (error) => this.#fail(error));
  }

  /** The first answer: the result, or that a person must decide. @param {any} result */
  #answered(result) {
    const { error } = result;
    if (result.status === "ok" || error.code !== "CONFIRMATION_REQUIRED" || error.details.origin !== "client") {
      this.#finish(result);
      return;
    }
    const { confirmationId } = error.details;
    const options = { __proto__: null, signal: this.#signal };
    this.#then(this.#member.registry.confirmations.waitFor(confirmationId, options), (outcome) => this.#decided(outcome, confirmationId));
  }

  /** @param {string} outcome @param {string} confirmationId */
  #decided(outcome, confirmationId) {
    const { registry, handle } = this.#member;
    if (outcome === "approved" || (outcome === "expired" && !this.#aborted() && handle.status !== "active")) {
      // The present version, so that what else has changed during the wait does not spoil the approval.
      this.#request.surfaceVersion = registry.getVersion();
      this.#request.confirmationId = confirmationId;
      this.#invoke((/** @type {any} */ result) => this.#finish(result));
    } else if (this.#aborted()) {
      this.#giveUp();
    } else {
      const reason = outcome === "denied" ? "denied" : "expired";
      const error = { __proto__: null, code: "CONFIRMATION_INVALID", message: "-", retry: "no", details: { __proto__: null, reason } };
      this.#finish({ __proto__: null, status: "error", error });
    }
  }

  #aborted() {
    return this.#signal !== undefined && signalAborted(this.#signal);
  }

  /** @param {any} result */
  #finish(result) {
    if (this.#errand.thrown !== undefined) {
      this.#fail(this.#errand.thrown);
    } else if (this.#aborted() && result.status !== "ok" && result.error.code === "CANCELLED") {
      this.#giveUp();
    } else {
      this.#answer(this.#member.kept.connection.outcome(result));
    }
  }

  /** The caller has given up: that is no result. */
  #giveUp() {
    const reason = pick(this.#signal, "reason");
    this.#fail(isObject(reason) && pick(reason, "name") === "AbortError" ? reason : abortError());
  }

  /** @param {any} result frozen plain data */
  #answer(result) {
    mapDelete(errands, this.#id);
    resolvePlain(this.#outcome, { ...result, then: undefined });
  }

  /** @param {any} error */
  #fail(error) {
    mapDelete(errands, this.#id);
    this.#outcome.reject(error);
  }
}

/** What an abort without a reason of its own gives. */
function abortError() {
  const controller = new NativeAbortController();
  abortController(controller);
  return pick(abortSignalOf(controller), "reason");
}
