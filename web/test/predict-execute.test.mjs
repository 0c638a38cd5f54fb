// @ts-check
/** executePredicted from JavaScript: each outcome, and an end at every moment. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { brief, capabilitiesOf, device, foreseen, rename } from "./capabilities.js";
import { Clock, mustBeFrozenData, registryOf, script, turn, until } from "./harness.js";
import { gate } from "./tools.js";

const { load, module } = await script();
const clock = new Clock();
const runtime = await load({ wasm: module, timers: clock.timers });
const { createPredictionStore, defineAgentCapability, executePredicted, toWebMcpTool } = await capabilitiesOf(runtime);

/** A capability, a store with its events, and an execution that the test ends. @param {any} [more] @param {any} [options] */
function stage(more, options) {
  const { promise, open, fail } = gate();
  const store = createPredictionStore(device());
  /** @type {string[]} */
  const events = [];
  store.subscribe((/** @type {any} */ { type }) => events.push(`${type} ${store.snapshot().state.name}`));
  const registry = registryOf(runtime);
  const made = {
    store, events, registry, fail, started: 0, open: (/** @type {string} */ version = "v2") => open({ version }),
    capability: defineAgentCapability(foreseen({ execute: () => (made.started++, promise), ...more })),
    run: (/** @type {any} */ input = { name: "new" }, /** @type {any} */ call = {}) => executePredicted(made.capability, input, store, { registry, ...options, ...call }),
  };
  return made;
}

test("committed: the prediction shows at once, and then the server's state", async () => {
  const { store, events, open, run } = stage();
  const promise = run();
  assert.deepEqual(store.snapshot().state, { name: "new" });
  open();
  const result = await promise;
  mustBeFrozenData(result);
  assert.deepEqual(Object.keys(result), ["outcome", "predictionId", "prediction", "tool", "snapshot"]);
  assert.equal(result.outcome, "committed");
  assert.match(result.predictionId, /^prd_[0-9a-f]{32}$/);
  assert.deepEqual(result.prediction, { baseVersion: "v1", patch: [{ op: "replace", path: "/name", value: "new" }], expiresAt: clock.time + 10_000 });
  assert.equal(brief(result.tool), "committed +capability +input +policy +approval +idempotency +execute +output");
  assert.deepEqual(result.snapshot, { state: { name: "new" }, version: "v2", authoritativeVersion: "v2", activePredictionIds: [] });
  assert.deepEqual(events, ["predicted new", "committed new"]);
});

test("rolled back: a failure, a refusal, and a reconciliation that fails", async () => {
  const failed = stage();
  const promise = failed.run();
  failed.fail(new Error("down"));
  const result = await promise;
  assert.deepEqual([result.outcome, result.tool.error.code, result.snapshot.state.name, result.snapshot.version], ["rolled-back", "execution_failed", "old", "v1"]);
  assert.deepEqual(failed.events, ["predicted new", "rolled-back old"]);
  const refused = await stage({}, { authorize: () => false }).run();
  assert.deepEqual([refused.outcome, refused.tool.outcome], ["rolled-back", "denied"]);
  for (const reconcile of [
    () => { throw new Error("no"); }, async () => { throw new Error("no"); }, () => undefined, () => ({ state: 1 }), () => ({ state: 1, version: "not a version" }), () => 5,
    () => ({ state: () => {}, version: "v2" }),
  ]) {
    const { run, open, events } = stage({ reconcile });
    open();
    const result = await run();
    assert.deepEqual([result.outcome, result.tool.outcome, result.snapshot.version], ["rolled-back", "committed", "v1"]);
    assert.deepEqual(events, ["predicted new", "rolled-back old"]);
  }
});

test("conflicted: the state moved; with accept-server-state it is the server's all the same", async () => {
  for (const [reconciliation, outcome, state, version] of /** @type {const} */ ([["manual", "conflicted", "elsewhere", "v5"], ["accept-server-state", "committed", "new", "v2"]])) {
    const { store, run, open } = stage({ reconciliation });
    const promise = run();
    store.predict("other", { baseVersion: "v1", patch: [] });
    store.commit("other", { state: { name: "elsewhere" }, version: "v5" });
    open();
    const result = await promise;
    assert.deepEqual([result.outcome, result.snapshot.state.name, result.snapshot.version], [outcome, state, version]);
  }
});

test("expired: the prediction goes when its time is over, and the answer comes too late", async () => {
  const { store, run, open, events } = stage();
  const promise = run();
  clock.advance(9_999);
  assert.equal(store.snapshot().state.name, "new");
  clock.advance(1);
  assert.equal(store.snapshot().state.name, "old");
  open();
  const result = await promise;
  assert.deepEqual([result.outcome, result.tool.outcome, result.snapshot.version], ["expired", "committed", "v1"]);
  assert.deepEqual(events, ["predicted new", "expired old"]);
});

test("expired: a reconciliation that never answers is not waited for", async () => {
  const { run, open } = stage({ reconcile: () => new Promise(() => {}) });
  open();
  const promise = run();
  await turn();
  clock.advance(10_000);
  const result = await promise;
  assert.deepEqual([result.outcome, result.tool.outcome, result.snapshot.state.name], ["expired", "committed", "old"]);
});

test("stale, invalid and expired from the start call nothing", async () => {
  for (const [outcome, predict] of /** @type {[string, any][]} */ ([
    ["stale", () => ({ baseVersion: "v0", patch: [] })], ["invalid", () => ({ baseVersion: "v1", patch: [{ op: "remove", path: "/missing" }] })],
    ["invalid", () => { throw new Error("no"); }], ["invalid", async () => ({ baseVersion: "v1", patch: [] })], ["invalid", () => undefined],
    ["invalid", () => ({ baseVersion: "v1", patch: [{ op: "add", path: "/__proto__", value: 1 }] })], ["invalid", () => ({ baseVersion: "v1" })],
    ["expired", (/** @type {any} */ { now }) => ({ baseVersion: "v1", patch: [], expiresAt: now })],
  ])) {
    const made = stage({ predict });
    const result = await made.run();
    assert.deepEqual([result.outcome, result.tool, result.predictionId, made.started, made.events.length], [outcome, undefined, undefined, 0, 0]);
  }
  const taken = stage();
  taken.store.predict("mine", { baseVersion: "v1", patch: [] });
  assert.equal((await taken.run({ name: "new" }, { predictionId: "mine" })).outcome, "invalid");
});

test("executed: invalid input, and what predicts nothing, are just called", async () => {
  const { run, events } = stage();
  const invalid = await run({ name: 5 });
  assert.deepEqual([invalid.outcome, invalid.tool.error.code, invalid.prediction], ["executed", "input_invalid", undefined]);
  assert.deepEqual(events, []);
  const plain = defineAgentCapability(rename());
  const store = createPredictionStore(device());
  const result = await executePredicted(plain, { name: "a" }, store, { registry: registryOf(runtime) });
  assert.deepEqual([result.outcome, result.tool.outcome, result.snapshot.version], ["executed", "committed", "v1"]);
});

test("predict gets copies, and reconcile what came of it", async () => {
  /** @type {any} */
  let first;
  /** @type {any} */
  let second;
  const { run, open } = stage({
    predict: (/** @type {any} */ told) => {
      first = structuredClone(told);
      told.snapshot.state.name = "tampered";
      told.input.name = "tampered";
      return { baseVersion: told.version, patch: [] };
    },
    reconcile: (/** @type {any} */ told) => {
      second = structuredClone(told);
      return { state: { name: told.input.name }, version: told.output.version };
    },
  });
  open();
  const result = await run({ name: "new" }, { now: 1234 });
  const snapshot = { state: { name: "old" }, version: "v1", authoritativeVersion: "v1", activePredictionIds: [] };
  assert.deepEqual(first, { input: { name: "new" }, snapshot, version: "v1", now: 1234 });
  assert.deepEqual(second, { input: { name: "new" }, output: { version: "v2" }, previous: snapshot, prediction: { baseVersion: "v1", patch: [] }, now: 1234 });
  assert.equal(result.snapshot.state.name, "new");
});

test("now is a time, or what tells it", async () => {
  let time = 5000;
  const { run, open } = stage({}, { now: () => time });
  const promise = run();
  time += 10_000;
  open();
  assert.equal((await promise).outcome, "expired");
  const broken = stage({}, { now: () => { throw new Error("no clock"); } });
  broken.open();
  assert.equal((await broken.run()).prediction.expiresAt, clock.time + 10_000, "then it is the runtime's");
});

test("an abort rolls back at whatever moment", async (t) => {
  for (const [when, prepare] of /** @type {[string, (made: any, abort: () => void) => Promise<unknown>][]} */ ([
    ["while the handler works", async (made, abort) => (await until(() => made.started, "the work"), abort())],
    ["in the listener that hears of the prediction", async (made, abort) => made.store.subscribe((/** @type {any} */ event) => event.type === "predicted" && abort())],
    ["together with the answer", async (made, abort) => (made.open(), abort())],
  ])) {
    await t.test(when, async () => {
      const controller = new AbortController();
      const made = stage();
      const early = when.startsWith("in the listener") && prepare(made, () => controller.abort());
      const promise = made.run({ name: "new" }, { signal: controller.signal });
      await (early || prepare(made, () => controller.abort()));
      assert.equal(made.store.snapshot().state.name, "old", "at once");
      const result = await promise;
      assert.deepEqual([result.outcome, result.snapshot.version, result.snapshot.activePredictionIds], ["rolled-back", "v1", []]);
      assert.deepEqual(made.events, ["predicted new", "rolled-back old"]);
    });
  }
  await t.test("while it is reconciled", async () => {
    const controller = new AbortController();
    let reconciling = false;
    const made = stage({ reconcile: () => (reconciling = true, new Promise(() => {})) });
    made.open();
    const promise = made.run({ name: "new" }, { signal: controller.signal });
    await until(() => reconciling, "the reconciliation");
    controller.abort();
    const result = await promise;
    assert.deepEqual([result.outcome, result.snapshot.state.name], ["rolled-back", "old"]);
  });
  await t.test("before it began", async () => {
    const made = stage();
    const result = await made.run({ name: "new" }, { signal: AbortSignal.abort() });
    assert.deepEqual([result.outcome, result.tool.error.code, made.started, made.events], ["executed", "cancelled", 0, []]);
  });
});

test("mistakes reject, and leave nothing behind", async () => {
  const made = stage();
  for (const [run, message] of /** @type {[() => Promise<any>, RegExp][]} */ ([
    [() => executePredicted({}, {}, made.store), /defineAgentCapability/], [() => executePredicted(made.capability, {}, {}), /createPredictionStore/],
    [() => made.run({ name: "a" }, { predictionId: "" }), /predictionId/], [() => made.run({ name: "a" }, { predictionId: 5 }), /predictionId must be a string/],
    [() => made.run({ name: "a" }, { predictionId: "a".repeat(300) }), /id: a prediction's id/], [() => made.run({ name: "a" }, { signal: {} }), /signal must be an AbortSignal/],
    [() => made.run({ name: "a" }, { now: "today" }), /now must be milliseconds/], [() => made.run({ name: "a" }, { retries: 1 }), /retries is no option/],
    [() => made.run({ name: "a" }, { registry: {} }), /createAgentSurfaceRegistry/], [() => made.run({ name: "a" }, { consumer: { id: "a" } }), /consumer/],
  ])) {
    await assert.rejects(run(), { name: "TypeError", message });
  }
  made.registry.dispose();
  await assert.rejects(made.run(), /disposed/);
  assert.deepEqual([made.events, made.started], [[], 0]);
});

test("two executions at once end on the server's last word", async () => {
  const store = createPredictionStore(device());
  const registry = registryOf(runtime);
  let version = 1;
  const capability = defineAgentCapability(foreseen({ reconciliation: "accept-server-state", execute: async () => (await turn(), { version: `s${++version}` }) }));
  const results = await Promise.all(["one", "two", "three"].map((name) => executePredicted(capability, { name }, store, { registry })));
  assert.deepEqual(results.map(({ outcome }) => outcome), ["committed", "committed", "committed"]);
  assert.equal(store.snapshot().version, `s${version}`);
  assert.deepEqual(store.snapshot().activePredictionIds, []);
});

test("nothing is left of what has ended", async () => {
  const sizes = () => {
    const { guestItems, waits, calls, open } = runtime.dev.tables();
    return { guestItems, waits, calls, open };
  };
  const made = stage();
  made.open();
  await made.run();
  const before = sizes();
  for (let i = 0; i < 50; i++) {
    await made.run({ name: `n${i}` });
  }
  assert.deepEqual(sizes(), before);
});

test("what the page has lost is let go of", async () => {
  const guests = () => runtime.dev.tables().guestItems;
  const collect = async () => {
    for (let i = 0; i < 20; i++) {
      await turn();
      /** @type {any} */ (globalThis).gc();
    }
  };
  const registry = registryOf(runtime);
  await collect();
  const before = guests();
  (() => {
    for (let i = 0; i < 20; i++) {
      defineAgentCapability(rename());
      createPredictionStore(device()).subscribe(() => {});
    }
    toWebMcpTool(defineAgentCapability(rename()), { registry, authorize: () => true });
  })();
  assert.equal(guests(), before + 42);
  await collect();
  assert.equal(guests(), before + 1, "but what a registry can still call");
  registry.dispose();
  assert.equal(guests(), before);
});

test("in Node a call that waits for a time limit keeps the process alive", () => {
  const program = `
    import { readFileSync } from "node:fs";
    const dist = ${JSON.stringify(new URL("../../dist/", import.meta.url).href)};
    const { load } = await import(dist + "pagewarden.mjs");
    const { connect, defineAgentCapability, toWebMcpTool } = await import("data:text/javascript," + encodeURIComponent(readFileSync(new URL(dist + "pagewarden-predict.js"), "utf8")));
    connect(await load({ wasm: readFileSync(new URL(dist + "pagewarden.wasm")) }));
    const tool = toWebMcpTool(defineAgentCapability({ name: "a", description: "A", input: {}, output: {}, timeoutMs: 50, execute: () => new Promise(() => {}) }));
    tool.execute().then(({ error }) => console.log(error.code));
  `;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", program], { encoding: "utf8", cwd: fileURLToPath(new URL(".", import.meta.url)) });
  assert.equal(stdout, "timeout\n", stderr.slice(0, 1000));
});
