// @ts-check
/**
 * Calls made when the page's own stack is nearly full, at every depth (boundary.md, Death): each either does its
 * whole work, or fails before it was begun, or ends the runtime for everybody. Nothing hangs and nothing is half
 * done.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { registryOf, SAVE, saving, schema, script, told, turn } from "./harness.js";

const { load, module } = await script("faults/");

/** Calls run with about that many frames of the stack left. @param {number} room @param {() => any} run */
function withRoom(room, run) {
  let outcome = /** @type {any} */ ({ overflow: true });
  let left = -1;
  (function down() {
    try {
      down();
    } catch {
      left = 0; // the end of the stack; every frame on the way back has a little more
    }
    if (left >= 0 && left++ === room) {
      try {
        outcome = { value: run() };
      } catch (error) {
        outcome = { error };
      }
    }
  })();
  return outcome;
}

/** @type {[string, (world: any) => any][]} */
const calls = [
  ["invoke", (world) => world.registry.invoke({ capabilityId: SAVE, input: { text: "x" } })],
  ["register", (world) => world.registry.register({ ...saving(world.runtime, () => 1), instanceId: `i${world.count++}` })],
  ["snapshot", (world) => world.registry.snapshot()],
  ["unregister", (world) => world.handle.unregister()],
];
for (const [name, call] of calls) {
  test(`${name} near the end of the stack`, async () => {
    /** @type {Record<string, number>} */
    const outcomes = { done: 0, refused: 0, died: 0 };
    let runtime = await load({ wasm: module });
    for (const room of Array.from({ length: 45 }, (_, i) => Math.floor(1.2 ** i))) {
      const registry = registryOf(runtime);
      const handle = registry.register(saving(runtime, () => "saved", { concurrency: { mode: "parallel", max: 99 } }));
      const waiting = { ...saving(runtime, () => new Promise(() => {})), type: "app.waits" };
      registry.register(waiting);
      const pending = registry.invoke({ capabilityId: "view:app.waits.save" });
      const mark = told.length;
      const outcome = withRoom(room, () => call({ runtime, registry, handle, count: room }));
      await turn();
      if (told.slice(mark).some((line) => line.includes("the runtime has ended"))) {
        outcomes.died++;
        assert.equal((await pending).error.details.reason, "runtime-lost");
        if (outcome.value instanceof Promise) {
          assert.equal((await outcome.value).error.details.reason, "runtime-lost");
        }
        assert.throws(() => registry.snapshot(), { name: "AgentSurfaceError" });
        runtime = await load({ wasm: module });
        continue;
      }
      outcomes["value" in outcome ? "done" : "refused"]++;
      const result = await registry.invoke({ capabilityId: "view:app.waits.save", invocationId: "x" }, { signal: AbortSignal.abort() });
      assert.equal(result.error.code, "CANCELLED", "a call that failed left a runtime that does not work");
      assert.equal(registry.snapshot().components.filter((/** @type {any} */ c) => c.type === "app.waits").length, 1);
      registry.dispose();
      assert.equal((await pending).error.code, "CANCELLED");
    }
    assert.ok(outcomes.done > 0, "no call had room enough: the test is not deep enough");
    assert.ok(outcomes.refused + outcomes.died > 0, "every call had room enough: the test is not near the end");
  });
}

test("a handler that fills the stack before it calls back", async () => {
  const runtime = await load({ wasm: module });
  const registry = registryOf(runtime);
  registry.register({ ...saving(runtime, () => new Promise(() => {})), type: "app.waits" });
  const pending = registry.invoke({ capabilityId: "view:app.waits.save" });
  registry.register(saving(runtime, () => {
    (function down() {
      try {
        down();
      } catch {
        // at the end of the stack
      }
      registry.snapshot();
      registry.invoke({ capabilityId: "view:app.form.other" });
    })();
  }));
  const result = await registry.invoke({ capabilityId: SAVE });
  assert.equal(result.error.code, "EXECUTION_FAILED");
  if (result.error.details.reason === "runtime-lost") {
    assert.equal((await pending).error.details.reason, "runtime-lost");
  } else {
    registry.dispose();
    assert.equal((await pending).error.code, "CANCELLED");
  }
});

test("values nested deep enough to overflow any walk are refused, and the next call works", async () => {
  const runtime = await load({ wasm: module });
  const registry = registryOf(runtime);
  registry.register(saving(runtime, (/** @type {any} */ input) => (input.deep === undefined ? "fine" : input)));
  let deep = /** @type {any} */ ({});
  for (let i = 0; i < 100_000; i++) {
    deep = i % 2 === 0 ? [deep] : { deep };
  }
  assert.equal((await registry.invoke({ capabilityId: SAVE, input: { deep } })).error.code, "INVALID_INPUT");
  assert.throws(() => runtime.fromJsonSchema(deep), TypeError);
  assert.throws(() => registry.register({ ...saving(runtime, () => 1), type: "app.other", meta: { deep } }), { code: "INVALID_DEFINITION" });
  assert.equal((await registry.invoke({ capabilityId: SAVE })).output, "fine");
  assert.ok(schema(runtime));
});
