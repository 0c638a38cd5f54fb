// @ts-check
/** A harness for tests of surfaces: a registry, one consumer, and verbs for what a test does with them. */
import { NativeError, freeze, isObject, jsonParse, pick } from "./intrinsics.js";
import { AgentSurfaceError } from "./errors.js";
import { written } from "./definitions.js";
import { deferred, resolveData, settled } from "./promises.js";
import { memoryAuditSink } from "./sinks.js";
import { say } from "./texts.js";

/** More events than any test looks at. */
const CAPACITY = { __proto__: null, capacity: 1e5 };

/**
 * @param {import("./registry.js").Registries} registries
 * @param {any} [options] { registry?, authority?, consumer?, host? }
 */
export function createTestSurface(registries, options) {
  let present = pick(options, "host");
  const trail = memoryAuditSink(CAPACITY);
  const other = pick(options, "registry");
  const registry = other ?? registries.create({
    __proto__: null, authority: pick(options, "authority") ?? registries.authorities.createOpenAuthority(undefined), environment: "test", context: () => present, audit: trail,
  });
  const consumer = pick(options, "consumer") ?? freeze({ id: "test", kind: "test" });
  const heard = memoryAuditSink(CAPACITY);
  const stop = registry.subscribe(heard.record);

  /** @param {(id: string) => boolean} act @returns {(id?: string) => void} */
  const decide = (act) => (id) => {
    const pending = registry.confirmations.pending();
    if ((id === undefined && pending.length !== 1) || !act(id ?? pending[0].confirmationId)) {
      throw new NativeError(`${say("confirmation")} (${pending.length})`);
    }
  };
  const confirmations = freeze({
    pending: registry.confirmations.pending,
    approve: decide((id) => registry.confirmations.resolve(id, { approved: true })),
    deny: decide((id) => registry.confirmations.resolve(id, undefined)),
    expire: decide(registry.confirmations.forceExpire),
  });

  /** The surface in one host context, which the registry is in while that surface is used. @param {any} host */
  const surface = (host) => {
    const offering = (/** @type {any} */ request, /** @type {number} */ capture) => {
      present = host;
      return registries.offeringOf(registry, consumer, request, capture);
    };
    const invoke = (/** @type {any} */ request, /** @type {any} */ more) =>
      registry.invoke({ ...offering(request, 0), ...request }, { consumer, ...more });
    return freeze({
      registry,
      snapshot: (/** @type {any} */ context) => {
        present = host;
        return registry.snapshot({ consumer, ...context });
      },
      invoke,
      observe: (/** @type {string} */ capabilityId) => {
        const outcome = deferred();
        settled(invoke({ capabilityId }, undefined), (result) => {
          const error = pick(result, "error");
          const output = pick(result, "output");
          if (error !== undefined) {
            outcome.reject(new AgentSurfaceError(error));
          } else if (pick(result, "surfaceChanged")) {
            outcome.reject(new NativeError(say("moved")));
          } else if (isObject(output)) {
            resolveData(outcome, jsonParse(written(output, "")));
          } else {
            outcome.resolve(output);
          }
        }, outcome.reject);
        return outcome.promise;
      },
      captureRef: (/** @type {string} */ capabilityId) => offering({ capabilityId }, 1),
      as: surface,
      confirmations,
      events: heard.events,
      auditLog: other === undefined ? trail.events : () => {
        throw new NativeError(say("trail"));
      },
      dispose: () => {
        stop();
        if (other === undefined) {
          registry.dispose();
        }
      },
    });
  };
  return surface(present);
}
