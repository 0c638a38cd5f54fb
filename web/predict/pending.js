// @ts-check
/** The promises that a page holds of calls on their way. */
import { NativeError, NativeMap, addListener, isObject, jsonParse, mapDelete, mapForEach, mapGet, mapSet, mapSize, pick, removeListener, signalAborted } from "../shim/builtins.js";
import { isSignal } from "../shim/contexts.js";
import { deferred, resolveData } from "../shim/promises.js";
import { endAll } from "../webtools/ends.js";
import { errorOf, want } from "./runtime.js";

/**
 * lost gives what the call comes to when the runtime dies, or throws it; kept is what must not be collected while it is on its way.
 * @typedef {{ __proto__?: null, outcome: ReturnType<typeof deferred>, release: () => void, clock: any, lost: () => any, kept: any }} Pending
 */

/** By ticket. @type {Map<number, Pending>} */
let open = new NativeMap();
let lastTicket = 0;

/** How many promises are open. */
export const waiting = () => mapSize(open);

/**
 * Begins a call. send carries it out, with its ticket and whether signal is aborted, undefined without one.
 * @param {{ __proto__?: null, signal: any, clock: any, lost: () => any, kept: any }} about
 * @param {(ticket: number, aborted: boolean | undefined) => void} send
 * @returns {Promise<any>}
 */
export function begin(about, send) {
  const outcome = deferred();
  const ticket = ++lastTicket;
  /** @type {Pending} */
  const pending = { __proto__: null, outcome, release: () => {}, clock: about.clock, lost: about.lost, kept: about.kept };
  mapSet(open, ticket, pending);
  try {
    send(ticket, watch(pending, ticket, about.signal));
  } catch (error) {
    if (take(ticket) !== undefined) {
      fail(pending, error);
    }
  }
  return outcome.promise;
}

/** @param {Pending} pending @param {number} ticket @param {any} signal */
function watch(pending, ticket, signal) {
  if (!isSignal(signal)) {
    return undefined;
  }
  const cancel = () => {
    if (signalAborted(signal)) { // anybody can dispatch an event of that name
      try {
        want(null, "cancel", ticket);
      } catch {
        // The runtime has ended, and has said so.
      }
    }
  };
  addListener(signal, "abort", cancel);
  pending.release = () => removeListener(signal, "abort", cancel);
  return signalAborted(signal);
}

/** A call, for the last time. @param {number} ticket */
function take(ticket) {
  const pending = mapGet(open, ticket);
  if (pending !== undefined) {
    mapDelete(open, ticket);
    pending.release();
    }
  return pending;
}

/** A call that did not come to the pipeline. @param {Pending} pending @param {unknown} error */
function fail(pending, error) {
  if (isLost(error)) {
    lose(pending);
  } else {
    pending.outcome.reject(error);
  }
}

/** Whether an error says that the runtime has ended. @param {any} error */
const isLost = (error) => pick(pick(pick(error, "payload"), "details"), "reason") === "runtime-lost";

/** @param {number} ticket @param {any} answer { value } or { fault } */
export function answered(ticket, answer) {
  const pending = take(ticket);
  if (pending !== undefined) {
    const fault = pick(answer, "fault");
    if (fault !== undefined) {
      pending.outcome.reject(errorOf(fault));
    } else {
      give(pending, answer.value);
    }
  }
}

/** @param {Pending} pending @param {any} value plain data */
function give(pending, value) {
  if (isObject(value)) {
    resolveData(pending.outcome, value);
  } else {
    pending.outcome.resolve(value);
  }
}

/** @param {number} ticket */
export const clockOf = (ticket) => mapGet(open, ticket)?.clock;

/** @param {Pending} pending */
function lose(pending) {
  try {
    give(pending, pending.lost());
  } catch (error) {
    pending.outcome.reject(error);
  }
}

/** The runtime is dead: whoever waits is told. */
export function loseAll() {
  const lost = open;
  open = new NativeMap();
  mapForEach(lost, (pending) => {
    pending.release();
    lose(pending);
  });
  endAll();
}

const NativeDate = Date;
const isoText = Function.prototype.call.bind(Date.prototype.toISOString);

/** The text of the receipt of a call that the runtime did not live to answer. */
export const lostText = () =>
  `{"ok":false,"outcome":"failed","dryRun":false,"error":{"code":"execution_failed","stage":"execute"},"evidence":[{"stage":"execute","at":"${isoText(new NativeDate())}","ok":false}]}`;

/** @returns {any} */
export const lostReceipt = () => jsonParse(lostText());

/** Throws what every operation of a dead runtime throws. @returns {never} */
export function throwLost() {
  want(null, "cancel", 0);
  throw new NativeError("the runtime is alive"); // cannot be
}
