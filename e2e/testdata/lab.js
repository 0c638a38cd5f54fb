// What the suite's tests do in a page. Each test evaluates one function of globalThis.lab; the Go side looks at the
// tools through the protocol, as an agent does.
import { load } from "/pagewarden.mjs";

const AGENT = { id: "agent", kind: "webmcp" };
const runtime = await load({ wasm: "/pagewarden.wasm" });
const registry = runtime.createAgentSurfaceRegistry({ authority: runtime.createOpenAuthority(), environment: "test" });

/** What happened to tools and calls, in order. @type {string[]} */
const log = [];

/** The page's own modelContext, with a note of when tools come and go. */
const watched = document.modelContext && {
  registerTool(tool, options) {
    log.push(`add ${tool.name}`);
    options.signal.addEventListener("abort", () => log.push(`remove ${tool.name}`));
    return document.modelContext.registerTool(tool, options);
  },
};
const adapter = runtime.createWebMcpAdapter(watched ? { modelContext: watched } : {});
adapter.start({ registry, consumer: AGENT });

/** Resolves in a task of its own. */
function task() {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = () => {
      port1.close();
      resolve(undefined);
    };
    port2.postMessage(null);
  });
}

/** The names of the tools that the browser has. */
async function names() {
  return (await document.modelContext.getTools()).map((tool) => tool.name).sort();
}

const schema = (document) => runtime.fromJsonSchema(document);
const object = (properties, required = Object.keys(properties)) =>
  schema({ type: "object", properties, required, additionalProperties: false });
const EMPTY = object({});

// Inputs.

const orders = [];

/** A component whose action has an input worth refusing. */
function mountOrders() {
  registry.register({
    type: "shop.orders", description: "Orders.",
    observations: { read: { description: "Read the orders.", output: schema({ type: "array" }), read: () => orders } },
    actions: {
      place: {
        description: "Place an order.", effect: "local-state",
        input: object({
          item: { type: "string", minLength: 1 },
          lines: { type: "array", items: { type: "object", properties: { count: { type: "integer" } }, required: ["count"], additionalProperties: false } },
        }, ["item"]),
        output: object({ placed: { type: "integer" } }),
        execute: (input) => ({ placed: orders.push(input) }),
      },
    },
  });
}

/** Actions and observations that fail in every way, with a text that nobody outside may see. */
function mountFailures(secret) {
  const fails = {
    throwsError: () => { throw new Error(secret); },
    throwsText: () => { throw secret; },
    throwsObject: () => { throw { message: secret, code: secret, toString: () => secret }; },
    throwsNamed: () => { throw Object.assign(new TypeError(secret), { name: secret, cause: secret }); },
    rejects: () => Promise.reject(new Error(secret)),
    rejectsThenable: () => ({ then: (_, reject) => reject(secret) }),
    givesCycle: () => { const cycle = { secret }; cycle.self = cycle; return cycle; },
  };
  const actions = {};
  for (const [name, execute] of Object.entries(fails)) {
    actions[name] = { description: "Fails.", effect: "local-state", input: EMPTY, execute };
  }
  const read = { description: "Fails.", output: schema({ type: "string" }), read: fails.throwsError };
  registry.register({ type: "shop.failures", description: "What fails.", actions, observations: { read } });
}

// Availability.

const zoo = { open: false, handles: [] };

/** Components of every sort: several instances, unavailable actions, hidden ones, a disabled component, a procedure. */
function mountZoo() {
  const hide = { name: "hidden", onDiscovery: () => ({ outcome: "hide" }) };
  const disable = { name: "paused", onDiscovery: () => ({ outcome: "disable", reason: "Paused." }) };
  const action = (more) => ({ description: "Act.", effect: "local-state", input: EMPTY, execute: () => {}, ...more });
  const read = (more) => ({ description: "Read.", output: schema({ type: "integer" }), read: () => 1, ...more });
  registry.setProcedureExecutor({ execute: () => ({}) });
  const definitions = [
    { type: "zoo.gate", observations: { read: read() }, actions: { enter: action({ when: () => zoo.open, unavailableReason: "Closed." }), ring: action() } },
    { type: "zoo.cage", instanceId: "lion", observations: { read: read() }, actions: { feed: action() } },
    { type: "zoo.cage", instanceId: "bear", observations: { read: read() }, actions: { feed: action({ when: () => zoo.open }) } },
    { type: "zoo.office", actions: { hidden: action({ policies: [hide] }), paused: action({ policies: [disable] }), call: action() } },
    { type: "zoo.shop", enabled: false, actions: { buy: action() } },
    {
      type: "zoo.vet", actions: { call: action() },
      procedures: [{
        kind: "procedure-binding",
        ref: { id: "domain:zoo.treat", path: "zoo.treat", description: "Treat.", inputSchema: { type: "object", properties: { animal: { type: "string" } }, required: ["animal"], additionalProperties: false }, effect: "server-mutation" },
        config: { when: () => zoo.open }, boundKeys: [], lockedKeys: [],
      }],
    },
  ];
  zoo.handles = definitions.map((definition) => registry.register({ description: "Of the zoo.", ...definition }));
  return zoo.handles.map((handle) => handle.status);
}

/** Opens or closes the zoo, and enables or disables its shop. */
function openZoo(open) {
  zoo.open = open;
  zoo.handles[4].update({ enabled: open });
  registry.invalidate();
}

/** What the registry says is available to the agent: capability and input schema, sorted. */
function available() {
  const { components, procedures } = registry.snapshot({ consumer: AGENT });
  const found = procedures.map((one) => ({ ...one, capabilityId: one.procedureId }));
  for (const { observations, actions } of components) found.push(...observations, ...actions);
  return found.filter((one) => one.available)
    .map((one) => ({ capabilityId: one.capabilityId, schema: one.inputSchema ?? { type: "object", properties: {}, additionalProperties: false } }))
    .sort((a, b) => (a.capabilityId < b.capabilityId ? -1 : 1));
}

// Coming and going.

/** @type {(value: unknown) => void} ends the call of the widget that is in flight */
let finish = () => {};

function widget(more) {
  return {
    type: "ui.widget", description: "A widget.",
    observations: { read: { description: "Read.", output: schema({ type: "string" }), read: () => "state" } },
    actions: {
      poke: { description: "Poke.", effect: "local-state", input: EMPTY, execute: () => "poked" },
      hold: {
        description: "Wait until the test goes on.", effect: "local-state", input: EMPTY,
        execute: () => new Promise((resolve) => {
          finish = resolve;
          log.push("held");
        }),
      },
    },
    ...more,
  };
}

let mounted = { unregister() {} };

function mountWidget() {
  mounted = registry.register(widget());
  return mounted.status;
}

/** A component whose action removes it and answers. */
function mountLeaver() {
  const leaver = registry.register({
    type: "ui.leaver", description: "Leaves.",
    actions: {
      leave: {
        description: "Leave.", effect: "local-state", input: EMPTY, output: schema({ type: "string" }),
        execute: () => {
          leaver.unregister();
          return "gone";
        },
      },
    },
  });
  return leaver.status;
}

/** Unregisters the widget, idle, and says what happened before the turn was over, and after. */
async function unregisterIdle() {
  await task();
  log.length = 0;
  const turn = task().then(() => log.push("turn over"));
  mounted.unregister();
  await turn;
  return { log: [...log], names: await names() };
}

/** Whether the call of hold is in flight. */
const held = () => log.includes("held");

/** Unregisters the widget while its call is in flight. how: "wait" lets the registry end the call, "answer" ends it first. */
async function unregisterBusy(how) {
  log.length = 0;
  let over = () => {};
  const end = new Promise((resolve) => (over = resolve));
  const stop = registry.subscribe((event) => {
    if (event.type !== "invocation-settled") return;
    stop();
    log.push("settled");
    queueMicrotask(() => log.push("microtask after"));
    task().then(() => log.push("first task after")).then(task).then(task).then(over);
  });
  mounted.unregister();
  if (how === "answer") finish("in time");
  await end;
  return { log: [...log], names: await names() };
}

/** Remounts the widget again and again, with what is between two of them. */
async function remount(times, between) {
  const gaps = [];
  for (let i = 0; i < times; i++) {
    mounted.unregister();
    if (between === "microtask") await undefined;
    mounted = registry.register(widget());
    if (between === "task") {
      await task();
      const present = await names();
      if (present.length !== 3) gaps.push(present);
    }
  }
  await task();
  return { gaps, names: await names(), status: adapter.status(), handle: mounted.status };
}

globalThis.lab = {
  registry, adapter, names, mountOrders, orders, mountFailures, mountZoo, openZoo, available, mountWidget, mountLeaver,
  unregisterIdle, held, unregisterBusy, remount,
};
