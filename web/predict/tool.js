// @ts-check
/** toWebMcpTool: a capability in the shape that registerTool of a page's modelContext takes. */
import { freeze, jsonParse, pick } from "../shim/builtins.js";
import { keptOf } from "./define.js";
import { forgetCheck, keepCheck } from "./hear.js";
import { whenLost } from "./loss.js";
import { optionsOf } from "./options.js";
import { begin, lostReceipt } from "./pending.js";
import { want } from "./runtime.js";
import { numberOf } from "./store.js";

export const OPTIONS = /** @type {any} */ ({
  __proto__: null, registry: "object", consumer: "data", capabilities: "data", authorize: "function", resultMode: "data", maxReceiptBytes: "data", dryRun: "data",
  store: "object", wait: "data", waitTimeoutMs: "data",
});

/** pagewarden-predict.d.ts has its contract. @param {any} capability @param {any} [options] */
export const toWebMcpTool = (capability, options) => webMcpTool(capability, optionsOf(options, "toWebMcpTool", OPTIONS), "toWebMcpTool").tool;

/**
 * The tool, and what closes it.
 * @param {any} capability @param {any} options as optionsOf gives them @param {string} where
 * @param {(promise: Promise<any>, second: any) => void} [called] told of each call, and what was given beside its input
 */
export function webMcpTool(capability, options, where, called) {
  const kept = keptOf(capability, where);
  const projection = new Projection(kept, options, false, where);
  const execute = (/** @type {any} */ input, /** @type {any} */ second) => {
    const promise = projection.call(input, {
      __proto__: null, signal: peek(second, "signal"), invocationId: textIn(second, "invocationId"), confirmationId: textIn(second, "confirmationId"),
    }, lostReceipt);
    called?.(promise, second);
    return promise;
  };
  whenLost(execute, projection.release);
  const { name, description, inputSchema, annotations } = kept.capability.tool;
  return { tool: freeze({ name, description, inputSchema, annotations, execute }), close: projection.release };
}

/** A member of what a caller gives beside the input, which may be anything. @param {any} source @param {string} name */
export function peek(source, name) {
  try {
    return pick(source, name);
  } catch {
    return undefined;
  }
}

/** The same, of a text. @param {any} source @param {string} name */
export function textIn(source, name) {
  const value = peek(source, name);
  return typeof value === "string" ? value : undefined;
}

/** A capability as one kind of caller has it. */
export class Projection {
  /** @type {import("./define.js").Kept} */ #kept;
  /** @type {number} */ #number;
  /** @type {any} */ #store;
  /** What an MCP server lists. @type {any} */ mcp;
  /** Lets go of it in the runtime; a call then says so. @type {() => void} */ release;

  /** @param {import("./define.js").Kept} kept @param {any} options @param {boolean} mcp @param {string} where */
  constructor(kept, options, mcp, where) {
    const { registry, authorize, store, ...data } = options;
    this.#kept = kept;
    this.#store = store;
    const check = authorize === undefined ? 0 : keepCheck(authorize);
    let made;
    try {
      made = want(registry, "tool", kept.number, mcp, {
        __proto__: null, ...data, authorize: check, store: store === undefined ? undefined : numberOf(store, where),
      });
    } catch (error) {
      forgetCheck(check);
      throw error;
    }
    const number = made.tool;
    this.#number = number;
    this.mcp = pick(made, "mcp");
    this.release = () => {
      forgetCheck(check);
      want(null, "close", number);
    };
  }

  /** @param {any} input an object or its JSON text @param {any} call { signal, invocationId, confirmationId } @param {() => any} lost */
  call(input, { signal, invocationId, confirmationId }, lost) {
    const kept = { capability: this.#kept, store: this.#store };
    return begin({ __proto__: null, signal, clock: undefined, lost, kept }, (ticket, aborted) => {
      want(null, "call", this.#number, ticket, { __proto__: null, invocationId, confirmationId, aborted }, decoded(input));
    });
  }
}

/** Arguments as browsers hand them over. A text that is no JSON is refused as an input. @param {any} args */
function decoded(args) {
  if (typeof args === "string") {
    try {
      return jsonParse(args) ?? undefined;
    } catch {
      return args;
    }
  }
  return args ?? undefined;
}
