// @ts-check
/**
 * A page's component definition, written down for the runtime: what is data is copied once, functions become
 * true, and what the runtime will ask for later (handlers, policies, parses) is kept here under a number.
 * What the fields mean, and whether they are right, is decided in Go (jsbridge/definitions.go).
 */
import { NativeTypeError, apply, hasOwn, isArray, isObject, jsonStringify, objectKeys, pick, stringSlice } from "./intrinsics.js";
import { say } from "./texts.js";
import { member, toText } from "./values.js";

/**
 * What is kept of a definition: the object itself, on which handlers are looked up at every call, and how to
 * find capability number i on it.
 * @typedef {{ __proto__?: null, source: any, holders: Capability[], policies: number[], parses: number[], internal: unknown }} Kept
 * @typedef {{ __proto__?: null, group: string, name: string | number }} Capability
 */

/**
 * What is thrown for a mistake in what a page gave.
 * @typedef {(where: string, reason: string) => Error} Blame
 */

/** Writes one object of a page by a shape of jsbridge/shapes.go, which the runtime hands over when it starts. */
export class DefinitionWriter {
  /** @type {Kept} */ kept;
  /** @type {import("./callbacks.js").Callbacks} */ #callbacks;
  /** @type {Blame} */ #blame;

  /** @param {any} source @param {import("./callbacks.js").Callbacks} callbacks @param {Blame} blame */
  constructor(source, callbacks, blame) {
    this.#callbacks = callbacks;
    this.#blame = blame;
    this.kept = { __proto__: null, source, holders: listWithRoom(), policies: listWithRoom(), parses: listWithRoom(), internal: undefined };
  }

  /**
   * The text of an object. Fields that its shape does not have are passed on by name, so that they can be refused.
   * @param {any} source @param {string} shape @param {string} at
   * @returns {string}
   */
  writeBy(source, shape, at) {
    if (!isObject(source) || isArray(source)) {
      throw this.#blame(at, "must be an object");
    }
    const fields = this.#callbacks.shapeTable[shape];
    let text = "";
    const names = objectKeys(fields);
    for (let i = 0; i < names.length; i++) {
      const name = /** @type {string} */ (names[i]);
      const value = pick(source, name);
      text = value === undefined ? text : member(text, name, this.#field(value, name, fields[name], at === "" ? name : `${at}.${name}`));
    }
    const given = objectKeys(source);
    for (let i = 0; i < given.length; i++) {
      const name = /** @type {string} */ (given[i]);
      text = hasOwn(fields, name) ? text : member(text, name, "null");
    }
    return `{${text}}`;
  }

  /** @param {any} value @param {string} name @param {string} how a letter and perhaps a shape, as shapes.go has them @param {string} at @returns {string} */
  #field(value, name, how, at) {
    const shape = stringSlice(how, 2);
    switch (how[0]) {
      case "d":
        return this.#written(value, at);
      case "f":
        return this.#require(typeof value === "function", at, "must be a function");
      case "t":
        return typeof value === "string" ? jsonStringify(value) : this.#require(typeof value === "function", at, "must be a string or a function");
      case "r":
        return this.#require(isSink(value), at, say("sink"));
      case "s":
        return this.#schema(value, at);
      case "p":
        return this.writePolicies(value, at);
      case "i":
        this.kept.internal = value;
        break;
      case "o":
        return this.writeBy(value, shape, at);
      case "e":
        return this.#each(value, name, shape, at);
      case "l":
        return this.#list(value, name, shape, at);
    }
    return "";
  }

  /** @param {boolean} good @param {string} at @param {string} reason @returns {string} what stands for a function */
  #require(good, at, reason) {
    if (!good) {
      throw this.#blame(at, reason);
    }
    return "true";
  }

  /** An object of capabilities. @param {any} value @param {string} group @param {string} shape @param {string} at */
  #each(value, group, shape, at) {
    this.#require(isObject(value) && !isArray(value), at, "must be an object");
    const names = objectKeys(value);
    let text = "";
    for (let i = 0; i < names.length; i++) {
      const name = /** @type {string} */ (names[i]);
      append(this.kept.holders, { __proto__: null, group, name });
      text = member(text, name, this.writeBy(value[name], shape, `${at}.${name}`));
    }
    return `{${text}}`;
  }

  /** A list of capabilities. @param {any} value @param {string} group @param {string} shape @param {string} at */
  #list(value, group, shape, at) {
    this.#require(isArray(value), at, "must be an array");
    let text = "";
    for (let i = 0; i < value.length; i++) {
      append(this.kept.holders, { __proto__: null, group, name: i });
      text += (i > 0 ? "," : "") + this.writeBy(value[i], shape, `${at}[${i}]`);
    }
    return `[${text}]`;
  }

  /** A schema object { jsonSchema, parse? }. @param {any} schema @param {string} at */
  #schema(schema, at) {
    const document = pick(schema, "jsonSchema");
    this.#require(document !== undefined, at, say("schema"));
    let text = member("", "document", this.#written(document, `${at}.jsonSchema`));
    const parse = pick(schema, "parse");
    if (typeof parse === "function" && !this.#callbacks.validates(schema)) {
      const number = this.#callbacks.keepParse(schema);
      append(this.kept.parses, number);
      text = member(text, "parse", `${number}`);
    }
    return `{${text}}`;
  }

  /** A list of policies, whose hooks are captured now. @param {any} policies @param {string} at */
  writePolicies(policies, at) {
    this.#require(isArray(policies), at, "must be an array of policies");
    let text = "";
    for (let i = 0; i < policies.length; i++) {
      const policy = policies[i];
      this.#require(isObject(policy), `${at}[${i}]`, "must be a policy");
      const number = this.#callbacks.keepPolicy(policy, (reason) => this.#blame(`${at}[${i}]`, reason));
      append(this.kept.policies, number);
      const kept = this.#callbacks.policyOf(number);
      let one = member("", "policy", `${number}`);
      if (kept.builtInText === "") {
        one = member(one, "name", this.#written(kept.name ?? "", `${at}[${i}].name`));
        one = member(one, "discovery", kept.onDiscovery ? "true" : "");
        one = member(one, "authorize", kept.onAuthorize ? "true" : "");
        one = member(one, "invoke", kept.onInvoke ? "true" : "");
      } else {
        one = member(one, "builtIn", kept.builtInText);
      }
      text += `${i > 0 ? "," : ""}{${one}}`;
    }
    return `[${text}]`;
  }

  /** @param {unknown} value @param {string} at @returns {string} JSON */
  #written(value, at) {
    const text = toText(value);
    if (typeof text !== "string") {
      throw this.#blame(place(at, text.path), text.message);
    }
    return text;
  }
}

/** @param {any} value */
export const isSink = (value) => typeof value === "function" || typeof pick(value, "record") === "function";

/** @param {unknown} value @param {string} at @returns {string} JSON; a value that cannot be JSON is a TypeError */
export function written(value, at) {
  const text = toText(value);
  if (typeof text !== "string") {
    throw new NativeTypeError(`${place(at, text.path)} ${text.message}`);
  }
  return text;
}

/** @param {string} at @param {string} path */
const place = (at, path) => `${at}${path === "" || path[0] === "[" ? "" : "."}${path}`;

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
  const { group, name: key } = /** @type {Capability} */ (kept.holders[index]);
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
