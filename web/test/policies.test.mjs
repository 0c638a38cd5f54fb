// @ts-check
/** Policies of the page's own (policy-confirm.md), with synchronous, asynchronous and hostile hooks. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { mustBeFrozenData, registryOf, SAVE, saving, script, turn } from "./harness.js";

const { load, module } = await script();
const runtime = await load({ wasm: module });
const before = runtime.dev.tables();

/**
 * Calls save once under one policy, and says whether it ran.
 * @param {any} policy @param {any} [options]
 */
async function under(policy, options) {
  let ran = false;
  const registry = registryOf(runtime, options);
  registry.register({ ...saving(runtime, () => {
    ran = true;
    return "saved";
  }), policies: [{ name: "p", ...policy }] });
  const result = await registry.invoke({ capabilityId: SAVE, input: { n: 1 } });
  const listed = registry.snapshot().components.length > 0;
  registry.dispose();
  return { ran, result, listed, code: result.error?.code, reason: result.error?.details?.reason };
}

const nothing = /** @type {any} */ (undefined);

/** @type {[string, any, string][]} what onDiscovery does, and what becomes of the capability */
const votes = [
  ["nothing", () => nothing, "exposed"],
  ["expose", () => ({ decision: "expose" }), "exposed"],
  ["hide", () => ({ decision: "hide" }), "hidden"],
  ["disable", () => ({ decision: "disable", reason: "Not now" }), "disabled"],
  ["null", () => null, "hidden"],
  ["true", () => true, "hidden"],
  ["an empty decision", () => ({}), "hidden"],
  ["an unknown decision", () => ({ decision: "show" }), "hidden"],
  ["a decision that is an object", () => ({ decision: {} }), "hidden"],
  ["a promise of exposure", () => Promise.resolve({ decision: "expose" }), "hidden"],
  ["a throw", () => { throw new Error("secret"); }, "hidden"],
  ["a getter that throws", () => ({ get decision() { throw new Error("secret"); } }), "hidden"],
  ["a reason that is no text", () => ({ decision: "disable", reason: 5 }), "hidden"],
];
for (const [name, onDiscovery, outcome] of votes) {
  test(`a discovery hook that gives ${name} leaves the capability ${outcome}`, async () => {
    const { ran, code, listed, result, reason } = await under({ onDiscovery });
    assert.equal(ran, outcome === "exposed");
    assert.equal(listed, outcome !== "hidden");
    assert.equal(code, { exposed: undefined, hidden: "CAPABILITY_NOT_FOUND", disabled: "CAPABILITY_NOT_AVAILABLE" }[outcome]);
    if (outcome === "disabled") {
      assert.equal(reason, "Not now");
    }
    assert.ok(!JSON.stringify(result).includes("secret"));
  });
}

const error = (/** @type {string} */ code, /** @type {any} */ retry = "no") => new runtime.AgentSurfaceError({ code, message: "Refused.", retry });

for (const hook of ["onAuthorize", "onInvoke"]) {
  const unasked = hook === "onAuthorize" ? "NOT_AUTHORIZED" : "EXECUTION_FAILED";
  /** @type {[string, any, string | undefined][]} */
  const cases = [
    ["returns next()", (/** @type {any} */ _, /** @type {any} */ next) => next(), undefined],
    ["awaits next()", async (/** @type {any} */ _, /** @type {any} */ next) => { await next(); }, undefined],
    ["calls next after a while", async (/** @type {any} */ _, /** @type {any} */ next) => { await turn(); await next(); }, undefined],
    ["calls next and returns something else", (/** @type {any} */ _, /** @type {any} */ next) => { next(); return "other"; }, undefined],
    ["is a thenable that calls next", (/** @type {any} */ _, /** @type {any} */ next) => ({ then: (/** @type {any} */ done) => next().then(done) }), undefined],
    ["never calls next", () => nothing, unasked],
    ["never calls next, later", async () => { await turn(); }, unasked],
    ["returns true instead", () => true, unasked],
    ["calls next twice", async (/** @type {any} */ _, /** @type {any} */ next) => { await next(); await next(); }, "EXECUTION_FAILED"],
    ["calls next twice and swallows it", (/** @type {any} */ _, /** @type {any} */ next) => { next(); next().catch(() => {}); }, "EXECUTION_FAILED"],
    ["calls next twice, later", async (/** @type {any} */ _, /** @type {any} */ next) => { await turn(); next(); next().catch(() => {}); await turn(); }, "EXECUTION_FAILED"],
    ["throws", () => { throw new Error("secret"); }, "EXECUTION_FAILED"],
    ["rejects", async () => { await turn(); throw new Error("secret"); }, "EXECUTION_FAILED"],
    ["throws after next", async (/** @type {any} */ _, /** @type {any} */ next) => { await next(); throw new Error("secret"); }, "EXECUTION_FAILED"],
    ["throws an AgentSurfaceError", () => { throw error("NOT_AUTHENTICATED"); }, "NOT_AUTHENTICATED"],
    ["rejects with a lookalike", async () => {
      throw Object.assign(new Error(), { name: "AgentSurfaceError", payload: { code: "RATE_LIMITED", message: "Slow down.", retry: "after-delay" } });
    }, "RATE_LIMITED"],
    ["throws a code that is not for policies", () => { throw error("CONFIRMATION_REQUIRED", "with-confirmation"); }, "EXECUTION_FAILED"],
    ["throws an unknown code", () => { throw error("NO_SUCH_CODE"); }, "EXECUTION_FAILED"],
  ];
  for (const [name, run, code] of cases) {
    test(`an ${hook} that ${name} ${code === undefined ? "lets the call through" : `is ${code}`}`, async () => {
      const outcome = await under({ [hook]: run });
      assert.equal(outcome.code, code, JSON.stringify(outcome.result));
      assert.equal(outcome.ran, code === undefined);
      assert.ok(!JSON.stringify(outcome.result).includes("secret"));
    });
  }
}

test("contexts are frozen and hold what the hook may see", async () => {
  const user = { name: "Ada" };
  const internal = { owner: () => "x" };
  /** @type {any} */
  const seen = {};
  const registry = registryOf(runtime, {
    context: () => ({ user }), now: () => 1234,
    policies: [{
      name: "looks",
      onDiscovery: (/** @type {any} */ ctx) => void (seen.discovery = ctx),
      onAuthorize: (/** @type {any} */ ctx, /** @type {any} */ next) => ((seen.authorize = ctx), next()),
      onInvoke: (/** @type {any} */ ctx, /** @type {any} */ next) => ((seen.invoke = ctx), next()),
    }],
  });
  registry.register({ ...saving(runtime, () => "saved", { meta: { b: 2 } }), meta: { a: 1 }, internal });
  await registry.invoke({ capabilityId: SAVE, input: { n: 1 }, invocationId: "i1" }, { consumer: { id: "me", kind: "test", grants: ["edit"] } });
  for (const ctx of [seen.discovery, seen.authorize, seen.invoke]) {
    assert.ok(Object.isFrozen(ctx));
    assert.equal(ctx.host.user, user);
    assert.equal(ctx.internal, internal);
    assert.equal(ctx.now(), 1234);
    assert.deepEqual([ctx.capabilityId, ctx.plane, ctx.kind, ctx.effect, ctx.environment], [SAVE, "view", "action", "local-state", "test"]);
    assert.deepEqual([ctx.consumer, ctx.meta], [{ id: "me", kind: "test", grants: ["edit"] }, { component: { a: 1 }, capability: { b: 2 } }]);
    mustBeFrozenData(ctx.meta);
    assert.ok(!("definition" in ctx));
  }
  for (const ctx of [seen.discovery, seen.authorize]) {
    assert.ok(!JSON.stringify({ ...ctx, host: 0, internal: 0 }).includes('"n"'), "a hook of phase 4 sees input");
  }
  assert.deepEqual([seen.invoke.effectiveInput, seen.invoke.invocationId], [{ n: 1 }, "i1"]);
  assert.throws(() => {
    "use strict";
    seen.invoke.effectiveInput.n = 2;
  }, TypeError);
  registry.dispose();
});

test("layers run outermost first, and each sees the end of the inner ones", async () => {
  /** @type {string[]} */
  const order = [];
  const layer = (/** @type {string} */ name) => ({
    name,
    async onAuthorize(/** @type {any} */ _, /** @type {any} */ next) {
      order.push(`${name} authorize`);
      await next();
      order.push(`${name} authorized`);
    },
    async onInvoke(/** @type {any} */ _, /** @type {any} */ next) {
      order.push(`${name} invoke`);
      await next();
      order.push(`${name} invoked`);
    },
  });
  const registry = registryOf(runtime, { policies: [layer("registry")] });
  registry.register({ ...saving(runtime, () => void order.push("handler"), { policies: [layer("capability")] }), policies: [layer("component")] });
  assert.equal((await registry.invoke({ capabilityId: SAVE })).status, "ok");
  const around = (/** @type {string} */ what) => ["registry", "component", "capability"].map((name) => `${name} ${what}`);
  assert.deepEqual(order, [
    ...around("authorize"), ...around("authorized").reverse(), ...around("invoke"), ...around("invoked").reverse(), "handler",
  ]);
  registry.dispose();
});

test("an outer policy learns what an inner one refused", async () => {
  let seen;
  const registry = registryOf(runtime, {
    policies: [{
      name: "outer",
      async onInvoke(/** @type {any} */ _, /** @type {any} */ next) {
        try {
          await next();
        } catch (caught) {
          seen = caught;
          throw caught;
        }
      },
    }],
  });
  registry.register({ ...saving(runtime, () => "saved"), policies: [{ name: "inner", onInvoke() { throw error("NOT_AUTHORIZED"); } }] });
  const result = await registry.invoke({ capabilityId: SAVE });
  assert.equal(result.error.code, "NOT_AUTHORIZED");
  assert.ok(runtime.isAgentSurfaceError(seen));
  assert.equal(/** @type {any} */ (seen).payload.code, "NOT_AUTHORIZED");
  registry.dispose();
});

test("hooks are captured at register", async () => {
  const policy = { name: "p", onInvoke: (/** @type {any} */ _, /** @type {any} */ next) => next() };
  const registry = registryOf(runtime);
  registry.register({ ...saving(runtime, () => "saved"), policies: [policy] });
  policy.onInvoke = () => {
    throw new Error("swapped");
  };
  assert.equal((await registry.invoke({ capabilityId: SAVE })).output, "saved");
  registry.dispose();
});

test("context() is read at each call; one that throws gives an empty one", async () => {
  let context = /** @type {any} */ (() => ({ user: "Ada" }));
  const seen = /** @type {any[]} */ ([]);
  const registry = registryOf(runtime, { context: () => context() });
  registry.register({ ...saving(runtime, (/** @type {any} */ _, /** @type {any} */ ctx) => void seen.push(ctx.host)), policies: [{
    name: "p",
    onAuthorize(/** @type {any} */ ctx, /** @type {any} */ next) {
      seen.push(ctx.host);
      return next();
    },
  }] });
  await registry.invoke({ capabilityId: SAVE });
  context = () => {
    throw new Error("signed out");
  };
  await registry.invoke({ capabilityId: SAVE });
  context = () => null;
  await registry.invoke({ capabilityId: SAVE });
  assert.deepEqual(seen, [{ user: "Ada" }, { user: "Ada" }, {}, {}, {}, {}]);
  registry.dispose();
});

test("a hook whose call is over is told so, and can do nothing more", async () => {
  const controller = new AbortController();
  /** @type {any} */
  let late;
  /** @type {() => void} */
  let release = () => {};
  const registry = registryOf(runtime);
  registry.register({ ...saving(runtime, () => "saved"), policies: [{
    name: "slow",
    async onInvoke(/** @type {any} */ _, /** @type {any} */ next) {
      await new Promise((resolve) => (release = () => resolve(undefined)));
      late = next();
      await late;
    },
  }] });
  const call = registry.invoke({ capabilityId: SAVE }, { signal: controller.signal });
  controller.abort();
  const result = await call;
  assert.deepEqual([result.error.code, result.error.details.progress], ["CANCELLED", "not-started"]);
  release();
  await turn();
  await assert.rejects(late, /over/);
  assert.equal(runtime.dev.tables().open, before.open);
  registry.dispose();
});

test("a hook that waits for an inner hook learns that the call is over", async () => {
  const controller = new AbortController();
  let ended = "";
  const registry = registryOf(runtime, { policies: [{
    name: "outer",
    async onInvoke(/** @type {any} */ _, /** @type {any} */ next) {
      try {
        await next();
      } finally {
        ended = "outer";
      }
    },
  }] });
  registry.register({ ...saving(runtime, () => "saved"), policies: [{ name: "inner", onInvoke: () => new Promise(() => {}) }] });
  const call = registry.invoke({ capabilityId: SAVE }, { signal: controller.signal });
  controller.abort();
  assert.equal((await call).error.code, "CANCELLED");
  await turn();
  assert.equal(ended, "outer");
  registry.dispose();
});

test("nothing of all this is kept", () => {
  assert.deepEqual({ ...runtime.dev.tables(), goroutines: 0 }, { ...before, goroutines: 0 });
});
