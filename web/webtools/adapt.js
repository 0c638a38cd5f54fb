// @ts-check
/** toModelContextTool: a tool in the shape that registerTool of a page's modelContext takes. */
import { NativeTypeError, define, freeze, isObject, jsonParse, objectKeys, pick } from "../shim/builtins.js";
import { callTool } from "./calls.js";
import { keptOf } from "./define.js";
import { join } from "./membership.js";
import { STAGE, stageOf } from "./stage.js";

/** pagewarden-webtools.d.ts has its contract. @param {any} tool @param {any} [options] */
export const toModelContextTool = (tool, options) => adapt(keptOf(tool, "toModelContextTool"), optionsOf(options, "toModelContextTool", OPTIONS)).tool;

/**
 * The tool for the browser, and its membership in the registry that runs it.
 * @param {import("./define.js").Kept} kept @param {any} options
 * @returns {{ tool: any, member: import("./membership.js").Membership }}
 */
export function adapt(kept, options) {
  const member = join(kept, options.registry);
  const track = pick(options.calls, "track");
  /** @param {any} args @param {any} second */
  const execute = (args, second) => {
    const promise = callTool(member, args, second, options.context);
    if (typeof track === "function") {
      options.calls.track(promise);
    }
    return promise;
  };
  /** @type {any} */
  const tool = {
    name: kept.id, description: kept.description, inputSchema: jsonParse(kept.document), annotations: kept.annotations, execute,
  };
  if (kept.title !== undefined) {
    tool.title = kept.title;
  }
  define(tool, STAGE, stageOf(kept));
  return { tool: freeze(tool), member };
}

const OPTIONS = /** @type {any} */ ({ __proto__: null, context: "function", calls: "object", registry: "object" });

/** What a page gave, each read once. @param {any} options @param {string} where @param {any} kinds what each option is @returns {any} */
export function optionsOf(options, where, kinds) {
  /** @type {any} */
  const read = { __proto__: null };
  if (options === undefined) {
    return read;
  }
  if (!isObject(options)) {
    throw new NativeTypeError(`${where}: options must be an object`);
  }
  const names = objectKeys(options);
  for (let i = 0; i < names.length; i++) {
    const name = /** @type {string} */ (names[i]);
    if (kinds[name] === undefined) {
      throw new NativeTypeError(`${where}: options.${name} is no option: there are ${listed(objectKeys(kinds))}`);
    }
    const value = pick(options, name);
    if (value !== undefined && (typeof value !== kinds[name] && !(kinds[name] === "object" && isObject(value)))) {
      throw new NativeTypeError(`${where}: options.${name} must be ${kinds[name] === "function" ? "a function" : "an object"}`);
    }
    read[name] = value;
  }
  return read;
}

/** @param {string[]} names */
function listed(names) {
  let text = "";
  for (let i = 0; i < names.length; i++) {
    text += i === 0 ? names[i] : `${i === names.length - 1 ? " and " : ", "}${names[i]}`;
  }
  return text;
}
