// @ts-check
/** defineWebTool: what an author writes of a tool, checked, and frozen as what everybody else works with. */
import { NativeAbortController, NativeError, NativeTypeError, NativeWeakMap, abortSignalOf, apply, define, freeze, isObject, objectKeys, pick, weakGet, weakSet } from "../shim/builtins.js";
import { deferred, follow } from "../shim/promises.js";
import { componentOf } from "./component.js";
import { inDevelopment } from "./environment.js";
import { connected } from "./runtime.js";
import { schemaOf } from "../shim/given.js";
import { decoded, parsed } from "./schema.js";

/**
 * What is kept of a tool: its definition as it was read once, its schema, and what the runtime made of it.
 * @typedef {{
 *   __proto__?: null, id: string, title: string | undefined, description: string, schema: any, document: string, annotations: any, effect: string, untrusted: boolean,
 *   timeoutMs: number | undefined, asks: boolean, control: any, fields: any, fill: any, execute: any, connection: import("./runtime.js").Connection,
 * }} Kept
 */

/** @type {WeakMap<object, Kept>} */
const tools = new NativeWeakMap();

/** How each member of a definition is read. "data" goes to the runtime, which judges it. */
const MEMBERS = /** @type {any} */ ({
  __proto__: null,
  id: "data", title: "data", description: "data", annotations: "data", readOnly: "data", destructive: "data", repeatable: "data", external: "data",
  safeResponse: "data", timeoutMs: "data",
  input: "own", outputSchema: "own", requireConfirmation: "own", control: "own", fields: "own", fill: "own", execute: "own",
});

/** @param {unknown} tool @param {string} where @returns {Kept} */
export function keptOf(tool, where) {
  const kept = isObject(tool) ? weakGet(tools, tool) : undefined;
  if (kept === undefined) {
    throw new NativeTypeError(`${where} needs a tool that defineWebTool made`);
  }
  return kept;
}

/** pagewarden-webtools.d.ts has its contract. @param {any} definition */
export function defineWebTool(definition) {
  const connection = connected();
  const runtime = connection.source;
  const given = readOnce(definition, runtime);
  const schema = given.input === undefined ? runtime.emptyObjectSchema : schemaOf(runtime, given.input, "input");
  checkFunctions(given, runtime);
  const about = connection.describe({ ...given.data, inputSchema: pick(schema, "jsonSchema"), asks: given.requireConfirmation === true });
  const output = given.outputSchema === undefined ? undefined : runtime.fromJsonSchema(given.outputSchema);
  /** @type {Kept} */
  const kept = {
    __proto__: null, id: given.data.id, title: given.data.title, description: given.data.description, schema, document: about.document, annotations: about.annotations,
    effect: about.effect, untrusted: about.untrusted, timeoutMs: given.data.timeoutMs, asks: given.requireConfirmation === true, control: given.control,
    fields: given.fields, fill: given.fill, execute: given.execute, connection,
  };
  runtime.validateComponentDefinition(componentOf(kept, "check", {}));
  const tool = freeze({
    id: kept.id,
    title: kept.title,
    description: kept.description,
    jsonSchema: pick(schema, "jsonSchema"),
    annotations: kept.annotations,
    parse: (/** @type {unknown} */ args) => parsed(schema, args),
    execute: kept.execute,
    run: (/** @type {unknown} */ args, /** @type {any} */ context) => run(kept, output, args, context),
  });
  weakSet(tools, tool, kept);
  return tool;
}

/** @param {any} definition @param {any} runtime @returns {any} { data, input, … } */
function readOnce(definition, runtime) {
  if (!isObject(definition)) {
    throw new NativeTypeError("defineWebTool needs a definition: an object with id, description and execute");
  }
  const given = objectKeys(definition);
  for (let i = 0; i < given.length; i++) {
    if (MEMBERS[/** @type {string} */ (given[i])] === undefined) {
      throw defect(runtime, `${given[i]} is no member of a web tool`);
    }
  }
  /** @type {any} */
  const read = { __proto__: null, data: { __proto__: null } };
  const names = objectKeys(MEMBERS);
  for (let i = 0; i < names.length; i++) {
    const name = /** @type {string} */ (names[i]);
    (MEMBERS[name] === "data" ? read.data : read)[name] = pick(definition, name);
  }
  return read;
}

/** @param {any} runtime @param {string} reason */
const defect = (runtime, reason) => new runtime.AgentSurfaceDefinitionError("INVALID_DEFINITION", `[INVALID_DEFINITION] ${reason}`);

/** @param {any} given @param {any} runtime */
function checkFunctions(given, runtime) {
  if (typeof given.execute !== "function") {
    throw defect(runtime, "execute must be a function");
  }
  if (given.fill !== undefined && typeof given.fill !== "function") {
    throw defect(runtime, "fill must be a function");
  }
  if (given.requireConfirmation !== undefined && typeof given.requireConfirmation !== "boolean") {
    throw defect(runtime, "requireConfirmation must be true or false");
  }
  if (!isTarget(given.control)) {
    throw defect(runtime, "control must be an element, a function that gives one, or a CSS selector");
  }
  if (given.fields === undefined) {
    return;
  }
  if (!isObject(given.fields)) {
    throw defect(runtime, "fields must be an object with an element, a function or a CSS selector for each parameter");
  }
  const copy = /** @type {any} */ ({ __proto__: null });
  const names = objectKeys(given.fields);
  for (let i = 0; i < names.length; i++) {
    const name = /** @type {string} */ (names[i]);
    copy[name] = given.fields[name];
    if (!isTarget(copy[name])) {
      throw defect(runtime, `fields.${name} must be an element, a function that gives one, or a CSS selector`);
    }
  }
  given.fields = copy;
}

/** @param {unknown} target */
const isTarget = (target) => target === undefined || typeof target === "string" || isObject(target);

/**
 * Parse, execute and, in development, check what came of it.
 * @param {Kept} kept @param {any} output a schema object, undefined without one @param {unknown} args @param {any} context
 */
function run(kept, output, args, context) {
  const outcome = deferred();
  try {
    const input = parsed(kept.schema, decoded(args));
    const signal = pick(context, "signal") ?? abortSignalOf(new NativeAbortController());
    const told = freeze({ signal, source: pick(context, "source") ?? "webmcp", context: pick(context, "context"), unfilled: freeze([]), reasons: freeze({}) });
    follow(apply(kept.execute, undefined, [input, told]), (value) => {
      try {
        if (output !== undefined && inDevelopment()) {
          mustFit(kept, output, value);
        }
        outcome.resolve(value);
      } catch (error) {
        outcome.reject(error);
      }
    }, outcome.reject);
  } catch (error) {
    outcome.reject(error);
  }
  return outcome.promise;
}

/** @param {Kept} kept @param {any} output @param {unknown} value */
function mustFit(kept, output, value) {
  const issues = kept.connection.source.validateValueAgainstSchema(value, output.jsonSchema);
  if (issues.length > 0) {
    const { path, message } = issues[0];
    const error = new NativeError(`${kept.id}: the result does not fit outputSchema: ${path === "" ? "" : `${path}: `}${message}`);
    define(error, "issues", issues);
    throw error;
  }
}
