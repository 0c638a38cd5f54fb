// @ts-check
/**
 * The page's side of the WebMCP adapter: which object lists tools, and the tools themselves. What is offered,
 * when, and what a call comes to is decided in Go (webmcp).
 */
import {
  NativeAbortController, NativeError, NativeMap, NativeTypeError, NativeWeakMap, abortSignalOf, addListener, apply, freeze, isObject, jsonParse, mapDelete, mapForEach,
  mapGet, mapSet, mapSize, pageDocument, pick, removeListener, signalAborted, weakGet, weakSet,
} from "./intrinsics.js";
import { describe, giveTool, isSignal, modelContextOfPage, provide, styleOf, takeTool } from "./contexts.js";
import { lostPayload, thrown } from "./errors.js";
import { written } from "./definitions.js";
import { homeOf } from "./frames.js";
import * as Answer from "./ops/answer.js";
import * as Op from "./ops/op.js";
import * as Question from "./ops/question.js";
import { deferred, follow, later, resolvePlain } from "./promises.js";
import { inputText } from "./registry.js";
import { NOTHING, failed, replyText, replyWith } from "./replies.js";
import { say } from "./texts.js";
import { deepFreeze, fromText, member, quote, toText } from "./values.js";

/**
 * @typedef {import("./replies.js").Reply} Reply
 * An adapter; live while the runtime has one under its number, and contexts are the objects that it has found then.
 * status is its last one as text, empty before the first start.
 * @typedef {{ __proto__?: null, options: any, text: string, modelContext: any, live: boolean, status: string, contexts: Map<number, true> }} Adapter
 * @typedef {import("./contexts.js").Style} Style
 * An object of the page that lists tools, its style as it was found, its document, how many live adapters have found it, and the
 * tools that it was given as a whole set.
 * @typedef {{ __proto__?: null, object: any, style: Style, home: Document | undefined, users: number, tools: Map<string, any> }} Context
 * A tool that an object was given by itself.
 * @typedef {{ __proto__?: null, context: Context, name: string, controller: AbortController }} Given
 * @typedef {{ __proto__?: null, adapter: number, client: any, resolve: (value: any) => void, release: () => void }} ToolCall
 */

export class WebMCP {
  /** @type {import("./instance.js").Instance} */ #instance;
  /** @type {import("./registry.js").Registries} */ #registries;
  /** @type {Map<number, Adapter>} */ #adapters = new NativeMap();
  /** @type {WeakMap<object, number>} */ #objectNumbers = new NativeWeakMap();
  /** @type {Map<number, Context>} */ #contexts = new NativeMap();
  /** @type {Map<string, Given>} */ #given = new NativeMap();
  /** @type {Map<number, ToolCall>} */ #calls = new NativeMap();
  #lastCall = 0;
  #lastObject = 0;
  #lastAdapter = 0;
  #watching = false;

  /** @param {import("./instance.js").Instance} instance @param {import("./registry.js").Registries} registries */
  constructor(instance, registries) {
    this.#instance = instance;
    this.#registries = registries;
  }

  /** @param {any} [options] */
  create(options) {
    const given = options ?? {};
    /** @type {Adapter} */
    const adapter = {
      __proto__: null, options: given, text: this.#registries.describeBy(given, "adapter"), modelContext: pick(given, "modelContext"), live: false, status: "",
      contexts: new NativeMap(),
    };
    this.#instance.call(Op.CheckAdapter, 0, 0, adapter.text);
    const number = ++this.#lastAdapter;
    return freeze({
      name: "webmcp",
      start: (/** @type {any} */ host) => this.#start(number, adapter, host),
      stop: () => this.#stop(number, adapter),
      status: () => {
        const text = adapter.live ? this.#instance.call(Op.AdapterStatus, number, 0, "") : adapter.status;
        return text === "" ? say("unstarted") : fromText(text);
      },
    });
  }

  /** @param {number} number @param {Adapter} adapter @param {any} host */
  #start(number, adapter, host) {
    if (!isObject(host)) {
      throw new NativeTypeError(say("start"));
    }
    const surface = this.#registries.surfaceOf(pick(host, "registry"), "start");
    let text = member("", "options", adapter.text);
    const consumer = pick(host, "consumer");
    text = consumer === undefined ? text : member(text, "consumer", written(consumer, "consumer"));
    const context = pick(host, "snapshotContext");
    text = context === undefined ? text : member(text, "snapshotContext", this.#registries.describeBy(context, "snapshot"));
    const was = adapter.live;
    adapter.live = true;
    mapSet(this.#adapters, number, adapter);
    try {
      this.#instance.call(Op.StartAdapter, number, surface.number, `{${text}}`);
    } catch (error) {
      if (!was) {
        this.idle(number, adapter.status);
      }
      throw error;
    }
    this.#watchVisibility();
  }

  /** @param {number} number @param {Adapter} adapter */
  #stop(number, adapter) {
    if (adapter.live) {
      this.#instance.call(Op.StopAdapter, number, 0, "");
    }
  }

  /** The runtime has let go of an adapter: it has stopped and nothing of it is left. @param {number} number @param {string} status */
  idle(number, status) {
    const adapter = mapGet(this.#adapters, number);
    if (adapter === undefined) {
      return;
    }
    mapDelete(this.#adapters, number);
    adapter.live = false;
    adapter.status = status;
    mapForEach(adapter.contexts, (_, object) => {
      const context = mapGet(this.#contexts, object);
      if (context !== undefined && --context.users === 0) {
        mapDelete(this.#contexts, object);
      }
    });
    adapter.contexts = new NativeMap();
  }

  /** The catalog is read again when the page becomes visible, and, for the sake of few reads of the page, when it hides. */
  #watchVisibility() {
    if (this.#watching || pageDocument === undefined) {
      return;
    }
    this.#watching = true;
    addListener(pageDocument, "visibilitychange", () => {
      mapForEach(this.#adapters, (_, number) => this.#instance.send(Op.RefreshAdapter, number, 0, ""));
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
    return failed();
  }

  /** @param {number} number @returns {Reply} */
  #find(number) {
    const adapter = mapGet(this.#adapters, number);
    const found = adapter?.modelContext ?? modelContextOfPage();
    const style = found === undefined ? undefined : styleOf(found);
    if (adapter === undefined || style === undefined) {
      return NOTHING;
    }
    let object = weakGet(this.#objectNumbers, found);
    if (object === undefined) {
      object = ++this.#lastObject;
      weakSet(this.#objectNumbers, found, object);
    }
    const context = this.#use(adapter, object, found, style);
    return replyText(`{"object":${object},"style":"${context.style}"}`);
  }

  /** While an object is in use its style stays what it was, whatever methods it gets or loses. @param {Adapter} adapter @param {number} number @param {object} object @param {Style} style */
  #use(adapter, number, object, style) {
    /** @type {Context} */
    const context = mapGet(this.#contexts, number) ?? { __proto__: null, object, style, home: homeOf(object), users: 0, tools: new NativeMap() };
    mapSet(this.#contexts, number, context);
    if (mapGet(adapter.contexts, number) === undefined) {
      mapSet(adapter.contexts, number, true);
      context.users++;
    }
    return context;
  }

  /** @param {number} number */
  #context(number) {
    return /** @type {Context} */ (mapGet(this.#contexts, number));
  }

  /** @param {() => Reply} run @returns {Reply} what the browser threw, as text */
  #attempt(run) {
    try {
      return run();
    } catch (error) {
      return replyWith(Answer.Failed, describe(error));
    }
  }

  /** @param {number} object @param {number} adapter @param {number} ticket @param {string} text @returns {Reply} */
  #add(object, adapter, ticket, text) {
    const context = this.#context(object);
    const request = jsonParse(text);
    const given = { __proto__: null, context, name: request.tool.name, controller: new NativeAbortController() };
    mapSet(this.#given, request.token, given);
    let returned = false;
    /** @type {Reply} */
    let reply = replyWith(Answer.Pending, "");
    /** @param {string} refusal */
    const settle = (refusal) => {
      if (refusal !== "") {
        mapDelete(this.#given, request.token);
        if (context.style === "by-signal") {
          this.#attempt(() => withdraw(given)); // if the object has taken it all the same
        }
      }
      if (returned) {
        this.#instance.send(Op.ToolAdded, ticket, 0, refusal);
      } else {
        reply = replyWith(refusal === "" ? Answer.Value : Answer.Failed, refusal);
      }
    };
    try {
      const tool = this.#tool(adapter, request);
      const exposedTo = pick(request, "exposedTo");
      const options = { __proto__: null, signal: abortSignalOf(given.controller), ...(exposedTo && { exposedTo }) };
      follow(giveTool(context, tool, options), () => settle(""), (error) => settle(describe(error)));
    } catch (error) {
      settle(describe(error));
    }
    returned = true;
    return reply;
  }

  /** @param {number} object @param {string} text @returns {Reply} */
  #remove(object, text) {
    const context = this.#context(object);
    const request = jsonParse(text);
    const given = mapGet(this.#given, request.token);
    mapDelete(this.#given, request.token);
    if (given !== undefined) {
      return withdraw(given);
    }
    if (context.style === "by-name") {
      context.object.unregisterTool(request.tool.name);
    }
    return NOTHING;
  }

  /** @param {number} object @param {string} text @returns {Reply} */
  #replace(object, text) {
    const context = this.#context(object);
    const requests = jsonParse(text);
    const known = context.tools;
    context.tools = new NativeMap();
    for (let i = 0; i < requests.length; i++) {
      const { adapter, tool } = requests[i];
      requests[i] = mapGet(known, tool.token) ?? this.#tool(adapter, tool);
      mapSet(context.tools, tool.token, requests[i]);
    }
    provide(context.object, requests);
    return NOTHING;
  }

  /** The object that the browser gets: it must not find hints on Object.prototype. @param {number} adapter @param {any} request { token, tool } */
  #tool(adapter, request) {
    const { token, tool } = request;
    const execute = (/** @type {any} */ input, /** @type {any} */ second) => this.#call(adapter, token, input, second);
    return { __proto__: null, ...tool, annotations: { __proto__: null, ...tool.annotations }, execute };
  }

  /** @param {number} adapter @param {string} token @param {any} input @param {any} second a client, options with a signal, both or nothing */
  #call(adapter, token, input, second) {
    const outcome = deferred();
    const ticket = ++this.#lastCall;
    const signal = peek(second, "signal");
    const client = typeof peek(second, "requestUserInteraction") === "function" ? second : null;
    /** @type {ToolCall} */
    const call = { __proto__: null, adapter, client, resolve: outcome.resolve, release: () => {} };
    if (this.#instance.dead !== null) {
      this.#lose(call);
      return outcome.promise;
    }
    mapSet(this.#calls, ticket, call);
    try {
      let text = `${quote(token)}\n${client !== null}\n`;
      if (isSignal(signal)) {
        text += `${signalAborted(signal)}`;
        const cancel = () => signalAborted(signal) && this.#instance.send(Op.CancelTool, adapter, ticket, "");
        addListener(signal, "abort", cancel);
        call.release = () => removeListener(signal, "abort", cancel);
      }
      this.#instance.call(Op.CallTool, adapter, ticket, `${text}\n${inputText(INPUT, input)}\n`);
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
      resolvePlain(call, { ...fromText(text), then: undefined });
    }
  }

  /** @param {ToolCall} call */
  #lose(call) {
    call.release();
    const payload = lostPayload();
    resolvePlain(call, { content: deepFreeze([{ type: "text", text: written(payload, "") }]), isError: true, then: undefined });
  }

  /** The runtime is dead: calls are answered and tools withdrawn as far as the browser lets us. */
  loseAll() {
    const calls = this.#calls;
    this.#calls = new NativeMap();
    mapForEach(calls, (call) => this.#lose(call));
    const given = this.#given;
    this.#given = new NativeMap();
    mapForEach(given, (tool) => this.#attempt(() => withdraw(tool)));
    mapForEach(this.#contexts, (context) => {
      if (mapSize(context.tools) > 0) {
        this.#attempt(() => {
          provide(context.object, []);
          return NOTHING;
        });
      }
    });
    this.#contexts = new NativeMap();
    this.#adapters = new NativeMap();
  }

  /** @param {number} number @param {string} text a capability's descriptor @returns {Reply} */
  #expose(number, text) {
    const options = /** @type {Adapter} */ (mapGet(this.#adapters, number)).options;
    const decision = apply(pick(options, "exposeCapability"), options, [fromText(text)]);
    if (decision === undefined) {
      return NOTHING;
    }
    const decided = toText(decision, 4, 4096);
    return typeof decided === "string" ? replyText(decided) : failed();
  }

  /** @param {number} number @param {number} toolCall @param {number} ticket @param {string} text the pending record @returns {Reply} */
  #confirm(number, toolCall, ticket, text) {
    const options = /** @type {Adapter} */ (mapGet(this.#adapters, number)).options;
    const client = mapGet(this.#calls, toolCall)?.client ?? null;
    const send = (/** @type {Reply} */ reply) => later(() => this.#instance.send(Op.Settle, ticket, reply.answer, reply.body));
    const onError = (/** @type {unknown} */ error) => send(thrown(error));
    let asked = false;
    /** @type {any} */
    let answer;
    const ask = () => {
      if (client !== null && mapGet(this.#calls, toolCall) === undefined) {
        throw new NativeError(say("late"));
      }
      if (!asked) {
        asked = true;
        try {
          answer = apply(pick(options, "confirm"), options, [fromText(text), client]);
        } catch (error) {
          onError(error); // a client may keep it to itself
          throw error;
        }
        follow(answer, (approved) => send(replyText(approved === true ? "true" : "false")), onError);
      }
      return answer;
    };
    // The decision is what the page's own prompt gives; the client could give back anything.
    follow(client === null ? ask() : client.requestUserInteraction(ask), () => asked || send(failed()), onError);
    return replyWith(Answer.Pending, "");
  }

  /** How many calls of tools are open. */
  waiting() {
    return mapSize(this.#calls);
  }

  /** Sizes, for leak tests. */
  sizes() {
    return { toolCalls: mapSize(this.#calls), tools: mapSize(this.#given), liveAdapters: mapSize(this.#adapters), contexts: mapSize(this.#contexts) };
  }
}

/** @param {Given} tool @returns {Reply} */
function withdraw({ context, name, controller }) {
  takeTool(context, name, controller);
  return NOTHING;
}

/** A property of what the browser gives along with a call; undefined if reading it throws. @param {any} object @param {string} name */
function peek(object, name) {
  try {
    return pick(object, name);
  } catch {
    return undefined;
  }
}

/** What a tool call may carry over: the runtime has tighter bounds, and a text can be six times as long as what it holds. */
const INPUT = { depth: 200, inputBytes: 4 << 20 };
