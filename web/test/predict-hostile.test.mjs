// @ts-check
/** pagewarden-predict.js under attack: patched built-ins, objects that lie, and other scripts that come as guests. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { capabilitiesOf, device, foreseen, rename } from "./capabilities.js";
import * as faults from "./faults.js";
import { registryOf, script, thrownBy, until } from "./harness.js";
import { gate } from "./tools.js";

const { load, module } = await script();
const runtime = await load({ wasm: module });
const { createPredictionStore, defineAgentCapability, executePredicted, registerWebMcpTools, toWebMcpTool } = await capabilitiesOf(runtime);

test("no built-in that the page has patched is called or read, and nothing planted on Object.prototype counts", () => {
  const { stdout, stderr } = spawnSync(process.execPath, [fileURLToPath(new URL("predict-hostile.js", import.meta.url))], { encoding: "utf8" });
  assert.ok(stdout, stderr.slice(0, 2000));
  assert.deepEqual(JSON.parse(stdout), {
    proof: ["Array.prototype.Symbol(Symbol.iterator)", "Array.prototype.map", "JSON.stringify", "Object.prototype.signal"], differences: [], reached: [],
  });
});

/** An object whose members are counted as they are read. @param {any} source */
function counted(source) {
  /** @type {Record<string, number>} */
  const reads = {};
  const proxy = new Proxy(source, {
    get: (target, key) => {
      if (typeof key === "string") reads[key] = (reads[key] ?? 0) + 1;
      return target[key];
    },
  });
  return { proxy, reads };
}

test("every member is read once", async () => {
  const definition = counted(foreseen({ annotations: { a: 1 } }));
  const capability = defineAgentCapability(definition.proxy);
  const options = counted({ registry: registryOf(runtime), authorize: () => true, resultMode: "receipt" });
  const tool = toWebMcpTool(capability, options.proxy);
  const input = counted({ name: "a" });
  const call = counted({ invocationId: "one" });
  await tool.execute(input.proxy, call.proxy);
  for (const { reads } of [definition, options, input, call]) {
    assert.deepEqual(Object.values(reads).filter((count) => count !== 1), [], JSON.stringify(reads));
  }
});

test("what the check saw is what the handler gets", async () => {
  let reads = 0;
  let got;
  const tool = toWebMcpTool(defineAgentCapability(rename({ execute: (/** @type {any} */ input) => (got = input, { version: "v" }) })), { registry: registryOf(runtime) });
  const receipt = await tool.execute({ get name() { return reads++ === 0 ? "sound" : { evil: true }; } });
  assert.deepEqual([receipt.outcome, got], ["committed", { name: "sound" }]);
});

test("getters and proxies that throw are refused, and everything goes on", async () => {
  const hostile = () => new Proxy({}, { get() { throw new Error("no"); }, ownKeys() { throw new Error("no"); }, getPrototypeOf() { throw new Error("no"); } });
  const registry = registryOf(runtime);
  const capability = defineAgentCapability(foreseen());
  const tool = toWebMcpTool(capability, { registry });
  const store = createPredictionStore(device());
  assert.equal((await tool.execute(hostile())).error.code, "input_invalid");
  assert.equal((await tool.execute({ name: "a" }, { get signal() { throw new Error("no"); }, get invocationId() { throw new Error("no"); } })).outcome, "committed");
  assert.equal((await tool.execute({ name: "a" }, hostile())).outcome, "committed");
  for (const run of [() => defineAgentCapability(hostile()), () => toWebMcpTool(capability, hostile()), () => createPredictionStore(hostile()), () => store.predict("a", hostile()),
    () => store.commit("a", hostile()), () => toWebMcpTool(hostile()), () => defineAgentCapability(rename({ input: hostile() })), () => defineAgentCapability(rename({ annotations: hostile() }))]) {
    assert.ok(thrownBy(run) instanceof Error);
  }
  for (const run of [() => executePredicted(capability, { name: "a" }, hostile()), () => executePredicted(capability, { name: "a" }, store, hostile()), () => registerWebMcpTools(hostile())]) {
    await assert.rejects(run());
  }
  assert.equal((await executePredicted(capability, hostile(), store, { registry })).tool.error.code, "input_invalid");
  assert.equal((await registerWebMcpTools([capability], hostile(), { registry })).supported, false);
  assert.equal((await executePredicted(capability, { name: "b" }, store, { registry })).outcome, "committed");
});

test("thenables and hostile results are what the handler gave, heard once", async () => {
  const registry = registryOf(runtime);
  let n = 0;
  const run = (/** @type {any} */ execute, output = /** @type {any} */ ({})) =>
    toWebMcpTool(defineAgentCapability(rename({ name: `t${++n}`, output, execute })), { registry, resultMode: "output" }).execute({ name: "a" });
  assert.equal(await run(() => ({ then: (/** @type {any} */ yes, /** @type {any} */ no) => (yes(1), yes(2), no(new Error("no"))) })), 1);
  assert.equal((await run(() => ({ get then() { throw new Error("no"); } }))).error.code, "execution_failed");
  assert.equal((await run(() => ({ big: 10n }))).error.code, "output_invalid");
  assert.equal((await run(() => "a".repeat(9 << 20))).error.code, "output_invalid");
  assert.deepEqual(await run(() => JSON.parse('{"__proto__":{"evil":1}}')), JSON.parse('{"__proto__":{"evil":1}}'));
});

test("a listener that reenters the store, and everything else, leaves it whole", async () => {
  const registry = registryOf(runtime);
  const capability = defineAgentCapability(foreseen());
  const store = createPredictionStore(device());
  let depth = 0;
  /** @type {Promise<any>[]} */
  const more = [];
  store.subscribe((/** @type {any} */ { type }) => {
    if (type === "predicted" && depth++ < 5) {
      more.push(executePredicted(capability, { name: `n${depth}` }, store, { registry }));
    }
    store.expire(8.64e15);
    store.rollback("nothing");
    toWebMcpTool(capability, { registry });
    registry.snapshot();
  });
  const first = await executePredicted(capability, { name: "a" }, store, { registry });
  const outcomes = [first, ...(await Promise.all(more))].map(({ outcome }) => outcome);
  assert.deepEqual(outcomes, ["conflicted", "committed", "committed", "committed", "committed", "committed"], "those from inside were done at once, and moved the state");
  assert.deepEqual([store.snapshot().version, store.snapshot().activePredictionIds], ["v2", []]);
});

test("predict that reenters: the prediction that it makes itself comes first", async () => {
  const registry = registryOf(runtime);
  const store = createPredictionStore(device());
  /** @type {any} */
  let inner;
  let entered = false;
  const capability = defineAgentCapability(foreseen({ predict: (/** @type {any} */ { version }) => {
    if (!entered) {
      entered = true;
      inner = executePredicted(capability, { name: "inner" }, store, { registry, predictionId: "same" });
    }
    return { baseVersion: version, patch: [{ op: "replace", path: "/name", value: "x" }] };
  } }));
  const outer = await executePredicted(capability, { name: "outer" }, store, { registry, predictionId: "same" });
  assert.deepEqual([outer.outcome, (await inner).outcome], ["stale", "committed"]);
});

test("disposing of the registry from inside ends the call, and the prediction with it", async () => {
  for (const where of ["execute", "predict", "reconcile", "authorize", "key"]) {
    const registry = registryOf(runtime);
    const store = createPredictionStore(device());
    /** @type {any} */
    const definition = foreseen({ idempotency: { key: () => "k" } });
    const original = where === "key" ? definition.idempotency.key : definition[where] ?? (() => true);
    const wrapped = (/** @type {any[]} */ ...given) => (registry.dispose(), original(...given));
    if (where === "key") definition.idempotency.key = wrapped;
    else if (where !== "authorize") definition[where] = wrapped;
    const promise = executePredicted(defineAgentCapability(definition), { name: "a" }, store, { registry, ...(where === "authorize" && { authorize: wrapped }) });
    const result = await promise.catch((/** @type {any} */ error) => error);
    assert.ok(["rolled-back", "committed"].includes(result.outcome) || /disposed/.test(result.message), `${where}: ${result.outcome ?? result}`);
    assert.deepEqual(store.snapshot().activePredictionIds, [], where);
  }
});

test("a script that comes as a guest sees nothing of another's", async () => {
  const store = createPredictionStore(device());
  const work = gate();
  const registry = registryOf(runtime);
  const tool = toWebMcpTool(defineAgentCapability(rename({ execute: () => work.promise })), { registry });
  const pending = tool.execute({ name: "a" });
  /** @type {string[]} */
  const heard = [];
  const call = runtime[Symbol.for("pagewarden.webtools")].join((/** @type {string} */ text) => void heard.push(text));
  for (let number = 0; number < 50; number++) {
    for (const wish of ["snapshot", "rollback", "drop", "expire", "listen"]) assert.throws(() => call(null, wish, number, "p"), /no such store/);
    assert.throws(() => call(null, "call", number, 1, {}, {}), /disposed/);
    assert.throws(() => call(registry, "tool", number, false, {}), /no such capability/);
    call(null, "cancel", number);
    call(null, "close", number);
    call(null, "undefine", number);
  }
  for (const other of [{}, 1, "1", { number: 1 }, Object.create(registry)]) assert.throws(() => call(other, "snapshot", 1), /createAgentSurfaceRegistry/);
  for (const wish of [undefined, "", "settle", "__proto__", {}, () => {}]) assert.throws(() => call(null, wish, 1), TypeError);
  work.open({ version: "v2" });
  assert.equal((await pending).outcome, "committed");
  assert.deepEqual(store.snapshot().activePredictionIds, []);
  assert.deepEqual(heard.filter((text) => text !== "?"), []);
});

test("a guest that lies, throws or hands over no text harms nobody", async () => {
  const call = runtime[Symbol.for("pagewarden.webtools")].join(() => { throw new Error("no"); });
  const odd = runtime[Symbol.for("pagewarden.webtools")].join(() => ({ get length() { return 1e9; }, toJSON: () => "x" }));
  const nothing = runtime[Symbol.for("pagewarden.webtools")].join(undefined);
  const registry = registryOf(runtime);
  const definition = { name: "a", description: "A", input: { document: {}, parses: true }, output: { document: {} }, predicts: true, keyed: true, stored: true };
  for (const guest of [call, odd, nothing]) {
    guest(null, "define", 1, { ...definition, name: `g${[call, odd, nothing].indexOf(guest)}` });
    const { tool } = guest(registry, "tool", 1, false, { authorize: 1 });
    guest(null, "call", tool, 1, {}, {});
    const store = guest(null, "store", { state: 1, version: "1" });
    guest(registry, "execute", 1, store, 2, { clock: true }, {});
    guest(null, "listen", store);
    guest(null, "predict", store, "p", { baseVersion: "1", patch: [] });
  }
  assert.equal((await toWebMcpTool(defineAgentCapability(rename()), { registry }).execute({ name: "a" })).outcome, "committed");
});

test("when the runtime dies whoever waits is told, and whoever comes later too", async () => {
  const faulty = await script("faults/");
  const dying = await faulty.load({ wasm: faulty.module });
  const predict = await capabilitiesOf(dying);
  const registry = registryOf(dying);
  const capability = predict.defineAgentCapability(foreseen({ execute: () => new Promise(() => {}) }));
  const store = predict.createPredictionStore(device());
  const tool = predict.toWebMcpTool(capability, { registry });
  const mcp = predict.toMcpTool(capability.tool, { registry, capabilities: ["device.rename"] });
  const waiting = [tool.execute({ name: "a" }), mcp.handler({ name: "a" })];
  const predicted = predict.executePredicted(capability, { name: "b" }, store, { registry });
  assert.deepEqual(store.snapshot().state, { name: "b" });
  try {
    dying.dev.fault(faults.EXIT, 0);
  } catch {
    // It says that it has ended.
  }
  await until(() => thrownBy(() => store.snapshot()), "the end");
  for (const promise of [...waiting, tool.execute({ name: "a" }), mcp.handler({ name: "a" })]) {
    const result = await promise;
    const receipt = result._meta?.["pagewarden/receipt"] ?? result;
    assert.deepEqual([receipt.outcome, receipt.error], ["failed", { code: "execution_failed", stage: "execute" }]);
    if (result._meta) assert.deepEqual([result.isError, JSON.parse(result.content[0].text)], [true, receipt]);
  }
  for (const promise of [predicted, predict.executePredicted(capability, { name: "b" }, store, { registry })]) {
    await assert.rejects(promise, (/** @type {any} */ error) => error.payload.details.reason === "runtime-lost");
  }
  for (const run of [() => store.snapshot(), () => predict.createPredictionStore(device()), () => predict.defineAgentCapability(rename()), () => predict.toWebMcpTool(capability, { registry })]) {
    assert.equal(thrownBy(run).payload.details.reason, "runtime-lost");
  }
});

test("two registries keep their calls, and their policies, apart", async () => {
  const capability = defineAgentCapability(rename({ budget: { calls: 1, windowMs: 60_000 } }));
  const [one, two] = [registryOf(runtime), registryOf(runtime, { policies: [runtime.authenticated()] })];
  assert.equal((await toWebMcpTool(capability, { registry: one }).execute({ name: "a" })).outcome, "committed");
  assert.equal((await toWebMcpTool(capability, { registry: two }).execute({ name: "a" })).outcome, "denied");
  assert.equal((await toWebMcpTool(capability, { registry: one }).execute({ name: "a" })).error.code, "policy_denied");
  two.dispose();
  assert.equal((await toWebMcpTool(capability, { registry: registryOf(runtime) }).execute({ name: "a" })).outcome, "committed");
});
