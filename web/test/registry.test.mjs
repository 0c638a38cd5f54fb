// @ts-check
/** Registering, updating, snapshots, events and disposal through the page's API (registry.md, model.md). */
import assert from "node:assert/strict";
import { test } from "node:test";
import { mustBeFrozenData, registryOf, SAVE, saving, schema, script, thrownBy, told, turn } from "./harness.js";

const { load, module } = await script();
const runtime = await load({ wasm: module });
const before = runtime.dev.tables();

/** A definition that is right, for tests to spoil. */
const right = () => ({
  type: "app.form", description: "A form", meta: { area: "left" },
  observations: { state: { description: "State", output: schema(runtime, { type: "string" }), read: () => "clean" } },
  actions: { save: { description: "Saves", effect: "local-state", input: schema(runtime), execute: () => "saved" } },
});

/** @param {(definition: any) => void} spoil */
function spoilt(spoil) {
  const definition = /** @type {any} */ (right());
  spoil(definition);
  return definition;
}

test("a component is live at once, and its handle says so", () => {
  const registry = registryOf(runtime);
  assert.equal(registry.getVersion(), "0");
  const handle = registry.register(right());
  assert.deepEqual([handle.status, registry.getVersion()], ["active", "1"]);
  assert.match(handle.registrationId, /^reg_[0-9A-Za-z]{22}$/);
  assert.match(registry.surfaceId, /^srf_[0-9A-Za-z]{22}$/);
  assert.equal(registry.authorityMode, "open");
  assert.ok(Object.isFrozen(handle) && Object.isFrozen(registry) && Object.isFrozen(registry.confirmations));
  handle.unregister();
  handle.unregister();
  assert.deepEqual([handle.status, registry.getVersion(), registry.snapshot().components.length], ["unregistered", "2", 0]);
  registry.dispose();
});

test("a second component of the same type and instance is rejected without an exception", () => {
  const registry = registryOf(runtime);
  const first = registry.register(right());
  const second = registry.register(right());
  assert.deepEqual([first.status, second.status, second.reason], ["active", "rejected", "duplicate"]);
  second.update({ enabled: false });
  second.invalidate();
  second.unregister();
  assert.deepEqual([first.status, second.status, registry.getVersion()], ["active", "rejected", "1"]);
  assert.equal(registry.register({ ...right(), instanceId: "other" }).status, "active");
  registry.dispose();
});

test("onDuplicateInstance: replace puts the new one in the old one's place", async () => {
  const registry = registryOf(runtime, { onDuplicateInstance: "replace" });
  const first = registry.register(saving(runtime, () => "first"));
  const second = registry.register(saving(runtime, () => "second"));
  assert.deepEqual([first.status, second.status], ["unregistered", "active"]);
  assert.equal((await registry.invoke({ capabilityId: SAVE })).output, "second");
  first.unregister();
  assert.equal(second.status, "active");
  registry.dispose();
});

/** @type {[string, (definition: any) => void, string, RegExp][]} */
const defects = [
  ["no type", (d) => delete d.type, "INVALID_ID", /type/],
  ["a type that is no id", (d) => (d.type = "App Form"), "INVALID_ID", /type/],
  ["an instance id that is no id", (d) => (d.instanceId = "a b"), "INVALID_ID", /instanceId/],
  ["an empty instance id", (d) => (d.instanceId = ""), "INVALID_DEFINITION", /instanceId/],
  ["no description", (d) => delete d.description, "INVALID_DEFINITION", /description/],
  ["an empty description", (d) => (d.description = ""), "INVALID_DEFINITION", /description/],
  ["a description that is too long", (d) => (d.description = "x".repeat(501)), "LIMIT_EXCEEDED", /description/],
  ["a description that is a number", (d) => (d.description = 5), "INVALID_DEFINITION", /description/],
  ["an unknown field", (d) => (d.colour = "red"), "INVALID_DEFINITION", /colour/],
  ["an unknown field of an action", (d) => (d.actions.save.colour = "red"), "INVALID_DEFINITION", /colour/],
  ["an unknown field that is a function", (d) => (d.actions.save.run = () => {}), "INVALID_DEFINITION", /run/],
  ["an unknown field of an observation", (d) => (d.observations.state.input = schema(runtime)), "INVALID_DEFINITION", /input/],
  ["an action without a description", (d) => delete d.actions.save.description, "INVALID_DEFINITION", /description/],
  ["an action with a long description", (d) => (d.actions.save.description = "x".repeat(301)), "LIMIT_EXCEEDED", /description/],
  ["an action without execute", (d) => delete d.actions.save.execute, "INVALID_DEFINITION", /execute/],
  ["an execute that is no function", (d) => (d.actions.save.execute = 5), "INVALID_DEFINITION", /execute/],
  ["a when that is no function", (d) => (d.actions.save.when = true), "INVALID_DEFINITION", /when/],
  ["an unavailableReason of the wrong kind", (d) => (d.actions.save.unavailableReason = 5), "INVALID_DEFINITION", /unavailableReason/],
  ["an observation without read", (d) => delete d.observations.state.read, "INVALID_DEFINITION", /read/],
  ["an observation without output", (d) => delete d.observations.state.output, "INVALID_DEFINITION", /output/],
  ["an action without input", (d) => delete d.actions.save.input, "INVALID_DEFINITION", /input/],
  ["a schema that is no schema object", (d) => (d.actions.save.input = { type: "object" }), "INVALID_DEFINITION", /input/],
  ["a schema outside the subset", (d) => (d.actions.save.input = { jsonSchema: { not: {} } }), "UNSUPPORTED_SCHEMA", /not/],
  ["an action without an effect", (d) => delete d.actions.save.effect, "INVALID_DEFINITION", /effect/],
  ["an action with a server's effect", (d) => (d.actions.save.effect = "destructive"), "PLANE_VIOLATION", /effect|destructive/],
  ["an unknown effect", (d) => (d.actions.save.effect = "magic"), "INVALID_DEFINITION", /effect/],
  ["an unknown confirmation level", (d) => (d.actions.save.confirmation = "maybe"), "INVALID_DEFINITION", /confirmation/],
  ["a capability name that is none", (d) => (d.actions["not a name"] = d.actions.save), "INVALID_ID", /not a name/],
  ["a name for two capabilities", (d) => (d.actions.state = d.actions.save), "DUPLICATE_CAPABILITY", /state/],
  ["meta that is not JSON", (d) => (d.meta = { f() {} }), "INVALID_DEFINITION", /meta/],
  ["meta that is not an object", (d) => (d.meta = [1]), "INVALID_DEFINITION", /meta/],
  ["meta that is too large", (d) => (d.meta = { text: "x".repeat(2048) }), "LIMIT_EXCEEDED", /meta/],
  ["meta with a getter that throws", (d) => (d.meta = { get a() { throw new Error("no"); } }), "INVALID_DEFINITION", /meta/],
  ["an unknown concurrency mode", (d) => (d.actions.save.concurrency = { mode: "all" }), "INVALID_DEFINITION", /concurrency/],
  ["parallel without a maximum", (d) => (d.actions.save.concurrency = { mode: "parallel", max: 0 }), "INVALID_DEFINITION", /concurrency/],
  ["a key mode without a key", (d) => (d.actions.save.concurrency = { mode: "key" }), "INVALID_DEFINITION", /concurrency/],
  ["an unknown field of concurrency", (d) => (d.actions.save.concurrency = { mode: "instance", size: 3 }), "INVALID_DEFINITION", /size/],
  ["a negative time limit", (d) => (d.actions.save.timeoutMs = -1), "INVALID_DEFINITION", /timeoutMs/],
  ["a parent that is no reference", (d) => (d.parent = { type: 5 }), "INVALID_DEFINITION", /parent/],
  ["an unknown origin", (d) => (d.origin = "third-party"), "INVALID_DEFINITION", /origin/],
  ["a priority that is no number", (d) => (d.priority = "high"), "INVALID_DEFINITION", /priority/],
  ["enabled that is no boolean", (d) => (d.enabled = 1), "INVALID_DEFINITION", /enabled/],
  ["policies that are no list", (d) => (d.policies = {}), "INVALID_DEFINITION", /policies/],
  ["a policy that is none", (d) => (d.policies = [5]), "INVALID_DEFINITION", /policies/],
  ["a policy without a name", (d) => (d.policies = [{ onDiscovery() {} }]), "INVALID_DEFINITION", /name|polic/],
  ["a hook that is no function", (d) => (d.actions.save.policies = [{ name: "p", onInvoke: 5 }]), "INVALID_DEFINITION", /onInvoke/],
  ["actions that are a list", (d) => (d.actions = []), "INVALID_DEFINITION", /actions/],
  ["an action that is a text", (d) => (d.actions.save = "save"), "INVALID_DEFINITION", /save/],
  ["procedures that are an object", (d) => (d.procedures = {}), "INVALID_DEFINITION", /procedures/],
  ["a procedure that is none", (d) => (d.procedures = [{ kind: "other" }]), "INVALID_DEFINITION", /procedures\[0\]/],
];

for (const [name, spoil, code, message] of defects) {
  test(`${name} is ${code}, in production too`, () => {
    for (const environment of ["production", "development"]) {
      const authority = runtime.createOpenAuthority({ allowInProduction: true });
      const registry = runtime.createAgentSurfaceRegistry({ authority, environment, audit: { record() {} } });
      const tables = runtime.dev.tables();
      const error = thrownBy(() => registry.register(spoilt(spoil)));
      assert.ok(error instanceof runtime.AgentSurfaceDefinitionError, String(error));
      assert.equal(error.name, "AgentSurfaceDefinitionError");
      assert.equal(error.code, code, error.message);
      assert.ok(error.message.startsWith(`[${code}] `), error.message);
      assert.match(error.message, message);
      assert.deepEqual(runtime.dev.tables(), tables, "something of the refused definition was kept");
      assert.equal(registry.getVersion(), "0");
      registry.dispose();
    }
  });
}

test("what is no definition at all is a defect too", () => {
  const registry = registryOf(runtime);
  for (const value of [undefined, null, 5, "form"]) {
    assert.equal(thrownBy(() => registry.register(value)).code, "INVALID_DEFINITION");
  }
  registry.dispose();
});

test("a definition whose getter throws gives that exception and keeps nothing", () => {
  const registry = registryOf(runtime);
  const tables = runtime.dev.tables();
  const definition = { ...right(), policies: [{ name: "p", onDiscovery() {} }], get actions() { throw new RangeError("mine"); } };
  assert.throws(() => registry.register(definition), /mine/);
  assert.deepEqual(runtime.dev.tables(), tables);
  registry.dispose();
});

test("the descriptor is copied: changing the definition changes nothing but handlers", async () => {
  const registry = registryOf(runtime);
  const definition = /** @type {any} */ (right());
  registry.register(definition);
  const first = registry.snapshot();
  definition.description = "Another";
  definition.meta.area = "right";
  definition.actions.save.description = "Destroys";
  definition.actions.save.effect = "navigation";
  definition.actions.more = definition.actions.save;
  assert.deepEqual(registry.snapshot().components, first.components);
  definition.actions.save.execute = () => "swapped";
  definition.observations.state.read = () => "dirty";
  assert.equal((await registry.invoke({ capabilityId: SAVE })).output, "swapped");
  assert.equal((await registry.invoke({ capabilityId: "view:app.form.state" })).output, "dirty");
  assert.equal(registry.getVersion(), "1");
  registry.dispose();
});

test("handlers are called on their own objects, and one that is gone fails its call only", async () => {
  const registry = registryOf(runtime);
  const definition = /** @type {any} */ (right());
  definition.actions.save = { ...definition.actions.save, answer: undefined, execute() { return this === definition.actions.save; } };
  delete definition.actions.save.answer;
  registry.register(definition);
  assert.equal((await registry.invoke({ capabilityId: SAVE })).output, true);
  definition.actions.save.execute = undefined;
  assert.equal((await registry.invoke({ capabilityId: SAVE })).error.details.reason, "handler-error");
  delete definition.actions;
  assert.equal((await registry.invoke({ capabilityId: SAVE })).error.details.reason, "handler-error");
  assert.equal((await registry.invoke({ capabilityId: "view:app.form.state" })).output, "clean");
  registry.dispose();
});

test("update changes what can be updated, and the version only when something changed", async () => {
  const registry = registryOf(runtime);
  const handle = registry.register(right());
  handle.update({ enabled: true });
  handle.update({ availability: { save: { available: true } } });
  assert.equal(registry.getVersion(), "1");
  handle.update({ availability: { save: { available: false, reason: "Fill in the name first" } } });
  assert.equal(registry.getVersion(), "2");
  const [component] = registry.snapshot().components;
  assert.deepEqual([component.actions[0].available, component.actions[0].unavailableReason], [false, "Fill in the name first"]);
  const refused = await registry.invoke({ capabilityId: SAVE });
  assert.deepEqual([refused.error.code, refused.error.details.reason], ["CAPABILITY_NOT_AVAILABLE", "Fill in the name first"]);
  handle.update({ enabled: false });
  assert.equal(registry.snapshot().components[0].observations[0].unavailableReason, "component-disabled");
  handle.update({ enabled: true, availability: { save: { available: true } } });
  assert.equal((await registry.invoke({ capabilityId: SAVE })).status, "ok");
  handle.invalidate();
  assert.equal(registry.getVersion(), "5");
  registry.invalidate();
  assert.equal(registry.getVersion(), "6");
  registry.dispose();
});

test("update refuses what it does not know", () => {
  const registry = registryOf(runtime);
  const handle = registry.register(right());
  for (const change of [5, { colour: "red" }, { enabled: "yes" }, { availability: { other: { available: true } } }, { availability: { save: 5 } }]) {
    assert.ok(thrownBy(() => handle.update(change)) instanceof TypeError, JSON.stringify(change));
  }
  assert.equal(registry.getVersion(), "1");
  registry.dispose();
});

test("a snapshot is frozen plain data of the documented shape", () => {
  const registry = registryOf(runtime, { route: () => ({ path: "/devices", params: { id: "7" } }) });
  registry.register({ ...right(), parent: { type: "app.page" }, internal: { secret: () => {} } });
  const snapshot = registry.snapshot();
  mustBeFrozenData(snapshot);
  assert.match(snapshot.capturedAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const [component] = snapshot.components;
  assert.deepEqual({ ...snapshot, capturedAt: "" }, {
    surfaceId: registry.surfaceId, surfaceVersion: "1", capturedAt: "", route: { path: "/devices", params: { id: "7" } },
    components: [{
      type: "app.form", instanceId: "default", registrationId: component.registrationId, description: "A form",
      parent: component.parent, meta: { area: "left" },
      observations: [{
        capabilityId: "view:app.form.state", name: "state", description: "State", outputSchema: { type: "string" }, available: true,
      }],
      actions: [{
        capabilityId: SAVE, name: "save", description: "Saves", inputSchema: {}, effect: "local-state", idempotent: false,
        reversible: true, confirmation: "never", available: true,
      }],
    }],
    procedures: [],
  });
  assert.equal(component.parent.type, "app.page");
  assert.equal(registry.getVersion(), "1");
  registry.dispose();
});

test("scope, budget and includeUnavailable narrow a snapshot", () => {
  const registry = registryOf(runtime);
  for (const [type, priority] of [["devices.table", 1], ["devicesx", 0], ["devices", 2], ["users.list", 5]]) {
    registry.register({ ...right(), type, priority });
  }
  const types = (/** @type {any} */ context) => registry.snapshot(context).components.map((/** @type {any} */ c) => c.type);
  assert.deepEqual(types(undefined), ["users.list", "devices", "devices.table", "devicesx"]);
  assert.deepEqual(types({ scope: [] }), types(undefined));
  assert.deepEqual(types({ scope: ["devices"] }), ["devices", "devices.table"]);
  assert.deepEqual(types({ scope: ["devices.table", "users"] }), ["users.list", "devices.table"]);
  const cut = registry.snapshot({ budget: { maxComponents: 1 } });
  assert.deepEqual([cut.components.length, cut.truncated], [1, { droppedComponents: 3 }]);
  const handle = registry.register({ ...right(), type: "closed", enabled: false });
  assert.equal(types({ scope: ["closed"] }).length, 1);
  assert.equal(types({ scope: ["closed"], includeUnavailable: false }).length, 0);
  handle.unregister();
  for (const context of [5, { scope: "devices" }, { scope: [5] }, { consumer: { id: "x", kind: "alien" } }, { budget: 5 }]) {
    assert.ok(thrownBy(() => registry.snapshot(context)) instanceof TypeError, JSON.stringify(context));
  }
  registry.dispose();
});

test("when is asked at each snapshot and call; its failure and its reason are told", async () => {
  const registry = registryOf(runtime);
  let open = true;
  let reason = /** @type {any} */ ("Closed on Sundays");
  const definition = saving(runtime, () => "saved", {
    when() {
      if (open === undefined) {
        throw new Error("secret");
      }
      return open;
    },
    unavailableReason: () => reason,
  });
  registry.register(definition);
  const state = () => {
    const [action] = registry.snapshot().components[0].actions;
    return action.available ? "available" : action.unavailableReason;
  };
  assert.equal(state(), "available");
  open = false;
  assert.equal(state(), "Closed on Sundays");
  const refused = await registry.invoke({ capabilityId: SAVE });
  assert.deepEqual([refused.error.code, refused.error.details.reason], ["CAPABILITY_NOT_AVAILABLE", "Closed on Sundays"]);
  reason = undefined;
  assert.equal(state(), "Currently unavailable");
  reason = 5;
  assert.equal(state(), "Currently unavailable");
  open = /** @type {any} */ (undefined);
  assert.equal(state(), "when-error");
  assert.equal(registry.getVersion(), "1");
  registry.dispose();
});

test("the guard accepts, rejects, and rejects by throwing", () => {
  /** @type {any[]} */
  const candidates = [];
  let verdict = /** @type {any} */ (() => "accept");
  const registry = registryOf(runtime, { onRegister: (/** @type {any} */ c) => (candidates.push(c), verdict(c)) });
  assert.equal(registry.register(right()).status, "active");
  const [candidate] = candidates;
  mustBeFrozenData(candidate);
  assert.deepEqual([candidate.type, candidate.instanceId, candidate.description, candidate.meta], ["app.form", "default", "A form", { area: "left" }]);
  assert.deepEqual(candidate.capabilityIds, ["view:app.form.state", SAVE]);
  assert.ok(!("stack" in candidate));
  for (const refusal of ["reject", undefined, true, Promise.resolve("accept"), "ACCEPT"]) {
    verdict = () => refusal;
    const handle = registry.register({ ...right(), instanceId: "other" });
    assert.deepEqual([handle.status, handle.reason], ["rejected", "guard"]);
  }
  verdict = () => {
    throw new Error("secret");
  };
  assert.equal(registry.register({ ...right(), instanceId: "other" }).status, "rejected");
  registry.dispose();
});

test("in development the guard sees where a component comes from", () => {
  /** @type {string[]} */
  const stacks = [];
  const registry = registryOf(runtime, { environment: "development", onRegister: (/** @type {any} */ c) => (stacks.push(c.stack), "accept") });
  function mountTheForm() {
    registry.register(right());
  }
  mountTheForm();
  assert.match(stacks[0], /mountTheForm/);
  registry.dispose();
});

test("events come in the order of their causes, after them, and surface-changed once a turn", async () => {
  const registry = registryOf(runtime);
  /** @type {any[]} */
  const events = [];
  registry.subscribe((/** @type {any} */ event) => {
    mustBeFrozenData(event);
    events.push([event.type, registry.getVersion()]);
  });
  const handle = registry.register(right());
  registry.register(right());
  handle.update({ availability: { save: { available: false } } });
  handle.unregister();
  assert.deepEqual(events, [
    ["component-registered", "1"], ["component-rejected", "1"], ["availability-changed", "2"], ["component-unregistered", "3"],
  ]);
  await turn();
  assert.deepEqual(events.slice(4), [["surface-changed", "3"]]);
  registry.dispose();
});

test("a listener's exception and its changes reach no other listener out of order", async () => {
  const registry = registryOf(runtime);
  /** @type {string[]} */
  const seen = [];
  const mark = told.length;
  registry.subscribe((/** @type {any} */ event) => {
    seen.push(`first ${event.type}`);
    if (seen.length === 1) {
      registry.register({ ...right(), instanceId: "b" }).unregister();
    }
    throw new Error("mine");
  });
  registry.subscribe((/** @type {any} */ event) => void seen.push(`second ${event.type}`));
  registry.register({ ...right(), instanceId: "a" });
  assert.deepEqual(seen, ["registered", "registered", "unregistered"].flatMap((what) => [`first component-${what}`, `second component-${what}`]));
  assert.ok(told.slice(mark).some((line) => line.includes("a listener or sink of the page failed")));
  registry.dispose();
});

test("a listener may subscribe and unsubscribe while it is told", async () => {
  const registry = registryOf(runtime);
  /** @type {string[]} */
  const seen = [];
  const again = () => {
    seen.push("again");
    if (seen.length > 100) {
      throw new Error("endless");
    }
    registry.subscribe(again);
  };
  registry.subscribe(again);
  let stop = () => {};
  registry.subscribe(() => stop());
  stop = registry.subscribe(() => void seen.push("stopped"));
  registry.register(right());
  assert.deepEqual(seen, ["again"]);
  registry.dispose();
});

test("subscribing the same function twice tells it twice, and stopping is repeatable", () => {
  const registry = registryOf(runtime);
  let count = 0;
  const listener = () => count++;
  const stop = registry.subscribe(listener);
  registry.subscribe(listener);
  registry.register(right());
  assert.equal(count, 2);
  stop();
  stop();
  registry.register({ ...right(), instanceId: "b" });
  assert.equal(count, 3);
  assert.throws(() => registry.subscribe(5), TypeError);
  registry.dispose();
});

test("the audit sink gets frozen records, and one that throws changes nothing", async () => {
  /** @type {any[]} */
  const records = [];
  const sink = { record(/** @type {any} */ event) {
    assert.equal(this, sink);
    records.push(event);
    throw new Error("mine");
  } };
  const registry = registryOf(runtime, { audit: sink });
  const handle = registry.register(saving(runtime, () => "saved"));
  assert.equal((await registry.invoke({ capabilityId: SAVE, invocationId: "i1" }, { consumer: { id: "me", kind: "test" } })).output, "saved");
  handle.unregister();
  records.forEach((record) => mustBeFrozenData(record));
  assert.deepEqual(records.map((record) => record.type), ["registration", "invocation-started", "invocation-settled", "unregistration"]);
  const settled = records[2];
  assert.deepEqual([settled.capabilityId, settled.invocationId, settled.consumerId, settled.status, settled.authorityMode], [SAVE, "i1", "test:me", "ok", "open"]);
  assert.ok(!("payload" in settled));
  registry.dispose();
});

test("a sink may be a function, and what is no sink is refused", () => {
  /** @type {string[]} */
  const types = [];
  const registry = registryOf(runtime, { audit: (/** @type {any} */ event) => void types.push(event.type) });
  registry.register(right());
  assert.deepEqual(types, ["registration"]);
  registry.dispose();
  for (const audit of [5, "console", {}, { record: 5 }]) {
    assert.ok(thrownBy(() => registryOf(runtime, { audit })) instanceof TypeError);
  }
});

test("options are checked by name", () => {
  for (const [options, message] of /** @type {[any, RegExp][]} */ ([
    [undefined, /options must be an object/],
    [{}, /authority/],
    [{ authority: { mode: "open" } }, /of this runtime/],
    [{ authority: runtime.createOpenAuthority(), colour: 1 }, /colour/],
    [{ authority: runtime.createOpenAuthority(), environment: "staging" }, /environment/],
    [{ authority: runtime.createOpenAuthority(), environment: 5 }, /environment/],
    [{ authority: runtime.createOpenAuthority() }, /production/],
    [{ authority: runtime.createOpenAuthority(), environment: "test", limits: { maxFun: 1 } }, /maxFun/],
    [{ authority: runtime.createOpenAuthority(), environment: "test", limits: { maxInputBytes: -1 } }, /maxInputBytes/],
    [{ authority: runtime.createOpenAuthority(), environment: "test", limits: { maxInputBytes: "1" } }, /maxInputBytes/],
    [{ authority: runtime.createOpenAuthority(), environment: "test", onRegister: true }, /onRegister/],
    [{ authority: runtime.createOpenAuthority(), environment: "test", onDuplicateInstance: "merge" }, /onDuplicateInstance/],
    [{ authority: runtime.createOpenAuthority(), environment: "test", policies: [{}, 5] }, /policies/],
    [{ authority: runtime.createOpenAuthority(), environment: "test", now: 5 }, /now/],
  ])) {
    const tables = runtime.dev.tables();
    const error = thrownBy(() => runtime.createAgentSurfaceRegistry(options));
    assert.ok(error instanceof TypeError, String(error));
    assert.match(error.message, message);
    assert.deepEqual(runtime.dev.tables(), tables);
  }
});

test("an option on Object.prototype is not an option", () => {
  const polluted = /** @type {any} */ (Object.prototype);
  polluted.environment = "development";
  polluted.onRegister = () => "reject";
  try {
    const registry = runtime.createAgentSurfaceRegistry({ authority: runtime.createOpenAuthority({ allowInProduction: true }), audit: () => {} });
    const definition = right();
    delete polluted.environment;
    assert.equal(registry.register(definition).status, "active");
    registry.dispose();
  } finally {
    delete polluted.environment;
    delete polluted.onRegister;
  }
});

test("route and now that throw or lie do not break a snapshot", () => {
  let route = /** @type {any} */ (() => ({ path: "/x" }));
  let now = /** @type {any} */ (() => 0);
  const registry = registryOf(runtime, { route: () => route(), now: () => now() });
  assert.deepEqual([registry.snapshot().route, registry.snapshot().capturedAt], [{ path: "/x" }, "1970-01-01T00:00:00.000Z"]);
  for (const bad of [() => { throw new Error("mine"); }, () => 5, () => ({ path: 5 }), () => undefined]) {
    route = bad;
    assert.ok(!("route" in registry.snapshot()));
  }
  for (const bad of [() => { throw new Error("mine"); }, () => "soon", () => NaN, () => undefined]) {
    now = bad;
    assert.match(registry.snapshot().capturedAt, /^20\d\d-/);
  }
  registry.dispose();
});

test("after dispose register and snapshot throw, invoke rejects, and handles are not live", async () => {
  const registry = registryOf(runtime);
  const handle = registry.register(saving(runtime, () => new Promise(() => {})));
  const pending = registry.invoke({ capabilityId: SAVE });
  let told = 0;
  let heard = 0;
  registry.subscribe(() => heard++);
  registry.dispose();
  registry.dispose();
  const result = await pending;
  assert.deepEqual([result.error.code, result.error.retry], ["CANCELLED", "no"]);
  const before = heard;
  for (const call of [() => registry.register(right()), () => registry.snapshot(), () => registry.getVersion(), () => registry.invalidate(), () => registry.confirmations.pending()]) {
    assert.match(thrownBy(call).message, /disposed/);
  }
  await assert.rejects(registry.invoke({ capabilityId: SAVE }), /disposed/);
  await assert.rejects(registry.confirmations.waitFor("cnf_x"), /disposed/);
  assert.equal(handle.status, "unregistered");
  handle.update({ enabled: false });
  handle.invalidate();
  handle.unregister();
  await turn();
  assert.equal(heard, before);
});

test("nothing of all this is kept", () => {
  assert.deepEqual({ ...runtime.dev.tables(), goroutines: 0 }, { ...before, goroutines: 0 });
});
