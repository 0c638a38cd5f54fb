// @ts-check
/** The registry that a page holds: frozen objects whose methods cross to the runtime and back. */
import {
  NativeMap, NativeTypeError, NativeWeakMap, addListener, apply, freeze, isObject, jsonParse, mapDelete, mapForEach, mapGet, mapSet, mapSize,
  pick, removeListener, report, signalAborted, stringIndexOf, stringSlice, weakGet, weakSet,
} from "./intrinsics.js";
import { disposedError, failedPayload, invalidDefinition, isAgentSurfaceError, lostPayload, malformedPayload } from "./errors.js";
import { DefinitionWriter, Kept, append, listWithRoom, written } from "./definitions.js";
import * as Op from "./ops/op.js";
import { deferred, resolvePlain } from "./promises.js";
import { register } from "./registrations.js";
import { snapshotOf } from "./snapshots.js";
import { callSurface } from "./surface.js";
import { say } from "./texts.js";
import { Lines, deepFreeze, fromText, member, toText } from "./values.js";

/**
 * @typedef {import("./callbacks.js").Callbacks} Callbacks
 * @typedef {import("./instance.js").Instance} Instance
 * @typedef {import("./surface.js").Surface} Surface
 */

/** In the order of jsbridge/calls.go. */
const REQUEST_FIELDS = ["capabilityId", "invocationId", "instanceId", "registrationId", "surfaceVersion", "confirmationId"];

/** A promise that the page holds: of a call, or of a confirmation when invocationId is null. */
class Ticket {
  /** @type {Surface} */ home;
  /** @type {(value: any) => void} */ resolve;
  /** @type {(error: any) => void} */ reject;
  /** @type {string | null} */ invocationId;
  capabilityId = "";
  /** Whether it is a call of a toolset's, which gets a result whatever happens. */ ofTool = false;
  /** @type {any} */ signal;
  release = () => {};

  /** @param {Surface} surface @param {ReturnType<typeof deferred>} outcome @param {string | null} invocationId */
  constructor(surface, outcome, invocationId) {
    this.home = surface;
    this.resolve = outcome.resolve;
    this.reject = outcome.reject;
    this.invocationId = invocationId;
  }
}

export class Registries {
  /** @type {Instance} */ #instance;
  /** @type {Callbacks} */ #callbacks;
  /** @type {WeakMap<object, Surface>} */ #surfaces = new NativeWeakMap();
  /** @type {Map<number, Ticket>} */ #tickets = new NativeMap();
  #lastTicket = 0;
  /** @type {import("./authorities.js").Authorities} */ authorities;

  /** @param {Instance} instance @param {Callbacks} callbacks @param {import("./authorities.js").Authorities} authorities */
  constructor(instance, callbacks, authorities) {
    this.#instance = instance;
    this.#callbacks = callbacks;
    this.authorities = authorities;
  }

  /** A registry of what is defined one by one and is in no registry of the page's. */
  createForTools() {
    return this.create({ authority: this.authorities.ofTools() });
  }

  /** @param {any} options */
  create(options) {
    const writer = new DefinitionWriter(options, this.#callbacks, optionError);
    let made;
    try {
      made = jsonParse(this.#instance.call(Op.CreateRegistry, 0, 0, this.#options(options, writer)));
    } catch (error) {
      this.#callbacks.freePolicies(writer.kept);
      throw error;
    }
    return this.#keep(made, options, writer.kept);
  }

  /** A registry that the runtime has made. @param {any} made what it says of it */
  adopt(made) {
    return this.#keep(made, {}, new Kept(null));
  }

  /** @param {any} made @param {any} options @param {Kept} kept */
  #keep(made, options, kept) {
    /** @type {Surface} */
    const surface = {
      number: made.registry, disposed: false, listeners: new NativeMap(), watchers: new NativeMap(), sink: pick(options, "audit"),
      options, kept, executor: null, developing: pick(options, "environment") === "development", given: undefined,
      depth: made.maxInputDepth, inputBytes: made.maxInputBytes, outputBytes: made.maxOutputBytes,
      steps: new NativeMap(), plans: new NativeMap(), components: null, procedures: null, specs: new NativeMap(), specList: "[]", heard: new NativeMap(),
    };
    this.#callbacks.keepOwner(surface.number, surface);
    const registry = this.#object(surface, made.surfaceId, made.authorityMode);
    weakSet(this.#surfaces, registry, surface);
    return registry;
  }

  /** @param {any} options @param {DefinitionWriter} writer */
  #options(options, writer) {
    const text = member("", "options", writer.writeBy(options, "options", ""));
    const authority = pick(options, "authority");
    return `{${authority === undefined ? text : member(text, "authority", `${this.authorities.numberOf(authority)}`)}}`;
  }

  /** An object of the page by a shape of jsbridge/shapes.go. @param {any} source @param {string} shape */
  describeBy(source, shape) {
    return new DefinitionWriter(source, this.#callbacks, optionError).writeBy(source, shape, "");
  }

  /** @param {unknown} registry @param {string} where @returns {Surface} */
  surfaceOf(registry, where) {
    const surface = isObject(registry) ? weakGet(this.#surfaces, registry) : undefined;
    if (surface === undefined) {
      throw new NativeTypeError(`${where}: ${say("registry")}`);
    }
    return surface;
  }

  /** @param {Surface} surface @param {string} surfaceId @param {string} authorityMode */
  #object(surface, surfaceId, authorityMode) {
    const call = (/** @type {number} */ op, /** @type {number} */ b, /** @type {string} */ text) => this.#call(surface, op, b, text);
    return freeze({
      surfaceId,
      authorityMode,
      register: (/** @type {any} */ definition) => register(this.#instance, this.#callbacks, surface, definition),
      snapshot: (/** @type {any} */ context) =>
        snapshotOf(this.#callbacks, surface, call(Op.Snapshot, 0, context === undefined ? "" : this.describeBy(context, "snapshot"))),
      invoke: (/** @type {any} */ request, /** @type {any} */ options) => this.#invoke(surface, request, options),
      subscribe: (/** @type {any} */ listener) => this.#subscribe(surface, surface.listeners, listener),
      confirmations: this.#confirmations(surface),
      setProcedureExecutor: (/** @type {any} */ executor) => this.#setExecutor(surface, executor),
      getVersion: () => call(Op.Version, 0, ""),
      invalidate: () => void call(Op.Invalidate, 0, ""),
      dispose: () => this.#dispose(surface),
    });
  }

  /** @param {Surface} surface @param {number} op @param {number} b @param {string} text */
  #call(surface, op, b, text) {
    return callSurface(this.#instance, surface, op, b, text);
  }

  /** @param {any} definition */
  checkDefinition(definition) {
    const writer = new DefinitionWriter(definition, this.#callbacks, invalidDefinition);
    const number = this.#callbacks.reserve();
    this.#callbacks.keepDefinition(number, writer.kept, 0);
    try {
      this.#instance.call(Op.Validate, number, 0, writer.writeBy(definition, "component", ""));
    } finally {
      this.#callbacks.free(number, true);
    }
  }

  /** @param {any} registry @param {any} context */
  explainTo(registry, context) {
    const surface = this.surfaceOf(registry, "explainSurface");
    return fromText(this.#call(surface, Op.Explain, 0, context === undefined ? "{}" : this.describeBy(context, "snapshot")));
  }

  /** @param {any} registry @param {any} listener @returns {() => void} what ends it */
  watchCalls(registry, listener) {
    const surface = this.surfaceOf(registry, "watchCalls");
    if (surface.disposed) {
      throw disposedError();
    }
    return this.#subscribe(surface, surface.steps, listener);
  }

  /** What names the one registration that offers a capability. @param {any} registry @param {any} consumer @param {any} request @param {number} capture 1 if there must be one */
  offeringOf(registry, consumer, request, capture) {
    const text = written({ consumer, capabilityId: pick(request, "capabilityId"), instanceId: pick(request, "instanceId") }, "request");
    return fromText(this.#call(this.surfaceOf(registry, "createTestSurface"), Op.Offering, capture, text));
  }

  /** @param {Surface} surface @param {any} request @param {any} options */
  #invoke(surface, request, options) {
    return this.start(surface, options, (entry) => this.#requestText(surface, entry, request, options), (ticket, text) => this.#call(surface, Op.Invoke, ticket, text));
  }

  /**
   * Starts a call.
   * @param {Surface} surface @param {any} options with its signal
   * @param {(entry: Ticket) => string} write gives the lines of the operation but the last
   * @param {(ticket: number, text: string) => void} send carries it out
   * @returns {Promise<any>} of its result
   */
  start(surface, options, write, send) {
    const outcome = deferred();
    const ticket = ++this.#lastTicket;
    const entry = new Ticket(surface, outcome, "");
    try {
      const text = write(entry);
      const signal = signalIn(options);
      mapSet(this.#tickets, ticket, entry);
      send(ticket, text + this.#watch(signal, entry, () => this.#withdraw(surface, signal)));
    } catch (error) {
      this.#take(ticket);
      this.#refuse(entry, error);
    }
    return outcome.promise;
  }

  /**
   * Settles a call that did not come to the pipeline: only after dispose is that a rejection.
   * @param {Ticket} entry @param {unknown} error
   */
  #refuse(entry, error) {
    if (this.#instance.dead !== null) {
      this.#lose(entry);
    } else if (entry.home.disposed && !entry.ofTool) {
      entry.reject(disposedError());
    } else {
      const ours = isAgentSurfaceError(error) ? failedPayload("internal") : malformedPayload(messageOf(error));
      resolvePlain(entry, errorResult(entry, ours, entry.home.disposed ? "0" : this.#call(entry.home, Op.Version, 0, "")));
    }
  }

  /**
   * Lets an AbortSignal of the page's cancel something.
   * @param {any} signal @param {Ticket} entry @param {() => void} cancel
   * @returns {string} whether the signal is aborted already, "" when there is none
   */
  #watch(signal, entry, cancel) {
    if (signal === undefined) {
      return "";
    }
    const aborted = () => signalAborted(signal) && cancel(); // anybody can dispatch an event of that name
    addListener(signal, "abort", aborted);
    entry.signal = signal;
    entry.release = () => removeListener(signal, "abort", aborted);
    return `${signalAborted(signal)}`;
  }

  /**
   * Withdraws every call of a signal at once: one by one, the end of the first would start the next.
   * @param {Surface} surface @param {any} signal
   */
  #withdraw(surface, signal) {
    let list = "";
    mapForEach(this.#tickets, (entry, ticket) => {
      if (entry.signal === signal && entry.home === surface && entry.invocationId !== null) {
        list += list === "" ? `${ticket}` : `,${ticket}`;
      }
    });
    this.#instance.send(Op.Cancel, surface.number, 0, `[${list}]`);
  }

  /** The lines of a request but the last (jsbridge/calls.go). @param {Surface} surface @param {Ticket} entry @param {any} request @param {any} options */
  #requestText(surface, entry, request, options) {
    if (!isObject(request)) {
      throw new NativeTypeError(say("request"));
    }
    let text = "";
    for (let i = 0; i < REQUEST_FIELDS.length; i++) {
      const name = /** @type {string} */ (REQUEST_FIELDS[i]);
      const value = pick(request, name);
      if (value !== undefined) {
        if (typeof value !== "string") {
          throw new NativeTypeError(`invoke: ${name} must be a string`);
        }
        text += written(value, name);
        if (i < 2) {
          entry[/** @type {"capabilityId" | "invocationId"} */ (name)] = value;
        }
      }
      text += "\n";
    }
    return `${text}${inputText(surface, pick(request, "input"))}\n${optionText(options, "consumer")}\n${optionText(options, "timeoutMs")}\n`;
  }

  /** @param {Surface} surface @param {Map<any, true>} listeners @param {any} listener */
  #subscribe(surface, listeners, listener) {
    if (typeof listener !== "function") {
      throw new NativeTypeError(say("listener"));
    }
    const own = (/** @type {any} */ event) => listener(event); // one entry for each subscription
    mapSet(listeners, own, true);
    this.#listen(surface);
    return () => {
      mapDelete(listeners, own);
      this.#listen(surface);
    };
  }

  /** Events cross only while somebody listens. @param {Surface} surface */
  #listen(surface) {
    if (!surface.disposed) {
      const events = mapSize(surface.listeners) + mapSize(surface.watchers) > 0 ? 1 : 0;
      this.#instance.call(Op.Listen, surface.number, events + (mapSize(surface.steps) > 0 ? 2 : 0), "");
    }
  }

  /** @param {Surface} surface */
  #confirmations(surface) {
    const call = (/** @type {number} */ op, /** @type {number} */ b, /** @type {string} */ text) => this.#call(surface, op, b, text);
    return freeze({
      pending: () => fromText(call(Op.Pending, 0, "")),
      resolve: (/** @type {any} */ id, /** @type {any} */ decision) => {
        const approved = pick(decision, "approved") === true;
        return call(Op.Resolve, approved ? 1 : 0, idText(id)) === "true";
      },
      waitFor: (/** @type {any} */ id, /** @type {any} */ options) => this.#waitFor(surface, id, options),
      subscribe: (/** @type {any} */ listener) => this.#subscribe(surface, surface.watchers, listener),
      forceExpire: (/** @type {any} */ id) => call(Op.ForceExpire, 0, idText(id)) === "true",
    });
  }

  /** @param {Surface} surface @param {any} id @param {any} options */
  #waitFor(surface, id, options) {
    const outcome = deferred();
    const ticket = ++this.#lastTicket;
    const entry = new Ticket(surface, outcome, null);
    try {
      const text = idText(id);
      const signal = signalIn(options);
      mapSet(this.#tickets, ticket, entry);
      const cancel = () => {
        this.#instance.send(Op.CancelAwait, surface.number, ticket, "");
        this.outcome(ticket, "expired");
      };
      const aborted = this.#watch(signal, entry, cancel);
      this.#call(surface, Op.AwaitConfirmation, ticket, text);
      if (aborted === "true") {
        cancel();
      }
    } catch (error) {
      this.#take(ticket);
      outcome.reject(error);
    }
    return outcome.promise;
  }

  /** Who holds a promise, for the last time. @param {number} ticket */
  #take(ticket) {
    const entry = mapGet(this.#tickets, ticket);
    mapDelete(this.#tickets, ticket);
    entry?.release();
    return entry;
  }

  /** @param {number} ticket @param {string} text the result of a call, as jsbridge/calls.go writes it */
  result(ticket, text) {
    const entry = this.#take(ticket);
    if (entry === undefined) {
      return;
    }
    const lines = new Lines(text);
    if (entry.ofTool) {
      entry.capabilityId = jsonParse(lines.line());
    }
    const id = lines.line();
    const invocationId = id === "" ? entry.invocationId : jsonParse(id);
    const surfaceVersion = lines.line();
    const changed = lines.line() === "" ? undefined : { surfaceChanged: true };
    const end = lines.rest;
    const bad = stringIndexOf(end, "!") === 0; // not end[0], which an empty text does not have and Object.prototype may
    resolvePlain(entry, {
      status: bad ? "error" : "ok",
      invocationId,
      capabilityId: entry.capabilityId,
      ...(bad ? { error: fromText(stringSlice(end, 1)) } : end === "" ? undefined : { output: fromText(end) }),
      surfaceVersion,
      ...changed,
      then: undefined,
    });
  }

  /** @param {number} ticket @param {string} outcome */
  outcome(ticket, outcome) {
    this.#take(ticket)?.resolve(outcome);
  }

  /** @param {Ticket} entry */
  #lose(entry) {
    entry.release();
    if (entry.invocationId === null) {
      entry.resolve("expired");
      return;
    }
    resolvePlain(entry, errorResult(entry, lostPayload(), "0"));
  }

  /** The runtime is dead: whoever waits is told. */
  loseAll() {
    const tickets = this.#tickets;
    this.#tickets = new NativeMap();
    mapForEach(tickets, (entry) => this.#lose(entry));
  }

  /** @param {Surface} surface @param {any} executor */
  #setExecutor(surface, executor) {
    if (executor !== null && executor !== undefined && typeof pick(executor, "execute") !== "function") {
      throw new NativeTypeError(say("executor"));
    }
    this.#call(surface, Op.SetExecutor, executor === null || executor === undefined ? 0 : 1, "");
    surface.executor = executor;
  }

  /** @param {Surface} surface */
  #dispose(surface) {
    if (surface.disposed) {
      return;
    }
    this.#call(surface, Op.Dispose, 0, "");
    this.forget(surface);
  }

  /** Lets go of a registry that the runtime has disposed of. @param {Surface} surface */
  forget(surface) {
    surface.disposed = true;
    this.#callbacks.freeOwner(surface.number);
    surface.listeners = new NativeMap();
    surface.watchers = new NativeMap();
    surface.steps = new NativeMap();
    surface.plans = new NativeMap();
    surface.components = surface.procedures = null;
    surface.specs = new NativeMap();
    surface.heard = new NativeMap();
  }

  /** @param {number} number @param {number} step 1 for a step of a call @param {string} text an event */
  event(number, step, text) {
    const surface = /** @type {Surface | undefined} */ (this.#callbacks.owner(number));
    if (surface === undefined) {
      return;
    }
    const event = fromText(text);
    if (step === 1) {
      tellAll(surface.steps, event);
      return;
    }
    tellAll(surface.listeners, event);
    if (mapSize(surface.watchers) > 0 && stringSlice(event.type, 0, 12) === "confirmation") {
      tellAll(surface.watchers, fromText(this.#instance.call(Op.Pending, number, 0, "")));
    }
  }

  /** @param {number} number @param {number} toolset that has other tools now */
  changed(number, toolset) {
    const listeners = mapGet(/** @type {Surface} */ (this.#callbacks.owner(number)).heard, toolset);
    if (listeners !== undefined) {
      tellAll(listeners, undefined);
    }
  }

  /** @param {number} number @param {number} policy whose sink is meant, 0 for the registry's @param {string} text an audit event */
  audit(number, policy, text) {
    const sink = policy === 0 ? this.#callbacks.owner(number)?.sink : pick(this.#callbacks.policyOf(policy), "0");
    if (isObject(sink)) {
      quietly(() => {
        const record = typeof sink === "function" ? sink : pick(sink, "record");
        apply(record, sink, [fromText(text)]);
      });
    }
  }

  /** Sizes, for leak tests. */
  sizes() {
    return { tickets: mapSize(this.#tickets) };
  }

  /** How many promises of calls and decisions are open. */
  waiting() {
    return mapSize(this.#tickets);
  }
}

/**
 * Tells those who listen now: one that comes because of this event hears the next, and one that went hears
 * nothing more.
 * @param {Map<(event: any) => void, true>} listeners @param {any} event
 */
function tellAll(listeners, event) {
  const present = listWithRoom();
  mapForEach(listeners, (_, listener) => append(present, listener));
  for (let i = 0; i < present.length; i++) {
    const listener = present[i];
    if (mapGet(listeners, listener) === true) {
      quietly(() => listener(event));
    }
  }
}

/** @param {any} options @returns {any} its AbortSignal, or undefined */
function signalIn(options) {
  const signal = pick(options, "signal");
  if (signal === undefined || signal === null) {
    return undefined;
  }
  try {
    signalAborted(signal);
  } catch {
    throw new NativeTypeError(say("signal"));
  }
  return signal;
}

/** @param {unknown} error @returns {string} */
function messageOf(error) {
  let message;
  try {
    message = pick(error, "message");
  } catch {
    // It says nothing then.
  }
  return typeof message === "string" ? message : say("unreadable");
}

/** @param {Ticket} entry @param {object} error a payload @param {string} surfaceVersion */
const errorResult = (entry, error, surfaceVersion) => ({
  status: "error", invocationId: entry.invocationId, capabilityId: entry.capabilityId, error: deepFreeze(error), surfaceVersion, then: undefined,
});

/** The line of an input, "" when there is none. @param {{ depth: number, inputBytes: number }} bounds @param {unknown} input */
export function inputText(bounds, input) {
  if (input === undefined) {
    return "";
  }
  const text = toText(input, bounds.depth, bounds.inputBytes);
  return typeof text === "string" ? text : `!${written(text, "")}`;
}

/** @param {any} options @param {string} name @returns {string} the JSON of an option, "" when there is none */
function optionText(options, name) {
  const value = pick(options, name);
  return value === undefined ? "" : written(value, name);
}

/** @param {string} where @param {string} reason */
const optionError = (where, reason) => new NativeTypeError(`${where === "" ? "options" : `options.${where}`} ${reason}`);

/** What a listener or a sink of the page throws is the page's matter. @param {() => void} run */
function quietly(run) {
  try {
    run();
  } catch (error) {
    report("error", `pagewarden: ${say("failed")}`, error);
  }
}

/** @param {unknown} id */
function idText(id) {
  if (typeof id !== "string") {
    throw new NativeTypeError(say("id"));
  }
  return id;
}
