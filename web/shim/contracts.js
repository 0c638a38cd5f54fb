// @ts-check
/**
 * Declarations: what a page may expose, apart from what carries it out. They need no runtime, so a module declares at
 * its top level and pagewarden contract reads it there. What they say is copied once; whether it is right is decided in
 * Go, when it is registered or exposed.
 */
import { NativeTypeError, NativeWeakMap, freeze, getPrototypeOf, isArray, isObject, objectKeys, pick, weakGet, weakSet } from "./intrinsics.js";
import { written } from "./definitions.js";
import { invalidDefinition } from "./errors.js";
import { fromText } from "./values.js";

/** @param {any} source @param {string} at */
function mustBeObject(source, at) {
  if (!isObject(source) || isArray(source)) {
    throw invalidDefinition(at, "must be an object");
  }
}

/** The own members of a page's object. @param {any} source @param {string} at @returns {any} without a prototype */
function copyOf(source, at) {
  mustBeObject(source, at);
  return { __proto__: null, ...source };
}

/** What a declaration says that a definition says too. @param {any} source @param {string} at @returns {any} without a prototype */
function copyDeclared(source, at) {
  const { policies, tags, ...declared } = copyOf(source, at);
  return { __proto__: null, ...declared };
}

/**
 * A declaration and its binding as one, of the binding's class: what that has of a check must not get lost. Schemas may
 * be given once more, with a parse.
 * @param {any} declared @param {any} binding @param {string} at @returns {any}
 */
function joined(declared, binding, at) {
  mustBeObject(binding, at);
  const whole = { __proto__: getPrototypeOf(binding), ...declared, ...binding };
  const names = objectKeys(binding);
  for (let i = 0; i < names.length; i++) {
    const name = /** @type {string} */ (names[i]);
    if (whole[name] === undefined) {
      whole[name] = declared[name];
    } else if (declared[name] !== undefined && name !== "input" && name !== "output") {
      throw invalidDefinition(at === "" ? name : `${at}.${name}`, "is declared in the contract, so the binding must leave it out");
    }
  }
  return whole;
}

/** The members of a group, each copied. @param {any} source @param {string} group */
function copyGroup(source, group) {
  const copy = copyOf(source ?? { __proto__: null }, group);
  const names = objectKeys(copy);
  for (let i = 0; i < names.length; i++) {
    const name = /** @type {string} */ (names[i]);
    copy[name] = copyDeclared(copy[name], `${group}.${name}`);
  }
  return copy;
}

/** A group of declarations with their bindings, one for each, in the order of the declarations. @param {any} declared @param {any} bindings @param {string} group */
function joinedGroup(declared, bindings, group) {
  mustBeObject(bindings ?? declared, group);
  const whole = { ...declared, ...bindings };
  const names = objectKeys(whole);
  for (let i = 0; i < names.length; i++) {
    const name = /** @type {string} */ (names[i]);
    const at = `${group}.${name}`;
    if (whole[name] === declared[name] || whole[name] === undefined) {
      throw invalidDefinition(at, "is declared and has no binding");
    }
    if (declared[name] === undefined) {
      throw invalidDefinition(at, "is not declared");
    }
    whole[name] = joined(declared[name], whole[name], at);
  }
  return whole;
}

/** @param {any} declaration */
export function defineAgentComponentContract(declaration) {
  const { observations, actions, ...rest } = copyDeclared(declaration, "");
  const declared = { __proto__: null, ...rest };
  const reads = copyGroup(observations, "observations");
  const acts = copyGroup(actions, "actions");
  return freeze({
    type: pick(rest, "type"),
    bind: (/** @type {any} */ binding) => {
      const definition = joined(declared, binding, "");
      return {
        __proto__: getPrototypeOf(definition),
        ...definition,
        observations: joinedGroup(reads, pick(definition, "observations"), "observations"),
        actions: joinedGroup(acts, pick(definition, "actions"), "actions"),
      };
    },
  });
}

/** @param {any} declaration */
export function defineAgentProcedureContract(declaration) {
  const { input, output, confirmation, boundFields, origin, ...rest } = copyDeclared(declaration, "");
  const ref = fromText(written({ __proto__: null, ...rest, inputSchema: pick(input, "jsonSchema"), outputSchema: pick(output, "jsonSchema") }, ""));
  const fields = fromText(written(boundFields ?? [], "boundFields"));
  return freeze({
    id: pick(ref, "id"),
    bind: (/** @type {any} */ config) => ({
      kind: "procedure-binding", ref, boundFields: fields, config: joined({ __proto__: null, confirmation }, config ?? { __proto__: null }, "config"),
    }),
  });
}

/** External tools that a bind has made, and what was declared of them. @type {WeakMap<object, string>} */
const tools = new NativeWeakMap();

/** What was declared of a tool. @param {any} tool @param {number} index */
export function declaredOf(tool, index) {
  const text = isObject(tool) ? weakGet(tools, tool) : undefined;
  if (text === undefined) {
    throw new NativeTypeError(`expose: tool ${index} was not made by the bind of a defineExternalAgentToolContract`);
  }
  return text;
}

/** @param {any} declaration */
export function defineExternalAgentToolContract(declaration) {
  const { input, output, origin, ...rest } = copyDeclared(declaration, "");
  const text = written({ __proto__: null, ...rest, input: pick(input, "jsonSchema"), output: pick(output, "jsonSchema") }, "");
  const declared = fromText(text);
  const id = pick(declared, "id");
  let name = "";
  for (let i = 0; typeof id === "string" && i < id.length; i++) {
    name += id[i] === ":" ? "_" : id[i] === "." ? "__" : id[i];
  }
  return freeze({
    id,
    bind: (/** @type {any} */ binding) => {
      const execute = pick(binding, "execute");
      if (typeof execute !== "function") {
        throw invalidDefinition("execute", "must be a function");
      }
      const tool = freeze({ name, description: pick(declared, "description"), inputSchema: pick(declared, "input"), execute });
      weakSet(tools, tool, text);
      return tool;
    },
  });
}

/** A schema of a declaration: what it says is checked when it is registered. @param {unknown} document a JSON Schema */
export const fromJsonSchema = (document) => freeze({ jsonSchema: fromText(written(document, "schema")) });

export const emptyObjectSchema = fromJsonSchema({ type: "object", properties: {}, additionalProperties: false });

/** @template T @param {T} value @returns {T} what only gives a literal its type */
export const same = (value) => value;
export const observationContract = same;
export const actionContract = same;
