// @ts-check
/** What a page may give as a schema: a schema object, a JSON Schema, or a Standard Schema that carries its JSON Schema. */
import { NativeTypeError, apply, isObject, pick } from "./builtins.js";

/**
 * The schema object { jsonSchema, parse } for what the author gave.
 * @param {any} runtime @param {any} given @param {string} name of the member
 */
export function schemaOf(runtime, given, name) {
  if (!isObject(given)) {
    throw new NativeTypeError(`${name} must be a schema: fromJsonSchema(…), fromStandardSchema(…), a JSON Schema, or a Standard Schema`);
  }
  const standard = pick(given, "~standard");
  if (standard !== undefined) {
    return runtime.fromStandardSchema(given, { __proto__: null, jsonSchema: documentOf(standard, name) });
  }
  if (typeof pick(given, "parse") === "function" && pick(given, "jsonSchema") !== undefined) {
    return given;
  }
  return runtime.fromJsonSchema(given);
}

/** The JSON Schema that a Standard Schema carries. @param {any} standard @param {string} name */
function documentOf(standard, name) {
  const json = pick(standard, "jsonSchema");
  const convert = pick(json, name === "output" ? "output" : "input");
  if (typeof convert !== "function") {
    throw new NativeTypeError(`${name} is a Standard Schema without a JSON Schema of its own: use fromStandardSchema(schema, { jsonSchema })`);
  }
  return apply(convert, json, [{ __proto__: null, target: "draft-2020-12" }]);
}
