// A page with a dialog for confirmations, over a registry of the runtime. Each test makes a new page.
import { load } from "/pagewarden.mjs";
import { mountConfirmationDialog } from "/pagewarden-dialog.js";

const consumer = { id: "helper", kind: "embedded" };
const EFFECTS = ["server-mutation", "external-side-effect", "destructive"];

/** Timers that only advance moves. */
class Clock {
  time = Date.now();
  #last = 0;
  #timers = new Map();

  get timers() {
    return {
      now: () => this.time,
      setTimeout: (run, ms) => {
        this.#timers.set(++this.#last, { at: this.time + ms, run });
        return this.#last;
      },
      clearTimeout: (id) => void this.#timers.delete(id),
    };
  }

  advance(ms) {
    const end = this.time + ms;
    for (;;) {
      const due = [...this.#timers].filter(([, timer]) => timer.at <= end).sort(([, a], [, b]) => a.at - b.at)[0];
      if (!due) break;
      this.#timers.delete(due[0]);
      this.time = Math.max(this.time, due[1].at);
      due[1].run();
    }
    this.time = end;
  }
}

const anything = (runtime) => runtime.fromJsonSchema({ type: "object" });

/** A surface whose actions need a person. With clock, its time is the test's. */
async function surface({ faked = false, limits = {} } = {}) {
  const clock = faked ? new Clock() : undefined;
  const runtime = await load({ wasm: "/pagewarden.wasm", ...(clock && { timers: clock.timers }) });
  const registry = runtime.createAgentSurfaceRegistry({ authority: runtime.createOpenAuthority(), environment: "test", audit: { record() {} }, limits });
  const ran = [];
  registry.setProcedureExecutor({ execute: ({ path, input }) => void ran.push([path, input]) });
  const procedure = (effect) => ({
    kind: "procedure-binding",
    ref: { id: `domain:shop.${effect}`, path: `shop.${effect}`, description: "Carry out an order", inputSchema: { type: "object" }, effect },
    config: { confirmation: "required" }, boundKeys: [], lockedKeys: [],
  });
  const handle = registry.register({
    type: "shop.cart", description: "The shopping cart",
    actions: {
      clear: {
        title: "Clear the cart", description: "Remove every article", effect: "local-state", confirmation: "required", input: anything(runtime),
        execute: (input) => void ran.push(["clear", input]),
      },
    },
    procedures: EFFECTS.map(procedure),
  });
  return { clock, runtime, registry, handle, ran };
}

const lab = {
  shown: [],
  results: [],

  /** Makes the surface and mounts the dialog. */
  async open({ options = {}, labels, ...more } = {}) {
    Object.assign(lab, await surface(more));
    lab.options = { onShow: (record) => lab.shown.push(record.confirmationId), ...(labels && { labels }), ...(lab.clock && { timers: lab.clock.timers }), ...options };
    lab.mount();
    return true;
  },
  mount() {
    lab.dialog = mountConfirmationDialog(lab.registry, lab.options);
  },

  /** Calls a capability; what comes of it goes to results. Returns when the person is asked. */
  async ask(input = { sku: "tea" }, capabilityId = "view:shop.cart.clear") {
    const refused = await lab.registry.invoke({ capabilityId, input }, { consumer });
    if (refused.error?.code !== "CONFIRMATION_REQUIRED") throw new Error(JSON.stringify(refused));
    const { confirmationId } = refused.error.details;
    lab.registry.confirmations.waitFor(confirmationId).then((outcome) => lab.results.push({ confirmationId, outcome }));
    return confirmationId;
  },
  pending: () => lab.registry.confirmations.pending().map((one) => one.confirmationId),
  outcomes: () => lab.results.map(({ outcome }) => outcome),
  mountConfirmationDialog,

  /** A question from a second registry, with a dialog of its own. */
  async another() {
    const other = (lab.other = { ...await surface(), results: [] });
    mountConfirmationDialog(other.registry, lab.options);
    const refused = await other.registry.invoke({ capabilityId: "view:shop.cart.clear", input: { note: "from another registry" } });
    other.registry.confirmations.waitFor(refused.error.details.confirmationId).then((outcome) => other.results.push(outcome));
  },

  /** What such an object gives as a pending question. */
  record() {
    const at = Date.now();
    return {
      confirmationId: "id-1", capabilityId: "anything:at-all", registrationId: "r", consumerKey: "somebody", effect: "no known effect", summary: "A question",
      input: [-0, 1e21, "5", [], {}], requestedAt: new Date(at).toISOString(), expiresAt: new Date(at + 60_000).toISOString(),
    };
  },

  /** A question from an object that is no registry of the runtime. */
  own() {
    lab.decided = [];
    const record = lab.record();
    const listeners = [];
    const confirmations = {
      pending: () => (lab.decided.length === 0 ? [record] : []),
      resolve(id, decision) {
        lab.decided.push([id, { ...decision }]);
        listeners.forEach((listener) => listener());
        return true;
      },
      subscribe(listener) {
        listeners.push(listener);
        return () => {};
      },
    };
    mountConfirmationDialog({ confirmations }, lab.options);
  },
};
globalThis.lab = lab;
