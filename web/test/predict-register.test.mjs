// @ts-check
/** registerWebMcpTools and runAgentSurfaceConformance, with objects that stand for a browser's. e2e has a real one. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { brief, capabilitiesOf, rename } from "./capabilities.js";
import { mustBeFrozenData, registryOf, script, turn, until } from "./harness.js";
import { ModelContext, gate } from "./tools.js";

const { load, module } = await script();
const runtime = await load({ wasm: module });
const { defineAgentCapability, registerWebMcpTools, runAgentSurfaceConformance } = await capabilitiesOf(runtime);

/** Capabilities of those names. @param {string[]} names */
const capabilities = (...names) => names.map((name) => defineAgentCapability(rename({ name })));
/** A registry of the test's own. */
const inRegistry = () => ({ registry: registryOf(runtime) });

/** What can be compared of a report. @param {any} report */
const told = ({ supported, registered, failed }) => ({ supported, registered, failed });
const TAKEN = "a tool with this name is registered already, or about to be";

test("a host without WebMCP is left alone", async () => {
  for (const target of [undefined, null, {}, 5, { modelContext: {} }, { get modelContext() { throw new Error("no"); } }, { modelContext: 5 }]) {
    const report = await registerWebMcpTools(capabilities("a"), target, inRegistry());
    assert.deepEqual(told(report), { supported: false, registered: [], failed: [] });
    assert.ok(Object.isFrozen(report));
    report.cleanup();
  }
});

for (const style of /** @type {const} */ (["by-name", "by-signal", "whole-set"])) {
  test(`${style}: tools are offered, called, and taken away in reverse order`, async () => {
    const context = new ModelContext(style);
    const report = await registerWebMcpTools(capabilities("a", "b", "c"), { modelContext: context.object }, inRegistry());
    assert.deepEqual(told(report), { supported: true, registered: ["a", "b", "c"], failed: [] });
    mustBeFrozenData(told(report).registered);
    assert.deepEqual(context.names, ["a", "b", "c"]);
    const tool = context.tools.get("b");
    assert.equal(brief(await context.call("b", { name: "x" })), "committed +capability +input +policy +approval +idempotency +execute +output");
    /** @type {string[][]} */
    const left = [];
    const { delete: remove } = Map.prototype;
    context.tools.delete = (name) => {
      const done = remove.call(context.tools, name);
      left.push(context.names);
      return done;
    };
    report.cleanup();
    report.cleanup();
    assert.deepEqual(context.names, []);
    if (style !== "whole-set") assert.deepEqual(left, [["a", "b"], ["a"], []]);
    await assert.rejects(tool.execute({ name: "x" }), /disposed/, "a tool that the browser has kept says so");
  });

  test(`${style}: only what a call has registered is removed`, async () => {
    const context = new ModelContext(style);
    const first = await registerWebMcpTools(capabilities("a"), context.object, inRegistry());
    const second = await registerWebMcpTools(capabilities("a", "b"), context.object, inRegistry());
    assert.deepEqual(told(second), { supported: true, registered: ["b"], failed: [{ name: "a", error: TAKEN }] });
    second.cleanup();
    assert.deepEqual(context.names, ["a"]);
    first.cleanup();
    const third = await registerWebMcpTools(capabilities("a", "b"), context.object, inRegistry());
    assert.deepEqual(third.registered, ["a", "b"]);
  });
}

test("one that fails stops no other, and its name is free again", async () => {
  const context = new ModelContext("by-signal");
  context.tools.set("taken", { name: "taken" });
  const registry = registryOf(runtime);
  const list = capabilities("a", "taken", "b", "a");
  const report = await registerWebMcpTools(list, context.object, { registry });
  assert.deepEqual(told(report), {
    supported: true, registered: ["a", "b"], failed: [{ name: "taken", error: "InvalidStateError: the name taken is taken" }, { name: "a", error: TAKEN }],
  });
  context.tools.delete("taken");
  assert.deepEqual((await registerWebMcpTools([/** @type {any} */ (list[1])], context.object, { registry })).registered, ["taken"]);
  const other = await registerWebMcpTools(capabilities("b2"), context.object, { registry, maxReceiptBytes: 1 });
  assert.match(other.failed[0].error, /maxReceiptBytes: want 256 to 65536/);
});

test("the words of a browser are cut at 256 characters, and not within one", async () => {
  for (const [words, most] of /** @type {[string, number][]} */ ([["x".repeat(300), 256], [`${"x".repeat(248)}😀${"x".repeat(20)}`, 255]])) {
    const object = { registerTool() { throw new Error(words); } };
    const report = await registerWebMcpTools(capabilities("a"), object, inRegistry());
    assert.equal(report.failed[0].error.length, most);
    assert.ok(report.failed[0].error.isWellFormed?.() ?? true);
  }
  for (const thrown of [null, undefined, 5, { get message() { throw new Error("no"); } }]) {
    const report = await registerWebMcpTools(capabilities("a"), { registerTool() { throw thrown; } }, inRegistry());
    assert.equal(typeof report.failed[0].error, "string");
    assert.notEqual(report.failed[0].error, "");
  }
});

test("a name is reserved before the host has answered, and released when it refuses", async () => {
  const context = new ModelContext("by-signal", { promises: true });
  const first = registerWebMcpTools(capabilities("a"), context.object, inRegistry());
  const second = await registerWebMcpTools(capabilities("a"), context.object, inRegistry());
  assert.deepEqual(second.failed, [{ name: "a", error: TAKEN }]);
  context.waiting[0]?.reject(new Error("not now"));
  assert.deepEqual((await first).failed, [{ name: "a", error: "Error: not now" }]);
  const third = registerWebMcpTools(capabilities("a"), context.object, inRegistry());
  context.waiting[1]?.resolve();
  assert.deepEqual((await third).registered, ["a"]);
});

test("a signal takes everything back, what the browser has not answered for too", async () => {
  const context = new ModelContext("by-signal", { promises: true });
  const controller = new AbortController();
  const promise = registerWebMcpTools(capabilities("a", "b"), context.object, { ...inRegistry(), signal: controller.signal });
  context.waiting[0]?.resolve();
  await turn();
  controller.abort();
  const report = await promise;
  assert.deepEqual(report.failed.map((/** @type {any} */ { name }) => name), ["b"]);
  assert.deepEqual(context.names, []);
  const later = new AbortController();
  const plain = new ModelContext("by-name");
  await registerWebMcpTools(capabilities("a"), plain.object, { ...inRegistry(), signal: later.signal });
  assert.deepEqual(plain.names, ["a"]);
  later.abort();
  assert.deepEqual(plain.names, []);
  const early = await registerWebMcpTools(capabilities("a"), plain.object, { ...inRegistry(), signal: AbortSignal.abort() });
  assert.deepEqual([plain.names, early.registered.length], [[], early.registered.length]);
});

test("where a tool is taken away while it works, its call is not lost", async () => {
  const context = new ModelContext("by-signal", { promises: true });
  const { promise, open } = gate();
  let started = false;
  const list = [defineAgentCapability(rename({ execute: () => (started = true, promise) }))];
  const registering = registerWebMcpTools(list, context.object, inRegistry());
  context.waiting[0]?.resolve();
  const report = await registering;
  const call = context.call("device.rename", { name: "x" });
  await until(() => started, "the work");
  report.cleanup();
  assert.deepEqual(context.names, ["device.rename"], "it stays until the call has ended");
  open({ version: "v2" });
  assert.equal((await call).outcome, "committed");
  await until(() => context.names.length === 0, "the removal");
});

test("mistakes reject", async () => {
  const { object } = new ModelContext("by-name");
  for (const [run, message] of /** @type {[() => Promise<any>, RegExp][]} */ ([
    [() => registerWebMcpTools(), /needs an array/], [() => registerWebMcpTools([{}], object), /defineAgentCapability/], [() => registerWebMcpTools([], object, { signal: {} }), /AbortSignal/],
    [() => registerWebMcpTools([], object, { prefix: "a" }), /prefix is no option/], [() => runAgentSurfaceConformance({}), /needs an array/],
    [() => runAgentSurfaceConformance([], { cases: [{}] }), /needs a name/], [() => runAgentSurfaceConformance([], { cases: {} }), /must be an array/],
    [() => runAgentSurfaceConformance([], { registration: { no: 1 } }), /no is no option/],
  ])) {
    await assert.rejects(run(), { name: "TypeError", message });
  }
});

// The conformance runner.

test("conformance: a sound surface passes every check, and nothing stays registered", async () => {
  const context = new ModelContext("by-signal");
  /** @type {any[]} */
  const seen = [];
  const report = await runAgentSurfaceConformance(capabilities("a", "b"), {
    target: context.object, registration: inRegistry(),
    cases: [
      { name: "renames", capability: "a", input: { name: "x" }, assert: (/** @type {any} */ receipt) => void seen.push(receipt.output) },
      { name: "refuses", capability: "b", input: {}, outcome: "failed", assert: async () => {} },
    ],
  });
  mustBeFrozenData(report);
  assert.deepEqual(report, {
    supported: true, registered: ["a", "b"], failed: [],
    checks: ["unique descriptors", "safe degradation", "registration", "case: renames", "case: refuses", "clean-up"].map((name) => ({ name, ok: true })),
  });
  assert.deepEqual(seen, [{ version: "v2" }]);
  assert.deepEqual(context.names, []);
});

test("conformance: what is wrong is said, each check by itself", async () => {
  const context = new ModelContext("by-name");
  context.tools.set("b", { name: "b" });
  const report = await runAgentSurfaceConformance([...capabilities("a", "b"), ...capabilities("a")], {
    target: context.object, registration: inRegistry(),
    cases: [
      { name: "one", capability: "a", input: {} }, { name: "two", capability: "a", input: { name: "x" }, assert: () => { throw new Error("not what I want"); } },
      { name: "three", capability: "z" }, { name: "four", capability: "a", input: { name: "x" }, assert: () => Promise.reject(new Error("later")) },
      { name: "five", capability: "a", input: { name: "x" }, assert: () => { throw null; } },
    ],
  });
  assert.deepEqual(report.checks, [
    { name: "unique descriptors", ok: false, detail: "a is the name of two capabilities" },
    { name: "safe degradation", ok: true },
    { name: "registration", ok: false, detail: "b: InvalidStateError: the name b is taken" },
    { name: "case: one", ok: false, detail: "the outcome is failed, not committed: input_invalid at input" },
    { name: "case: two", ok: false, detail: "not what I want" },
    { name: "case: three", ok: false, detail: "there is no capability z" },
    { name: "case: four", ok: false, detail: "later" },
    { name: "case: five", ok: false, detail: "the case failed" },
    { name: "clean-up", ok: true },
  ]);
  assert.deepEqual(context.names, ["b"]);
});

test("conformance: without a host the cases are made all the same", async () => {
  const report = await runAgentSurfaceConformance(capabilities("a"), { registration: inRegistry(), cases: [{ name: "x", capability: "a", input: { name: "x" } }] });
  assert.deepEqual([report.supported, report.registered, report.checks.every((/** @type {any} */ { ok }) => ok)], [false, [], true]);
});

for (const style of /** @type {const} */ (["by-name", "by-signal", "whole-set"])) {
  test(`${style}: an object that withdraws the registration while it takes a tool keeps nothing, and each failure has its words`, async () => {
    const context = new ModelContext(style);
    const controller = new AbortController();
    const take = style === "whole-set" ? "provideContext" : "registerTool";
    const real = context.object[take];
    let taken = 0;
    context.object[take] = (/** @type {any[]} */ ...given) => {
      taken++;
      const answer = real(...given);
      controller.abort();
      return answer;
    };
    const report = await registerWebMcpTools(capabilities("a", "b", "c"), context.object, { ...inRegistry(), signal: controller.signal });
    const error = "the browser has not answered: the registration was withdrawn";
    assert.deepEqual(told(report), { supported: true, registered: [], failed: ["a", "b", "c"].map((name) => ({ name, error })) });
    assert.deepEqual([context.names, taken], [[], 1], "and no other is offered any more");
    const again = await registerWebMcpTools(capabilities("a"), new ModelContext(style).object, inRegistry());
    assert.deepEqual(again.registered, ["a"]);
  });
}
