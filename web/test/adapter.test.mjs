// @ts-check
/** The WebMCP adapter over hosts of every kind, made by hand (adapters.md; what real browsers do is the end-to-end suite's). */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Clock, registryOf, saving, schema, script, thrownBy, turn, until } from "./harness.js";
import { ByName, BySignal, WholeSet, payloadOf } from "./hosts.js";

const { load, module } = await script();
const clock = new Clock();
const runtime = await load({ wasm: module, timers: clock.timers });
const before = runtime.dev.tables();
const consumer = { id: "agent", kind: "webmcp" };
const NAME = "view_app__form__save";

const hosts = /** @type {[string, new () => any][]} */ ([["by-name", ByName], ["by-signal", BySignal], ["whole-set", WholeSet]]);

/** @param {any} modelContext @param {any} [execute] @param {any} [more] @param {any} [options] */
function offering(modelContext, execute = (/** @type {any} */ input) => input, more = {}, options = {}) {
  const registry = registryOf(runtime);
  const handle = registry.register(saving(runtime, execute, more));
  const adapter = runtime.createWebMcpAdapter({ modelContext, ...options });
  adapter.start({ registry, consumer });
  return { registry, handle, adapter, tool: modelContext.tools.get(NAME) };
}

for (const [style, Host] of hosts) {
  test(`${style}: tools follow the registry from start to stop`, async () => {
    const host = new Host();
    const { registry, handle, adapter, tool } = offering(host);
    assert.deepEqual(adapter.status(), { supported: true, surface: style, registered: [{ name: NAME, capabilityId: "view:app.form.save" }], refused: [] });
    assert.equal(tool.description, "Saves");
    const result = await tool.execute({ n: 1 });
    assert.deepEqual(result, { content: [{ type: "text", text: '{"n":1}' }], structuredContent: { n: 1 } });
    assert.deepEqual((await tool.execute('{"n":2}')).structuredContent, { n: 2 });
    assert.deepEqual((await tool.execute('{\n  "n": 3\n}\n')).structuredContent, { n: 3 }, "an input that is laid out");
    registry.register({ ...saving(runtime, () => "more"), type: "app.other" });
    await until(() => host.tools.size === 2, "the second tool");
    handle.unregister();
    await until(() => host.tools.size === 1, "the first tool is gone");
    assert.equal(payloadOf(await tool.execute({})).code, "COMPONENT_UNMOUNTED");
    adapter.stop();
    adapter.stop();
    assert.equal(host.tools.size, 0);
    assert.equal(payloadOf(await tool.execute({})).code, "CAPABILITY_NOT_FOUND");
    assert.deepEqual(adapter.status(), { supported: true, surface: style, registered: [], refused: [] });
    registry.dispose();
  });

  test(`${style}: an adapter starts again, on another registry too, and old tools stay old`, async () => {
    const host = new Host();
    const { registry, adapter, tool } = offering(host, () => "first");
    assert.throws(() => adapter.start({ registry, consumer }), /started/);
    adapter.stop();
    assert.equal(runtime.dev.tables().adapters, 0);
    const second = registryOf(runtime);
    second.register(saving(runtime, () => "second"));
    adapter.start({ registry: second, consumer });
    assert.equal(payloadOf(await tool.execute({})).code, "CAPABILITY_NOT_FOUND");
    assert.equal((await host.tools.get(NAME).execute({})).content[0].text, '"second"');
    adapter.stop();
    await until(() => runtime.dev.tables().adapters === 0, "the adapter goes one task after its call");
    adapter.start({ registry, consumer });
    assert.equal((await host.tools.get(NAME).execute({})).content[0].text, '"first"');
    registry.dispose();
    second.dispose();
    await until(() => host.tools.size === 0 && runtime.dev.tables().adapters === 0, "disposal withdraws the tools");
    assert.throws(() => adapter.start({ registry, consumer }), /disposed/);
  });

  test(`${style}: a call in flight at stop completes, and its tool goes one task later`, async () => {
    const host = new Host();
    /** @type {(value: any) => void} */
    let release = () => {};
    const { registry, adapter, tool } = offering(host, () => new Promise((resolve) => (release = resolve)));
    const call = tool.execute({});
    adapter.stop();
    assert.equal(host.tools.size, 1);
    assert.equal(runtime.dev.tables().adapters, 1);
    release("done");
    assert.equal((await call).content[0].text, '"done"');
    assert.equal(host.tools.size, 1);
    await until(() => host.tools.size === 0, "the tool is withdrawn");
    assert.equal(runtime.dev.tables().adapters, 0);
    registry.dispose();
  });

  test(`${style}: disposal ends the calls in flight`, async () => {
    const host = new Host();
    const { registry, tool } = offering(host, () => new Promise(() => {}));
    const call = tool.execute({});
    registry.dispose();
    assert.equal(payloadOf(await call).code, "CANCELLED");
    await until(() => host.tools.size === 0, "the tool is withdrawn");
  });
}

test("two adapters on hosts that take whole sets keep their own tools", async () => {
  const [one, two] = [new WholeSet(), new WholeSet()];
  const worlds = [offering(one), offering(two)];
  worlds[0].handle.invalidate();
  await turn();
  assert.equal(one.tools.get(NAME), worlds[0].tool);
  assert.equal(two.tools.get(NAME), worlds[1].tool);
  worlds.forEach(({ registry }) => registry.dispose());
  await until(() => one.tools.size + two.tools.size === 0, "both are withdrawn");
});

test("refusals are reported, keep nothing, and are tried again", async () => {
  for (const refuse of [() => { throw new TypeError("name taken"); }, () => Promise.reject(new TypeError("name taken"))]) {
    for (const Host of [ByName, BySignal]) {
      const host = new Host();
      const registry = registryOf(runtime);
      host.answer = (tool) => {
        if (tool.name === NAME) {
          return refuse();
        }
      };
      registry.register(saving(runtime, () => 1));
      registry.register({ ...saving(runtime, () => 2), type: "app.other" });
      const adapter = runtime.createWebMcpAdapter({ modelContext: host });
      adapter.start({ registry, consumer });
      await turn();
      const status = adapter.status();
      assert.deepEqual(status.registered.map((/** @type {any} */ t) => t.name), ["view_app__other__save"]);
      assert.deepEqual(status.refused, [{ name: NAME, capabilityId: "view:app.form.save", error: "TypeError: name taken" }]);
      assert.equal(runtime.dev.tables().tools, 1);
      host.answer = null;
      registry.invalidate();
      await until(() => adapter.status().registered.length === 2, "the second attempt");
      adapter.stop();
      registry.dispose();
      await turn();
    }
  }
});

test("a host that answers after stop does not bring the tool back", async () => {
  for (const Host of [ByName, BySignal]) {
    const host = new Host();
    /** @type {(value?: any) => void} */
    let settle = () => {};
    host.answer = () => new Promise((resolve) => (settle = resolve));
    const { registry, adapter } = offering(host);
    adapter.stop();
    settle();
    await until(() => host.tools.size === 0 && runtime.dev.tables().adapters === 0, "nothing is left");
    assert.equal(runtime.dev.tables().tools, 0);
    registry.dispose();
  }
});

test("without a host an adapter does nothing, and starts when one comes", async () => {
  const registry = registryOf(runtime);
  registry.register(saving(runtime, () => 1));
  const adapter = runtime.createWebMcpAdapter();
  assert.deepEqual(adapter.status(), { supported: false, surface: "none", registered: [], refused: [] });
  adapter.start({ registry, consumer });
  assert.equal(adapter.status().supported, false);
  adapter.stop();
  registry.dispose();
  for (const modelContext of [{}, { registerTool: 5 }, { get registerTool() { throw new Error("mine"); } }]) {
    const other = registryOf(runtime);
    const none = runtime.createWebMcpAdapter({ modelContext });
    none.start({ registry: other, consumer });
    assert.equal(none.status().supported, false);
    none.stop();
    other.dispose();
  }
});

test("inputs: objects, texts of objects, nothing; everything else is INVALID_INPUT", async () => {
  const host = new BySignal();
  const { registry, tool } = offering(host);
  for (const input of [undefined, null, {}, "{}"]) {
    assert.deepEqual((await tool.execute(input)).structuredContent, {});
  }
  let deep = /** @type {any} */ ({});
  for (let i = 0; i < 100_000; i++) {
    deep = { deep };
  }
  for (const input of [[], "[]", "text", 5, true, "{", { f() {} }, { n: NaN }, new Map(), deep, "[".repeat(100_000)]) {
    assert.equal(payloadOf(await tool.execute(input)).code, "INVALID_INPUT");
  }
  registry.dispose();
  await turn();
});

test("results are JSON whatever the handler gives", async () => {
  const host = new BySignal();
  let output = /** @type {any} */ (undefined);
  const { registry, tool } = offering(host, () => output);
  for (const [value, text] of [[undefined, "null"], [null, "null"], [0, "0"], [false, "false"], ["", '""'], ["5", '"5"'], [5, "5"], [[1], "[1]"]]) {
    output = value;
    assert.deepEqual(await tool.execute({}), { content: [{ type: "text", text }] });
  }
  output = {};
  output.self = output;
  assert.equal(payloadOf(await tool.execute({})).details.reason, "output-invalid");
  registry.dispose();
  await turn();
});

test("a signal in the second argument cancels", async () => {
  const host = new BySignal();
  /** @type {AbortSignal | undefined} */
  let seen;
  const { registry, tool } = offering(host, (/** @type {any} */ _, /** @type {any} */ { signal }) => ((seen = signal), new Promise(() => {})));
  const controller = new AbortController();
  const call = tool.execute({}, { signal: controller.signal });
  controller.abort();
  assert.equal(payloadOf(await call).code, "CANCELLED");
  assert.equal(seen?.aborted, true);
  seen = undefined;
  assert.equal(payloadOf(await tool.execute({}, { signal: AbortSignal.abort() })).code, "CANCELLED");
  assert.equal(seen, undefined);
  registry.dispose();
  await turn();
});

test("confirm approves by an exact true only, within the client when there is one", async () => {
  /** @type {any} */
  let asked;
  let answer = /** @type {any} */ (true);
  let runs = 0;
  const host = new BySignal();
  const options = { confirm: (/** @type {any} */ pending, /** @type {any} */ client) => ((asked = [pending, client]), typeof answer === "function" ? answer() : answer) };
  const { registry, tool } = offering(host, () => ++runs, { confirmation: "required" }, options);
  let interactions = 0;
  const client = { requestUserInteraction: (/** @type {any} */ run) => (interactions++, run()) };
  assert.equal((await tool.execute({ n: 1 }, client)).content[0].text, "1");
  assert.deepEqual([interactions, asked[0].input, asked[1] === client], [1, { n: 1 }, true]);
  for (const no of [false, 1, "yes", undefined, {}, Promise.resolve(1)]) {
    answer = no;
    const denied = payloadOf(await tool.execute({ n: 2 }, client));
    assert.deepEqual([denied.code, denied.details.reason], ["CONFIRMATION_INVALID", "denied"]);
  }
  answer = () => Promise.resolve(true);
  assert.equal((await tool.execute({ n: 3 }, client)).content[0].text, "2");
  answer = () => { throw new Error("mine"); };
  const waiting = tool.execute({ n: 4 }, client);
  await turn();
  const [pending] = registry.confirmations.pending();
  registry.confirmations.resolve(pending.confirmationId, { approved: true });
  assert.equal((await waiting).content[0].text, "3");
  const alone = tool.execute({ n: 5 });
  await turn();
  assert.equal(registry.confirmations.pending().length, 1);
  clock.advance(120_000);
  assert.equal(payloadOf(await alone).details.reason, "expired");
  registry.dispose();
  await turn();
});

test("exposeCapability skips, renames and fails closed", async () => {
  for (const [expose, described] of /** @type {[any, string | undefined][]} */ ([
    [() => undefined, "Saves"], [() => "Stores", "Stores"], [() => ({ description: "Keeps" }), "Keeps"], [() => null, undefined],
    [() => { throw new Error("mine"); }, undefined], [() => 5, undefined], [() => () => {}, undefined],
  ])) {
    const host = new BySignal();
    const { registry, adapter, tool } = offering(host, () => 1, {}, { exposeCapability: expose });
    assert.equal(tool?.description, described);
    adapter.stop();
    registry.dispose();
  }
});

test("options and hosts are checked", () => {
  for (const options of [5, { colour: 1 }, { exposedTo: 5 }, { snapshotContext: 5 }]) {
    assert.ok(thrownBy(() => runtime.createWebMcpAdapter(options)) instanceof TypeError, JSON.stringify(options));
  }
  const registry = registryOf(runtime);
  const adapter = runtime.createWebMcpAdapter({});
  for (const host of [undefined, {}, { registry: {} }, { registry, consumer: { id: "", kind: "webmcp" } }, { registry, consumer: { id: "x", kind: "alien" } }]) {
    assert.ok(thrownBy(() => adapter.start(host)) instanceof Error);
    assert.equal(adapter.status().supported, false);
  }
  registry.dispose();
});

test("observations, annotations and exposedTo reach the host", async () => {
  /** @type {any[]} */
  const given = [];
  const host = { registerTool: (/** @type {any} */ tool, /** @type {any} */ options) => void given.push([tool, options]) };
  const registry = registryOf(runtime);
  registry.register({
    type: "app.form", description: "A form",
    observations: { state: { description: "State", untrustedContent: true, title: "The state", output: schema(runtime), read: () => "read" } },
  });
  const adapter = runtime.createWebMcpAdapter({ modelContext: host, exposedTo: ["https://other.example"] });
  adapter.start({ registry, consumer });
  const [[tool, options]] = given;
  assert.deepEqual([tool.title, { ...tool.annotations }], ["The state", { readOnlyHint: true, untrustedContentHint: true }]);
  assert.deepEqual(tool.inputSchema, { type: "object", properties: {}, additionalProperties: false });
  assert.deepEqual(options.exposedTo, ["https://other.example"]);
  assert.equal((await tool.execute()).content[0].text, '"read"');
  registry.dispose();
  await turn();
});

test("nothing of all this is kept", async () => {
  await until(() => runtime.dev.tables().adapters === 0, "every adapter is idle");
  assert.deepEqual({ ...runtime.dev.tables(), goroutines: 0 }, { ...before, goroutines: 0 });
});
