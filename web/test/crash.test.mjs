// @ts-check
/**
 * Death and what survives (boundary.md, Death; case 1): each fault in a runtime of its own, with calls, a
 * confirmation, a tool call and a timer pending.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import * as faults from "./faults.js";
import { Clock, registryOf, schema, script, thrownBy, told, turn } from "./harness.js";

// Installed before the script is there, since it keeps what it finds: exports that count how often they are entered.
let entered = 0;
const { Instance } = WebAssembly;
WebAssembly.Instance = /** @type {any} */ (function (/** @type {any} */ module, /** @type {any} */ imports) {
  const instance = new Instance(module, imports);
  const counting = Object.fromEntries(Object.entries(instance.exports).map(([name, value]) => [name, typeof value !== "function" ? value
    : (/** @type {any[]} */ ...args) => (entered++, /** @type {any} */ (value)(...args))]));
  counted.set(instance, counting);
  return instance;
});
WebAssembly.Instance.prototype = Instance.prototype;
/** @type {WeakMap<object, any>} */
const counted = new WeakMap();
const exportsOf = /** @type {any} */ (Object.getOwnPropertyDescriptor(Instance.prototype, "exports")).get;
Object.defineProperty(Instance.prototype, "exports", { configurable: true, get() {
  return counted.get(this) ?? exportsOf.call(this);
} });

const { load, module } = await script("faults/");

const LOST = { code: "EXECUTION_FAILED", message: "The page's runtime failed while it handled this call.", retry: "no", details: { reason: "runtime-lost" } };

/** A host that lists tools. */
class Tools {
  /** @type {Map<string, any>} */
  tools = new Map();

  /** @param {any} tool @param {any} options */
  registerTool(tool, options) {
    this.tools.set(tool.name, tool);
    options.signal.addEventListener("abort", () => this.tools.delete(tool.name));
  }
}

/** Hosts that take tools away by name, and as a whole. */
class NamedTools extends Tools {
  /** @param {any} tool */
  registerTool(tool) {
    this.tools.set(tool.name, tool);
  }

  /** @param {string} name */
  unregisterTool(name) {
    this.tools.delete(name);
  }
}
class ToolSet {
  /** @type {Map<string, any>} */
  tools = new Map();

  /** @param {{ tools: any[] }} set */
  provideContext({ tools }) {
    this.tools = new Map(tools.map((tool) => [tool.name, tool]));
  }
}

/** A runtime in the middle of everything. @param {any} [modelContext] */
async function busy(modelContext = new Tools()) {
  const clock = new Clock();
  const runtime = await load({ wasm: module, timers: clock.timers });
  const registry = registryOf(runtime);
  /** @type {AbortSignal[]} */
  const signals = [];
  const input = schema(runtime);
  const never = (/** @type {any} */ _, /** @type {any} */ { signal }) => (signals.push(signal), new Promise(() => {}));
  const handle = registry.register({
    type: "app.form", description: "A form",
    actions: {
      wait: { description: "Waits", effect: "local-state", input, concurrency: { mode: "parallel", max: 2 }, execute: never },
      ask: { description: "Asks", effect: "local-state", input, confirmation: "required", execute: () => "approved" },
      echo: { description: "Echoes", effect: "local-state", input, concurrency: { mode: "capability" }, execute: (/** @type {any} */ value) => value },
      run: { description: "Runs", effect: "local-state", input, concurrency: { mode: "parallel", max: 8 }, execute: () => during() },
    },
  });
  let during = /** @type {() => any} */ (() => undefined);
  const adapter = runtime.createWebMcpAdapter({ modelContext });
  adapter.start({ registry, consumer: { id: "agent", kind: "webmcp" } });
  const asked = await registry.invoke({ capabilityId: "view:app.form.ask" });
  const tool = modelContext.tools.get("view_app__form__wait");
  const pending = {
    call: registry.invoke({ capabilityId: "view:app.form.wait", invocationId: "pending" }),
    queued: [1, 2].map(() => registry.invoke({ capabilityId: "view:app.form.wait" })).at(-1),
    confirmation: registry.confirmations.waitFor(asked.error.details.confirmationId),
    tool: tool.execute({}),
    report: runtime.runAdapterConformance({ create: () => ({ start: () => new Promise(() => {}) }) }).catch((/** @type {any} */ error) => error),
  };
  assert.ok(signals.length >= 2 && clock.armed > 0 && entered > 0, "the world is not as busy, or not as watched, as it should be");
  const echo = () => registry.invoke({ capabilityId: "view:app.form.echo", input: { n: 1 } });
  const run = (/** @type {() => any} */ body) => {
    during = body;
    return registry.invoke({ capabilityId: "view:app.form.run" });
  };
  return { runtime, registry, handle, adapter, modelContext, tool, pending, signals, clock, echo, run, mark: told.length };
}

/** Fails unless the runtime is dead and everybody has been told. @param {Awaited<ReturnType<typeof busy>>} world */
async function mustBeDead(world) {
  const { registry, handle, adapter, modelContext, tool, pending, signals, clock, echo, runtime } = world;
  await turn();
  const before = entered;
  for (const call of [pending.call, pending.queued]) {
    const result = await call;
    assert.deepEqual([result.status, result.capabilityId, result.error], ["error", "view:app.form.wait", LOST]);
    assert.ok(Object.isFrozen(result));
  }
  assert.equal((await pending.call).invocationId, "pending");
  assert.equal(await pending.confirmation, "expired");
  assert.deepEqual((await pending.report).payload, LOST);
  const toolResult = await pending.tool;
  assert.deepEqual([toolResult.isError, JSON.parse(toolResult.content[0].text)], [true, LOST]);
  assert.ok(signals.every((signal) => signal.aborted), "a handler was not told");
  assert.equal(clock.armed, 0, "a timer is still set");
  assert.equal(modelContext.tools.size, 0, "a tool is still listed");

  const later = await echo();
  assert.deepEqual(later.error, LOST);
  assert.deepEqual(JSON.parse((await tool.execute({})).content[0].text), LOST);
  for (const call of [
    () => registry.snapshot(), () => registry.register({}), () => registry.getVersion(), () => registry.invalidate(),
    () => registry.confirmations.pending(), () => registry.confirmations.resolve("cnf_x", { approved: true }), () => registry.subscribe(() => {}),
    () => handle.status, () => handle.update({ enabled: false }), () => handle.unregister(), () => adapter.status(), () => adapter.stop(),
    () => runtime.fromJsonSchema({}), () => runtime.dev.tables(), () => runtime.createWebMcpAdapter({}),
    () => runtime.createAgentSurfaceRegistry({ authority: runtime.createOpenAuthority(), environment: "test" }),
  ]) {
    const error = thrownBy(call);
    if (call.toString().includes("register({})")) {
      continue; // a defect is found before the runtime is asked
    }
    assert.ok(runtime.isAgentSurfaceError(error), `${call}: ${error}`);
    assert.deepEqual(error.payload, LOST, String(call));
  }
  clock.advance(1_000_000);
  await turn();
  assert.equal(entered, before, "an export was entered after death");
  assert.equal(told.slice(world.mark).filter((line) => line.includes("the runtime has ended")).length, 1);
}

/** Fails unless the runtime works on, its pending calls too. @param {Awaited<ReturnType<typeof busy>>} world */
async function mustLive(world) {
  const { registry, pending, clock, echo, adapter } = world;
  assert.deepEqual((await echo()).output, { n: 1 });
  assert.equal(registry.snapshot().components.length, 1);
  clock.advance(10_000);
  assert.equal((await pending.call).error.code, "TIMEOUT");
  assert.equal(registry.confirmations.resolve(registry.confirmations.pending()[0].confirmationId, { approved: true }), true);
  assert.equal(await pending.confirmation, "approved");
  assert.equal(adapter.status().supported, true);
  assert.equal(told.slice(world.mark).filter((line) => line.includes("the runtime has ended")).length, 0);
  registry.dispose();
}

for (const [name, fault] of [["an export", faults.PANIC], ["a flow", faults.PANIC_IN_FLOW]]) {
  test(`a panic in ${name} is contained`, async () => {
    const world = await busy();
    for (let i = 0; i < 3; i++) {
      try {
        world.runtime.dev.fault(fault, 0);
      } catch (error) {
        const { payload } = /** @type {any} */ (error);
        assert.deepEqual([payload.code, payload.details.reason], ["EXECUTION_FAILED", "internal"]);
        assert.ok(!JSON.stringify(payload).includes("crash suite"));
      }
    }
    assert.ok(told.slice(world.mark).some((line) => line.includes("a fault of the crash suite")), "the console was not told");
    await mustLive(world);
  });
}

/** @type {[string, number][]} */
const deaths = [
  ["a panic in a goroutine of its own", faults.PANIC_ELSEWHERE],
  ["a fatal error", faults.FATAL],
  ["os.Exit", faults.EXIT],
  ["deep recursion", faults.RECURSION],
  ["a trap", faults.TRAP],
  ["a panic in the middle of a change", faults.TORN],
  ["running out of memory", faults.OUT_OF_MEMORY],
];
for (const [name, fault] of deaths) {
  test(`after ${name} everybody is told and nothing is entered`, async () => {
    const world = await busy();
    try {
      world.runtime.dev.fault(fault, 0);
    } catch (error) {
      assert.deepEqual(/** @type {any} */ (error).payload, LOST);
    }
    await mustDie(world);
    await mustBeDead(world);
  });

  test(`the same inside a handler: ${name}`, async () => {
    const world = await busy();
    const result = await world.run(() => world.runtime.dev.fault(fault, 0));
    if (fault !== faults.PANIC_ELSEWHERE) {
      assert.deepEqual(result.error, LOST);
    }
    await mustDie(world);
    await mustBeDead(world);
  });
}

/** Go's scheduler notices a panic elsewhere when it next runs: at the latest with the next calls. @param {any} world */
async function mustDie(world) {
  for (let i = 0; i < 100; i++) {
    await turn();
    try {
      world.registry.getVersion();
    } catch {
      return;
    }
  }
  assert.fail("the runtime lives");
}

for (const [name, context] of /** @type {[string, any][]} */ ([["by name", NamedTools], ["as a set", ToolSet]])) {
  test(`tools that a host takes away ${name} are withdrawn too`, async () => {
    const world = await busy(new context());
    assert.ok(world.modelContext.tools.size > 0);
    thrownBy(() => world.runtime.dev.fault(faults.EXIT, 0));
    await mustBeDead(world);
  });
}

test("a page whose code fails or calls back while the runtime is buried keeps nobody from being told", async () => {
  const host = new NamedTools();
  const world = await busy(host);
  host.unregisterTool = (name) => {
    host.tools.delete(name);
    throw new Error("mine");
  };
  const heard = /** @type {any[]} */ ([]);
  for (const signal of world.signals) {
    signal.addEventListener("abort", () => heard.push(thrownBy(() => world.registry.getVersion()).payload));
  }
  thrownBy(() => world.runtime.dev.fault(faults.EXIT, 0));
  await mustBeDead(world);
  assert.deepEqual(heard, world.signals.map(() => LOST));
});

for (const [hook, early] of /** @type {[string, boolean][]} */ ([["onAuthorize", true], ["onInvoke", true], ["onAuthorize", false], ["onInvoke", false]])) {
  test(`a policy that ${early ? "waits for" : "then calls"} next in ${hook} when the runtime ends is told`, async () => {
    const world = await busy();
    /** @type {{ next: () => Promise<void>, waits?: Promise<unknown> }[]} */
    const heard = [];
    const saw = (/** @type {() => Promise<void>} */ next) => heard.push({ next, waits: early ? next().catch((error) => error) : undefined });
    const outer = { name: "outer", [hook]: (/** @type {any} */ _, /** @type {any} */ next) => (saw(next), new Promise(() => {})) };
    const inner = { name: "inner", [hook]: () => new Promise(() => {}) }; // what the outer one waits for
    world.registry.register({
      type: "app.governed", description: "Governed", policies: [outer, inner],
      actions: { wait: { description: "Waits", effect: "local-state", input: schema(world.runtime), execute: () => 1 } },
    });
    const call = world.registry.invoke({ capabilityId: "view:app.governed.wait" });
    await turn();
    assert.equal(heard.length, 1);
    thrownBy(() => world.runtime.dev.fault(faults.EXIT, 0));
    assert.deepEqual((await call).error, LOST);
    const [{ next, waits }] = heard;
    if (early) {
      assert.deepEqual(/** @type {any} */ (await within(waits)).payload, LOST);
    }
    assert.match(String(await within(next().catch((error) => error))), /the call is over/);
  });
}

/** What a promise comes to by the end of the next macrotask. @param {any} promise @returns {Promise<unknown>} */
const within = (promise) => Promise.race([promise, turn().then(() => assert.fail("it is still waiting"))]);

test("another runtime on the page lives on", async () => {
  const [dead, alive] = [await busy(), await busy()];
  thrownBy(() => dead.runtime.dev.fault(faults.EXIT, 0));
  await mustBeDead(dead);
  alive.mark = told.length;
  await mustLive(alive);
});

test("the constants of faults.js are those of faults.go", () => {
  const source = readFileSync(new URL("../../jsbridge/faults.go", import.meta.url), "utf8");
  const [, block] = /** @type {RegExpExecArray} */ (/^const \(\n([\s\S]*?)^\)/m.exec(source));
  const names = block.split("\n").map((line) => /^\s*fault(\w+)/.exec(line)?.[1]).filter(Boolean);
  const upper = (/** @type {any} */ name) => name.replace(/([a-z])([A-Z])/g, "$1_$2").replace(/([A-Z])([A-Z][a-z])/g, "$1_$2").toUpperCase();
  assert.deepEqual(Object.fromEntries(names.map((name, i) => [upper(name), i + 1])), { ...faults });
});
