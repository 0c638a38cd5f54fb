// @ts-check
/**
 * Three equal rounds leave equal tables and an equal heap (boundary.md, Also; case 10). PAGEWARDEN_ROUND sets the
 * size of a round in calls.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import v8 from "node:v8";
import vm from "node:vm";
import { COLLECT } from "./faults.js";
import { Clock, registryOf, SAVE, saving, schema, script, turn, until } from "./harness.js";

const { load, module } = await script("faults/");
const calls = Number(process.env.PAGEWARDEN_ROUND ?? 10_000);
v8.setFlagsFromString("--expose-gc");
const collect = vm.runInNewContext("gc");

/** A host that lists tools, as a browser does. */
class Tools {
  /** @type {Map<string, any>} */
  tools = new Map();

  /** @param {any} tool @param {any} options */
  registerTool(tool, options) {
    this.tools.set(tool.name, tool);
    options.signal.addEventListener("abort", () => this.tools.delete(tool.name));
    return Promise.resolve();
  }
}

/** What one round is: every way in which something is kept for a while. @param {any} runtime @param {Clock} clock */
async function round(runtime, clock) {
  const registry = registryOf(runtime, { policies: [{ name: "outer", onInvoke: (/** @type {any} */ _, /** @type {any} */ next) => next() }], context: () => ({}) });
  const stop = registry.subscribe(() => {});
  const modelContext = new Tools();
  const adapter = runtime.createWebMcpAdapter({ modelContext });
  adapter.start({ registry, consumer: { id: "agent", kind: "webmcp" } });
  const parsed = { jsonSchema: { type: "object" }, parse: (/** @type {any} */ value) => value };
  const signal = new AbortController().signal;
  for (let i = 0; i < calls / 10; i++) {
    const handle = registry.register({
      ...saving(runtime, (/** @type {any} */ input) => answer(input.i), { input: parsed, timeoutMs: 100, concurrency: { mode: "parallel", max: 16 } }),
      policies: [{ name: "inner", onDiscovery() {}, onAuthorize: async (/** @type {any} */ _, /** @type {any} */ next) => next() }],
    });
    const outcomes = [];
    for (let n = 0; n < 10; n++) {
      outcomes.push(registry.invoke({ capabilityId: SAVE, input: { i: n } }, n === 8 ? { signal: AbortSignal.abort() } : { signal }));
    }
    await turn();
    clock.advance(200);
    await Promise.all(outcomes);
    handle.unregister();
  }
  await turn();
  adapter.stop();
  stop();
  clock.advance(3_600_000);
  registry.dispose();
  await turn();
  assert.equal(modelContext.tools.size, 0);
}

/** @param {number} n */
function answer(n) {
  switch (n) {
    case 0:
      return Promise.reject(new Error("refused"));
    case 1:
      return new Promise(() => {});
    case 2:
      return { then: (/** @type {any} */ resolve) => resolve({ f() {} }) };
    case 3:
      throw new Error("failed");
  }
  return n % 2 === 0 ? n : Promise.resolve("x".repeat(n * 100));
}

/** @param {any} runtime */
function sizes(runtime) {
  const { heapAlloc } = JSON.parse(runtime.dev.fault(COLLECT, 0));
  const { goroutines, ...tables } = runtime.dev.tables();
  return { heapAlloc, goroutines, tables };
}

test(`three rounds of ${calls} calls leave what the first left`, async (t) => {
  const clock = new Clock();
  const runtime = await load({ wasm: module, timers: clock.timers });
  const { tables: empty } = sizes(runtime);
  const plateaus = [];
  for (let i = 0; i < 3; i++) {
    await round(runtime, clock);
    plateaus.push(sizes(runtime));
    assert.deepEqual(plateaus[i].tables, empty, `after round ${i + 1}`);
  }
  t.diagnostic(JSON.stringify(plateaus.map(({ heapAlloc, goroutines }) => ({ heapAlloc, goroutines }))));
  for (const { heapAlloc, goroutines } of plateaus.slice(1)) {
    assert.ok(Math.abs(heapAlloc - plateaus[0].heapAlloc) <= 64 << 10, `${heapAlloc} bytes, after ${plateaus[0].heapAlloc} in the first round`);
    assert.ok(Math.abs(goroutines - plateaus[0].goroutines) <= 1);
  }
  assert.ok(clock.armed <= 1, `${clock.armed} timers are set`);
});

test("what a page has let go of is collected: registries, handles, definitions, signals, runtimes", async () => {
  let collected = 0;
  const counter = new FinalizationRegistry(() => collected++);
  const runtime = await load({ wasm: module });
  /** @param {object} object */
  const watch = (object) => (counter.register(object, undefined), object);
  await (async () => {
    const other = await load({ wasm: module });
    watch(other);
    const registry = registryOf(runtime);
    const definition = saving(runtime, () => "saved");
    const handle = registry.register(definition);
    const controller = new AbortController();
    await registry.invoke({ capabilityId: SAVE }, { signal: controller.signal });
    handle.unregister();
    registry.register(saving(runtime, () => "saved"));
    registry.dispose();
    [registry, definition, handle, controller.signal].forEach(watch);
    watch(schema(runtime));
  })();
  for (let i = 0; i < 50 && collected < 6; i++) {
    await turn();
    collect();
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  assert.equal(collected, 6);
  assert.ok(runtime.dev.tables());
});

test("a tool and a handle that outlive their registry say so", async () => {
  const runtime = await load({ wasm: module });
  const modelContext = new Tools();
  const registry = registryOf(runtime);
  const adapter = runtime.createWebMcpAdapter({ modelContext });
  registry.register(saving(runtime, () => "saved"));
  adapter.start({ registry, consumer: { id: "agent", kind: "webmcp" } });
  const [tool] = modelContext.tools.values();
  assert.deepEqual((await tool.execute({})).content, [{ type: "text", text: '"saved"' }]);
  registry.dispose();
  await until(() => modelContext.tools.size === 0, "the tool goes one task after its call");
  const kept = await tool.execute({});
  assert.equal(kept.isError, true);
  assert.equal(JSON.parse(kept.content[0].text).code, "CAPABILITY_NOT_FOUND");
});
