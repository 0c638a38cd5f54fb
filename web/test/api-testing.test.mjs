// @ts-check
/** The test surface, snapshots as text, sinks, the explanation, procedures. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Clock, mustBeFrozenData, registryOf, saving, script, told } from "./harness.js";

const { load, module } = await script();
const clock = new Clock();
const runtime = await load({ wasm: module, timers: clock.timers });

/** A lamp that can be read and turned. @param {any} [more] */
function lamp(more) {
  let state = "off";
  return {
    type: "lamp", description: "A lamp",
    observations: { state: { description: "Whether it is on", output: runtime.fromJsonSchema({ enum: ["on", "off"] }), read: () => state } },
    actions: {
      turn: {
        description: "Turns it", effect: "local-state", input: runtime.fromJsonSchema({ type: "object", properties: { to: { type: "string" } }, required: ["to"] }),
        execute: (/** @type {any} */ { to }) => (state = to), ...more?.turn,
      },
    },
    ...more?.component,
  };
}

test("a test surface calls, observes, and tells what happened", async () => {
  const surface = runtime.createTestSurface();
  surface.registry.register(lamp());
  assert.equal(surface.registry.authorityMode, "open");
  assert.equal(surface.snapshot().components.length, 1);
  assert.equal((await surface.invoke({ capabilityId: "view:lamp.turn", input: { to: "on" } })).output, "on");
  assert.equal(await surface.observe("view:lamp.state"), "on");
  assert.deepEqual(surface.events().filter((/** @type {any} */ e) => e.type === "invocation-settled").map((/** @type {any} */ e) => e.status), ["ok", "ok"]);
  const trail = surface.auditLog();
  mustBeFrozenData(trail);
  assert.deepEqual(trail.map((/** @type {any} */ e) => e.type), ["registration", "invocation-started", "invocation-settled"]);
  assert.equal(trail[1].consumerId, "test:test");
  surface.dispose();
  assert.throws(() => surface.snapshot(), /disposed/);
});

test("a call without a registration goes to the only one that the consumer sees", async () => {
  const surface = runtime.createTestSurface({ consumer: { id: "me", kind: "other" } });
  const first = surface.registry.register(lamp({ component: { instanceId: "a" } }));
  const ref = surface.captureRef("view:lamp.turn");
  assert.deepEqual(ref, { registrationId: first.registrationId, capabilityId: "view:lamp.turn", surfaceVersion: surface.registry.getVersion() });
  surface.registry.register(lamp({ component: { instanceId: "b" } }));
  assert.equal((await surface.invoke({ capabilityId: "view:lamp.turn", input: { to: "on" } })).error.code, "AMBIGUOUS_INSTANCE");
  assert.equal((await surface.invoke({ capabilityId: "view:lamp.turn", instanceId: "b", input: { to: "on" } })).status, "ok");
  assert.throws(() => surface.captureRef("view:lamp.turn"), /the consumer sees 2 of it/);
  first.unregister();
  assert.equal((await surface.invoke({ ...ref, input: { to: "on" } })).error.code, "STALE_CAPABILITY");
  assert.throws(() => surface.captureRef("view:lamp.none"), /sees 0/);
  surface.dispose();
});

test("observe rejects with the agent's error, and when the surface moved", async () => {
  const surface = runtime.createTestSurface();
  surface.registry.register(lamp());
  await assert.rejects(surface.observe("view:lamp.none"), (error) => runtime.isAgentSurfaceError(error) && /CAPABILITY_NOT_FOUND/.test(`${error}`));
  surface.registry.register({
    type: "moving", description: "Moves when it is read",
    observations: { state: { description: "x", output: runtime.fromJsonSchema({}), read: () => surface.registry.invalidate() ?? 1 } },
  });
  await assert.rejects(surface.observe("view:moving.state"), /moved/);
  surface.dispose();
});

test("as: the same surface with somebody else signed in", async () => {
  const ada = runtime.createTestSurface({ host: { user: "ada" } });
  ada.registry.register(lamp({ component: { policies: [runtime.authenticated()] } }));
  const nobody = ada.as({});
  assert.equal(ada.snapshot().components.length, 1);
  assert.equal(nobody.snapshot().components.length, 0);
  assert.equal((await nobody.invoke({ capabilityId: "view:lamp.state" })).error.code, "CAPABILITY_NOT_FOUND");
  assert.equal((await ada.invoke({ capabilityId: "view:lamp.state" })).status, "ok");
  assert.equal(nobody.registry, ada.registry);
  ada.dispose();
});

test("confirmations: the only pending one, or the one that is named", async () => {
  const surface = runtime.createTestSurface();
  surface.registry.register(lamp({ turn: { confirmation: "required" } }));
  const ask = (/** @type {string} */ to) => surface.invoke({ capabilityId: "view:lamp.turn", invocationId: to, input: { to } });
  const { details } = (await ask("on")).error;
  surface.confirmations.approve();
  assert.equal((await surface.invoke({ capabilityId: "view:lamp.turn", invocationId: "on", confirmationId: details.confirmationId, input: { to: "on" } })).output, "on");
  assert.throws(() => surface.confirmations.approve(), /0/);
  const first = (await ask("a")).error.details.confirmationId;
  await ask("b");
  assert.equal(surface.confirmations.pending().length, 2);
  assert.throws(() => surface.confirmations.deny(), /not exactly one/);
  surface.confirmations.deny(first);
  surface.confirmations.expire();
  assert.deepEqual(surface.auditLog().map((/** @type {any} */ e) => e.type).filter((/** @type {string} */ t) => /denied|expired/.test(t)), ["confirmation-denied", "confirmation-expired"]);
  assert.throws(() => surface.confirmations.approve("none"), /not exactly one/);
  surface.dispose();
});

test("a registry of one's own stays, and keeps its trail", () => {
  const registry = registryOf(runtime);
  const surface = runtime.createTestSurface({ registry });
  registry.register(lamp());
  assert.equal(surface.snapshot().components.length, 1);
  assert.throws(() => surface.auditLog(), /own sink/);
  surface.dispose();
  assert.equal(registry.snapshot().components.length, 1);
  assert.throws(() => runtime.createTestSurface({ registry: {} }), TypeError);
  registry.dispose();
});

test("a snapshot as text is the same in every run", () => {
  const text = () => {
    const surface = runtime.createTestSurface();
    surface.registry.register(lamp({ component: { instanceId: "a" } }));
    surface.registry.register(lamp({ component: { instanceId: "b" } }));
    const snapshot = surface.snapshot();
    surface.dispose();
    return [runtime.serializeSurfaceSnapshot(snapshot), runtime.serializeSurfaceSnapshot(snapshot, { includeVersion: true })];
  };
  const [first, withVersion] = text();
  assert.deepEqual(text(), [first, withVersion]);
  assert.match(first, /"registrationId": "<reg#1>"[\s\S]*"<reg#2>"/);
  assert.doesNotMatch(first, /surfaceId|capturedAt|surfaceVersion|reg_/);
  assert.match(withVersion, /"surfaceVersion": "2"/);
  assert.throws(() => runtime.serializeSurfaceSnapshot(), TypeError);
  assert.throws(() => runtime.serializeSurfaceSnapshot(5), TypeError);
});

test("a memory sink keeps the newest events", () => {
  const sink = runtime.memoryAuditSink({ capacity: 2 });
  for (const at of ["1", "2", "3"]) {
    sink.record({ at, type: "registration" });
  }
  assert.deepEqual(sink.events().map((/** @type {any} */ event) => event.at), ["2", "3"]);
  mustBeFrozenData(sink.events());
  for (const capacity of [0, -1, NaN, Infinity, "5"]) {
    assert.throws(() => runtime.memoryAuditSink({ capacity }), TypeError);
  }
  assert.deepEqual(runtime.memoryAuditSink().events(), []);
});

test("where the trail goes: the console's debug level in development, nowhere visible otherwise", () => {
  const audits = () => told.filter((line) => line.startsWith("debug pagewarden: audit {")).length;
  runtime.consoleAuditSink().record({ at: "now", type: "registration" });
  assert.equal(audits(), 1);
  for (const [environment, expected] of /** @type {[string, number][]} */ ([["development", 2], ["test", 2]])) {
    const registry = runtime.createAgentSurfaceRegistry({ authority: runtime.createOpenAuthority(), environment });
    registry.register(lamp());
    assert.equal(audits(), expected, environment);
    registry.dispose();
  }
  const quiet = registryOf(runtime, { environment: "development" });
  quiet.register(lamp());
  assert.equal(audits(), 2);
  quiet.dispose();
});

test("explainSurface says why, and agrees with the snapshot", () => {
  const registry = registryOf(runtime, { policies: [runtime.environment(["production"])] });
  registry.register({ ...saving(runtime, () => 1), policies: [{ name: "mine", onDiscovery: () => ({ decision: "disable", reason: "later" }) }] });
  const consumer = { id: "one", kind: "test" };
  const report = runtime.dev.explainSurface(registry, { consumer });
  mustBeFrozenData(report);
  const [capability] = report.capabilities;
  assert.deepEqual([capability.outcome, capability.reason, report.consumer], ["hide", "environment hides it", consumer]);
  assert.deepEqual(capability.policies.map((/** @type {any} */ p) => [p.name, p.scope, p.vote]), [["environment", "registry", "hide"], ["mine", "component", "disable"]]);
  assert.deepEqual(registry.snapshot({ consumer }).components, []);
  registry.dispose();
  assert.throws(() => runtime.dev.explainSurface(registry), /disposed/);
  assert.throws(() => runtime.dev.explainSurface({}), TypeError);
});

test("watchCalls tells of calls as they run, apart from events", async () => {
  const registry = registryOf(runtime);
  registry.register(lamp());
  /** @type {any[]} */
  const steps = [];
  /** @type {string[]} */
  const events = [];
  const stop = runtime.dev.watchCalls(registry, (/** @type {any} */ step) => {
    mustBeFrozenData(step);
    steps.push(step);
  });
  const other = runtime.dev.watchCalls(registry, () => {
    throw new Error("on purpose");
  });
  const consumer = { id: "one", kind: "test" };
  const result = await registry.invoke({ capabilityId: "view:lamp.turn", instanceId: "default", input: { to: "on" } }, { consumer });
  assert.deepEqual(steps.map(({ phase }) => phase), [
    "resolution", "availability", "authorization", "effective input", "invoke policies", "confirmation", "precondition", "admission", "execution", "settlement",
  ]);
  assert.deepEqual(steps[0].request, { instanceId: "default", input: { to: "on" } });
  const { result: told, effectiveInput, queueWaitMs, consumerId } = steps[9];
  assert.deepEqual([told, effectiveInput, queueWaitMs, consumerId], [{ ...result }, { to: "on" }, 0, "test:one"]);
  registry.subscribe((/** @type {any} */ event) => events.push(event.type));
  stop();
  other();
  await registry.invoke({ capabilityId: "view:lamp.state" });
  assert.equal(steps.length, 10);
  assert.deepEqual(events, ["invocation-started", "invocation-settled"]);
  registry.dispose();
  assert.throws(() => runtime.dev.watchCalls(registry, () => {}), /disposed/);
  assert.throws(() => runtime.dev.watchCalls({}, () => {}), TypeError);
});

/** A binding of domain:lamps.buy. @param {any} [config] @param {any} [more] */
const binding = (config, more) => ({
  kind: "procedure-binding",
  ref: {
    id: "domain:lamps.buy", path: "lamps.buy", description: "Buys lamps", effect: "server-query",
    inputSchema: { type: "object", properties: { shop: { type: "integer" }, count: { type: "integer" } }, required: ["shop", "count"], additionalProperties: false },
  },
  config: { bind: () => ({ shop: 7 }), ...config }, boundKeys: ["shop"], lockedKeys: ["shop"], ...more,
});

test("procedures: bound values, the note, the executor, and what it may throw", async () => {
  const surface = runtime.createTestSurface();
  let shop = 7;
  surface.registry.register({ type: "shop", description: "A shop", procedures: [binding({ bind: () => ({ shop }), describe: () => `Shop ${shop}` })] });
  const buy = (/** @type {any} */ input) => surface.invoke({ capabilityId: "domain:lamps.buy", input });
  assert.deepEqual((await buy({ count: 1 })).error.details, { reason: "transport" });
  /** @type {any[]} */
  const calls = [];
  let answer = /** @type {() => any} */ (() => ({ bought: 1 }));
  surface.registry.setProcedureExecutor({ execute(/** @type {any} */ call) { calls.push(call); return answer(); } });
  shop = 8;
  assert.deepEqual((await buy({ count: 2 })).output, { bought: 1 });
  assert.deepEqual([calls[0].path, calls[0].input, calls[0].info.consumer], ["lamps.buy", { shop: 8, count: 2 }, { id: "test", kind: "test" }]);
  assert.ok(calls[0].info.signal instanceof AbortSignal && Object.isFrozen(calls[0]));
  const [procedure] = surface.snapshot().procedures;
  assert.equal(procedure.contextualNote, "Shop 8");
  assert.deepEqual(Object.keys(procedure.inputSchema.properties), ["count"]);
  assert.deepEqual((await buy({ count: 2, shop: 1 })).error.details.lockedFields, ["shop"]);
  answer = async () => { throw Object.assign(new Error("secret"), { transient: true, retryAfterMs: 50 }); };
  const transient = (await buy({ count: 3 })).error;
  assert.deepEqual([transient.retry, transient.details.retryAfterMs], ["after-delay", 50]);
  answer = () => { throw new runtime.AgentSurfaceError({ code: "NOT_AUTHORIZED", message: "Not you.", retry: "no", details: { origin: "server" } }); };
  assert.deepEqual((await buy({ count: 4 })).error, { code: "NOT_AUTHORIZED", message: "Not you.", retry: "no", details: { origin: "server" } });
  surface.registry.setProcedureExecutor(null);
  assert.equal((await buy({ count: 5 })).error.details.reason, "transport");
  assert.throws(() => surface.registry.setProcedureExecutor({}), TypeError);
  surface.dispose();
});

test("procedures: a bind that fails or gives something else, and bindings that do not add up", async () => {
  const surface = runtime.createTestSurface();
  surface.registry.setProcedureExecutor({ execute: () => 1 });
  for (const bind of [() => { throw new Error("secret"); }, () => ({}), () => 5, () => Promise.resolve({ shop: 1 })]) {
    const handle = surface.registry.register({ type: "shop", description: "A shop", procedures: [binding({ bind })] });
    const { error } = await surface.invoke({ capabilityId: "domain:lamps.buy", input: { count: 1 } });
    assert.deepEqual([error.code, error.details], ["PRECONDITION_FAILED", { reason: "binding-failed" }], `${bind}`);
    handle.unregister();
  }
  for (const more of [{ lockedKeys: [] }, { kind: "binding" }, { reducedInputSchema: { type: "object" } }, { config: 5 }, { colour: 1 }]) {
    assert.throws(() => surface.registry.register({ type: "shop", description: "A shop", procedures: [binding({}, more)] }), { code: "INVALID_DEFINITION" }, JSON.stringify(more));
  }
  surface.dispose();
});
