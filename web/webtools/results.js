// @ts-check
/** Results in the shape that an agent's host takes. What they look like is decided in Go (webtool). */
import { connected } from "./runtime.js";

/** What a tool gives for a value: text, an MCP result, other JSON, or nothing. @param {unknown} value */
export const toToolResult = (value) => connected().result(value);

/** A result that is an error, readable by a model. @param {string} code @param {string} message */
export const toolError = (code, message) => connected().error(code, message);
