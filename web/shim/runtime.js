// @ts-check
/**
 * The runtime object: every export of the API, frozen. The functions that need nothing but their arguments and
 * the constants come from the module (jsbridge/compute.go).
 */
import { define, freeze, jsonParse } from "./intrinsics.js";
import { AgentSchemaError, AgentSurfaceDefinitionError, AgentSurfaceError, isAgentSurfaceError } from "./errors.js";
import {
  actionContract, defineAgentComponentContract, defineAgentProcedureContract, defineExternalAgentToolContract, observationContract, same,
} from "./contracts.js";
import { shapesOf, written } from "./definitions.js";
import * as Op from "./ops/op.js";
import { addPolicies } from "./policies.js";
import { schemaFunctions } from "./schemas.js";
import { consoleAuditSink, memoryAuditSink } from "./sinks.js";
import { createTestSurface } from "./testing.js";
import { learn } from "./texts.js";
import { capabilityState } from "./toolsets.js";
import { deepFreeze, fromText, inOrder, toText } from "./values.js";

/**
 * Under it the runtime has what pagewarden-webtools.js and pagewarden-predict.js need beside the API. It is no secret, and
 * nothing that it gives decides about what others have made: a tool's confirmation is decided by the question of that tool
 * alone, and whoever joins gets a place of its own, whose registry nobody is given.
 */
const webTools = Symbol.for("pagewarden.webtools");

/**
 * @param {import("./instance.js").Instance} instance
 * @param {import("./callbacks.js").Callbacks} callbacks
 * @param {import("./registry.js").Registries} registries
 * @param {import("./webmcp.js").WebMCP} webmcp
 * @param {import("./toolsets.js").Toolsets} toolsets
 * @param {import("./conformance.js").Conformance} conformance
 */
export function createRuntime(instance, callbacks, registries, webmcp, toolsets, conformance) {
  const { authorities } = registries;
  const table = jsonParse(instance.call(Op.Compute, 0, 0, ""));
  callbacks.shapeTable = shapesOf(table.shapes);
  learn(deepFreeze(table.texts));
  /** @type {any} */
  const own = { __proto__: null };
  const dev = development(instance, registries, () => ({ ...callbacks.sizes(), ...registries.sizes(), ...webmcp.sizes(), subjects: conformance.waiting() }));
  // Without a prototype, as a module's namespace: load resolves with it, and a then on Object.prototype is not asked.
  /** @type {any} */
  const api = {
    __proto__: null,
    createAgentSurfaceRegistry: (/** @type {unknown} */ options) => registries.create(options),
    createOpenAuthority: (/** @type {unknown} */ options) => authorities.createOpenAuthority(options),
    createCapabilityAuthority: (/** @type {unknown} */ manifest) => authorities.createCapabilityAuthority(manifest),
    createAgentExposureGateway: (/** @type {unknown} */ authority, /** @type {unknown} */ options) => authorities.createAgentExposureGateway(authority, options),
    defineAgentComponentContract, defineAgentProcedureContract, defineExternalAgentToolContract, observationContract, actionContract,
    createWebMcpAdapter: (/** @type {unknown} */ options) => webmcp.create(options),
    createAgentToolset: (/** @type {unknown} */ registry, /** @type {unknown} */ options) => toolsets.create(registry, options),
    capabilityState: (/** @type {unknown} */ tools) => capabilityState(own.capabilityState, tools),
    runAdapterConformance: (/** @type {unknown} */ subject) => conformance.run(subject),
    createTestSurface: (/** @type {unknown} */ options) => createTestSurface(registries, options),
    defineAgentComponent: (/** @type {unknown} */ definition) => {
      registries.checkDefinition(definition);
      return definition;
    },
    validateComponentDefinition: (/** @type {unknown} */ definition) => registries.checkDefinition(definition),
    observation: same,
    action: same,
    memoryAuditSink,
    consoleAuditSink,
    AgentSurfaceError,
    AgentSurfaceDefinitionError,
    AgentSchemaError,
    isAgentSurfaceError,
    dev,
    ...deepFreeze(table.values),
  };
  let number = addFunctions(instance, api, table.functions, 0);
  number = addFunctions(instance, dev, table.dev, number);
  addFunctions(instance, own, table.own, number);
  const { fromJsonSchema, fromStandardSchema } = schemaFunctions(instance, callbacks, api.validateValueAgainstSchema, own.issues);
  define(api, "fromJsonSchema", fromJsonSchema);
  define(api, "fromStandardSchema", fromStandardSchema);
  define(api, "emptyObjectSchema", fromJsonSchema({ type: "object", properties: {}, additionalProperties: false }));
  addPolicies(api, table.policies, instance, callbacks);
  /** @type {any} */
  let tools;
  define(api, webTools, freeze({
    ...own,
    registry: () => {
      if (tools === undefined) {
        const { register, invoke, getVersion, confirmations } = registries.createForTools();
        tools = freeze({ register, invoke, getVersion, confirmations });
      }
      return tools;
    },
    isOwnSchema: (/** @type {object} */ schema) => callbacks.schemaText(schema) !== undefined,
    join: (/** @type {any} */ guest) => {
      const number = callbacks.guests.join(guest);
      /** @type {any} */
      let home;
      return (/** @type {any} */ registry, /** @type {unknown[]} */ ...given) =>
        ask(instance, Op.Guest, number, registry === null ? 0 : registries.surfaceOf(registry ?? (home ??= registries.createForTools()), "registry").number, given);
    },
  }));
  freeze(dev);
  return freeze(api);
}

/**
 * Gives target the functions that the module calls by the numbers after last.
 * @param {import("./instance.js").Instance} instance @param {object} target @param {string[]} names @param {number} last
 * @returns {number} the last number
 */
function addFunctions(instance, target, names, last) {
  for (let i = 0; i < names.length; i++) {
    const number = ++last;
    define(target, /** @type {string} */ (names[i]), (/** @type {unknown[]} */ ...given) => ask(instance, Op.Compute, number, 0, given));
  }
  return last;
}

/** An operation on values of the page, and what comes of it. @param {import("./instance.js").Instance} instance @param {number} op @param {number} a @param {number} b @param {unknown[]} given */
function ask(instance, op, a, b, given) {
  let text = "";
  for (let j = 0; j < given.length; j++) {
    const one = given[j] === undefined ? "" : toText(given[j]);
    text += `${typeof one !== "string" ? `!${written(one, "")}` : inOrder ? `=${one}` : one}\n`;
  }
  const back = instance.call(op, a, b, text);
  return back === "" ? undefined : fromText(back);
}

/**
 * What is for developers and tests only.
 * @param {import("./instance.js").Instance} instance
 * @param {import("./registry.js").Registries} registries
 * @param {() => object} sizes
 * @returns {any}
 */
function development(instance, registries, sizes) {
  const dev = {
    explainSurface: (/** @type {unknown} */ registry, /** @type {unknown} */ context) => registries.explainTo(registry, context),
    watchCalls: (/** @type {unknown} */ registry, /** @type {unknown} */ listener) => registries.watchCalls(registry, listener),
    tables: () => freeze({ ...jsonParse(instance.call(Op.Tables, 0, 0, "")), ...sizes() }),
  };
  // @ts-expect-error: the bundler defines the name; only the crash suite's build has faults
  if (__FAULTS__) {
    return { ...dev, fault: (/** @type {number} */ kind, /** @type {number} */ n) => instance.call(Op.Fault, kind, n, "") };
  }
  return dev;
}
