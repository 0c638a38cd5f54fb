// @ts-check
/**
 * A page's component definition, written down for the runtime: what is data is copied once, functions become
 * true, and what the runtime will ask for later (handlers, policies, parses) is kept here under a number.
 * What the fields mean, and whether they are right, is decided in Go (jsbridge/definitions.go).
 */
import { NativeTypeError, apply, getPrototypeOf, isArray, isObject, objectKeys, objectPrototype, pick, stringSlice } from "./intrinsics.js";
import { say } from "./texts.js";
import { member, quote, toText } from "./values.js";

/**
 * What is thrown for a mistake in what a page gave.
 * @typedef {(where: string, reason: string) => Error} Blame
 */

/** Numbers, the last first. */
export class Numbers {
  /** @type {number} */ number;
  /** @type {Numbers | null} */ rest;

  /** @param {number} number @param {Numbers | null} rest */
  constructor(number, rest) {
    this.number = number;
    this.rest = rest;
  }
}

/** What is kept of a definition: the object itself, on which handlers are looked up at every call, and what to free with it. */
export class Kept {
  /** @type {any} */ source;
  owner = 0;
  /** The names of its capabilities, of procedures how many. @type {string[] | null} */ observations = null;
  /** @type {string[] | null} */ actions = null;
  /** @type {Numbers | null} */ policies = null;
  /** @type {Numbers | null} */ parses = null;
  /** @type {unknown} */ internal = undefined;
  /** What a snapshot last showed of it: [number, component, procedures], all frozen. @type {any} */ seen = null;

  /** @param {any} source */
  constructor(source) {
    this.source = source;
  }
}

/** How one member of a page's object is written: a letter of jsbridge/shapes.go, and the shape of what lies inside. */
class Field {
  /** @type {string} */ name;
  /** @type {string} */ how;
  /** @type {string} */ inner;
  /** @type {string} */ start;
  /** @type {boolean} */ group;

  /** @param {string} name @param {string} how */
  constructor(name, how) {
    this.name = name;
    this.how = /** @type {string} */ (how[0]);
    this.inner = stringSlice(how, 2);
    this.start = `${quote(name)}:`;
    this.group = this.how === "e" || this.how === "l";
  }
}

/** How a page's objects of one kind are written. fields has no prototype. */
class Shape {
  /** @type {any} */ fields = { __proto__: null };
  /** Those of capabilities, which are numbered in this order. @type {any} */ groups = { __proto__: null };
  /** @type {string[]} */ names;

  /** @param {any} table { name: how } */
  constructor(table) {
    this.names = objectKeys(table);
    for (let i = 0; i < this.names.length; i++) {
      const name = /** @type {string} */ (this.names[i]);
      const field = new Field(name, table[name]);
      this.fields[name] = field;
      if (field.group) {
        this.groups[name] = field;
      }
    }
  }
}

/** @param {any} tables { shape: { name: how } } @returns {any} the shapes by name */
export function shapesOf(tables) {
  /** @type {any} */
  const shapes = { __proto__: null };
  const names = objectKeys(tables);
  for (let i = 0; i < names.length; i++) {
    const name = /** @type {string} */ (names[i]);
    shapes[name] = new Shape(tables[name]);
  }
  return shapes;
}

/** Writes one object of a page by a shape of jsbridge/shapes.go, which the runtime hands over when it starts. */
export class DefinitionWriter {
  /** @type {Kept} */ kept;
  /** @type {import("./callbacks.js").Callbacks} */ #callbacks;
  /** @type {Blame} */ #blame;

  /** @param {any} source @param {import("./callbacks.js").Callbacks} callbacks @param {Blame} blame */
  constructor(source, callbacks, blame) {
    this.#callbacks = callbacks;
    this.#blame = blame;
    this.kept = new Kept(source);
  }

  /** The text of an object. @param {any} source @param {string} shape @param {string} at @returns {string} */
  writeBy(source, shape, at) {
    return `{${this.members(source, shape, at, "")}}`;
  }

  /**
   * The members of an object as text. Those that its shape does not have are passed on by name, so that they can be refused.
   * An object without a class has only its own.
   * @param {any} source @param {string} name of its shape @param {string} at @param {string} but a member to leave out
   * @returns {string}
   */
  members(source, name, at, but) {
    if (!isObject(source) || isArray(source)) {
      throw this.#blame(at, "must be an object");
    }
    const shape = this.#callbacks.shapeTable[name];
    const prototype = getPrototypeOf(source);
    const plain = prototype === objectPrototype || prototype === null;
    const given = objectKeys(source);
    let text = "";
    for (let i = 0; i < given.length; i++) {
      const name = /** @type {string} */ (given[i]);
      const field = shape.fields[name];
      if (field === undefined) {
        text = member(text, name, "null");
      } else if (plain && !field.group && name !== but) {
        text = this.#add(text, field, /** @type {any} */ (source)[name], at);
      }
    }
    const rest = plain ? shape.groups : shape.fields;
    const names = plain ? objectKeys(rest) : shape.names;
    for (let i = 0; i < names.length; i++) {
      const name = /** @type {string} */ (names[i]);
      text = name === but ? text : this.#add(text, rest[name], pick(source, name), at);
    }
    return text;
  }

  /** @param {string} text @param {Field} field @param {any} value @param {string} at */
  #add(text, field, value, at) {
    const written = value === undefined ? "" : this.#field(value, field, at);
    return written === "" ? text : text === "" ? field.start + written : `${text},${field.start}${written}`;
  }

  /** @param {any} value @param {Field} field @param {string} at where the object is @returns {string} */
  #field(value, field, at) {
    const { name, inner } = field;
    switch (field.how) {
      case "d":
        return this.data(value, at, name);
      case "f":
        return this.#require(typeof value === "function", at, name, "must be a function");
      case "t":
        return typeof value === "string" ? this.data(value, at, name) : this.#require(typeof value === "function", at, name, "must be a string or a function");
      case "r":
        return this.#require(isSink(value), at, name, say("sink"));
      case "s":
        return this.#schema(value, at, name);
      case "p":
        return this.writePolicies(value, within(at, name));
      case "i":
        this.kept.internal = value;
        break;
      case "o":
        return this.writeBy(value, inner, within(at, name));
      case "e":
        return this.#each(value, name, inner, at);
      case "l":
        return this.#list(value, name, inner, at);
    }
    return "";
  }

  /** @param {boolean} good @param {string} at @param {string} name @param {string} reason @returns {string} what stands for a function */
  #require(good, at, name, reason) {
    if (!good) {
      throw this.#blame(within(at, name), reason);
    }
    return "true";
  }

  /** An object of capabilities. @param {any} value @param {string} group @param {string} shape @param {string} at */
  #each(value, group, shape, at) {
    this.#require(isObject(value) && !isArray(value), at, group, "must be an object");
    const names = objectKeys(value);
    if (group === "actions") {
      this.kept.actions = names;
    } else {
      this.kept.observations = names;
    }
    let text = "";
    for (let i = 0; i < names.length; i++) {
      const name = /** @type {string} */ (names[i]);
      text = member(text, name, this.writeBy(value[name], shape, `${within(at, group)}.${name}`));
    }
    return `{${text}}`;
  }

  /** A list of capabilities. @param {any} value @param {string} group @param {string} shape @param {string} at */
  #list(value, group, shape, at) {
    this.#require(isArray(value), at, group, "must be an array");
    let text = "";
    for (let i = 0; i < value.length; i++) {
      text += (i > 0 ? "," : "") + this.writeBy(value[i], shape, `${within(at, group)}[${i}]`);
    }
    return `[${text}]`;
  }

  /** A schema object { jsonSchema, parse? }. @param {any} schema @param {string} at @param {string} name */
  #schema(schema, at, name) {
    const own = isObject(schema) ? this.#callbacks.schemaText(schema) : undefined;
    if (own !== undefined) {
      return own;
    }
    const document = pick(schema, "jsonSchema");
    this.#require(document !== undefined, at, name, say("schema"));
    let text = member("", "document", this.data(document, within(at, name), "jsonSchema"));
    const parse = pick(schema, "parse");
    if (typeof parse === "function") {
      const number = this.#callbacks.keepParse(schema);
      this.kept.parses = new Numbers(number, this.kept.parses);
      text = member(text, "parse", `${number}`);
    }
    return `{${text}}`;
  }

  /** A list of policies, whose hooks are captured now. @param {any} policies @param {string} at */
  writePolicies(policies, at) {
    this.#require(isArray(policies), "", at, "must be an array of policies");
    let text = "";
    for (let i = 0; i < policies.length; i++) {
      const policy = policies[i];
      this.#require(isObject(policy), "", `${at}[${i}]`, "must be a policy");
      const number = this.#callbacks.keepPolicy(policy, (reason) => this.#blame(`${at}[${i}]`, reason));
      this.kept.policies = new Numbers(number, this.kept.policies);
      const kept = this.#callbacks.policyOf(number);
      let one = member("", "policy", `${number}`);
      if (kept.builtInText === "") {
        one = member(one, "name", this.data(kept.name ?? "", `${at}[${i}]`, "name"));
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

  /** @param {unknown} value @param {string} at @param {string} name @returns {string} JSON */
  data(value, at, name) {
    const text = toText(value);
    if (typeof text !== "string") {
      throw this.#blame(place(within(at, name), text.path), text.message);
    }
    return text;
  }
}

/** @param {string} at @param {string} name */
const within = (at, name) => (at === "" ? name : `${at}.${name}`);

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

/** Which capability of a definition is meant: observations are counted first, then actions, then procedures. */
export class Capability {
  /** @type {string} */ group;
  /** @type {string | number} */ name;

  /** @param {Kept} kept @param {number} index */
  constructor(kept, index) {
    const { observations, actions } = kept;
    const afterActions = index - (observations === null ? 0 : observations.length);
    const afterProcedures = afterActions - (actions === null ? 0 : actions.length);
    this.group = afterActions < 0 ? "observations" : afterProcedures < 0 ? "actions" : "procedures";
    this.name = afterActions < 0 ? observations?.[index] ?? "" : afterProcedures < 0 ? actions?.[afterActions] ?? "" : afterProcedures;
  }
}

/**
 * The function of a capability as it is now on the page's object, and what it is called on.
 * @param {Kept} kept
 * @param {number} index
 * @param {string} name
 * @returns {{ __proto__?: null, self: any, run: any }}
 */
function liveFunction(kept, index, name) {
  const { group, name: key } = new Capability(kept, index);
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
