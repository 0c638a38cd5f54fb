// @ts-check
/** The WebMCP adapter among objects, clients, signals and hooks that lie, throw or come back at the wrong moment. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Clock, registryOf, saving, script, turn, until } from "./harness.js";
import { ByName, BySignal, WholeSet, payloadOf } from "./hosts.js";

const { load, module } = await script();
const clock = new Clock();
const runtime = await load({ wasm: module, timers: clock.timers });
const before = runtime.dev.tables();
const consumer = { id: "agent", kind: "webmcp" };
const NAME = "view_app__form__save";

/** @param {any} modelContext @param {any} [execute] @param {any} [more] @param {any} [options] */
function offering(modelContext, execute = (/** @type {any} */ input) => input, more = {}, options = {}) {
  const registry = registryOf(runtime);
  const handle = registry.register(saving(runtime, execute, more));
  const adapter = runtime.createWebMcpAdapter({ modelContext, ...options });
  adapter.start({ registry, consumer });
  return { registry, handle, adapter, tool: modelContext.tools.get(NAME) };
}

/** A surface whose action needs a confirmation, which the page's hook gives or not. @param {any} confirm */
function confirming(confirm) {
  let runs = 0;
  const world = offering(new BySignal(), () => ++runs, { confirmation: "required" }, { confirm });
  return { ...world, runs: () => runs };
}

/** A proxy that throws at every touch. */
function revoked() {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

/** What a test leaves must be nothing. @param {any} registry */
async function gone(registry) {
  registry.dispose();
  await until(() => runtime.dev.tables().adapters === 0, "the adapter is idle");
  assert.deepEqual({ ...runtime.dev.tables(), goroutines: 0 }, { ...before, goroutines: 0 });
}

test("what the client gives back does not approve: only the page's own prompt does", async () => {
  for (const [requestUserInteraction, asks] of /** @type {[(ask: () => any) => any, number][]} */ ([
    [() => true, 0], [async () => true, 0], [async (ask) => (await ask(), true), 1], [async (ask) => (ask(), true), 1],
  ])) {
    let asked = 0;
    const { registry, tool, runs } = confirming(() => (asked++, false));
    const call = tool.execute({}, { requestUserInteraction });
    await turn();
    const pending = registry.confirmations.pending();
    assert.deepEqual([asked, pending.length, runs()], [asks, asks === 0 ? 1 : 0, 0]);
    if (asks === 0) { // the page's own dialog can still decide
      registry.confirmations.resolve(pending[0].confirmationId, { approved: true });
      assert.equal((await call).content[0].text, "1");
    } else {
      assert.equal(payloadOf(await call).details.reason, "denied");
    }
    await gone(registry);
  }
});

test("a client that calls back twice, or after the call, asks the person once at most", async () => {
  let asked = 0;
  const { registry, tool, runs } = confirming(() => (asked++, Promise.resolve(true)));
  const twice = { requestUserInteraction: async (/** @type {any} */ ask) => assert.equal(ask(), ask()) };
  assert.equal((await tool.execute({}, twice)).content[0].text, "1");
  assert.equal(asked, 1);
  /** @type {() => any} */
  let late = () => {};
  const controller = new AbortController();
  const call = tool.execute({}, { signal: controller.signal, requestUserInteraction: (/** @type {any} */ ask) => ((late = ask), new Promise(() => {})) });
  controller.abort();
  assert.equal(payloadOf(await call).code, "CANCELLED");
  assert.throws(late, /the call is over/);
  assert.deepEqual([asked, runs(), registry.confirmations.pending().length], [1, 1, 0]);
  await gone(registry);
});

test("a client that fails before or after it has asked leaves the question to the page", async () => {
  const error = () => { throw new Error("mine"); };
  for (const requestUserInteraction of [error, () => Promise.reject(new Error("mine")), (/** @type {any} */ ask) => (ask(), error())]) {
    const { registry, tool, runs } = confirming(() => new Promise(() => {}));
    const call = tool.execute({}, { requestUserInteraction });
    await turn();
    const [pending] = registry.confirmations.pending();
    registry.confirmations.resolve(pending.confirmationId, { approved: true });
    assert.equal((await call).content[0].text, "1");
    assert.equal(runs(), 1);
    await gone(registry);
  }
});

test("a prompt that fails is over also when the client keeps the error to itself", async () => {
  const swallow = (/** @type {any} */ ask) => {
    try {
      ask();
    } catch {
      // nobody is told
    }
  };
  for (const requestUserInteraction of [swallow, async (/** @type {any} */ ask) => swallow(ask), (/** @type {any} */ ask) => (swallow(ask), new Promise(() => {}))]) {
    const { registry, tool, runs } = confirming(() => { throw new Error("mine"); });
    const call = tool.execute({}, { requestUserInteraction });
    await turn();
    assert.equal(runtime.dev.tables().waits, before.waits, "the question is still open");
    const [pending] = registry.confirmations.pending();
    registry.confirmations.resolve(pending.confirmationId, { approved: true });
    assert.equal((await call).content[0].text, "1");
    assert.equal(runs(), 1);
    await gone(registry);
  }
});

test("prompts that never answer are not kept once their calls have ended, and late answers do nothing", async () => {
  /** @type {((approved: boolean) => void)[]} */
  const answers = [];
  const { registry, tool, runs } = confirming(() => new Promise((resolve) => answers.push(resolve)));
  const client = { requestUserInteraction: (/** @type {any} */ ask) => ask() };
  for (let i = 0; i < 20; i++) {
    const call = tool.execute({ i }, client);
    await turn();
    registry.confirmations.resolve(registry.confirmations.pending()[0].confirmationId, { approved: false });
    assert.equal(payloadOf(await call).details.reason, "denied");
  }
  assert.equal(runtime.dev.tables().waits, before.waits);
  answers.forEach((answer) => answer(true));
  await turn();
  assert.equal(runs(), 0);
  await gone(registry);
});

test("a second argument that throws when it is read is none", async () => {
  const { registry, tool } = offering(new BySignal());
  const throws = () => { throw new Error("mine"); };
  for (const second of [revoked(), { get signal() { return throws(); } }, { get requestUserInteraction() { return throws(); } }, { signal: { aborted: true } }, { signal: revoked() }, 5, "text"]) {
    assert.deepEqual((await tool.execute({ n: 1 }, second)).structuredContent, { n: 1 });
  }
  await gone(registry);
});

test("inputs that cannot be JSON are refused with the place and the rule", async () => {
  const { registry, tool } = offering(new BySignal());
  /** @type {[any, string, RegExp][]} */
  const cases = [
    [{ rows: [{ a: "\ud800" }] }, "rows[0].a", /lone surrogate/], ['{"a":"\\ud800"}', "a", /lone surrogate/], [{ "\udc00": 1 }, "", /lone surrogate/],
    [{ n: [NaN] }, "n[0]", /not a finite number/], [{ f() {} }, "f", /must be JSON/], [{ m: new Map() }, "m", /plain object/],
    [revoked(), "", /could not be read/], [{ a: "x".repeat(5 << 20) }, "", /at most/], [[], "", /must be an object/],
  ];
  for (const [input, path, message] of cases) {
    const payload = payloadOf(await tool.execute(input));
    assert.equal(payload.code, "INVALID_INPUT");
    assert.equal(payload.details.issues[0].path, path);
    assert.match(payload.details.issues[0].message, message);
  }
  await gone(registry);
});

test("an event of the name abort is no abort", async () => {
  let aborted = false;
  const { registry, tool } = offering(new BySignal(), (/** @type {any} */ _, /** @type {any} */ { signal }) => new Promise((resolve) => {
    signal.addEventListener("abort", () => (aborted = true));
    setImmediate(() => resolve("done"));
  }));
  const controller = new AbortController();
  const call = tool.execute({}, { signal: controller.signal });
  controller.signal.dispatchEvent(new Event("abort"));
  assert.equal((await call).content[0].text, '"done"');
  const other = registry.invoke({ capabilityId: "view:app.form.save", input: {} }, { signal: controller.signal });
  controller.signal.dispatchEvent(new Event("abort"));
  assert.deepEqual([(await other).output, aborted], ["done", false]);
  await gone(registry);
});

test("a tool that the object took before it threw is withdrawn, and offered again", async () => {
  for (const end of [() => { throw new Error("after all"); }, () => Promise.reject(new Error("after all"))]) {
    const host = new BySignal();
    const take = host.registerTool.bind(host);
    host.registerTool = (tool, options) => (take(tool, options), end());
    const { registry, adapter } = offering(host);
    await turn();
    assert.equal(adapter.status().refused[0].error, "Error: after all");
    assert.equal(host.tools.size, 0);
    host.registerTool = take;
    registry.invalidate();
    await until(() => adapter.status().registered.length === 1, "the second attempt");
    adapter.stop();
    assert.equal(host.tools.size, 0);
    await gone(registry);
  }
});

test("whatever an object throws, developers get words of a bounded length", async () => {
  for (const [thrown, words] of /** @type {[any, string][]} */ ([
    ["taken", "Error: taken"], [undefined, "Error: undefined"], [5, "Error: 5"], [{}, "Error: "], [revoked(), "an error that cannot be read"], [Symbol("s"), "an error that cannot be read"],
    [{ get message() { throw new Error("mine"); } }, "an error that cannot be read"], [new RangeError("far"), "RangeError: far"], [new Error("x".repeat(1e6)), `Error: ${"x".repeat(493)}`],
  ])) {
    const host = new BySignal();
    host.answer = () => { throw thrown; };
    const { registry, adapter } = offering(host);
    assert.equal(adapter.status().refused[0].error, words);
    await gone(registry);
  }
});

test("what a registration promises is heard once, and a chain without end is a refusal", async () => {
  const endless = { then: (/** @type {any} */ resolve) => resolve(endless) };
  const both = { then: (/** @type {any} */ resolve, /** @type {any} */ reject) => (resolve(), reject(new Error("no")), resolve()) };
  const turns = { then: (/** @type {any} */ resolve, /** @type {any} */ reject) => (reject(new Error("no")), resolve()) };
  for (const [promised, registered] of /** @type {[any, number][]} */ ([[both, 1], [turns, 0], [endless, 0], [{ get then() { throw new Error("mine"); } }, 0]])) {
    const host = new BySignal();
    host.answer = () => promised;
    const { registry, adapter } = offering(host);
    const status = adapter.status();
    assert.deepEqual([status.registered.length, status.refused.length], [registered, 1 - registered]);
    await gone(registry);
  }
});

test("an object that calls, stops or disposes while it is told of tools finds everything in order", async () => {
  for (const Host of [ByName, BySignal]) {
    /** @type {any} */
    let call;
    const host = new Host();
    host.answer = (tool) => { call = tool.execute({ n: 1 }); };
    const calling = offering(host);
    assert.deepEqual((await call).structuredContent, { n: 1 });
    await gone(calling.registry);
    for (const end of ["stop", "dispose"]) {
      const stopping = new Host();
      const registry = registryOf(runtime);
      registry.register(saving(runtime, () => 1));
      registry.register({ ...saving(runtime, () => 2), type: "app.other" });
      const adapter = runtime.createWebMcpAdapter({ modelContext: stopping });
      stopping.answer = () => (end === "stop" ? adapter : registry)[end]();
      adapter.start({ registry, consumer });
      await turn();
      assert.deepEqual([stopping.tools.size, adapter.status().registered.length], [0, 0]);
      await gone(registry);
    }
  }
});

test("an object that stops the adapter while a tool is taken away gets no successor", async () => {
  const host = new ByName();
  const { registry, handle, adapter } = offering(host);
  const take = host.unregisterTool.bind(host);
  host.unregisterTool = (name) => (take(name), adapter.stop());
  handle.unregister();
  registry.register({ ...saving(runtime, () => 1), type: "app.other" });
  await turn();
  assert.equal(host.tools.size, 0);
  await gone(registry);
});

test("an object that gets or loses methods while it has tools is still treated as it was found", async () => {
  for (const [host, change] of /** @type {[any, (host: any) => void][]} */ ([
    [new BySignal(), (host) => { host.unregisterTool = () => {}; }],
    [new BySignal(), (host) => { host.provideContext = () => assert.fail("no set was wanted"); }],
    [new WholeSet(), (host) => { host.registerTool = () => assert.fail("no tool was wanted"); }],
  ])) {
    const { registry, handle, adapter } = offering(host);
    change(host);
    handle.unregister();
    await until(() => host.tools.size === 0, "the tool is withdrawn");
    registry.register(saving(runtime, () => 1));
    await until(() => host.tools.size === 1, "the tool is back");
    adapter.stop();
    assert.equal(host.tools.size, 0);
    await gone(registry);
  }
});

test("a set that refuses one tool keeps the others, and is empty in the end though clearContext throws", async () => {
  const host = new WholeSet();
  const provide = host.provideContext.bind(host);
  host.provideContext = (set) => {
    if (set.tools.some((tool) => tool.name === "view_app__other__save")) {
      throw new TypeError("not this one");
    }
    provide(set);
  };
  host.clearContext = () => { throw new Error("mine"); };
  const { registry, adapter } = offering(host);
  registry.register({ ...saving(runtime, () => 2), type: "app.other" });
  registry.register({ ...saving(runtime, () => 3), type: "app.third" });
  await until(() => host.tools.size === 2, "two tools");
  const status = adapter.status();
  assert.deepEqual(status.registered.map((/** @type {any} */ t) => t.name), [NAME, "view_app__third__save"]);
  assert.match(status.refused[0].error, /not this one/);
  adapter.stop();
  assert.equal(host.tools.size, 0);
  await gone(registry);
});

test("a tool has no hints and no title but its own", async () => {
  const host = new BySignal();
  const { registry, tool } = offering(host);
  const polluted = /** @type {any} */ (Object.prototype);
  try {
    polluted.readOnlyHint = polluted.title = true;
    assert.deepEqual([tool.title, tool.annotations.readOnlyHint], [undefined, undefined]);
  } finally {
    delete polluted.readOnlyHint;
    delete polluted.title;
  }
  await gone(registry);
});

test("a curation hook that gives more than a description, or promises one, skips", async () => {
  for (const decision of [{ skip: true }, { description: "Kept", annotations: { readOnlyHint: true } }, { description: "Kept", execute() {} }, { description: 5 }, Promise.resolve("Kept"), true, false, ["Kept"], "x".repeat(5000), "\ud800"]) {
    const host = new BySignal();
    const { registry } = offering(host, () => 1, {}, { exposeCapability: () => decision });
    assert.equal(host.tools.size, 0);
    await gone(registry);
  }
});
