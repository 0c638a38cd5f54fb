// @ts-check
/** The runtime object: every export of the API, frozen. */
import { freeze, jsonParse } from "./intrinsics.js";
import { AgentSchemaError, AgentSurfaceDefinitionError, AgentSurfaceError, isAgentSurfaceError } from "./errors.js";
import { written } from "./definitions.js";
import { Op } from "./ops.js";
import { deepFreeze } from "./values.js";

/**
 * @param {import("./instance.js").Instance} instance
 * @param {import("./callbacks.js").Callbacks} callbacks
 * @param {import("./registry.js").Registries} registries
 * @param {import("./webmcp.js").WebMCP} webmcp
 */
export function createRuntime(instance, callbacks, registries, webmcp) {
  const fromJsonSchema = (/** @type {unknown} */ document) => {
    const text = written(document, "schema");
    instance.call(Op.CheckSchema, 0, 0, text);
    const schema = freeze({ jsonSchema: deepFreeze(jsonParse(text)), parse: (/** @type {unknown} */ value) => value });
    callbacks.markSchema(schema);
    return schema;
  };
  return freeze({
    createAgentSurfaceRegistry: (/** @type {unknown} */ options) => registries.create(options),
    createOpenAuthority: (/** @type {unknown} */ options) => registries.createOpenAuthority(options),
    createWebMcpAdapter: (/** @type {unknown} */ options) => webmcp.create(options),
    fromJsonSchema,
    emptyObjectSchema: fromJsonSchema({ type: "object", properties: {}, additionalProperties: false }),
    AgentSurfaceError,
    AgentSurfaceDefinitionError,
    AgentSchemaError,
    isAgentSurfaceError,
    dev: freeze(development(instance, () => ({ ...callbacks.sizes(), ...registries.sizes(), ...webmcp.sizes() }))),
  });
}

/**
 * What is for developers and tests only.
 * @param {import("./instance.js").Instance} instance
 * @param {() => object} sizes
 */
function development(instance, sizes) {
  const dev = { tables: () => freeze({ ...jsonParse(instance.call(Op.Tables, 0, 0, "")), ...sizes() }) };
  // @ts-expect-error: the bundler defines the name; only the crash suite's build has faults
  if (__FAULTS__) {
    return { ...dev, fault: (/** @type {number} */ kind, /** @type {number} */ n) => instance.call(Op.Fault, kind, n, "") };
  }
  return dev;
}
