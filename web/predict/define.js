// @ts-check
/** defineAgentCapability: what an author writes of a capability, checked, and frozen as what everybody else works with. */
import { NativeTypeError, NativeWeakMap, freeze, isObject, objectKeys, pick, weakGet, weakSet } from "../shim/builtins.js";
import { schemaOf } from "../shim/given.js";
import { forgetCapability, keepCapability } from "./hear.js";
import { whenLost } from "./loss.js";
import { connected, want } from "./runtime.js";

/** What is kept of a capability: its number, and the object, which must live as long as what is made of it. @typedef {{ __proto__?: null, number: number, capability: any }} Kept */

/** Of each capability, and of its tool. @type {WeakMap<object, Kept>} */
const known = new NativeWeakMap();

const MEMBERS = /** @type {any} */ ({
  __proto__: null,
  name: "data", description: "data", annotations: "data", capability: "data", scope: "data", reads: "data", writes: "data", reconciliation: "data",
  confirmation: "data", budget: "data", timeoutMs: "data",
  input: "own", output: "own", execute: "own", predict: "own", reconcile: "own", idempotency: "own",
});

/** @param {any} capability @param {string} where @returns {Kept} */
export function keptOf(capability, where) {
  const kept = isObject(capability) ? weakGet(known, capability) : undefined;
  if (kept === undefined) {
    throw new NativeTypeError(`${where} needs a capability that defineAgentCapability made`);
  }
  return kept;
}

/** pagewarden-predict.d.ts has its contract. @param {any} definition */
export function defineAgentCapability(definition) {
  const connection = connected();
  const { runtime } = connection;
  const { data, own } = readOnce(definition, runtime);
  const input = schemaMember(connection, own.input, "input");
  const output = schemaMember(connection, own.output, "output");
  const store = functionsOf(own, runtime);
  data.input = input.described;
  data.output = output.described;
  data.predicts = own.predict !== undefined;
  if (data.predicts !== (own.reconcile !== undefined)) {
    throw defect(runtime, "reconcile: predict and reconcile come together: what was foreseen must be held against what happened");
  }
  data.keyed = own.key !== undefined;
  data.stored = store !== undefined;
  const { execute, predict, reconcile, key } = own;
  const number = keepCapability({ __proto__: null, name: data.name, self: definition, execute, predict, reconcile, key, store, input: input.schema, output: output.schema });
  let described;
  try {
    described = want(null, "define", number, data);
  } catch (error) {
    forgetCapability(number);
    throw error;
  }
  const { tool, surface } = described;
  const capability = freeze(predict === undefined ? { tool, surface } : { tool, surface, predict, reconcile });
  const kept = { __proto__: null, number, capability };
  weakSet(known, capability, kept);
  weakSet(known, tool, kept);
  whenLost(capability, () => {
    if (want(null, "undefine", number) === true) {
      forgetCapability(number);
    }
  });
  return capability;
}

/** @param {any} definition @param {any} runtime @returns {{ data: any, own: any }} */
function readOnce(definition, runtime) {
  if (!isObject(definition)) {
    throw new NativeTypeError("defineAgentCapability needs a definition: an object with name, description, input, output and execute");
  }
  const given = objectKeys(definition);
  for (let i = 0; i < given.length; i++) {
    if (MEMBERS[/** @type {string} */ (given[i])] === undefined) {
      throw defect(runtime, `${given[i]} is no member of a capability`);
    }
  }
  /** @type {any} */
  const data = { __proto__: null };
  /** @type {any} */
  const own = { __proto__: null };
  const names = objectKeys(MEMBERS);
  for (let i = 0; i < names.length; i++) {
    const name = /** @type {string} */ (names[i]);
    (MEMBERS[name] === "data" ? data : own)[name] = pick(definition, name);
  }
  return { data, own };
}

/** @param {any} runtime @param {string} reason */
const defect = (runtime, reason) => new runtime.AgentSurfaceDefinitionError("INVALID_DEFINITION", `[INVALID_DEFINITION] ${reason}`);

/** A schema of the definition, and how the runtime is told of it. @param {any} connection @param {any} given @param {string} name */
function schemaMember({ runtime, isOwnSchema }, given, name) {
  if (given === undefined) {
    throw defect(runtime, `${name}: a capability needs an ${name} schema`);
  }
  const schema = schemaOf(runtime, given, name);
  const parses = !isOwnSchema(schema);
  return { schema, described: { __proto__: null, document: pick(schema, "jsonSchema"), parses } };
}

/** Checks the functions, and takes those of idempotency apart. @param {any} own @param {any} runtime @returns {any} the store of outputs, undefined without one */
function functionsOf(own, runtime) {
  if (typeof own.execute !== "function") {
    throw defect(runtime, "execute: a capability needs an execute function");
  }
  mustBeFunction(own.predict, "predict", runtime);
  mustBeFunction(own.reconcile, "reconcile", runtime);
  if (own.idempotency === undefined) {
    return undefined;
  }
  own.key = pick(own.idempotency, "key");
  if (typeof own.key !== "function") {
    throw defect(runtime, "idempotency.key: want a function of the input");
  }
  const store = pick(own.idempotency, "store");
  if (store === undefined) {
    return undefined;
  }
  const kept = { __proto__: null, self: store, get: pick(store, "get"), put: pick(store, "put") };
  if (typeof kept.get !== "function" || typeof kept.put !== "function") {
    throw defect(runtime, "idempotency.store: want an object with the functions get and put");
  }
  return kept;
}

/** @param {any} value @param {string} name @param {any} runtime */
function mustBeFunction(value, name, runtime) {
  if (value !== undefined && typeof value !== "function") {
    throw defect(runtime, `${name}: must be a function`);
  }
}
