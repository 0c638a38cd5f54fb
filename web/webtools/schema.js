// @ts-check
/** What a tool is called with. */
import { apply, jsonParse, pick } from "../shim/builtins.js";
import { WebToolInputError, messageOf } from "./errors.js";

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
