// @ts-check
/** What the panel hears of a registry: its surface, its calls, its confirmations. The views ask to be told. */
import { CallLog } from "./calls.js";
import { Recorder } from "./recorder.js";
import { surfaceOf } from "./surface.js";

/** @typedef {import("../pagewarden.js").AgentSurfaceRegistry} Registry */
/** @typedef {import("../pagewarden.js").SurfaceEvent} SurfaceEvent */
/** @typedef {import("../pagewarden.js").Consumer} Consumer */
/** @typedef {Pick<import("../pagewarden.js").Runtime, "dev">} Runtime */
/** @typedef {"surface" | "calls" | "confirmations" | "consumer" | "consumers" | "problem"} Topic */
/** How a confirmation ended. @typedef {{ confirmationId: string, capabilityId: string, outcome: string, at: number }} Outcome */

const MOST_OUTCOMES = 50;

export class Feed {
  /** @type {Registry} */ registry;
  /** @type {any} the contract's manifest */ contract;
  /** Who the surface is shown to, and who calls by hand. @type {Consumer} */ consumer = { kind: "embedded", id: "inspector" };
  /** By their keys. @type {Map<string, Consumer>} */ consumers = new Map();
  log = new CallLog(() => performance.now(), () => Date.now());
  recorder = new Recorder((registrationId) => this.#instances.get(registrationId));
  /** The newest first. @type {Outcome[]} */ outcomes = [];
  /** Why something cannot be shown, "" when all can. */ problem = "";
  /** @type {Runtime | undefined} */ #runtime;
  /** @type {Map<string, string>} the instance of each registration */ #instances = new Map();
  /** @type {Map<string, string>} the capability of each pending confirmation */ #asked = new Map();
  /** @type {Map<Topic, Set<() => void>>} */ #listeners = new Map();
  /** @type {(() => void)[]} */ #ends = [];

  /** @param {Registry} registry @param {any} contract @param {readonly Consumer[]} consumers */
  constructor(registry, contract, consumers) {
    this.registry = registry;
    this.contract = contract;
    for (const consumer of [this.consumer, { kind: /** @type {const} */ ("embedded"), id: "anonymous" }, ...consumers]) {
      this.consumers.set(`${consumer.kind}:${consumer.id}`, consumer);
    }
  }

  /** Begins to listen; runtime may come later. @param {Runtime | PromiseLike<Runtime>} runtime */
  start(runtime) {
    this.#ends.push(this.registry.subscribe((event) => this.#heard(event)));
    this.#ends.push(this.registry.confirmations.subscribe(() => this.tell("confirmations")));
    let stopped = false;
    this.#ends.push(() => (stopped = true));
    Promise.resolve(runtime).then((loaded) => stopped || this.#meet(loaded)).catch((error) => this.#fail(error));
  }

  stop() {
    for (const end of this.#ends.splice(0)) {
      try {
        end();
      } catch {
        // The runtime has ended, and what it told with it.
      }
    }
    this.#listeners.clear();
  }

  /** @param {Runtime} runtime */
  #meet(runtime) {
    this.#ends.push(runtime.dev.watchCalls(this.registry, (step) => {
      this.recorder.add(step);
      const call = this.log.add(step);
      if (!this.consumers.has(call.consumerId)) {
        this.#addConsumer(call.consumerId);
      }
      this.tell("calls");
    }));
    this.#runtime = runtime;
    for (const { registrationId, component } of runtime.dev.explainSurface(this.registry).capabilities) {
      this.#instances.set(registrationId, component.instanceId);
    }
    this.tell("surface");
  }

  /** @param {string} key */
  #addConsumer(key) {
    const colon = key.indexOf(":");
    if (this.consumers.size < 200) {
      this.consumers.set(key, { kind: /** @type {any} */ (key.slice(0, colon)), id: key.slice(colon + 1) });
      this.tell("consumers");
    }
  }

  /** @param {any} error */
  #fail(error) {
    this.problem = `The runtime cannot be asked about this registry: ${error?.message ?? error}. Give mountInspector the runtime that made it (options.runtime).`;
    this.tell("problem");
  }

  /** @param {SurfaceEvent} event */
  #heard(event) {
    switch (event.type) {
      case "component-registered":
        this.#instances.set(event.registrationId, event.instanceId);
        break;
      case "component-unregistered":
        this.#instances.delete(event.registrationId);
        break;
      case "confirmation-requested":
        this.#asked.set(event.confirmationId, event.capabilityId);
        break;
      case "confirmation-resolved":
        this.#resolved(event.confirmationId, event.outcome);
        break;
      case "invocation-started":
        return;
    }
    this.tell("surface"); // calls too: what a capability answers to "when" may be another now
  }

  /** @param {string} confirmationId @param {string} outcome */
  #resolved(confirmationId, outcome) {
    this.outcomes = [{ confirmationId, capabilityId: this.#asked.get(confirmationId) ?? "", outcome, at: Date.now() }, ...this.outcomes].slice(0, MOST_OUTCOMES);
    this.#asked.delete(confirmationId);
    this.tell("confirmations");
  }

  /** @param {Consumer} consumer */
  become(consumer) {
    this.consumer = consumer;
    this.tell("consumer");
    this.tell("surface");
  }

  /** The surface as the consumer finds it; undefined while there is no runtime, or no surface any more. */
  look() {
    if (this.#runtime === undefined) {
      return undefined;
    }
    try {
      const report = this.#runtime.dev.explainSurface(this.registry, { consumer: this.consumer });
      return { report, components: surfaceOf(report, this.registry.snapshot({ consumer: this.consumer }), this.contract) };
    } catch (error) {
      this.problem = `There is no surface to show: ${/** @type {any} */ (error)?.message ?? error}`;
      this.tell("problem");
      return undefined;
    }
  }

  /** What waits for a person; nothing once the registry has been disposed of. */
  pending() {
    try {
      return this.registry.confirmations.pending();
    } catch {
      return [];
    }
  }

  /** @param {Topic} topic @param {() => void} listener */
  on(topic, listener) {
    const listeners = this.#listeners.get(topic) ?? new Set();
    this.#listeners.set(topic, listeners.add(listener));
  }

  /** @param {Topic} topic */
  tell(topic) {
    this.#listeners.get(topic)?.forEach((listener) => listener());
  }
}
