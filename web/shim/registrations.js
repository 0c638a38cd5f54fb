// @ts-check
/** Registering components, and the handles of those that are registered. */
import { define, freeze, mapClear, mapGet, mapSet, mapSize, pick, stackNow, stringIndexOf, stringSlice } from "./intrinsics.js";
import { invalidDefinition } from "./errors.js";
import { DefinitionWriter, written } from "./definitions.js";
import * as Op from "./ops/op.js";
import { callSurface } from "./surface.js";
import { member } from "./values.js";

/**
 * @typedef {import("./instance.js").Instance} Instance
 * @typedef {import("./surface.js").Surface} Surface
 */

/** How many definitions a registry remembers, as in jsbridge/register.go. */
const MOST_PLANS = 500;

/**
 * Registers a component.
 * @param {Instance} instance @param {import("./callbacks.js").Callbacks} callbacks @param {Surface} surface @param {any} definition
 */
export function register(instance, callbacks, surface, definition) {
  const writer = new DefinitionWriter(definition, callbacks, invalidDefinition);
  const { kept } = writer;
  const number = callbacks.reserve();
  callbacks.keepDefinition(number, kept, surface.number);
  const outer = callbacks.stack;
  let made;
  try {
    const text = writer.members(definition, "component", "", "instanceId");
    callbacks.stack = callbacks.owner(surface.number)?.developing ? stackNow() : "";
    made = mount(instance, surface, number, text, pick(definition, "instanceId"), writer);
  } catch (error) {
    callbacks.free(number, true);
    throw error;
  } finally {
    callbacks.stack = outer;
  }
  const end = stringIndexOf(made, " ");
  if (end < 0) {
    return handleOf(instance, surface, number, made, undefined);
  }
  callbacks.free(number, true);
  return handleOf(instance, surface, number, stringSlice(made, 0, end), stringSlice(made, end + 1));
}

/**
 * Mounts a definition. One of which nothing has to be kept is sent once: the next that differs only in its
 * instance id and its functions is mounted by number.
 * @param {Instance} instance @param {Surface} surface @param {number} number @param {string} text @param {any} instanceId
 * @param {DefinitionWriter} writer
 * @returns {string} the registration id, and why it was rejected
 */
function mount(instance, surface, number, text, instanceId, writer) {
  const { kept } = writer;
  const again = kept.policies === null && kept.parses === null && (instanceId === undefined || (typeof instanceId === "string" && instanceId !== ""));
  const plan = again ? mapGet(surface.plans, text) : undefined;
  if (plan !== undefined) {
    const made = callSurface(instance, surface, Op.Mount, number, `${plan} ${instanceId ?? "default"}`);
    if (made !== "") {
      return made;
    }
  }
  const whole = instanceId === undefined ? text : member(text, "instanceId", writer.data(instanceId, "", "instanceId"));
  const made = callSurface(instance, surface, Op.Register, number, `{${whole}}`);
  const start = stringIndexOf(made, " ");
  if (again) {
    if (mapSize(surface.plans) >= MOST_PLANS) {
      mapClear(surface.plans);
    }
    mapSet(surface.plans, text, stringSlice(made, 0, start));
  }
  return stringSlice(made, start + 1);
}

/**
 * @param {Instance} instance @param {Surface} surface @param {number} number of the definition @param {string} registrationId
 * @param {string | undefined} reason why it was rejected
 */
function handleOf(instance, surface, number, registrationId, reason) {
  let over = reason !== undefined;
  const live = () => !over && !surface.disposed;
  const send = (/** @type {number} */ op, /** @type {string} */ text) => live() ? instance.call(op, number, 0, text) : "unregistered";
  /** @type {any} */
  const handle = {
    registrationId,
    get status() {
      const status = send(Op.HandleStatus, "");
      over ||= status !== "active";
      return reason === undefined ? status : "rejected";
    },
    update: (/** @type {any} */ change) => void (live() && send(Op.Update, written(change, "update"))),
    invalidate: () => void send(Op.InvalidateHandle, ""),
    unregister: () => {
      send(Op.Unregister, "");
      over = true;
    },
  };
  if (reason !== undefined) {
    define(handle, "reason", reason);
  }
  return freeze(handle);
}
