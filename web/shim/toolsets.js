// @ts-check
/** Toolsets: a registry's capabilities as tools for any model. What they are is decided in Go (toolset). */
import { NativeMap, NativeTypeError, freeze, isArray, jsonParse, mapDelete, mapForEach, mapGet, mapSet, mapSize, pick } from "./intrinsics.js";
import { written } from "./definitions.js";
import * as Op from "./ops/op.js";
import { inputText } from "./registry.js";
import { callSurface } from "./surface.js";
import { say } from "./texts.js";
import { Lines, deepFreeze, member } from "./values.js";

/**
 * @typedef {import("./registry.js").Registries} Registries
 * @typedef {import("./surface.js").Surface} Surface
 * What a tool says, as jsbridge/toolsets.go sends it: [number, capabilityId, registrationId, whether it takes an object, what the page sees].
 * @typedef {[number, string, string, boolean, any]} Spec
 * A toolset; tools are those that were handed out last, and names what they stand for.
 * @typedef {{ __proto__?: null, number: number, surface: Surface, listeners: Map<any, true>, tools: any, names: Map<string, string> }} Kit
 */

export class Toolsets {
  /** @type {import("./instance.js").Instance} */ #instance;
  /** @type {Registries} */ #registries;

  /** @param {import("./instance.js").Instance} instance @param {Registries} registries */
  constructor(instance, registries) {
    this.#instance = instance;
    this.#registries = registries;
  }

  /** @param {any} registry @param {any} options */
  create(registry, options) {
    const surface = this.#registries.surfaceOf(registry, "createAgentToolset");
    const number = +callSurface(this.#instance, surface, Op.CreateToolset, 0, this.#registries.describeBy(options, "toolset"));
    /** @type {Kit} */
    const kit = { __proto__: null, number, surface, listeners: new NativeMap(), tools: null, names: new NativeMap() };
    mapSet(surface.heard, number, kit.listeners);
    return freeze({
      tools: () => this.#tools(kit),
      subscribe: (/** @type {any} */ listener) => this.#subscribe(kit, listener),
      wireNameMap: () => {
        if (kit.tools === null) {
          this.#tools(kit);
        }
        const names = new NativeMap();
        mapForEach(kit.names, (id, name) => mapSet(names, name, id));
        return names;
      },
      dispose: () => {
        mapDelete(surface.heard, number);
        mapForEach(kit.listeners, (_, own) => mapDelete(kit.listeners, own)); // who is being told of a change may dispose
        this.#instance.call(Op.DisposeToolset, number, 0, "");
      },
    });
  }

  /** @param {Kit} kit */
  #tools(kit) {
    const { surface } = kit;
    const text = this.#instance.call(Op.Tools, kit.number, 0, "");
    if (text !== "") {
      const lines = new Lines(text);
      const version = lines.line();
      learn(surface, lines.line(), lines.rest);
      const tools = jsonParse(surface.specList);
      kit.names = new NativeMap();
      for (let i = 0; i < tools.length; i++) {
        const spec = /** @type {Spec} */ (mapGet(surface.specs, tools[i]));
        tools[i] = this.#tool(kit, spec, version);
        mapSet(kit.names, tools[i].name, spec[1]);
      }
      kit.tools = freeze(tools);
    }
    return kit.tools;
  }

  /** @param {Kit} kit @param {Spec} spec @param {string} version of the surface of its catalog */
  #tool(kit, spec, version) {
    const { name, description, inputSchema, state } = spec[4];
    return freeze({
      name, description, inputSchema, state,
      execute: (/** @type {unknown} */ input, /** @type {unknown} */ call) => this.#execute(kit, spec, version, input, call),
    });
  }

  /** @param {Kit} kit @param {Spec} spec @param {string} version @param {unknown} input @param {any} call { toolCallId?, invocationId?, confirmationId?, signal? } */
  #execute(kit, spec, version, input, call) {
    const { surface } = kit;
    return this.#registries.start(surface, call, (entry) => {
      entry.ofTool = true;
      entry.capabilityId = spec[1];
      entry.invocationId = idIn(call, "invocationId") || idIn(call, "toolCallId");
      let text = "";
      const texts = [spec[1], spec[2], version, entry.invocationId, idIn(call, "confirmationId")];
      for (let i = 0; i < texts.length; i++) {
        text += `${texts[i] === "" ? "" : written(texts[i], "")}\n`;
      }
      return `${text}${inputText(surface, input)}\n${spec[3]}\n${surface.disposed}\n`;
    }, (ticket, text) => this.#instance.call(Op.CallToolset, kit.number, ticket, text));
  }

  /** @param {Kit} kit @param {any} listener */
  #subscribe(kit, listener) {
    if (typeof listener !== "function") {
      throw new NativeTypeError(say("listener"));
    }
    const own = () => listener(); // one entry for each subscription
    mapSet(kit.listeners, own, true);
    this.#listen(kit);
    return () => {
      mapDelete(kit.listeners, own);
      this.#listen(kit);
    };
  }

  /** Changes are told only while somebody listens. @param {Kit} kit */
  #listen({ surface, number, listeners }) {
    if (surface.disposed) {
      return;
    }
    this.#instance.call(Op.ListenToolset, number, mapSize(listeners) > 0 ? 1 : 0, "");
  }
}

/** Makes what a surface knows what the runtime has sent. @param {Surface} surface @param {string} list @param {string} fresh */
function learn(surface, list, fresh) {
  if (list === "") {
    return;
  }
  const known = surface.specs;
  const news = jsonParse(fresh);
  for (let i = 0; i < news.length; i++) {
    mapSet(known, news[i][0], deepFreeze(news[i]));
  }
  const numbers = jsonParse(list);
  surface.specs = new NativeMap();
  surface.specList = list;
  for (let i = 0; i < numbers.length; i++) {
    mapSet(surface.specs, numbers[i], mapGet(known, numbers[i]));
  }
}

/** @param {any} call @param {string} name @returns {string} an id, "" when there is none */
function idIn(call, name) {
  const value = pick(call, name) ?? "";
  if (typeof value !== "string") {
    throw new NativeTypeError(`execute: ${name} must be a string`);
  }
  return value;
}

/**
 * What changes of tools between turns, as text for the end of a model's context.
 * @param {(list: unknown) => string} write @param {any} tools
 */
export function capabilityState(write, tools) {
  if (!isArray(tools)) {
    throw new NativeTypeError(say("tools"));
  }
  let text = "";
  for (let i = 0; i < tools.length; i++) {
    const one = member(member("", "name", written(pick(tools[i], "name"), "name")), "state", written(pick(tools[i], "state"), "state"));
    text += `${i > 0 ? "," : ""}{${one}}`;
  }
  return write(jsonParse(`[${text}]`));
}
