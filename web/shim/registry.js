// @ts-check
/** The registry that a page holds: frozen objects whose methods cross to the runtime and back. */
import {
  NativeError, NativeMap, NativeTypeError, NativeWeakMap, addListener, apply, freeze, isObject, jsonParse, mapDelete, mapForEach, mapGet, mapSet, mapSize, stackNow,
  define, pick, removeListener, report, signalAborted, weakGet, weakSet,
} from "./intrinsics.js";
import { failedPayload, invalidDefinition, isAgentSurfaceError, lostPayload, malformedPayload, say } from "./errors.js";
import { DefinitionWriter, append, listWithRoom, written } from "./definitions.js";
import * as Op from "./ops/op.js";
import { deferred, resolvePlain } from "./promises.js";
import { fromText, member, toText } from "./values.js";

/**
 * @typedef {import("./callbacks.js").Callbacks} Callbacks
 * @typedef {import("./instance.js").Instance} Instance
 * One registry of this runtime.
 * @typedef {{ __proto__?: null, number: number, disposed: boolean, inputBytes: number, inputDepth: number, listeners: Map<(event: any) => void, true>,
 *   watchers: Map<(pending: any) => void, true>, sink: any }} Surface
 * A promise that the page holds: of a call, or of a confirmation when invocationId is null.
 * @typedef {{ __proto__?: null, surface: Surface, resolve: (value: any) => void, reject: (error: any) => void, invocationId: string | null, capabilityId: string, signal?: any, release: () => void }} Ticket
 */

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
    report("warn", `pagewarden: ${say("open")}`);
    const authority = freeze({ mode: "open" });
    weakSet(this.#authorities, authority, `{"allowInProduction":${allow}}`);
    return authority;
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
    /** @type {Surface} */
    const surface = {
      __proto__: null, number: made.registry, disposed: false, inputBytes: made.maxInputBytes, inputDepth: made.maxInputDepth,
      listeners: new NativeMap(), watchers: new NativeMap(), sink: pick(options, "audit"),
    };
    this.#callbacks.keepOwner(surface.number, {
      __proto__: null, options, kept: writer.kept, executor: null, developing: pick(options, "environment") === "development",
      depth: made.maxInputDepth, outputBytes: made.maxOutputBytes,
    });
    mapSet(this.#byNumber, surface.number, surface);
    const registry = this.#object(surface, made.surfaceId, made.authorityMode);
    weakSet(this.#surfaces, registry, surface);
    return registry;
  }

  /** @param {any} options @param {DefinitionWriter} writer */
  #options(options, writer) {
    const text = member("", "options", writer.writeBy(options, "options", ""));
    const authority = pick(options, "authority");
    if (authority === undefined) {
      return `{${text}}`;
    }
    const known = isObject(authority) ? weakGet(this.#authorities, authority) : undefined;
    if (known === undefined) {
      throw new NativeTypeError(say("authority"));
    }
    return `{${member(text, "authority", known)}}`;
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
      register: (/** @type {any} */ definition) => this.#register(surface, definition),
      snapshot: (/** @type {any} */ context) => fromText(call(Op.Snapshot, 0, context === undefined ? "{}" : this.describeBy(context, "snapshot"))),
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

  /** What names the one registration that offers a capability. @param {any} registry @param {any} consumer @param {any} request @param {number} capture 1 if there must be one */
  offeringOf(registry, consumer, request, capture) {
    const text = written({ consumer, capabilityId: pick(request, "capabilityId"), instanceId: pick(request, "instanceId") }, "request");
    return fromText(this.#call(this.surfaceOf(registry, "createTestSurface"), Op.Offering, capture, text));
  }

  /** @param {Surface} surface @param {any} definition */
  #register(surface, definition) {
    const writer = new DefinitionWriter(definition, this.#callbacks, invalidDefinition);
    const number = this.#callbacks.reserve();
    this.#callbacks.keepDefinition(number, writer.kept, surface.number);
    const outer = this.#callbacks.stack;
    let made;
    try {
      const text = writer.writeBy(definition, "component", "");
      this.#callbacks.stack = this.#callbacks.owner(surface.number)?.developing ? stackNow() : "";
      made = jsonParse(this.#call(surface, Op.Register, number, text));
    } catch (error) {
      this.#callbacks.free(number, true);
      throw error;
    } finally {
      this.#callbacks.stack = outer;
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
      define(handle, "reason", made.reason);
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
    let text;
    let signal;
    try {
      text = this.#requestText(surface, entry, request, options);
      signal = signalIn(options);
    } catch (error) {
      this.#refuse(entry, error);
      return outcome.promise;
    }
    mapSet(this.#tickets, ticket, entry);
    try {
      this.#watch(signal, entry, () => this.#withdraw(surface, signal), (aborted) => {
        this.#call(surface, Op.Invoke, ticket, `{${member(text, "aborted", aborted ? "true" : "")}}`);
      });
    } catch (error) {
      mapDelete(this.#tickets, ticket);
      entry.release();
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
    } else if (entry.surface.disposed) {
      entry.reject(new NativeError("this registry has been disposed of"));
    } else {
      const ours = isAgentSurfaceError(error) ? failedPayload("internal") : malformedPayload(messageOf(error));
      resolvePlain(entry, errorResult(entry, ours, this.#call(entry.surface, Op.Version, 0, "")));
    }
  }

  /**
   * Starts something that an AbortSignal of the page's may cancel.
   * @param {any} signal @param {Ticket} entry @param {() => void} cancel
   * @param {(aborted: boolean) => void} start told whether the signal is aborted already
   */
  #watch(signal, entry, cancel, start) {
    if (signal === undefined) {
      start(false);
      return;
    }
    addListener(signal, "abort", cancel);
    entry.signal = signal;
    entry.release = () => removeListener(signal, "abort", cancel);
    start(signalAborted(signal));
  }

  /**
   * Withdraws every call of a signal at once: one by one, the end of the first would start the next.
   * @param {Surface} surface @param {any} signal
   */
  #withdraw(surface, signal) {
    let list = "";
    mapForEach(this.#tickets, (entry, ticket) => {
      if (entry.signal === signal && entry.surface === surface && entry.invocationId !== null) {
        list += list === "" ? `${ticket}` : `,${ticket}`;
      }
    });
    this.#instance.send(Op.Cancel, surface.number, 0, `[${list}]`);
  }

  /** The members of a request. @param {Surface} surface @param {Ticket} entry @param {any} request @param {any} options */
  #requestText(surface, entry, request, options) {
    if (!isObject(request)) {
      throw new NativeTypeError(say("request"));
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
    return text;
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
      const signal = signalIn(options);
      mapSet(this.#tickets, ticket, entry);
      const cancel = () => {
        this.#instance.send(Op.CancelAwait, surface.number, ticket, "");
        this.#finish(ticket, "expired");
      };
      this.#watch(signal, entry, cancel, (aborted) => {
        this.#call(surface, Op.AwaitConfirmation, ticket, text);
        if (aborted) {
          cancel();
        }
      });
    } catch (error) {
      mapDelete(this.#tickets, ticket);
      entry.release();
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
    if (executor !== null && executor !== undefined && (!isObject(executor) || typeof pick(executor, "execute") !== "function")) {
      throw new NativeTypeError(say("executor"));
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
    tellAll(surface.listeners, event);
    if (mapSize(surface.watchers) > 0 && (event.type === "confirmation-requested" || event.type === "confirmation-resolved")) {
      tellAll(surface.watchers, fromText(this.#instance.call(Op.Pending, number, 0, "")));
    }
  }

  /** @param {number} number @param {number} policy whose sink is meant, 0 for the registry's @param {string} text an audit event */
  audit(number, policy, text) {
    const sink = policy === 0 ? mapGet(this.#byNumber, number)?.sink : pick(this.#callbacks.policyOf(policy), "0");
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
  const signal = isObject(options) ? pick(options, "signal") : undefined;
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
  try {
    const message = isObject(error) ? pick(error, "message") : undefined;
    return typeof message === "string" ? message : say("unread");
  } catch {
    return say("unread");
  }
}

/** @param {Ticket} entry @param {object} error a payload @param {string} surfaceVersion */
const errorResult = (entry, error, surfaceVersion) => ({
  status: "error", invocationId: entry.invocationId, capabilityId: entry.capabilityId, error, surfaceVersion,
});

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
