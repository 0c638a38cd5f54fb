// @ts-check
/** runAdapterConformance: puts what the checks of package adaptertest ask to an adapter that the page has written. */
import { NativeMap, NativeTypeError, apply, isArray, isObject, jsonParse, mapDelete, mapForEach, mapGet, mapSet, mapSize, pick } from "./intrinsics.js";
import { written } from "./definitions.js";
import { lost } from "./errors.js";
import * as Answer from "./ops/answer.js";
import * as Op from "./ops/op.js";
import { deferred, follow, later, resolveData } from "./promises.js";
import { replyWith } from "./replies.js";
import { say } from "./texts.js";
import { deepFreeze, fromText, member } from "./values.js";

/**
 * An adapter under test; its instances by registry and number, each with all tools that it gave: old ones are called
 * too; and the registries of the checks by number.
 * @typedef {{ __proto__?: null, subject: any, outcome: ReturnType<typeof deferred>, instances: Map<string, { adapter: any, tools: Map<number, any> }>, stages: Map<number, any> }} Subject
 */

export class Conformance {
  /** @type {import("./instance.js").Instance} */ #instance;
  /** @type {import("./registry.js").Registries} */ #registries;
  /** @type {Map<number, Subject>} */ #subjects = new NativeMap();
  #last = 0;

  /** @param {import("./instance.js").Instance} instance @param {import("./registry.js").Registries} registries */
  constructor(instance, registries) {
    this.#instance = instance;
    this.#registries = registries;
  }

  /** @param {any} subject { create, traits? } */
  run(subject) {
    if (typeof pick(subject, "create") !== "function") {
      throw new NativeTypeError(say("subject"));
    }
    const outcome = deferred();
    const number = ++this.#last;
    const traits = pick(subject, "traits");
    const text = traits === undefined ? "{}" : written(traits, "traits");
    mapSet(this.#subjects, number, { __proto__: null, subject, outcome, instances: new NativeMap(), stages: new NativeMap() });
    try {
      this.#instance.call(Op.Conformance, number, 0, text);
    } catch (error) {
      mapDelete(this.#subjects, number);
      throw error;
    }
    return outcome.promise;
  }

  /** The runtime is dead: no report will come. */
  loseAll() {
    const subjects = this.#subjects;
    this.#subjects = new NativeMap();
    mapForEach(subjects, ({ outcome }) => outcome.reject(lost()));
  }

  /** How many reports are due. */
  waiting() {
    return mapSize(this.#subjects);
  }

  /** @param {number} number @param {string} text the report */
  report(number, text) {
    const subject = /** @type {Subject} */ (mapGet(this.#subjects, number));
    mapDelete(this.#subjects, number);
    mapForEach(subject.stages, (registry) => this.#registries.forget(this.#registries.surfaceOf(registry, "")));
    resolveData(subject.outcome, jsonParse(text));
  }

  /** @param {number} number @param {number} instance @param {number} ticket @param {string} text */
  answer(number, instance, ticket, text) {
    const subject = /** @type {Subject} */ (mapGet(this.#subjects, number));
    const question = fromText(text);
    const settle = (/** @type {string} */ name, /** @type {() => string} */ value) => {
      let back;
      try {
        back = `{${member("", name, value())}}`;
      } catch (error) {
        back = `{${member("", "failed", wordsOf(error))}}`;
      }
      later(() => this.#instance.send(Op.Settle, ticket, Answer.Value, back));
    };
    const failed = (/** @type {unknown} */ error) => settle("failed", () => wordsOf(error));
    try {
      const key = `${question.registry} ${instance}`;
      follow(this.#ask(subject, key, question), (value) => settle("value", () => this.#read(subject, key, question.do, value)), failed);
    } catch (error) {
      failed(error);
    }
    return replyWith(Answer.Pending, "");
  }

  /** @param {Subject} subject @param {string} key @param {any} question */
  #ask({ subject, instances, stages }, key, question) {
    if (question.do === "start") {
      const adapter = apply(pick(subject, "create"), subject, []);
      mapSet(instances, key, { adapter, tools: new NativeMap() });
      const { consumer, scope, surface } = question;
      if (mapGet(stages, surface.registry) === undefined) {
        mapSet(stages, surface.registry, this.#registries.adopt(surface));
      }
      return adapter.start({ registry: mapGet(stages, surface.registry), consumer, scope });
    }
    const { adapter, tools } = /** @type {{ adapter: any, tools: Map<number, any> }} */ (mapGet(instances, key));
    if (question.do !== "call") {
      return adapter[question.do]();
    }
    const { input, invocationId, confirmationId } = question;
    return adapter.call(mapGet(tools, question.tool) ?? { name: question.name }, input, deepFreeze({ invocationId, confirmationId }));
  }

  /** What came of a question, as text. @param {Subject} subject @param {string} key @param {string} asked @param {any} value */
  #read({ instances }, key, asked, value) {
    if (asked === "tools") {
      if (!isArray(value)) {
        throw new NativeTypeError(say("tools"));
      }
      const { tools } = /** @type {{ tools: Map<number, any> }} */ (mapGet(instances, key));
      let text = "";
      for (let i = 0; i < value.length; i++) {
        const number = mapSize(tools);
        mapSet(tools, number, value[i]);
        text += `${i > 0 ? "," : ""}{${toolText(value[i], number)}}`;
      }
      return `[${text}]`;
    }
    return isObject(value) && asked === "call" ? written({ __proto__: null, output: pick(value, "output"), error: pick(value, "error") }, "the answer") : "null";
  }
}

/** What an adapter threw, as JSON; it may be anything. @param {unknown} error */
function wordsOf(error) {
  try {
    return written(`${error}`, "");
  } catch {
    return written(say("threw"), "");
  }
}

const PARTS = ["name", "capabilityId", "description", "inputSchema", "state"];

/** @param {any} tool @param {number} number */
function toolText(tool, number) {
  let text = member("", "number", `${number}`);
  for (let i = 0; i < PARTS.length; i++) {
    const name = /** @type {string} */ (PARTS[i]);
    const value = pick(tool, name);
    text = value === undefined ? text : member(text, name, written(value, name));
  }
  return text;
}
