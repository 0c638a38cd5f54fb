// @ts-check
/** Toolsets as a page has them (adapters.md, Toolset); what they decide is tested in Go. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Clock, registryOf, saving, schema, script, thrownBy, told, turn } from "./harness.js";

const { load, module } = await script();
const clock = new Clock();
const runtime = await load({ wasm: module, timers: clock.timers });
const before = runtime.dev.tables();
const consumer = { id: "copilot", kind: "embedded" };
const embedded = { consumer, topology: "embedded" };
const NAME = "view_app__form__save";

/** @param {any} [options] @param {any} [definition] */
function formOf(options = {}, definition = saving(runtime, () => ({ saved: true }))) {
  const registry = registryOf(runtime, options);
  const handle = registry.register(definition);
  return { registry, handle, toolset: runtime.createAgentToolset(registry, embedded) };
}

test("tools are frozen, in the catalog's order, and the same while nothing changes", async () => {
  const { registry, handle, toolset } = formOf();
  const tools = toolset.tools();
  assert.deepEqual(tools.map((/** @type {any} */ tool) => tool.name), [NAME]);
  const [tool] = tools;
  assert.deepEqual(Object.keys(tool), ["name", "description", "inputSchema", "state", "execute"]);
  assert.equal(tool.description, "[view · local-state] Saves");
  assert.deepEqual(tool.state, { available: true });
  for (const value of [tools, tool, tool.inputSchema, tool.inputSchema.properties ?? tool.state, tool.state]) {
    assert.ok(Object.isFrozen(value));
  }
  assert.equal(toolset.tools(), tools);
  assert.deepEqual([...toolset.wireNameMap()], [[NAME, "view:app.form.save"]]);
  handle.update({ enabled: false });
  const [later] = toolset.tools();
  assert.notEqual(later, tool);
  assert.deepEqual(later.state, { available: false, unavailableReason: "component-disabled" });
  assert.equal(runtime.capabilityState([later]), `Current capability state:\n- ${NAME}: unavailable: component-disabled`);
  assert.equal(runtime.capabilityState([tool]), "");
  handle.unregister();
  assert.deepEqual(toolset.tools(), []);
  assert.equal(toolset.tools(), toolset.tools());
  registry.dispose();
  assert.throws(() => toolset.tools(), /disposed/);
});

test("a call has the ids that it is given, and a repeated one is run once", async () => {
  let runs = 0;
  const { registry, toolset } = formOf({}, saving(runtime, () => ({ runs: ++runs })));
  const [tool] = toolset.tools();
  const first = await tool.execute({}, { toolCallId: "call_0" });
  assert.deepEqual(first, { status: "ok", invocationId: "call_0", capabilityId: "view:app.form.save", output: { runs: 1 }, surfaceVersion: registry.getVersion() });
  assert.deepEqual(await tool.execute({}, { toolCallId: "call_0" }), first);
  const named = await tool.execute({}, { toolCallId: "call_0", invocationId: "mine" });
  assert.equal(named.invocationId, "mine");
  assert.equal(named.output.runs, 2);
  assert.match((await tool.execute()).invocationId, /^inv_/);
  assert.equal((await tool.execute(null)).status, "ok");
  registry.dispose();
});

test("a tool of an old catalog says so, and nothing throws", async () => {
  const { registry, handle, toolset } = formOf();
  const [tool] = toolset.tools();
  handle.unregister();
  const again = registry.register(saving(runtime, () => null));
  assert.equal((await tool.execute({})).error.code, "STALE_CAPABILITY");
  const [fresh] = toolset.tools();
  const cyclic = /** @type {any} */ ({});
  cyclic.self = cyclic;
  for (const [input, call, code] of /** @type {any[]} */ ([
    [cyclic, {}, "INVALID_INPUT"], [() => {}, {}, "INVALID_INPUT"], [{ get a() { throw new Error("no"); } }, {}, "INVALID_INPUT"],
    [{}, { toolCallId: 7 }, "INVALID_INPUT"], [{}, { get invocationId() { throw new Error("no"); } }, "INVALID_INPUT"],
    [{}, { signal: {} }, "INVALID_INPUT"], [{}, { signal: AbortSignal.abort() }, "CANCELLED"],
  ])) {
    const result = await fresh.execute(input, call);
    assert.equal(result.error?.code, code, JSON.stringify(result));
    assert.equal(result.capabilityId, "view:app.form.save");
  }
  again.unregister();
  toolset.dispose();
  toolset.dispose();
  const after = await fresh.execute({}, { invocationId: "late" });
  assert.deepEqual([after.invocationId, after.error.code, after.surfaceVersion === ""], ["late", "CAPABILITY_NOT_FOUND", false]);
  assert.throws(() => toolset.tools(), /disposed/);
  registry.dispose();
  const closed = await fresh.execute({});
  assert.equal(closed.error.code, "CANCELLED");
  assert.match(closed.invocationId, /^inv_[0-9A-Za-z]{22}$/);
});

test("an embedded call waits for the person, and ends with the question when its toolset goes", async () => {
  const { registry, toolset } = formOf({}, saving(runtime, () => null, { confirmation: "required" }));
  const [tool] = toolset.tools();
  assert.equal(tool.description, "[view · local-state · requires confirmation] Saves");
  const waiting = tool.execute({}, { toolCallId: "one" });
  await turn();
  const [pending] = registry.confirmations.pending();
  assert.equal(registry.confirmations.resolve(pending.confirmationId, { approved: true }), true);
  assert.equal((await waiting).status, "ok");
  const withdrawn = new AbortController();
  const other = tool.execute({}, { signal: withdrawn.signal });
  await turn();
  withdrawn.abort();
  assert.equal((await other).error.code, "CANCELLED");
  assert.deepEqual(registry.confirmations.pending(), []);
  const last = tool.execute({});
  await turn();
  toolset.dispose();
  assert.equal((await last).error.code, "CONFIRMATION_REQUIRED");
  registry.dispose();
});

test("a remote call is told to come back with the evidence", async () => {
  const { registry } = formOf({}, saving(runtime, () => null, { confirmation: "required" }));
  const toolset = runtime.createAgentToolset(registry, { consumer: { id: "far", kind: "other" }, topology: "remote" });
  const [tool] = toolset.tools();
  const asked = await tool.execute({}, { toolCallId: "a" });
  assert.equal(asked.error.code, "CONFIRMATION_REQUIRED");
  const { confirmationId } = asked.error.details;
  registry.confirmations.resolve(confirmationId, { approved: true });
  assert.equal((await tool.execute({}, { toolCallId: "b", confirmationId })).status, "ok");
  registry.dispose();
});

test("listeners hear of what an agent would see", async () => {
  const { registry, handle, toolset } = formOf();
  let heard = 0;
  const stop = toolset.subscribe(() => { heard++; });
  toolset.subscribe(() => { throw new Error("mine"); });
  toolset.tools();
  handle.update({ enabled: false });
  await turn();
  assert.equal(heard, 1);
  toolset.tools();
  registry.invalidate();
  await turn();
  assert.equal(heard, 1, "nothing that is seen has changed");
  stop();
  stop();
  handle.update({ enabled: true });
  await turn();
  assert.equal(heard, 1);
  assert.throws(() => toolset.subscribe(/** @type {any} */ (null)), TypeError);
  registry.dispose();
  toolset.subscribe(() => {})();
});

test("a toolset that is disposed of while it tells tells nobody more", async () => {
  const { registry, handle, toolset } = formOf();
  /** @type {string[]} */
  const heard = [];
  toolset.subscribe(() => {
    heard.push("first");
    toolset.dispose();
    toolset.subscribe(() => heard.push("too late"));
  });
  toolset.subscribe(() => heard.push("second"));
  const other = runtime.createAgentToolset(registry, { ...embedded, consumer: { id: "other", kind: "embedded" } });
  other.subscribe(() => heard.push("other"));
  toolset.tools();
  other.tools();
  handle.update({ enabled: false });
  await turn();
  assert.deepEqual(heard, ["first", "other"]);
  registry.dispose();
});

test("meta mode has the same three tools for ever", async () => {
  const { registry, handle } = formOf();
  const toolset = runtime.createAgentToolset(registry, { ...embedded, consumer: { id: "meta", kind: "embedded" }, mode: "meta", budget: { maxComponents: 5 } });
  const [discover, read, act] = toolset.tools();
  assert.deepEqual([discover.name, read.name, act.name], ["surface_discover", "surface_read", "surface_act"]);
  const surface = await discover.execute({});
  assert.equal(surface.output.components[0].type, "app.form");
  const { surfaceVersion } = surface.output;
  const done = await act.execute({ capabilityId: "view:app.form.save", input: {}, surfaceVersion, invocationId: "mine" });
  assert.deepEqual([done.status, done.capabilityId, done.invocationId], ["ok", "view:app.form.save", "mine"]);
  const wrong = await act.execute({ capabilityId: "view:app.form.save", name: "x" });
  assert.equal(wrong.error.code, "INVALID_INPUT");
  handle.unregister();
  const tools = toolset.tools();
  assert.equal(tools[0], discover);
  registry.dispose();
});

test("ids and inputs with line feeds, which an agent may write anywhere, stay what they are", async () => {
  /** @type {any[]} */
  const seen = [];
  const policy = { name: "watch", onInvoke: (/** @type {any} */ context, /** @type {any} */ next) => (seen.push([context.effectiveInput, context.invocationId]), next()) };
  const registry = registryOf(runtime, { policies: [policy] });
  const execute = (/** @type {any} */ input, /** @type {any} */ info) => (seen.push([input, info.invocationId]), input);
  registry.register(saving(runtime, execute, { input: schema(runtime, { type: "object" }) }));
  const [tool] = runtime.createAgentToolset(registry, embedded).tools();
  const [, , act] = runtime.createAgentToolset(registry, { ...embedded, consumer: { id: "meta", kind: "embedded" }, mode: "meta" }).tools();
  const surfaceVersion = registry.getVersion();
  const forged = "a\n9\ntrue\n{}";
  const ok = (/** @type {any} */ output) => ({ status: "ok", invocationId: forged, capabilityId: "view:app.form.save", output, surfaceVersion });
  assert.deepEqual(await tool.execute({ n: 1 }, { toolCallId: forged }), ok({ n: 1 }));
  const pretty = '{\n  "n": "\\n",\r\n  "m": 2\n}\n';
  assert.deepEqual(await act.execute({ capabilityId: "view:app.form.save", input: pretty, surfaceVersion, invocationId: forged }), ok({ n: "\n", m: 2 }));
  assert.deepEqual(seen, [[{ n: 1 }, forged], [{ n: 1 }, forged], [{ n: "\n", m: 2 }, forged], [{ n: "\n", m: 2 }, forged]]);
  const capabilityId = "view:app.form.save\nid\n9\n\n{";
  for (const result of [await act.execute({ capabilityId, input: {} }), await registry.invoke({ capabilityId, input: {} }), await act.execute({ capabilityId, input: [] })]) {
    assert.deepEqual([result.status, result.capabilityId, result.surfaceVersion], ["error", capabilityId, surfaceVersion]);
    assert.match(result.invocationId, /^inv_/);
  }
  registry.dispose();
});

test("several toolsets of one registry, one after the other", async () => {
  const { registry, toolset } = formOf();
  const other = { type: "app.other", description: "Other", actions: { go: { description: "Goes", effect: "local-state", input: schema(runtime), execute: () => 1 } } };
  registry.register(other);
  const all = toolset.tools().map((/** @type {any} */ tool) => tool.name);
  const narrow = runtime.createAgentToolset(registry, { ...embedded, consumer: { id: "narrow", kind: "embedded" }, scope: ["app.other"] });
  assert.deepEqual(narrow.tools().map((/** @type {any} */ tool) => tool.name), ["view_app__other__go"]);
  assert.equal((await toolset.tools()[0].execute({})).status, "ok");
  const third = runtime.createAgentToolset(registry, { ...embedded, consumer: { id: "third", kind: "embedded" } });
  assert.deepEqual(third.tools().map((/** @type {any} */ tool) => tool.name), all);
  assert.equal((await narrow.tools()[0].execute({})).status, "ok");
  narrow.dispose();
  assert.equal((await third.tools()[1].execute({})).status, "ok");
  registry.dispose();
});

test("options are checked, each by name", () => {
  const { registry } = formOf();
  for (const [options, words] of /** @type {any[]} */ ([
    [undefined, /options/], [{ topology: "embedded" }, /consumer/], [{ consumer }, /topology/], [{ consumer, topology: "near" }, /near/],
    [{ ...embedded, budget: { maxBytes: 1 } }, /budget/], [{ ...embedded, mode: "both" }, /both/], [{ ...embedded, scope: [""] }, /scope/],
    [{ ...embedded, scope: "app" }, /scope/], [{ ...embedded, waitTimeoutMs: -1 }, /waitTimeoutMs/], [{ ...embedded, unknown: 1 }, /unknown/],
    [{ ...embedded, mode: "meta", budget: { maxBytes: 1, most: 2 } }, /most/],
  ])) {
    const thrown = thrownBy(() => runtime.createAgentToolset(registry, options));
    assert.match(String(thrown), words);
    assert.ok(thrown instanceof TypeError, String(thrown));
  }
  assert.throws(() => runtime.createAgentToolset({ ...registry }, embedded), /registry/);
  assert.throws(() => runtime.capabilityState(/** @type {any} */ ("x")), TypeError);
  registry.dispose();
  assert.throws(() => runtime.createAgentToolset(registry, embedded), /disposed/);
});

test("nothing is left of it", () => {
  assert.deepEqual({ ...runtime.dev.tables(), goroutines: 0 }, { ...before, goroutines: 0 });
  assert.ok(!told.some((line) => line.includes("internal error")), told.join("\n"));
});
