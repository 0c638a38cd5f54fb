// @ts-check
/**
 * The built-in policies as a page makes them: frozen objects that stand for a policy of package policy. What
 * they decide, and which options they take, is in Go (jsbridge/builtins.go); the page's functions among the
 * options are kept here and asked for.
 */
import { NativeTypeError, define, freeze, isObject, jsonStringify, objectKeys, pick } from "./intrinsics.js";
import { say } from "./errors.js";
import { DefinitionWriter, isSink, written } from "./definitions.js";
import * as Op from "./ops/op.js";
import { fromText, member } from "./values.js";

/** A policy that is copied with its hooks must not become one that lets everything pass. */
const refuse = () => {
  throw new NativeTypeError(say("copy"));
};

/**
 * Gives api a function for each kind.
 * @param {object} api
 * @param {Record<string, string[]>} kinds the names of its arguments; none for one object of options
 * @param {import("./instance.js").Instance} instance
 * @param {import("./callbacks.js").Callbacks} callbacks
 */
export function addPolicies(api, kinds, instance, callbacks) {
  let serial = 0;

  /** @param {string} kind @param {string[]} parameters @param {any[]} given */
  const make = (kind, parameters, given) => {
    const options = given[0];
    /** @type {any} */
    const kept = { __proto__: null, self: options };
    let text = member(member("", "kind", jsonStringify(kind)), "serial", `${++serial}`);
    const add = (/** @type {string} */ name, /** @type {unknown} */ value) => {
      if (isSink(value)) {
        kept[name] = value;
      }
      text = value === undefined ? text : member(text, name, isSink(value) ? "true" : written(value, `${kind}: ${name}`));
    };
    for (let i = 0; i < parameters.length; i++) {
      add(/** @type {string} */ (parameters[i]), given[i]);
    }
    if (parameters.length === 0 && options !== undefined) {
      if (!isObject(options)) {
        throw new NativeTypeError(`${kind}: options must be an object`);
      }
      const names = objectKeys(options);
      for (let i = 0; i < names.length; i++) {
        const name = /** @type {string} */ (names[i]);
        add(name, pick(options, name));
      }
    }
    kept.builtIn = `{${text}}`;
    kept.name = instance.call(Op.CheckPolicy, 0, 0, kept.builtIn);
    const policy = freeze({
      name: kept.name,
      onDiscovery: (/** @type {any} */ context) => evaluate([policy], context),
      onAuthorize: refuse,
    });
    callbacks.keepBuiltIn(policy, kept);
    return policy;
  };

  /** @param {any} policies @param {any} context */
  const evaluate = (policies, context) => {
    const writer = new DefinitionWriter(policies, callbacks, (where, reason) => new NativeTypeError(`evaluateDiscovery: ${where} ${reason}`));
    try {
      const text = `{"policies":${writer.policies(policies, "policies")},"context":${writer.write(context, "policyContext", "context")}}`;
      return fromText(callbacks.voting(context, () => instance.call(Op.Vote, 0, 0, text)));
    } finally {
      callbacks.freePolicies(writer.kept);
    }
  };

  const names = objectKeys(kinds);
  for (let i = 0; i < names.length; i++) {
    const kind = /** @type {string} */ (names[i]);
    define(api, kind, (/** @type {any[]} */ ...given) => make(kind, /** @type {string[]} */ (kinds[kind]), given));
  }
  define(api, "evaluateDiscovery", evaluate);
}
