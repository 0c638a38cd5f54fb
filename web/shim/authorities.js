// @ts-check
/** What a surface may expose at most: authorities, of which only those that this runtime made count, and the gateway. */
import { NativeTypeError, NativeWeakMap, freeze, isArray, isObject, jsonParse, pick, report, stringIndexOf, stringSlice, weakGet, weakSet } from "./intrinsics.js";
import { declaredOf } from "./contracts.js";
import { written } from "./definitions.js";
import * as Op from "./ops/op.js";
import { say } from "./texts.js";

export class Authorities {
  /** @type {import("./instance.js").Instance} */ #instance;
  /** The runtime's numbers of authorities. @type {WeakMap<object, number>} */ #numbers = new NativeWeakMap();

  /** @param {import("./instance.js").Instance} instance @param {unknown} contract that the runtime is pinned to, or undefined */
  constructor(instance, contract) {
    this.#instance = instance;
    if (contract !== undefined) {
      instance.call(Op.Pin, 0, 0, typeof contract === "string" ? contract : "");
    }
  }

  /** @param {number} allowed whether production may use an open one @param {string} manifest */
  #make(allowed, manifest) {
    const made = this.#instance.call(Op.Authority, 0, allowed, manifest);
    const end = stringIndexOf(made, " ");
    const authority = freeze(manifest === "" ? { mode: "open" } : { mode: "contract", hash: stringSlice(made, end + 1) });
    weakSet(this.#numbers, authority, +stringSlice(made, 0, end));
    return authority;
  }

  /** @param {any} options */
  createOpenAuthority(options) {
    const authority = this.#make(pick(options, "allowInProduction") === true ? 1 : 0, "");
    report("warn", `pagewarden: ${say("open")}`);
    return authority;
  }

  /** That of the web tools that the page has defined so far. */
  ofTools() {
    return this.#make(2, "");
  }

  /** @param {unknown} manifest */
  createCapabilityAuthority(manifest) {
    return this.#make(0, written(manifest, "manifest"));
  }

  /** @param {any} authority @returns {number} */
  numberOf(authority) {
    const number = isObject(authority) ? weakGet(this.#numbers, authority) : undefined;
    if (number === undefined) {
      throw new NativeTypeError(say("authority"));
    }
    return number;
  }

  /** @param {any} authority @param {any} options */
  createAgentExposureGateway(authority, options) {
    const number = this.numberOf(authority);
    this.#instance.call(Op.Gateway, number, 0, written(options ?? { __proto__: null }, "options"));
    return freeze({ expose: (/** @type {any} */ tools) => this.#expose(number, tools) });
  }

  /** @param {number} authority @param {any} tools */
  #expose(authority, tools) {
    if (!isArray(tools)) {
      throw new NativeTypeError(say("external"));
    }
    /** @type {any} */
    const given = { __proto__: null };
    const { length } = tools;
    let text = "";
    for (let i = 0; i < length; i++) {
      given[i] = tools[i];
      text += (i > 0 ? "," : "") + declaredOf(given[i], i);
    }
    this.#instance.call(Op.Expose, authority, 0, `[${text}]`);
    const exposed = jsonParse(`[${text}]`); // whose elements are its own, so that none is given to a setter of Array.prototype
    for (let i = 0; i < length; i++) {
      exposed[i] = given[i];
    }
    return freeze(exposed);
  }
}
