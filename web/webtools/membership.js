// @ts-check
/** Tools in registries: each is registered once in each, for as long as somebody offers it. */
import { NativeError, NativeMap, NativeTypeError, NativeWeakMap, freeze, isObject, mapDelete, mapGet, mapSet, pick, weakGet, weakSet } from "../shim/builtins.js";
import { componentOf } from "./component.js";
import { execute, prepare, question } from "./work.js";
import { unguessable } from "./chance.js";

/**
 * A tool in a registry. Users counts those who offer it.
 * @typedef {{ __proto__?: null, kept: import("./define.js").Kept, registry: any, registrationId: string, handle: any, users: number }} Membership
 */

/** By tool and registry. @type {WeakMap<object, Map<any, Membership>>} */
const memberships = new NativeWeakMap();

/** A registry has its reasons not to take a tool. */
class Refusal extends NativeError {
  refused = true;
}
freeze(Refusal);

/** What registrations of this copy of the script have in their instance ids, since another copy may be on the page. */
const prefix = unguessable();
let registered = 0;

/**
 * The tool's membership in a registry, in the runtime's own where none is given. Whoever joins leaves once.
 * @param {import("./define.js").Kept} kept @param {any} registry
 */
export function join(kept, registry) {
  const home = registry ?? kept.connection.registry();
  let known = weakGet(memberships, kept);
  if (known === undefined) {
    known = new NativeMap();
    weakSet(memberships, kept, known);
  }
  const there = mapGet(known, home);
  if (there !== undefined && pick(there.handle, "status") === "active") {
    there.users++;
    return there;
  }
  const member = enter(kept, home);
  mapSet(known, home, member);
  return member;
}

/** @param {import("./define.js").Kept} kept @param {any} registry @returns {Membership} */
function enter(kept, registry) {
  if (!isObject(registry) || typeof pick(registry, "register") !== "function") {
    throw new NativeTypeError("options.registry must come from createAgentSurfaceRegistry");
  }
  const handle = /** @type {any} */ (registry).register(componentOf(kept, `${prefix}-${++registered}`, {
    execute: (/** @type {any} */ both, /** @type {any} */ info) => execute(kept, both, info),
    prepare: (/** @type {any} */ input, /** @type {any} */ info) => prepare(kept, input, info),
    ask: (/** @type {any} */ pending, /** @type {any} */ info) => question(kept, pending, info),
  }));
  if (handle.status !== "active") {
    throw new Refusal(`the registry refused the tool ${kept.id}: ${handle.reason}`);
  }
  return { __proto__: null, kept, registry, registrationId: handle.registrationId, handle, users: 1 };
}

/** @param {Membership} member */
export function leave(member) {
  if (--member.users > 0) {
    return;
  }
  const known = weakGet(memberships, member.kept);
  if (known !== undefined && mapGet(known, member.registry) === member) {
    mapDelete(known, member.registry);
  }
  try {
    member.handle.unregister();
  } catch {
    // The runtime has ended, and the registration with it.
  }
}
