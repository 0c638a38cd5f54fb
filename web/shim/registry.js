// @ts-check
/** The registry that a page holds: frozen objects whose methods cross to the runtime and back. */
import {
  NativeError, NativeMap, NativeTypeError, NativeWeakMap, addListener, apply, freeze, isObject, jsonParse, mapDelete, mapForEach, mapGet, mapSet, mapSize,
  objectPrototype, objectKeys, pick, removeListener, report, setPrototypeOf, signalAborted, weakGet, weakSet,
} from "./intrinsics.js";
import { lostPayload } from "./errors.js";
import { DefinitionWriter, written } from "./definitions.js";
import { Op } from "./ops.js";
import { deferred } from "./promises.js";
import { deepFreeze, fromText, member, toText } from "./values.js";

/**
 * @typedef {import("./callbacks.js").Callbacks} Callbacks
 * @typedef {import("./instance.js").Instance} Instance
 * One registry of this runtime.
 * @typedef {{ __proto__?: null, number: number, disposed: boolean, inputBytes: number, inputDepth: number, listeners: Map<(event: any) => void, true>,
 *   watchers: Map<(pending: any) => void, true>, sink: any }} Surface
 * A promise that the page holds: of a call, or of a confirmation when invocationId is null.
 * @typedef {{ __proto__?: null, surface: Surface, resolve: (value: any) => void, reject: (error: any) => void, invocationId: string | null, capabilityId: string, release: () => void }} Ticket
 */

const OPTION_TEXTS = ["environment", "onDuplicateInstance", "duplicateSuffixPolicy", "limits"];
const OPTION_FUNCTIONS = ["onRegister", "route", "now"];
const OPTION_OTHERS = ["authority", "context", "policies", "audit"];
const REQUEST_FIELDS = ["invocationId", "capabilityId", "instanceId", "registrationId", "surfaceVersion", "confirmationId"];

export class Registries {
  /** @type {Instance} */ #instance;
  /** @type {Callbacks} */ #callbacks;
  /** @type {WeakMap<object, Surface>} */ #surfaces = new NativeWeakMap();
  /** @type {Map<number, Surface>} */ #byNumber = new NativeMap();
  /** @type {WeakMap<object, string>} */ #authorities = new NativeWeakMap();
  /** @type {Map<number, Ticket>} */ #tickets = new NativeMap();
  #lastTicket = 0;

  /** @param {Instance} instance @param {Callbacks} callbacks */
  constructor(instance, callbacks) {
    this.#instance = instance;
    this.#callbacks = callbacks;
  }

  /** @param {any} [options] */
  createOpenAuthority(options) {
    const allow = isObject(options) && pick(options, "allowInProduction") === true;
    report("warn", "pagewarden: an open authority admits every capability; use a reviewed contract before others use this page");
    const authority = freeze({ mode: "open" });
    weakSet(this.#authorities, authority, `{"allowInProduction":${allow}}`);
    return authority;
  }

  /** @param {any} options */
  create(options) {
    if (!isObject(options)) {
      throw new NativeTypeError("createAgentSurfaceRegistry: options must be an object");
    }
    const writer = new DefinitionWriter(options, this.#callbacks);
    let made;
    try {
      made = jsonParse(this.#instance.call(Op.CreateRegistry, 0, 0, this.#options(options, writer)));
    } catch (error) {
      this.#callbacks.freePolicies(writer.kept);
      throw error;
    }
    /** @type {Surface} */
    const surface = {
      __proto__: null, number: made.registry, disposed: false, inputBytes: made.maxInputBytes, inputDepth: made.maxInputDepth,
      listeners: new NativeMap(), watchers: new NativeMap(), sink: pick(options, "audit"),
    };
    this.#callbacks.keepOwner(surface.number, {
      __proto__: null, options, kept: writer.kept, executor: null, development: pick(options, "environment") === "development",
      depth: made.maxInputDepth, outputBytes: made.maxOutputBytes,
    });
    mapSet(this.#byNumber, surface.number, surface);
    const registry = this.#object(surface, made.surfaceId, made.authorityMode);
    weakSet(this.#surfaces, registry, surface);
    return registry;
  }

  /** @param {any} options @param {DefinitionWriter} writer */
  #options(options, writer) {
    let text = "";
    for (let i = 0; i < OPTION_TEXTS.length; i++) {
      const name = /** @type {string} */ (OPTION_TEXTS[i]);
      const value = pick(options, name);
      text = value === undefined ? text : member(text, name, written(value, `options.${name}`));
    }
    for (let i = 0; i < OPTION_FUNCTIONS.length; i++) {
      const name = /** @type {string} */ (OPTION_FUNCTIONS[i]);
      const value = pick(options, name);
      if (value !== undefined && typeof value !== "function") {
        throw new NativeTypeError(`options.${name} must be a function`);
      }
      text = value === undefined ? text : member(text, name, "true");
    }
    const authority = pick(options, "authority");
    if (authority !== undefined) {
      const known = isObject(authority) ? weakGet(this.#authorities, authority) : undefined;
      if (known === undefined) {
        throw new NativeTypeError("options.authority must come from createOpenAuthority or createCapabilityAuthority of this runtime");
      }
      text = member(text, "authority", known);
    }
    text = member(text, "audit", pick(options, "audit") === undefined ? "" : "true");
    text = writer.policies(text, options, "policies");
    const names = objectKeys(options);
    for (let i = 0; i < names.length; i++) {
      const name = /** @type {string} */ (names[i]);
      if (!has(OPTION_TEXTS, name) && !has(OPTION_FUNCTIONS, name) && !has(OPTION_OTHERS, name)) {
        text = member(text, name, "null");
      }
    }
    return `{${text}}`;
  }

  /** @param {unknown} registry @param {string} where @returns {Surface} */
  surfaceOf(registry, where) {
    const surface = isObject(registry) ? weakGet(this.#surfaces, registry) : undefined;
    if (surface === undefined) {
      throw new NativeTypeError(`${where}: registry must come from createAgentSurfaceRegistry of this runtime`);
    }
    return surface;
  }

  /** @param {Surface} surface @param {string} surfaceId @param {string} authorityMode */
  #object(surface, surfaceId, authorityMode) {
    const call = (/** @type {number} */ op, /** @type {number} */ b, /** @type {string} */ text) => this.#call(surface, op, b, text);
    return freeze({
      surfaceId,
      authorityMode,
      register: (/** @type {any} */ definition) => this.#register(surface, definition),
      snapshot: (/** @type {any} */ context) => fromText(call(Op.Snapshot, 0, context === undefined ? "{}" : `{${snapshotMembers("", context)}}`)),
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
    if (surface.disposed) {
      throw new NativeError("this registry has been disposed of");
    }
    return this.#instance.call(op, surface.number, b, text);
  }

  /** @param {Surface} surface @param {any} definition */
  #register(surface, definition) {
    const writer = new DefinitionWriter(definition, this.#callbacks);
    const text = writer.component();
    const number = this.#callbacks.reserve();
    this.#callbacks.keepDefinition(number, writer.kept, surface.number);
    let made;
    try {
      made = jsonParse(this.#call(surface, Op.Register, number, text));
    } catch (error) {
      this.#callbacks.free(number, true);
      throw error;
    }
    if (made.status !== "active") {
      this.#callbacks.free(number, true);
    }
    return this.#handle(surface, made);
  }

  /** @param {Surface} surface @param {any} made */
  #handle(surface, made) {
    let status = made.status;
    const live = () => status === "active" && !surface.disposed;
    const send = (/** @type {number} */ op, /** @type {string} */ text) => {
      if (live() && this.#status(made.handle) === "active") {
        this.#instance.call(op, made.handle, 0, text);
      }
    };
    const current = () => {
      if (live()) {
        status = this.#status(made.handle);
      }
      return surface.disposed && status === "active" ? "unregistered" : status;
    };
    /** @type {any} */
    const handle = {
      registrationId: made.registrationId,
      get status() {
        return current();
      },
      update: (/** @type {any} */ change) => send(Op.Update, written(change, "update")),
      invalidate: () => send(Op.InvalidateHandle, ""),
      unregister: () => {
        send(Op.Unregister, "");
        status = status === "active" ? "unregistered" : status;
      },
    };
    if (status === "rejected") {
      handle.reason = made.reason;
    }
    return freeze(handle);
  }

  /** A handle that the runtime has let go of is not registered any more. @param {number} handle */
  #status(handle) {
    try {
      return this.#instance.call(Op.HandleStatus, handle, 0, "");
    } catch (error) {
      if (this.#instance.dead !== null) {
        throw error;
      }
      return "unregistered";
    }
  }

  /** @param {Surface} surface @param {any} request @param {any} options */
  #invoke(surface, request, options) {
    const outcome = deferred();
    if (surface.disposed) {
      outcome.reject(new NativeError("this registry has been disposed of"));
      return outcome.promise;
    }
    const ticket = ++this.#lastTicket;
    /** @type {Ticket} */
    const entry = { __proto__: null, surface, resolve: outcome.resolve, reject: outcome.reject, invocationId: "", capabilityId: "", release: () => {} };
    try {
      const text = this.#requestText(surface, entry, request, options);
      const signal = isObject(options) ? pick(options, "signal") : undefined;
      mapSet(this.#tickets, ticket, entry);
      this.#watch(signal, entry, () => this.#instance.send(Op.Cancel, surface.number, ticket, ""), () => {
        this.#instance.call(Op.Invoke, surface.number, ticket, text);
      });
    } catch (error) {
      mapDelete(this.#tickets, ticket);
      if (this.#instance.dead === null) {
        outcome.reject(error);
      } else {
        this.#lose(entry);
      }
    }
    return outcome.promise;
  }

  /**
   * Starts something that an AbortSignal of the page's may cancel.
   * @param {any} signal @param {Ticket} entry @param {() => void} cancel @param {() => void} start
   */
  #watch(signal, entry, cancel, start) {
    if (signal === undefined || signal === null) {
      start();
      return;
    }
    const already = signalAborted(signal);
    addListener(signal, "abort", cancel);
    entry.release = () => removeListener(signal, "abort", cancel);
    start();
    if (already) {
      cancel();
    }
  }

  /** @param {Surface} surface @param {Ticket} entry @param {any} request @param {any} options */
  #requestText(surface, entry, request, options) {
    if (!isObject(request)) {
      throw new NativeTypeError("invoke: request must be an object");
    }
    let text = "";
    for (let i = 0; i < REQUEST_FIELDS.length; i++) {
      const name = /** @type {string} */ (REQUEST_FIELDS[i]);
      const value = pick(request, name);
      if (value === undefined) {
        continue;
      }
      if (typeof value !== "string") {
        throw new NativeTypeError(`invoke: ${name} must be a string`);
      }
      text = member(text, name, written(value, name));
      if (name === "invocationId" || name === "capabilityId") {
        entry[name] = value;
      }
    }
    const input = pick(request, "input");
    if (input !== undefined) {
      const inputText = toText(input, { __proto__: null, depth: surface.inputDepth, length: surface.inputBytes });
      text = typeof inputText === "string" ? member(text, "input", inputText) : member(text, "inputIssue", written(inputText, ""));
    }
    if (isObject(options)) {
      const consumer = pick(options, "consumer");
      text = consumer === undefined ? text : member(text, "consumer", written(consumer, "consumer"));
      const timeout = pick(options, "timeoutMs");
      text = timeout === undefined ? text : member(text, "timeoutMs", written(timeout, "timeoutMs"));
    }
    return `{${text}}`;
  }

  /** @param {Surface} surface @param {Map<any, true>} listeners @param {any} listener */
  #subscribe(surface, listeners, listener) {
    if (typeof listener !== "function") {
      throw new NativeTypeError("subscribe: listener must be a function");
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
      const wanted = mapSize(surface.listeners) + mapSize(surface.watchers) > 0;
      this.#instance.call(Op.Listen, surface.number, wanted ? 1 : 0, "");
    }
  }

  /** @param {Surface} surface */
  #confirmations(surface) {
    const call = (/** @type {number} */ op, /** @type {number} */ b, /** @type {string} */ text) => this.#call(surface, op, b, text);
    return freeze({
      pending: () => fromText(call(Op.Pending, 0, "")),
      resolve: (/** @type {any} */ id, /** @type {any} */ decision) => {
        const approved = isObject(decision) && pick(decision, "approved") === true;
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
    /** @type {Ticket} */
    const entry = { __proto__: null, surface, resolve: outcome.resolve, reject: outcome.reject, invocationId: null, capabilityId: "", release: () => {} };
    try {
      const text = idText(id);
      mapSet(this.#tickets, ticket, entry);
      const cancel = () => {
        this.#instance.send(Op.CancelAwait, surface.number, ticket, "");
        this.#finish(ticket, "expired");
      };
      this.#watch(isObject(options) ? pick(options, "signal") : undefined, entry, cancel, () => {
        this.#call(surface, Op.AwaitConfirmation, ticket, text);
      });
    } catch (error) {
      mapDelete(this.#tickets, ticket);
      outcome.reject(error);
    }
    return outcome.promise;
  }

  /** @param {number} ticket @param {any} value */
  #finish(ticket, value) {
    const entry = mapGet(this.#tickets, ticket);
    if (entry !== undefined) {
      mapDelete(this.#tickets, ticket);
      entry.release();
      entry.resolve(value);
    }
  }

  /** @param {number} ticket @param {string} text the result of a call */
  result(ticket, text) {
    const entry = mapGet(this.#tickets, ticket);
    if (entry === undefined) {
      return;
    }
    mapDelete(this.#tickets, ticket);
    entry.release();
    resolvePlain(entry, jsonParse(text));
  }

  /** @param {number} ticket @param {string} outcome */
  outcome(ticket, outcome) {
    this.#finish(ticket, outcome);
  }

  /** @param {Ticket} entry */
  #lose(entry) {
    entry.release();
    if (entry.invocationId === null) {
      entry.resolve("expired");
      return;
    }
    resolvePlain(entry, {
      status: "error", invocationId: entry.invocationId, capabilityId: entry.capabilityId, error: lostPayload(), surfaceVersion: "0",
    });
  }

  /** The runtime is dead: whoever waits is told. */
  loseAll() {
    const tickets = this.#tickets;
    this.#tickets = new NativeMap();
    mapForEach(tickets, (entry) => this.#lose(entry));
  }

  /** @param {Surface} surface @param {any} executor */
  #setExecutor(surface, executor) {
    if (executor !== null && executor !== undefined && (!isObject(executor) || typeof pick(executor, "execute") !== "function")) {
      throw new NativeTypeError("setProcedureExecutor: want an object with an execute function");
    }
    const owner = this.#callbacks.owner(surface.number);
    if (owner !== undefined) {
      owner.executor = executor ?? null;
    }
    this.#call(surface, Op.SetExecutor, executor === null || executor === undefined ? 0 : 1, "");
  }

  /** @param {Surface} surface */
  #dispose(surface) {
    if (surface.disposed) {
      return;
    }
    this.#call(surface, Op.Dispose, 0, "");
    surface.disposed = true;
    mapDelete(this.#byNumber, surface.number);
    this.#callbacks.freeOwner(surface.number);
    surface.listeners = new NativeMap();
    surface.watchers = new NativeMap();
  }

  /** @param {number} number @param {string} text an event */
  event(number, text) {
    const surface = mapGet(this.#byNumber, number);
    if (surface === undefined) {
      return;
    }
    const event = fromText(text);
    mapForEach(surface.listeners, (_, listener) => quietly(() => listener(event)));
    if (mapSize(surface.watchers) > 0 && (event.type === "confirmation-requested" || event.type === "confirmation-resolved")) {
      const pending = fromText(this.#instance.call(Op.Pending, number, 0, ""));
      mapForEach(surface.watchers, (_, watcher) => quietly(() => watcher(pending)));
    }
  }

  /** @param {number} number @param {string} text an audit event */
  audit(number, text) {
    const surface = mapGet(this.#byNumber, number);
    const sink = surface?.sink;
    if (isObject(sink)) {
      quietly(() => {
        const record = typeof sink === "function" ? sink : pick(sink, "record");
        apply(record, sink, [fromText(text)]);
      });
    }
  }

  /** Sizes, for leak tests. */
  sizes() {
    return { tickets: mapSize(this.#tickets), registries: mapSize(this.#byNumber) };
  }
}

/** What a listener or a sink of the page throws is the page's matter. @param {() => void} run */
function quietly(run) {
  try {
    run();
  } catch (error) {
    report("error", "pagewarden: a listener or sink of the page failed", error);
  }
}

/** @param {readonly string[]} list @param {string} name */
function has(list, name) {
  for (let i = 0; i < list.length; i++) {
    if (list[i] === name) {
      return true;
    }
  }
  return false;
}

/** @param {unknown} id */
function idText(id) {
  if (typeof id !== "string") {
    throw new NativeTypeError("a confirmation id must be a string");
  }
  return id;
}

/**
 * The members of a snapshot context: { consumer?, scope?, includeUnavailable?, budget? }.
 * @param {string} text
 * @param {any} context
 */
export function snapshotMembers(text, context) {
  if (!isObject(context)) {
    throw new NativeTypeError("a snapshot context must be an object");
  }
  const names = ["consumer", "scope", "includeUnavailable", "budget"];
  for (let i = 0; i < names.length; i++) {
    const name = /** @type {string} */ (names[i]);
    const value = pick(context, name);
    text = value === undefined ? text : member(text, name, written(value, name));
  }
  return text;
}

/**
 * Resolves a promise with a plain object. While it is being resolved the object has no prototype, so that a
 * then on Object.prototype is not asked.
 * @param {{ resolve: (value: any) => void }} outcome
 * @param {any} value parsed JSON
 */
export function resolvePlain(outcome, value) {
  setPrototypeOf(value, null);
  outcome.resolve(value);
  setPrototypeOf(value, objectPrototype);
  deepFreeze(value);
}
