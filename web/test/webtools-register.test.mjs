// @ts-check
/** registerWebTool with objects that stand for each revision of a browser's. The matrix has the real ones. */
import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { registryOf, script, until } from "./harness.js";
import { ModelContext, clearCart, errorOf, gate, toolsOf } from "./tools.js";

const { load, module } = await script();
const runtime = await load({ wasm: module });
const { defineWebTool, registerWebTool } = await toolsOf(runtime);

/** @param {any} [more] */
const tool = (more) => defineWebTool(clearCart(more));
const task = () => new Promise((resolve) => setTimeout(resolve));

for (const style of /** @type {const} */ (["by-name", "by-signal", "whole-set"])) {
  test(`${style}: registered at once, called, and taken away at once`, async () => {
    const context = new ModelContext(style);
    const handle = registerWebTool(tool(), { modelContext: context.object });
    assert.deepEqual([handle.supported, handle.registered, handle.error], [true, true, undefined]);
    assert.deepEqual(context.names, ["clear_cart"]);
    assert.equal((await context.call("clear_cart", {})).content[0].text, "The cart is empty.");
    const kept = context.tools.get("clear_cart");
    const ended = handle.unregister();
    assert.deepEqual(context.names, []);
    assert.equal(handle.registered, false);
    await ended;
    assert.equal(handle.unregister(), ended, "it can be called again");
    assert.equal(errorOf(await kept.execute({})).code, "CAPABILITY_NOT_FOUND", "a tool that was kept answers what is true");
  });

  test(`${style}: a call in progress ends before unregister resolves`, async () => {
    const context = new ModelContext(style);
    const work = gate();
    const handle = registerWebTool(tool({ execute: () => work.promise }), { modelContext: context.object });
    const call = context.call("clear_cart", {});
    let ended = false;
    const ending = handle.unregister().then(() => { ended = true; });
    assert.deepEqual(context.names, [], "the tool goes at once");
    await task();
    assert.equal(ended, false);
    work.open("done");
    assert.equal((await call).content[0].text, "done");
    await ending;
  });

  test(`${style}: unregister and register again in one turn`, async () => {
    const context = new ModelContext(style);
    const first = registerWebTool(tool({ execute: () => "first" }), { modelContext: context.object });
    first.unregister();
    const second = registerWebTool(tool({ execute: () => "second" }), { modelContext: context.object });
    assert.equal(second.registered, true);
    assert.equal((await context.call("clear_cart", {})).content[0].text, "second");
    await second.unregister();
  });
}

test("several tools share one whole set", async () => {
  const context = new ModelContext("whole-set");
  const one = registerWebTool(tool({ id: "one" }), { modelContext: context.object });
  const two = registerWebTool(tool({ id: "two" }), { modelContext: context.object });
  assert.deepEqual(context.names, ["one", "two"]);
  const bad = registerWebTool(tool({ id: "bad" }), { modelContext: context.object });
  assert.deepEqual([bad.supported, bad.registered, bad.error], [true, false, "TypeError: bad tool"]);
  assert.deepEqual(context.names, ["one", "two"], "a tool that is refused does not take the others along");
  await one.unregister();
  assert.deepEqual(context.names, ["two"]);
  await two.unregister();
  await bad.unregister();
});

test("a promise that resolves registers, and one that rejects says why", async () => {
  const context = new ModelContext("by-signal", { promises: true });
  const handle = registerWebTool(tool(), { modelContext: context.object });
  assert.deepEqual([handle.supported, handle.registered], [true, false]);
  context.waiting[0].resolve();
  await until(() => handle.registered, "the browser's answer");
  const refused = registerWebTool(tool({ id: "refused" }), { modelContext: context.object });
  context.waiting[1].reject(Object.assign(new Error("not here"), { name: "NotAllowedError" }));
  await until(() => refused.error !== undefined, "the browser's refusal");
  assert.equal(refused.error, "NotAllowedError: not here");
  assert.equal(refused.registered, false);
  await refused.unregister();
  await handle.unregister();
});

test("a promise that settles after unregister brings nothing back, and our own abort is no error", async () => {
  for (const settle of /** @type {const} */ (["resolve", "abort"])) {
    const context = new ModelContext("by-signal", { promises: true });
    const handle = registerWebTool(tool(), { modelContext: context.object });
    await handle.unregister();
    if (settle === "resolve") {
      context.waiting[0].resolve();
    }
    await task();
    assert.deepEqual([handle.registered, handle.error, context.names], [false, undefined, []]);
  }
});

test("by name, a tool that the object takes after unregister is taken back", async () => {
  const context = new ModelContext("by-name", { promises: true });
  const handle = registerWebTool(tool(), { modelContext: context.object });
  context.tools.clear(); // it has not begun
  await handle.unregister();
  context.tools.set("clear_cart", {});
  context.waiting[0].resolve();
  await task();
  assert.deepEqual(context.names, []);
});

test("a name that is taken is neither stolen nor taken away", async () => {
  for (const style of /** @type {const} */ (["by-name", "by-signal"])) {
    for (const promises of [false, true]) {
      const context = new ModelContext(style, { promises });
      context.tools.set("clear_cart", { others: true });
      const handle = registerWebTool(tool(), { modelContext: context.object });
      assert.deepEqual([handle.registered, handle.error], [false, "InvalidStateError: the name clear_cart is taken"]);
      await handle.unregister();
      assert.deepEqual(context.names, ["clear_cart"]);
    }
  }
});

test("where a browser would lose a call with its tool, the tool stays one task longer", async () => {
  const context = new ModelContext("by-signal", { promises: true });
  const work = gate();
  const handle = registerWebTool(tool({ execute: () => work.promise }), { modelContext: context.object });
  context.waiting[0].resolve();
  await until(() => handle.registered, "the browser's answer");
  const call = context.call("clear_cart", {}); // without a second argument: webmcp-drift.md, Chromium 152
  const ended = handle.unregister();
  assert.deepEqual(context.names, ["clear_cart"]);
  assert.equal(errorOf(await context.call("clear_cart", {})).code, "CAPABILITY_NOT_FOUND", "new calls are refused already");
  work.open("done");
  assert.equal((await call).content[0].text, "done");
  await ended;
  assert.deepEqual(context.names, ["clear_cart"], "not in a microtask after it");
  await task();
  await task();
  assert.deepEqual(context.names, []);

  const told = registerWebTool(tool({ execute: () => work.promise }), { modelContext: context.object });
  context.waiting[1].resolve();
  await until(() => told.registered, "the browser's answer");
  context.call("clear_cart", {}, { signal: new AbortController().signal }); // as newer ones call
  await told.unregister();
  assert.deepEqual(context.names, []);
});

test("an abort unregisters", async () => {
  const context = new ModelContext("by-signal");
  const controller = new AbortController();
  const handle = registerWebTool(tool(), { modelContext: context.object, signal: controller.signal });
  assert.equal(handle.registered, true);
  controller.abort();
  assert.deepEqual([handle.registered, context.names], [false, []]);
  const late = registerWebTool(tool(), { modelContext: context.object, signal: controller.signal });
  assert.deepEqual([late.supported, late.registered, context.names], [false, false, []]);
  await late.unregister();
});

test("an event that is no abort takes nothing away, and nothing listens to the signal for ever", async () => {
  const context = new ModelContext("by-signal");
  const { signal } = new AbortController();
  const handle = registerWebTool(tool(), { modelContext: context.object, signal });
  signal.dispatchEvent(new Event("abort"));
  assert.deepEqual([handle.registered, context.names], [true, ["clear_cart"]]);
  assert.equal(getEventListeners(signal, "abort").length, 1);
  await handle.unregister();
  assert.equal(getEventListeners(signal, "abort").length, 0);
});

test("without an object that lists tools nothing happens", async () => {
  const handle = registerWebTool(tool());
  assert.deepEqual([handle.supported, handle.registered, handle.error], [false, false, undefined]);
  await handle.unregister();
  for (const modelContext of [{}, { registerTool: 5 }]) {
    const odd = registerWebTool(tool(), { modelContext });
    assert.equal(odd.supported, false);
    await odd.unregister();
  }
});

test("the caller's signal reaches the tool, and a client as second argument does no harm", async () => {
  const context = new ModelContext("by-signal");
  const controller = new AbortController();
  const started = gate();
  const handle = registerWebTool(tool({ execute: (/** @type {any} */ _, /** @type {any} */ { signal }) => { started.open(); return new Promise((resolve) => signal.addEventListener("abort", resolve)); } }), { modelContext: context.object });
  const call = context.call("clear_cart", {}, { signal: controller.signal });
  await started.promise;
  controller.abort();
  await assert.rejects(call, { name: "AbortError" });
  await handle.unregister();
  const client = registerWebTool(tool(), { modelContext: context.object });
  assert.equal((await context.call("clear_cart", {}, { requestUserInteraction: () => {} })).content[0].text, "The cart is empty.");
  await client.unregister();
});

test("in a registry of the page's it is a procedure for as long as it is offered", async () => {
  const registry = registryOf(runtime);
  const context = new ModelContext("by-signal");
  const one = registerWebTool(tool(), { modelContext: context.object, registry });
  assert.deepEqual(registry.snapshot().procedures.map((/** @type {any} */ p) => p.procedureId), ["domain:clear_cart"]);
  await one.unregister();
  assert.deepEqual(registry.snapshot().procedures, []);
  registry.dispose();
});

test("one definition that is offered twice is one procedure, until the last offer ends", async () => {
  const registry = registryOf(runtime);
  const [first, second] = [new ModelContext("by-signal"), new ModelContext("by-signal")];
  const shared = tool();
  const one = registerWebTool(shared, { modelContext: first.object, registry });
  const two = registerWebTool(shared, { modelContext: second.object, registry });
  assert.equal(registry.snapshot().procedures.length, 1);
  await one.unregister();
  assert.equal((await second.call("clear_cart", {})).content[0].text, "The cart is empty.");
  await two.unregister();
  assert.equal(registry.snapshot().procedures.length, 0);
  registry.dispose();
});

test("a registry that refuses the tool is no exception", async () => {
  const registry = registryOf(runtime, { onRegister: () => "reject" });
  const context = new ModelContext("by-signal");
  const handle = registerWebTool(tool(), { modelContext: context.object, registry });
  assert.deepEqual([handle.supported, handle.registered, handle.error, context.names], [false, false, "the registry refused the tool clear_cart: guard", []]);
  await handle.unregister();
  registry.dispose();
});

test("options are checked", () => {
  assert.throws(() => registerWebTool(tool(), { modelcontext: {} }), { name: "TypeError", message: /options\.modelcontext is no option: there are context, registry, signal and modelContext/ });
  assert.throws(() => registerWebTool(tool(), { context: 5 }), { name: "TypeError", message: /options\.context must be a function/ });
  assert.throws(() => registerWebTool(tool(), { registry: {} }), { name: "TypeError", message: /createAgentSurfaceRegistry/ });
  assert.throws(() => registerWebTool({}), { name: "TypeError", message: /registerWebTool needs a tool/ });
});

test("nothing is left behind", async () => {
  const before = runtime.dev.tables();
  for (let i = 0; i < 20; i++) {
    const context = new ModelContext(i % 2 ? "by-signal" : "by-name");
    const handle = registerWebTool(tool(), { modelContext: context.object });
    await context.call("clear_cart", {});
    await handle.unregister();
  }
  const after = runtime.dev.tables();
  for (const name of ["open", "calls", "waits", "handles"]) {
    assert.equal(after[name], before[name], name);
  }
});

test("an authority that does not hold the tool refuses it by name", () => {
  const registry = runtime.createAgentSurfaceRegistry({ authority: runtime.createCapabilityAuthority(manifestOf()), environment: "test", audit: { record() {} } });
  assert.throws(() => registerWebTool(tool(), { registry, modelContext: new ModelContext("by-signal").object }), { name: "AgentSurfaceDefinitionError", message: /domain:clear_cart: is not in the contract/ });
  registry.dispose();
});

/** A manifest without a capability. */
function manifestOf() {
  const empty = { formatVersion: 1, compiler: "pagewarden/test", targets: ["web"], capabilities: [], external: [], completeness: { status: "proven" } };
  return { ...empty, hash: runtime.digestJson(empty) };
}
