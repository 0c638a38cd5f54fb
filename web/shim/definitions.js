// @ts-check
/**
 * A page's component definition, written down for the runtime: what is data is copied once, functions become
 * true, and what the runtime will ask for later (handlers, policies, parses) is kept here under a number.
 * What the fields mean, and whether they are right, is decided in Go (jsbridge/definitions.go).
 */
import { NativeTypeError, apply, isArray, isObject, jsonStringify, objectKeys, pick } from "./intrinsics.js";
import { MESSAGE_LIMITS, member, toText } from "./values.js";

/**
 * What is kept of a definition: the object itself, on which handlers are looked up at every call, and how to
 * find capability number i on it.
 * @typedef {{ __proto__?: null, source: any, capabilities: Capability[], policies: number[], parses: number[], internal: unknown }} Kept
 * @typedef {{ __proto__?: null, group: string, name: string | number }} Capability
 */

const COMMON = ["description", "title", "untrustedContent", "meta", "timeoutMs"];
const OBSERVATION_FUNCTIONS = ["read", "when"];
const ACTION_DATA = ["effect", "idempotent", "reversible", "confirmation", "audit", "concurrency"];
const ACTION_FUNCTIONS = ["execute", "precondition", "when"];
const COMPONENT_DATA = ["type", "instanceId", "description", "parent", "meta", "origin", "priority", "enabled"];
const CONFIG_DATA = ["overridableFields", "confirmation", "meta", "concurrency", "timeoutMs"];
const CONFIG_FUNCTIONS = ["when", "bind", "describe"];
const BINDING_DATA = ["kind", "ref", "boundKeys", "lockedKeys", "reducedInputSchema", "contextLink"];

/** Writes one definition; every method returns the members of an object, without its braces. */
export class DefinitionWriter {
  /** @type {Kept} */ kept;
  /** @type {import("./callbacks.js").Callbacks} */ #callbacks;

  /** @param {any} source @param {import("./callbacks.js").Callbacks} callbacks */
  constructor(source, callbacks) {
    this.#callbacks = callbacks;
    this.kept = { __proto__: null, source, capabilities: listWithRoom(), policies: listWithRoom(), parses: listWithRoom(), internal: undefined };
  }

  /** @returns {string} */
  component() {
    const source = this.kept.source;
    if (!isObject(source)) {
      throw new NativeTypeError("a component definition must be an object");
    }
    this.kept.internal = pick(source, "internal");
    let text = data("", source, COMPONENT_DATA, "");
    text = this.policies(text, source, "policies");
    text = this.#group(text, source, "observations", (one, at) => this.#observation(one, at));
    text = this.#group(text, source, "actions", (one, at) => this.#action(one, at));
    text = this.#procedures(text, source);
    return `{${unknown(text, source, COMPONENT_DATA, ["internal", "policies", "observations", "actions", "procedures"])}}`;
  }

  /**
   * @param {string} text @param {any} source @param {string} group
   * @param {(capability: any, at: string) => string} write
   */
  #group(text, source, group, write) {
    const capabilities = pick(source, group);
    if (capabilities === undefined) {
      return text;
    }
    if (!isObject(capabilities) || isArray(capabilities)) {
      throw new NativeTypeError(`${group} must be an object`);
    }
    const names = objectKeys(capabilities);
    let inner = "";
    for (let i = 0; i < names.length; i++) {
      const name = /** @type {string} */ (names[i]);
      const one = /** @type {any} */ (capabilities)[name];
      if (!isObject(one)) {
        throw new NativeTypeError(`${group}.${name} must be an object`);
      }
      append(this.kept.capabilities, { __proto__: null, group, name });
      inner = member(inner, name, `{${write(one, `${group}.${name}`)}}`);
    }
    return member(text, group, `{${inner}}`);
  }

  /** @param {any} one @param {string} at */
  #observation(one, at) {
    let text = data("", one, COMMON, at);
    text = functions(text, one, OBSERVATION_FUNCTIONS);
    text = textOrFunction(text, one, "unavailableReason");
    text = this.#schema(text, one, "output", at);
    text = this.policies(text, one, "policies");
    return unknown(text, one, COMMON, OBSERVATION_FUNCTIONS, ["unavailableReason", "output", "policies"]);
  }

  /** @param {any} one @param {string} at */
  #action(one, at) {
    let text = data("", one, COMMON, at);
    text = data(text, one, ACTION_DATA, at);
    text = functions(text, one, ACTION_FUNCTIONS);
    text = textOrFunction(text, one, "unavailableReason");
    text = this.#schema(text, one, "input", at);
    text = this.#schema(text, one, "output", at);
    text = this.policies(text, one, "policies");
    return unknown(text, one, COMMON, ACTION_DATA, ACTION_FUNCTIONS, ["unavailableReason", "input", "output", "policies"]);
  }

  /** @param {string} text @param {any} source */
  #procedures(text, source) {
    const procedures = pick(source, "procedures");
    if (procedures === undefined) {
      return text;
    }
    if (!isArray(procedures)) {
      throw new NativeTypeError("procedures must be an array");
    }
    let inner = "";
    for (let i = 0; i < procedures.length; i++) {
      const binding = procedures[i];
      const at = `procedures[${i}]`;
      if (!isObject(binding)) {
        throw new NativeTypeError(`${at} must be a procedure binding`);
      }
      append(this.kept.capabilities, { __proto__: null, group: "procedures", name: i });
      let one = data("", binding, BINDING_DATA, at);
      const config = pick(binding, "config");
      if (isObject(config)) {
        let members = data("", config, CONFIG_DATA, `${at}.config`);
        members = functions(members, config, CONFIG_FUNCTIONS);
        members = textOrFunction(members, config, "unavailableReason");
        members = this.policies(members, config, "policies");
        one = member(one, "config", `{${unknown(members, config, CONFIG_DATA, CONFIG_FUNCTIONS, ["unavailableReason", "policies"])}}`);
      }
      inner += `${i > 0 ? "," : ""}{${unknown(one, binding, BINDING_DATA, ["config"])}}`;
    }
    return member(text, "procedures", `[${inner}]`);
  }

  /**
   * A schema object { jsonSchema, parse? }.
   * @param {string} text @param {any} source @param {string} name @param {string} at
   */
  #schema(text, source, name, at) {
    const schema = pick(source, name);
    if (schema === undefined) {
      return text;
    }
    if (!isObject(schema) || pick(schema, "jsonSchema") === undefined) {
      throw new NativeTypeError(`${at}.${name} must be a schema object: use fromJsonSchema`);
    }
    let inner = member("", "document", written(pick(schema, "jsonSchema"), `${at}.${name}.jsonSchema`));
    const parse = pick(schema, "parse");
    if (typeof parse === "function" && !this.#callbacks.validates(schema)) {
      const number = this.#callbacks.keepParse(schema);
      append(this.kept.parses, number);
      inner = member(inner, "parse", `${number}`);
    }
    return member(text, name, `{${inner}}`);
  }

  /**
   * A list of policies, whose hooks are captured now.
   * @param {string} text @param {any} source @param {string} name
   */
  policies(text, source, name) {
    const policies = pick(source, name);
    if (policies === undefined) {
      return text;
    }
    if (!isArray(policies)) {
      throw new NativeTypeError(`${name} must be an array of policies`);
    }
    let inner = "";
    for (let i = 0; i < policies.length; i++) {
      const policy = policies[i];
      if (!isObject(policy)) {
        throw new NativeTypeError(`${name}[${i}] must be a policy`);
      }
      const number = this.#callbacks.keepPolicy(policy);
      append(this.kept.policies, number);
      const hooks = this.#callbacks.policy(number);
      let one = member("", "name", written(pick(policy, "name") ?? "", `${name}[${i}].name`));
      one = member(one, "policy", `${number}`);
      one = member(one, "discovery", hooks.onDiscovery ? "true" : "");
      one = member(one, "authorize", hooks.onAuthorize ? "true" : "");
      one = member(one, "invoke", hooks.onInvoke ? "true" : "");
      inner += `${i > 0 ? "," : ""}{${one}}`;
    }
    return member(text, name, `[${inner}]`);
  }
}

/** @param {unknown} value @param {string} at @returns {string} JSON; a value that cannot be JSON is a TypeError */
export function written(value, at) {
  const text = toText(value, MESSAGE_LIMITS);
  if (typeof text !== "string") {
    throw new NativeTypeError(`${at}${text.path === "" || text.path[0] === "[" ? "" : "."}${text.path} ${text.message}`);
  }
  return text;
}

/** @param {string} text @param {any} source @param {string[]} names @param {string} at */
function data(text, source, names, at) {
  for (let i = 0; i < names.length; i++) {
    const name = /** @type {string} */ (names[i]);
    const value = pick(source, name);
    if (value !== undefined) {
      text = member(text, name, written(value, at === "" ? name : `${at}.${name}`));
    }
  }
  return text;
}

/** @param {string} text @param {any} source @param {string[]} names */
function functions(text, source, names) {
  for (let i = 0; i < names.length; i++) {
    const name = /** @type {string} */ (names[i]);
    const value = pick(source, name);
    if (value !== undefined) {
      if (typeof value !== "function") {
        throw new NativeTypeError(`${name} must be a function`);
      }
      text = member(text, name, "true");
    }
  }
  return text;
}

/** @param {string} text @param {any} source @param {string} name */
function textOrFunction(text, source, name) {
  const value = pick(source, name);
  if (value === undefined) {
    return text;
  }
  if (typeof value !== "string" && typeof value !== "function") {
    throw new NativeTypeError(`${name} must be a string or a function`);
  }
  return member(text, name, typeof value === "string" ? jsonStringify(value) : "true");
}

/**
 * Passes on the names of fields that are not in any of the lists, so that the runtime can refuse them.
 * @param {string} text @param {any} source @param {string[]} first @param {string[]} [second] @param {string[]} [third] @param {string[]} [fourth]
 */
function unknown(text, source, first, second, third, fourth) {
  const names = objectKeys(source);
  for (let i = 0; i < names.length; i++) {
    const name = /** @type {string} */ (names[i]);
    if (!holds(first, name) && !holds(second, name) && !holds(third, name) && !holds(fourth, name)) {
      text = member(text, name, "null");
    }
  }
  return text;
}

/** @param {string[] | undefined} list @param {string} name */
function holds(list, name) {
  for (let i = 0; list !== undefined && i < list.length; i++) {
    if (list[i] === name) {
      return true;
    }
  }
  return false;
}

/** A list that can be appended to without running a setter on Array.prototype. @returns {any} */
export const listWithRoom = () => ({ __proto__: null, length: 0 });

/** @template T @param {T[]} list made by listWithRoom @param {T} value */
export function append(list, value) {
  list[list.length] = value;
  list.length++;
}

/**
 * The function of a capability as it is now on the page's object, and what it is called on.
 * @param {Kept} kept
 * @param {number} index
 * @param {string} name
 * @returns {{ __proto__?: null, self: any, run: any }}
 */
export function liveFunction(kept, index, name) {
  const { group, name: key } = /** @type {Capability} */ (kept.capabilities[index]);
  const holder = pick(kept.source, group)[key];
  const self = group === "procedures" ? pick(holder, "config") : holder;
  return { __proto__: null, self, run: pick(self, name) };
}

/** @param {Kept} kept @param {number} index @param {string} name @param {any[]} args */
export function callLive(kept, index, name, args) {
  const { self, run } = liveFunction(kept, index, name);
  if (typeof run !== "function") {
    throw new NativeTypeError(`${name} is not a function any more`);
  }
  return apply(run, self, args);
}
