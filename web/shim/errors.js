// @ts-check
/** The error classes of the API, and how what a page throws is read. */
import { NativeError, NativeTypeError, define, freeze, isObject, jsonParse, pick } from "./intrinsics.js";
import * as Answer from "./ops/answer.js";
import { failed, replyWith } from "./replies.js";
import { say } from "./texts.js";
import { deepFreeze, fromText, toText } from "./values.js";

/** What a policy, handler or executor throws to give an agent a typed error. */
export class AgentSurfaceError extends NativeError {
  /** @param {{ code: string, message: string, retry: string, details?: object }} payload */
  constructor(payload) {
    const text = toText(payload, 64, 8192);
    if (typeof text !== "string") {
      throw new NativeTypeError(`AgentSurfaceError: payload${text.path === "" ? "" : `.${text.path}`} ${text.message}`);
    }
    const copy = fromText(text);
    super(isObject(copy) ? `${pick(copy, "code")}: ${pick(copy, "message")}` : "");
    define(this, "name", "AgentSurfaceError");
    define(this, "payload", copy);
  }
}

/** A structural defect of what was to be registered. */
export class AgentSurfaceDefinitionError extends NativeError {
  /** @param {string} code @param {string} message starting with "[CODE] " */
  constructor(code, message) {
    super(message);
    define(this, "name", "AgentSurfaceDefinitionError");
    define(this, "code", code);
  }
}

/** @param {string} where @param {string} reason */
export function invalidDefinition(where, reason) {
  return new AgentSurfaceDefinitionError("INVALID_DEFINITION", `[INVALID_DEFINITION] ${where}${where === "" ? "" : ": "}${reason}`);
}

/** What a parse throws: { path, message } for each thing that is wrong. */
export class AgentSchemaError extends NativeError {
  /** @param {{ path: string, message: string }[]} issues */
  constructor(issues) {
    super(say("unfit"));
    define(this, "name", "AgentSchemaError");
    const text = toText(issues, 8, 65536);
    define(this, "issues", deepFreeze(typeof text === "string" ? jsonParse(text) : []));
  }
}

// A class that could be made to extend another one would hand what it makes to that.
freeze(AgentSurfaceError);
freeze(AgentSurfaceDefinitionError);
freeze(AgentSchemaError);

/**
 * Recognised by name and shape, since a page may load two copies of the script.
 * @param {any} error
 * @returns {boolean}
 */
export function isAgentSurfaceError(error) {
  try {
    return pick(error, "name") === "AgentSurfaceError" && isObject(pick(error, "payload"));
  } catch {
    return false;
  }
}

/**
 * What a thrown value means to the runtime.
 * @param {unknown} error
 * @returns {import("./replies.js").Reply}
 */
export function thrown(error) {
  try {
    if (isAgentSurfaceError(error)) {
      const text = toText(pick(error, "payload"), 64, 8192);
      if (typeof text === "string") {
        return replyWith(Answer.Thrown, text);
      }
    }
    if (pick(error, "transient") === true) {
      const after = pick(error, "retryAfterMs");
      const wait = typeof after === "number" && after >= 0 && after < 1e9 ? `,"retryAfterMs":${after}` : "";
      return replyWith(Answer.Failed, `{"transient":true${wait}}`);
    }
  } catch {
    // An error that cannot even be read says nothing.
  }
  return failed();
}

/** What is thrown for a registry that has been disposed of. */
export const disposedError = () => new NativeError(say("closed"));

/** The payload of everything that was waiting, or is asked, when the runtime is dead. */
export const lostPayload = () => failedPayload("lost");

/** What a synchronous call throws when the runtime is dead. */
export const lost = () => new AgentSurfaceError(lostPayload());

/** @param {"lost" | "internal"} reason */
export const failedPayload = (reason) => say(reason) ?? { code: "EXECUTION_FAILED", message: "The runtime did not start.", retry: "no" };

/** The payload for a request that is none: what its caller did wrong, in our own words. @param {string} message */
export const malformedPayload = (message) => ({ ...say("malformed"), details: { issues: [{ path: "", message }] } });
