// @ts-check
/**
 * The built-in policies as a page makes them: frozen objects that stand for a policy of package policy. What
 * they decide, and which options they take, is in Go (jsbridge/builtins.go); the page's functions among the
 * options are kept here and asked for.
 */
import { NativeTypeError, define, freeze, isArray, isObject, jsonStringify, objectKeys } from "./intrinsics.js";
import { DefinitionWriter, isSink, written } from "./definitions.js";
import * as Op from "./ops/op.js";
import { say } from "./texts.js";
import { fromText, member } from "./values.js";

/** A policy that is copied with its hooks must not become one that lets everything pass. */
const refuse = () => {
  throw new NativeTypeError(say("copy"));
};

/**
 * Gives api a function for each kind.
 * @param {object} api
 * @param {string[]} kinds
 * @param {import("./instance.js").Instance} instance
 * @param {import("./callbacks.js").Callbacks} callbacks
 */
export function addPolicies(api, kinds, instance, callbacks) {
  let serial = 0;

  /** @param {string} kind @param {any[]} given */
  const make = (kind, given) => {
    /** @type {any} */
    const kept = { __proto__: null, self: given.length > 0 ? given[0] : undefined };
    /** @param {string} name of an argument or option @param {any} value @returns {string} */
    const write = (name, value) => {
      if (isSink(value)) {
        kept[name] = value;
        return "true";
      }
      return isObject(value) && !isArray(value) ? `{${members("", value)}}` : written(value, kind);
    };
    /** @param {string} text @param {any} values @returns {string} */
    const members = (text, values) => {
      const names = objectKeys(values);
      for (let i = 0; i < names.length; i++) {
        const name = /** @type {string} */ (names[i]);
        const value = values[name];
        text = value === undefined ? text : member(text, name, write(name, value));
      }
      return text;
    };
    kept.builtInText = `{${members(member(member("", "kind", jsonStringify(kind)), "serial", `${++serial}`), given)}}`;
    kept.name = instance.call(Op.CheckPolicy, 0, 0, kept.builtInText);
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
      const text = `{"policies":${writer.writePolicies(policies, "policies")},"context":${writer.writeBy(context, "policyContext", "context")}}`;
      return fromText(callbacks.voting(context, () => instance.call(Op.Vote, 0, 0, text)));
    } finally {
      callbacks.freePolicies(writer.kept);
    }
  };

  for (let i = 0; i < kinds.length; i++) {
    const kind = /** @type {string} */ (kinds[i]);
    define(api, kind, (/** @type {any[]} */ ...given) => make(kind, given));
  }
  define(api, "evaluateDiscovery", evaluate);
}
