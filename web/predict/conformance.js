// @ts-check
/** runAgentSurfaceConformance: an author's test of their capabilities, as RunConformance of predict/conformance.go makes it. */
import { NativeError, NativeMap, NativeTypeError, apply, deepFreeze, freeze, isArray, jsonParse, jsonStringify, mapGet, mapSet, mapSize, pick, stringSlice } from "../shim/builtins.js";
import { deferred, follow, resolvePlain } from "../shim/promises.js";
import { messageOf } from "../webtools/errors.js";
import { optionsOf } from "./options.js";
import { isFree, listed, registerWebMcpTools } from "./register.js";
import { OPTIONS as TOOL, toWebMcpTool } from "./tool.js";

const OPTIONS = /** @type {any} */ ({ __proto__: null, target: "object", registration: "object", cases: "data" });
const CASE = /** @type {any} */ ({ __proto__: null, name: "data", capability: "data", input: "data", outcome: "data", assert: "function" });

/** The most characters of a check's detail. */
const MOST_DETAIL = 512;

/** What lists no tools. */
const NOWHERE = freeze({ __proto__: null });

/** pagewarden-predict.d.ts has its contract. @param {any} capabilities @param {any} [options] */
export function runAgentSurfaceConformance(capabilities, options) {
  const outcome = deferred();
  try {
    new Run(listed(capabilities, "runAgentSurfaceConformance"), capabilities, optionsOf(options, "runAgentSurfaceConformance", OPTIONS), outcome).start();
  } catch (error) {
    outcome.reject(error);
  }
  return outcome.promise;
}

class Run {
  /** @type {Map<number, any>} */ #capabilities;
  /** @type {any} */ #list;
  /** @type {any} */ #target;
  /** What configures the tools. @type {any} */ #registration;
  /** @type {Map<number, any>} */ #cases = new NativeMap();
  /** @type {ReturnType<typeof deferred>} */ #outcome;
  #cleanup = () => {};
  /** What has been looked at, as JSON with commas between. */ #checks = "";

  /** @param {Map<number, any>} capabilities @param {any} list @param {any} options @param {ReturnType<typeof deferred>} outcome */
  constructor(capabilities, list, { target, registration, cases }, outcome) {
    this.#capabilities = capabilities;
    this.#list = list;
    this.#target = target;
    this.#registration = optionsOf(registration, "runAgentSurfaceConformance: registration", TOOL);
    this.#outcome = outcome;
    if (cases !== undefined && !isArray(cases)) {
      throw new NativeTypeError("runAgentSurfaceConformance: options.cases must be an array");
    }
    for (let i = 0; cases !== undefined && i < cases.length; i++) {
      const one = optionsOf(cases[i], `runAgentSurfaceConformance: cases[${i}]`, CASE);
      if (typeof one.name !== "string" || typeof one.capability !== "string") {
        throw new NativeTypeError(`runAgentSurfaceConformance: cases[${i}] needs a name and the name of a capability`);
      }
      mapSet(this.#cases, i, one);
    }
  }

  start() {
    this.#check("unique descriptors", this.#doubled());
    this.#then(registerWebMcpTools(this.#list, NOWHERE, this.#registration), (report) => {
      const left = !report.supported && report.registered.length === 0 && report.failed.length === 0;
      report.cleanup();
      this.#check("safe degradation", left ? "" : "without an object to register with, something was registered");
      this.#then(registerWebMcpTools(this.#list, this.#target, this.#registration), (registration) => this.#registered(registration));
    });
  }

  /** @param {Promise<any>} promise @param {(value: any) => void} then */
  #then(promise, then) {
    follow(promise, (value) => {
      try {
        then(value);
      } catch (error) {
        this.#fail(error);
      }
    }, (error) => this.#fail(error));
  }

  /** What was registered is removed, whatever has happened. @param {unknown} error */
  #fail(error) {
    this.#cleanup();
    this.#outcome.reject(error);
  }

  /** @param {string} name @param {string} detail what is wrong, "" when nothing is */
  #check(name, detail) {
    const wrong = detail === "" ? "" : `,"detail":${jsonStringify(stringSlice(detail, 0, MOST_DETAIL))}`;
    this.#checks += `${this.#checks && ","}{"name":${jsonStringify(name)},"ok":${detail === ""}${wrong}}`;
  }

  #doubled() {
    const seen = new NativeMap();
    for (let i = 0; i < mapSize(this.#capabilities); i++) {
      const { name } = mapGet(this.#capabilities, i).tool;
      if (mapGet(seen, name) !== undefined) {
        return `${name} is the name of two capabilities`;
      }
      mapSet(seen, name, true);
    }
    return "";
  }

  /** @param {any} registration */
  #registered(registration) {
    this.#cleanup = registration.cleanup;
    const first = registration.failed.length > 0 ? registration.failed[0] : undefined;
    this.#check("registration", first === undefined ? "" : `${first.name}: ${first.error}`);
    this.#case(0, registration);
  }

  /** The case of that number, and the rest after it. @param {number} i @param {any} registration */
  #case(i, registration) {
    if (i === mapSize(this.#cases)) {
      this.#end(registration);
      return;
    }
    const one = mapGet(this.#cases, i);
    const name = `case: ${one.name}`;
    const over = (/** @type {string} */ detail) => {
      this.#check(name, detail);
      this.#case(i + 1, registration);
    };
    const failed = (/** @type {unknown} */ error) => over(messageOf(error) || "the case failed");
    try {
      const promise = toWebMcpTool(this.#named(one.capability), { ...this.#registration, resultMode: "receipt" }).execute(one.input, undefined);
      follow(promise, (receipt) => this.#judge(one, receipt, () => over(""), failed), failed);
    } catch (error) {
      failed(error);
    }
  }

  /** @param {any} name */
  #named(name) {
    for (let i = 0; i < mapSize(this.#capabilities); i++) {
      const capability = mapGet(this.#capabilities, i);
      if (capability.tool.name === name) {
        return capability;
      }
    }
    throw new NativeError(`there is no capability ${name}`);
  }

  /** @param {any} one @param {any} receipt @param {() => void} good @param {(error: unknown) => void} failed */
  #judge({ outcome = "committed", assert }, receipt, good, failed) {
    try {
      if (receipt.outcome !== outcome) {
        const error = pick(receipt, "error");
        throw new NativeError(`the outcome is ${receipt.outcome}, not ${outcome}${error === undefined ? "" : `: ${error.code} at ${error.stage}`}`);
      }
      follow(assert === undefined ? undefined : apply(assert, undefined, [receipt]), good, failed);
    } catch (error) {
      failed(error);
    }
  }

  /** @param {any} registration */
  #end({ supported, registered, failed }) {
    this.#cleanup();
    let left = "";
    for (let i = 0; i < registered.length && left === ""; i++) {
      left = isFree(this.#target, registered[i]) ? "" : `${registered[i]} is still registered`;
    }
    this.#check("clean-up", left);
    resolvePlain(this.#outcome, { supported, registered, failed, checks: deepFreeze(jsonParse(`[${this.#checks}]`)), then: undefined });
  }
}
