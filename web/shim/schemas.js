// @ts-check
/** Schema objects: { jsonSchema, parse }. What a JSON Schema means is decided in Go. */
import { NativeTypeError, apply, freeze, isArray, isObject, jsonParse, pick } from "./intrinsics.js";
import { AgentSchemaError } from "./errors.js";
import { written } from "./definitions.js";
import * as Op from "./ops/op.js";
import { follow } from "./promises.js";
import { say } from "./texts.js";
import { fromText, toText } from "./values.js";

/**
 * @param {import("./instance.js").Instance} instance
 * @param {import("./callbacks.js").Callbacks} callbacks
 * @param {(value: unknown, document: object) => any[]} validate
 * @param {(found: object) => any[]} issuesOf what outcomeOf found, with the paths written out
 */
export function schemaFunctions(instance, callbacks, validate, issuesOf) {
  /** @param {unknown} value @param {object} document @returns {any} a copy of the value that was checked */
  const check = (value, document) => {
    const text = toText(value);
    const copy = typeof text === "string" ? jsonParse(text) : value;
    const issues = validate(copy, document);
    if (issues.length > 0) {
      throw new AgentSchemaError(issues);
    }
    return copy;
  };

  /** The text of a JSON Schema of the subset. @param {unknown} source */
  const checked = (source) => {
    const text = written(source, "schema");
    instance.call(Op.CheckSchema, 0, 0, text);
    return text;
  };

  return {
    __proto__: null,
    fromJsonSchema: (/** @type {unknown} */ source) => {
      const text = checked(source);
      const jsonSchema = fromText(text);
      const schema = freeze({ jsonSchema, parse: (/** @type {unknown} */ value) => check(value, jsonSchema) });
      callbacks.markSchema(schema, text);
      return schema;
    },
    fromStandardSchema: (/** @type {any} */ source, /** @type {any} */ options) => {
      const standard = pick(source, "~standard");
      const run = pick(standard, "validate");
      const document = pick(options, "jsonSchema");
      if (typeof run !== "function" || document === undefined) {
        throw new NativeTypeError(say("standard"));
      }
      return freeze({
        jsonSchema: fromText(checked(document)),
        parse: (/** @type {unknown} */ value) => {
          const result = outcomeOf(apply(run, standard, [value]));
          if (result.issues !== undefined) {
            throw new AgentSchemaError(issuesOf(result.issues));
          }
          return result.value;
        },
      });
    },
  };
}

/**
 * What a Standard Schema found: its value, or its issues with their paths step by step.
 * @param {any} result
 * @returns {{ __proto__?: null, value: any, issues: any }}
 */
function outcomeOf(result) {
  /** @type {any} */
  let found;
  follow(result, (value) => {
    found = value;
  }, () => {});
  if (!isObject(found)) {
    return { __proto__: null, value: undefined, issues: { __proto__: null, 0: { __proto__: null, message: say("asynchronous") } } };
  }
  const given = pick(found, "issues");
  return { __proto__: null, value: pick(found, "value"), issues: isObject(given) ? numbered(given, (issue) => ({
    __proto__: null,
    message: pick(issue, "message"),
    path: numbered(pick(issue, "path"), (step) => (isObject(step) ? pick(step, "key") : step)),
  })) : undefined };
}

/**
 * An array as an object of numbers, whose prototype nobody can reach.
 * @param {any} list @param {(element: any) => any} change
 */
function numbered(list, change) {
  /** @type {any} */
  const copy = { __proto__: null };
  for (let i = 0; isArray(list) && i < list.length; i++) {
    copy[i] = change(list[i]);
  }
  return copy;
}
