// @ts-check
/** The errors that a tool's author throws to let the agent know why, and how what was thrown is read. */
import { NativeError, define, freeze, pick } from "../shim/builtins.js";

/** An answer to the agent: a code of the author's own, and a message for a model. */
export class WebToolError extends NativeError {
  /** @param {string} code @param {string} message */
  constructor(code, message) {
    super(`${message}`);
    define(this, "name", "WebToolError");
    define(this, "code", `${code}`);
  }
}

/** The input is not what the tool takes. */
export class WebToolInputError extends WebToolError {
  /** @param {string} message @param {readonly { path: string, message: string }[]} [issues] */
  constructor(message, issues) {
    super("invalid_input", message);
    define(this, "issues", freeze(issues ?? []));
  }
}

/** There is nothing on the page that a person could press to confirm. */
export class ConfirmationUnavailableError extends WebToolError {
  /** @param {string} message */
  constructor(message) {
    super("unavailable", message);
  }
}

// A class that could be made to extend another one would hand what it makes to that.
freeze(WebToolError);
freeze(WebToolInputError);
freeze(ConfirmationUnavailableError);

/** Recognised by name and shape, since a page may load two copies. @param {any} error */
export function isWebToolError(error) {
  try {
    return pick(error, "name") === "WebToolError" && typeof pick(error, "code") === "string";
  } catch {
    return false;
  }
}

/** @param {any} error */
export function isAbortError(error) {
  try {
    return pick(error, "name") === "AbortError";
  } catch {
    return false;
  }
}

/** The message of whatever was thrown, "" when it cannot be read. @param {any} error @returns {string} */
export function messageOf(error) {
  try {
    const message = pick(error, "message");
    return typeof message === "string" ? message : "";
  } catch {
    return "";
  }
}
