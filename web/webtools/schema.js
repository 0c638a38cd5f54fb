// @ts-check
/** What a tool takes: a schema object, a JSON Schema, or a Standard Schema that carries its JSON Schema. */
import { NativeTypeError, apply, isObject, jsonParse, pick } from "../shim/builtins.js";
import { WebToolInputError, messageOf } from "./errors.js";

/**
 * The schema object { jsonSchema, parse } for what the author gave.
 * @param {any} runtime @param {any} input
 */
export function schemaOf(runtime, input) {
  if (input === undefined) {
    return runtime.emptyObjectSchema;
  }
  if (!isObject(input)) {
    throw new NativeTypeError("input must be a schema: fromJsonSchema(…), fromStandardSchema(…), a JSON Schema, or a Standard Schema");
  }
  const standard = pick(input, "~standard");
  if (standard !== undefined) {
    return runtime.fromStandardSchema(input, { __proto__: null, jsonSchema: documentOf(standard) });
  }
  if (typeof pick(input, "parse") === "function" && pick(input, "jsonSchema") !== undefined) {
    return input;
  }
  return runtime.fromJsonSchema(input);
}

/** The JSON Schema that a Standard Schema carries. @param {any} standard */
function documentOf(standard) {
  const json = pick(standard, "jsonSchema");
  const convert = pick(json, "input");
  if (typeof convert !== "function") {
    throw new NativeTypeError("input is a Standard Schema without a JSON Schema of its own: use fromStandardSchema(schema, { jsonSchema })");
  }
  return apply(convert, json, [{ __proto__: null, target: "draft-2020-12" }]);
}

/** Arguments as browsers hand them over: an object, or its JSON text; none are an empty object. @param {any} args */
export function decoded(args) {
  if (typeof args !== "string") {
    return args ?? {};
  }
  try {
    return jsonParse(args) ?? {};
  } catch {
    throw new WebToolInputError("The input is not valid: it must be an object, or the JSON text of one");
  }
}

/** The parsed input, or why it is none. @param {any} schema @param {unknown} args */
export function parsed(schema, args) {
  const value = decoded(args);
  try {
    return apply(pick(schema, "parse"), schema, [value]);
  } catch (error) {
    const issues = pick(error, "issues");
    if (issues === undefined) {
      throw error;
    }
    throw new WebToolInputError(`The input is not valid: ${told(issues) || messageOf(error)}`, issues);
  }
}

/** @param {any} issues */
function told(issues) {
  let text = "";
  for (let i = 0; i < issues.length; i++) {
    const path = pick(issues[i], "path");
    const one = `${typeof path === "string" && path !== "" ? `${path}: ` : ""}${pick(issues[i], "message")}`;
    text += text === "" ? one : `; ${one}`;
  }
  return text;
}
