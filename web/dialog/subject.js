// @ts-check
/** What would act, and who asks: the registry's own words for it, as far as it has any. */
import { apply, isArray, isObject, own, stringIndexOf, stringSlice } from "./intrinsics.js";

/** @typedef {import("../pagewarden.js").PendingConfirmation} Pending */
/**
 * @typedef {object} Subject
 * @property {string | undefined} title the capability's
 * @property {string | undefined} component its type; none for an operation of the server that no component is known to offer
 * @property {string | undefined} instance the component's, where it has one of its own
 * @property {string | undefined} description the component's
 * @property {string} asker the consumer's id
 * @property {string | undefined} kind the consumer's kind
 */

/** The instance of a component that did not name one. */
const DEFAULT_INSTANCE = "default";

/** @param {any} registry @param {Pending} pending @returns {Subject} */
export function subjectOf(registry, pending) {
  const { asker, kind } = consumerOf(pending.consumerKey);
  const subject = { title: undefined, component: typeOf(pending.capabilityId), instance: undefined, description: undefined, asker, kind };
  try {
    const surface = apply(registry.snapshot, registry, [{ __proto__: null, consumer: { __proto__: null, id: asker, kind }, includeUnavailable: true }]);
    fill(subject, surface, pending);
  } catch {
    // A registry that has no snapshot for that consumer leaves the ids to speak for themselves.
  }
  return subject;
}

/** The component of view:shop.cart.add is shop.cart. @param {string} capabilityId */
function typeOf(capabilityId) {
  if (stringSlice(capabilityId, 0, 5) !== "view:") {
    return undefined;
  }
  let end = capabilityId.length;
  while (end > 5 && capabilityId[end - 1] !== ".") {
    end--;
  }
  return end > 5 ? stringSlice(capabilityId, 5, end - 1) : undefined;
}

/** @param {string} key KIND:ID */
function consumerOf(key) {
  const colon = stringIndexOf(key, ":");
  return colon < 0 ? { asker: key, kind: undefined } : { asker: stringSlice(key, colon + 1), kind: stringSlice(key, 0, colon) };
}

/** @param {Subject} subject @param {any} surface @param {Pending} pending */
function fill(subject, surface, { capabilityId, registrationId }) {
  const owner = find(own(surface, "components"), "registrationId", registrationId);
  const capability = find(own(owner, "actions"), "capabilityId", capabilityId) ?? find(own(surface, "procedures"), "procedureId", capabilityId);
  subject.title = textIn(capability, "title");
  subject.component = textIn(owner, "type") ?? subject.component;
  const instance = textIn(owner, "instanceId");
  subject.instance = instance === DEFAULT_INSTANCE ? undefined : instance;
  subject.description = textIn(owner, "description");
}

/** @param {any} list @param {string} name @param {string} value */
function find(list, name, value) {
  for (let i = 0; isArray(list) && i < list.length; i++) {
    if (own(list[i], name) === value) {
      return list[i];
    }
  }
  return undefined;
}

/** @param {any} object @param {string} name */
function textIn(object, name) {
  const text = isObject(object) ? own(object, name) : undefined;
  return typeof text === "string" ? text : undefined;
}
