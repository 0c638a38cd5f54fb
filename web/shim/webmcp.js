// @ts-check
/**
 * The page's side of the WebMCP adapter: which object lists tools, and the tools themselves. What is offered,
 * when, and what a call comes to is decided in Go (webmcp).
 */
import {
  NativeAbortController, NativeMap, NativeTypeError, NativeWeakMap, abortController, abortSignalOf, addListener, apply, freeze, isObject, jsonParse, mapDelete,
  mapForEach, mapGet, mapSet, mapSize, objectKeys, pageDocument, pageNavigator, pick, removeListener, signalAborted, weakGet, weakSet,
} from "./intrinsics.js";
import { lostPayload, thrown } from "./errors.js";
import { written } from "./definitions.js";
import { Answer, Op, Question } from "./ops.js";
import { deferred, follow } from "./promises.js";
import { resolvePlain, snapshotMembers } from "./registry.js";
import { fromText, member, toText } from "./values.js";

/**
 * @typedef {import("./callbacks.js").Reply} Reply
 * @typedef {{ __proto__?: null, options: any, modelContext: any, stopped: boolean, started: boolean }} Adapter
 * @typedef {{ __proto__?: null, adapter: number, client: any, resolve: (value: any) => void, release: () => void }} ToolCall
 */

const OPTIONS = ["modelContext", "snapshotContext", "exposeCapability", "confirm", "confirmWithoutClient", "exposedTo"];
const INPUT_LIMITS = freeze({ __proto__: null, depth: 200, length: 4 << 20 });

/** @type {Reply} */
const NOTHING = freeze({ __proto__: null, answer: Answer.Value, text: "" });

export class WebMCP {
  /** @type {import("./instance.js").Instance} */ #instance;
  /** @type {import("./registry.js").Registries} */ #registries;
  /** @type {Map<number, Adapter>} */ #adapters = new NativeMap();
  /** @type {WeakMap<object, number>} */ #objectNumbers = new NativeWeakMap();
  /** @type {Map<number, any>} */ #objects = new NativeMap();
  /** @type {Map<string, AbortController>} */ #controllers = new NativeMap();
  /** @type {Map<string, any>} */ #tools = new NativeMap();
  /** @type {Map<number, ToolCall>} */ #calls = new NativeMap();
  #lastCall = 0;
  #lastObject = 0;
  #watching = false;

  /** @param {import("./instance.js").Instance} instance @param {import("./registry.js").Registries} registries */
  constructor(instance, registries) {
    this.#instance = instance;
    this.#registries = registries;
  }

  /** @param {any} [options] */
  create(options) {
    const given = options ?? {};
    if (!isObject(given)) {
      throw new NativeTypeError("createWebMcpAdapter: options must be an object");
    }
    /** @type {Adapter} */
    const adapter = { __proto__: null, options: given, modelContext: pick(given, "modelContext"), stopped: false, started: false };
    const number = +this.#instance.call(Op.CreateAdapter, 0, 0, adapterOptions(given));
    mapSet(this.#adapters, number, adapter);
    return freeze({
      name: "webmcp",
      start: (/** @type {any} */ host) => this.#start(number, adapter, host),
      stop: () => this.#stop(number, adapter),
      status: () => fromText(this.#instance.call(Op.AdapterStatus, number, 0, "")),
    });
  }

  /** @param {number} number @param {Adapter} adapter @param {any} host */
  #start(number, adapter, host) {
    if (!isObject(host)) {
      throw new NativeTypeError("start: want { registry, consumer, snapshotContext? }");
    }
    const surface = this.#registries.surfaceOf(pick(host, "registry"), "start");
    let text = "";
    const consumer = pick(host, "consumer");
    text = consumer === undefined ? text : member(text, "consumer", written(consumer, "consumer"));
    const context = pick(host, "snapshotContext");
    text = context === undefined ? text : member(text, "snapshotContext", `{${snapshotMembers("", context)}}`);
    adapter.stopped = false;
    this.#instance.call(Op.StartAdapter, number, surface.number, `{${text}}`);
    adapter.started = true;
    this.#watchVisibility();
  }

  /** @param {number} number @param {Adapter} adapter */
  #stop(number, adapter) {
    adapter.stopped = true;
    adapter.started = false;
    this.#instance.call(Op.StopAdapter, number, 0, "");
  }

  /** The catalog is read again when the page becomes visible. */
  #watchVisibility() {
    if (this.#watching || pageDocument === undefined) {
      return;
    }
    this.#watching = true;
    addListener(pageDocument, "visibilitychange", () => {
      if (pageDocument?.visibilityState === "visible") {
        mapForEach(this.#adapters, (adapter, number) => {
          if (adapter.started) {
            this.#instance.send(Op.RefreshAdapter, number, 0, "");
          }
        });
      }
    });
  }

  /** @param {number} question @param {number} a @param {number} b @param {number} ticket @param {string} text @returns {Reply} */
  answer(question, a, b, ticket, text) {
    switch (question) {
      case Question.FindContext:
        return this.#find(a);
      case Question.AddTool:
        return this.#attempt(() => this.#add(a, b, ticket, text));
      case Question.RemoveTool:
        return this.#attempt(() => this.#remove(a, text));
      case Question.ReplaceTools:
        return this.#attempt(() => this.#replace(a, text));
      case Question.Expose:
        return this.#expose(a, text);
      case Question.Confirm:
        return this.#confirm(a, b, ticket, text);
    }
    return { __proto__: null, answer: Answer.Failed, text: "" };
  }

  /** @param {number} number @returns {Reply} */
  #find(number) {
    const adapter = mapGet(this.#adapters, number);
    const found = adapter?.modelContext ?? modelContextOfPage();
    const style = found === undefined ? undefined : styleOf(found);
    if (style === undefined) {
      return NOTHING;
    }
    let object = weakGet(this.#objectNumbers, found);
    if (object === undefined) {
      object = ++this.#lastObject;
      weakSet(this.#objectNumbers, found, object);
      mapSet(this.#objects, object, found);
    }
    return { __proto__: null, answer: Answer.Value, text: `{"object":${object},"style":"${style}"}` };
  }

  /** @param {() => Reply} run @returns {Reply} what the browser threw, as text */
  #attempt(run) {
    try {
      return run();
    } catch (error) {
      return { __proto__: null, answer: Answer.Failed, text: describe(error) };
    }
  }

  /** @param {number} object @param {number} adapter @param {number} ticket @param {string} text @returns {Reply} */
  #add(object, adapter, ticket, text) {
    const context = mapGet(this.#objects, object);
    const request = jsonParse(text);
    const tool = this.#tool(adapter, request);
    const options = { __proto__: null, signal: this.#signal(request.token), ...exposure(request) };
    const result = styleOf(context) === "by-name" ? context.registerTool(tool) : context.registerTool(tool, options);
    let later = false;
    /** @type {Reply} */
    let reply = { __proto__: null, answer: Answer.Pending, text: "" };
    /** @param {string} refusal */
    const settle = (refusal) => {
      if (later) {
        this.#instance.send(Op.ToolAdded, ticket, 0, refusal);
      } else {
        reply = { __proto__: null, answer: refusal === "" ? Answer.Value : Answer.Failed, text: refusal };
      }
    };
    follow(result, () => settle(""), (error) => settle(describe(error)));
    later = true;
    return reply;
  }

  /** @param {string} token */
  #signal(token) {
    const controller = new NativeAbortController();
    mapSet(this.#controllers, token, controller);
    return abortSignalOf(controller);
  }

  /** @param {number} object @param {string} text @returns {Reply} */
  #remove(object, text) {
    const context = mapGet(this.#objects, object);
    const request = jsonParse(text);
    const controller = mapGet(this.#controllers, request.token);
    mapDelete(this.#controllers, request.token);
    if (styleOf(context) === "by-name") {
      context.unregisterTool(request.tool.name);
    } else if (controller !== undefined) {
      abortController(controller);
    }
    return NOTHING;
  }

  /** @param {number} object @param {string} text @returns {Reply} */
  #replace(object, text) {
    const context = mapGet(this.#objects, object);
    const requests = jsonParse(text);
    if (requests.length === 0 && typeof context.clearContext === "function") {
      this.#tools = new NativeMap();
      context.clearContext();
      return NOTHING;
    }
    const known = this.#tools;
    this.#tools = new NativeMap();
    for (let i = 0; i < requests.length; i++) {
      const { adapter, tool } = requests[i];
      requests[i] = mapGet(known, tool.token) ?? this.#tool(adapter, tool);
      mapSet(this.#tools, tool.token, requests[i]);
    }
    context.provideContext({ tools: requests });
    return NOTHING;
  }

  /** The object that the browser gets. @param {number} adapter @param {any} request { token, tool } */
  #tool(adapter, request) {
    const tool = request.tool;
    const token = request.token;
    tool.execute = (/** @type {any} */ input, /** @type {any} */ second) => this.#call(adapter, token, input, second);
    return tool;
  }

  /** @param {number} adapter @param {string} token @param {any} input @param {any} second a client, options with a signal, both or nothing */
  #call(adapter, token, input, second) {
    const outcome = deferred();
    const ticket = ++this.#lastCall;
    const signal = isObject(second) ? pick(second, "signal") : undefined;
    const client = isObject(second) && typeof pick(second, "requestUserInteraction") === "function" ? second : null;
    /** @type {ToolCall} */
    const call = { __proto__: null, adapter, client, resolve: outcome.resolve, release: () => {} };
    if (this.#instance.dead !== null) {
      this.#lose(call);
      return outcome.promise;
    }
    mapSet(this.#calls, ticket, call);
    try {
      let text = member("", "token", written(token, "token"));
      text = member(text, "client", client === null ? "false" : "true");
      if (isSignal(signal)) {
        text = member(text, "aborted", signalAborted(signal) ? "true" : "false");
        const cancel = () => this.#instance.send(Op.CancelTool, adapter, ticket, "");
        addListener(signal, "abort", cancel);
        call.release = () => removeListener(signal, "abort", cancel);
      }
      if (input !== undefined) {
        const written = toText(input, INPUT_LIMITS);
        // A value that JSON cannot write is none that the schema could accept; a text says so with a path.
        text = member(text, "input", typeof written === "string" ? written : "[]");
      }
      this.#instance.call(Op.CallTool, adapter, ticket, `{${text}}`);
    } catch {
      mapDelete(this.#calls, ticket);
      this.#lose(call);
    }
    return outcome.promise;
  }

  /** @param {number} ticket @param {string} text the result of a tool call */
  result(ticket, text) {
    const call = mapGet(this.#calls, ticket);
    if (call !== undefined) {
      mapDelete(this.#calls, ticket);
      call.release();
      resolvePlain(call, jsonParse(text));
    }
  }

  /** @param {ToolCall} call */
  #lose(call) {
    call.release();
    const payload = lostPayload();
    resolvePlain(call, { content: [{ type: "text", text: written(payload, "") }], isError: true });
  }

  /** The runtime is dead: calls are answered and tools withdrawn as far as the browser lets us. */
  loseAll() {
    const calls = this.#calls;
    this.#calls = new NativeMap();
    mapForEach(calls, (call) => this.#lose(call));
    mapForEach(this.#controllers, (controller) => abortController(controller));
    this.#controllers = new NativeMap();
    mapForEach(this.#adapters, (adapter) => {
      adapter.started = false;
    });
  }

  /** @param {number} number @param {string} text a capability's descriptor @returns {Reply} */
  #expose(number, text) {
    const options = /** @type {Adapter} */ (mapGet(this.#adapters, number)).options;
    const decision = apply(pick(options, "exposeCapability"), options, [fromText(text)]);
    if (decision === undefined) {
      return NOTHING;
    }
    const decided = toText(decision, { __proto__: null, depth: 4, length: 4096 });
    return typeof decided === "string" ? { __proto__: null, answer: Answer.Value, text: decided } : { __proto__: null, answer: Answer.Failed, text: "" };
  }

  /** @param {number} number @param {number} toolCall @param {number} ticket @param {string} text the pending record @returns {Reply} */
  #confirm(number, toolCall, ticket, text) {
    const options = /** @type {Adapter} */ (mapGet(this.#adapters, number)).options;
    const client = mapGet(this.#calls, toolCall)?.client ?? null;
    const pending = fromText(text);
    const ask = () => apply(pick(options, "confirm"), options, [pending, client]);
    const send = (/** @type {Reply} */ reply) => this.#instance.send(Op.Settle, ticket, reply.answer, reply.text);
    const result = client === null ? ask() : client.requestUserInteraction(ask);
    follow(
      result,
      (approved) => later(() => send({ __proto__: null, answer: Answer.Value, text: approved === true ? "true" : "false" })),
      (error) => later(() => send(thrown(error))),
    );
    return { __proto__: null, answer: Answer.Pending, text: "" };
  }

  /** Sizes, for leak tests. */
  sizes() {
    return { toolCalls: mapSize(this.#calls), controllers: mapSize(this.#controllers), tools: mapSize(this.#tools) };
  }
}

/** Runs after the present question has been answered. @param {() => void} run */
function later(run) {
  const soon = deferred();
  soon.resolve(undefined);
  follow(soon.promise, run, run);
}

/** @param {any} options */
function adapterOptions(options) {
  let text = "";
  const context = pick(options, "snapshotContext");
  text = context === undefined ? text : member(text, "snapshotContext", `{${snapshotMembers("", context)}}`);
  text = member(text, "exposeCapability", typeof pick(options, "exposeCapability") === "function" ? "true" : "");
  text = member(text, "confirm", typeof pick(options, "confirm") === "function" ? "true" : "");
  text = member(text, "confirmWithoutClient", pick(options, "confirmWithoutClient") === true ? "true" : "");
  const origins = pick(options, "exposedTo");
  text = origins === undefined ? text : member(text, "exposedTo", written(origins, "exposedTo"));
  const names = objectKeys(options);
  for (let i = 0; i < names.length; i++) {
    let known = false;
    for (let j = 0; j < OPTIONS.length; j++) {
      known ||= OPTIONS[j] === names[i];
    }
    text = known ? text : member(text, /** @type {string} */ (names[i]), "null");
  }
  return `{${text}}`;
}

/** The page's object that lists tools: document's if it can register, else navigator's. */
function modelContextOfPage() {
  const holders = { __proto__: null, first: pageDocument, second: pageNavigator };
  return usable(holders.first) ?? usable(holders.second);
}

/** @param {any} holder */
function usable(holder) {
  try {
    const context = holder === undefined ? undefined : holder.modelContext;
    return isObject(context) && styleOf(context) !== undefined ? context : undefined;
  } catch {
    return undefined;
  }
}

/** How an object takes tools away, by what it has. @param {any} context @returns {"by-name" | "whole-set" | "by-signal" | undefined} */
function styleOf(context) {
  try {
    const registers = typeof context.registerTool === "function";
    if (registers && typeof context.unregisterTool === "function") {
      return "by-name";
    }
    if (typeof context.provideContext === "function") {
      return "whole-set";
    }
    return registers ? "by-signal" : undefined;
  } catch {
    return undefined;
  }
}

/** @param {any} signal */
function isSignal(signal) {
  try {
    return isObject(signal) && typeof signalAborted(signal) === "boolean";
  } catch {
    return false;
  }
}

/** @param {any} request */
const exposure = (request) => (request.exposedTo === undefined ? undefined : { exposedTo: request.exposedTo });

/** What the browser said, for developers. @param {any} error */
function describe(error) {
  try {
    return `${pick(error, "name") ?? "Error"}: ${pick(error, "message") ?? ""}`;
  } catch {
    return "an error that cannot be read";
  }
}
