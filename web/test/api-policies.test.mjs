// @ts-check
/** The built-in policies, made in the page and decided in the module. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Clock, SAVE, registryOf, saving, script, told, toldCount } from "./harness.js";

const { load, module } = await script();
const clock = new Clock();
const runtime = await load({ wasm: module, timers: clock.timers });

/**
 * A registry with one component and these policies on it, seen by a consumer.
 * @param {any[]} policies @param {any} [options] @param {any} [more]
 */
function surface(policies, options, more) {
  const registry = registryOf(runtime, options);
  let runs = 0;
  registry.register({ ...saving(runtime, () => ++runs, more), policies });
  const consumer = { id: "one", kind: "test", grants: ["save"] };
  return {
    registry,
    runs: () => runs,
    visible: (who = consumer) => registry.snapshot({ consumer: who }).components.length > 0,
    call: (/** @type {any} */ request, who = consumer) => registry.invoke({ capabilityId: SAVE, ...request }, { consumer: who }),
  };
}

test("names", () => {
  const policies = [
    runtime.authenticated(), runtime.hasPermission("save"), runtime.tenantBoundary({ current: () => "", expected: () => "" }), runtime.environment(["test"]),
    runtime.rateLimit({ limit: 1, windowMs: 1 }), runtime.requireConfirmation(), runtime.audit(),
  ];
  assert.deepEqual(policies.map((policy) => policy.name), [
    "authenticated", "has-permission(save)", "tenant-boundary", "environment", "rate-limit", "require-confirmation", "audit",
  ]);
  assert.ok(policies.every((policy) => Object.isFrozen(policy)));
});

test("arguments are checked where the policy is made", () => {
  for (const [make, want] of /** @type {[() => unknown, RegExp][]} */ ([
    [() => runtime.authenticated({ keys: "x" }), /keys is not an option/], [() => runtime.authenticated({ key: 5 }), /authenticated.key must be a string/],
    [() => runtime.authenticated("user"), /must be an object/], [() => runtime.hasPermission(), /name of the permission/],
    [() => runtime.hasPermission("a", { check: 1 }), /must be true or false/], [() => runtime.tenantBoundary({ current: () => "" }), /must be functions/],
    [() => runtime.environment([]), /want an array/], [() => runtime.environment(["staging"]), /staging/], [() => runtime.rateLimit({ limit: 0, windowMs: 5 }), /at least 1/],
    [() => runtime.rateLimit({ limit: 1, windowMs: "5" }), /windowMs must be a number/], [() => runtime.audit(undefined, "some"), /level/],
    [() => runtime.requireConfirmation({ when: () => true }), /when is not an option/], [() => runtime.requireConfirmation({ if: true, summary: 1 }), /summary/],
  ])) {
    assert.throws(make, { name: "TypeError", message: want }, `${make}`);
  }
});

test("authenticated looks at the host context as it is now", async () => {
  let user = /** @type {any} */ (null);
  const s = surface([runtime.authenticated()], { context: () => ({ user }) });
  assert.equal(s.visible(), false);
  assert.equal((await s.call({})).error.code, "CAPABILITY_NOT_FOUND");
  user = { id: 1 };
  assert.equal(s.visible(), true);
  assert.equal((await s.call({})).status, "ok");
  const other = surface([runtime.authenticated({ key: "person" })], { context: () => ({ user: 1 }) });
  assert.equal(other.visible(), false);
});

test("hasPermission: grants, or a check that gives exactly true", async () => {
  const byGrant = surface([runtime.hasPermission("save")]);
  assert.equal(byGrant.visible(), true);
  assert.equal(byGrant.visible({ id: "two", kind: "test", grants: ["read"] }), false);
  /** @type {any[]} */
  const contexts = [];
  let answer = /** @type {any} */ (true);
  const byCheck = surface([runtime.hasPermission("save", (/** @type {any} */ context) => {
    contexts.push(context);
    if (answer instanceof Error) throw answer;
    return answer;
  })], { context: () => ({ user: "ada" }) }, { meta: { level: 2 } });
  assert.equal((await byCheck.call({})).status, "ok");
  assert.deepEqual({ ...contexts[0], now: undefined }, {
    capabilityId: SAVE, plane: "view", kind: "action", effect: "local-state", registrationId: contexts[0].registrationId,
    consumer: { id: "one", kind: "test", grants: ["save"] }, meta: { capability: { level: 2 } }, environment: "test", host: { user: "ada" }, internal: undefined, now: undefined,
  });
  assert.equal(contexts[0].now(), clock.time);
  for (answer of [false, undefined, 1, "true", {}, Promise.resolve(true), new Error("secret")]) {
    assert.equal(byCheck.visible(), false, `${answer}`);
    assert.notEqual((await byCheck.call({})).status, "ok", `${answer}`);
  }
});

test("a check that changes its mind between discovery and the call refuses", async () => {
  let asked = 0;
  const s = surface([runtime.hasPermission("save", () => ++asked < 3)]);
  const result = await s.call({});
  assert.deepEqual([result.error.code, result.error.details], ["NOT_AUTHORIZED", { origin: "client" }]);
  assert.equal(s.runs(), 0);
});

test("tenantBoundary compares who is signed in with whose it is", () => {
  let current = /** @type {any} */ ("a");
  let expected = /** @type {any} */ ("a");
  const options = { current: () => current, expected: () => expected };
  const s = surface([runtime.tenantBoundary(options)]);
  for (const [now, whose, visible] of [["a", "a", true], ["b", "a", false], [undefined, "a", false], ["b", undefined, true], [7, 7, true], [7, 8, false], ["b", null, true], [undefined, {}, false]]) {
    [current, expected] = [now, whose];
    assert.equal(s.visible(), visible, `${now} ${whose}`);
  }
  const failing = surface([runtime.tenantBoundary({ current: () => "a", expected: () => { throw new Error("x"); } })]);
  assert.equal(failing.visible(), false);
});

test("environment hides elsewhere", async () => {
  assert.equal(surface([runtime.environment(["test", "development"])]).visible(), true);
  const s = surface([runtime.environment(["development"])]);
  assert.equal(s.visible(), false);
  assert.equal((await s.call({})).error.code, "CAPABILITY_NOT_FOUND");
});

test("rateLimit: a sliding window for each consumer; one object is one limit, also after a remount", async () => {
  const limit = runtime.rateLimit({ limit: 2, windowMs: 1000 });
  const s = surface([limit]);
  assert.equal((await s.call({})).status, "ok");
  clock.advance(400);
  assert.equal((await s.call({})).status, "ok");
  const third = await s.call({});
  assert.deepEqual([third.error.code, third.error.details], ["RATE_LIMITED", { reason: "rate", retryAfterMs: 600 }]);
  assert.equal((await s.call({}, { id: "two", kind: "test", grants: [] })).status, "ok");
  const again = surface([limit]);
  assert.equal((await again.call({})).error.code, "RATE_LIMITED");
  clock.advance(600);
  assert.equal((await again.call({})).status, "ok");
  assert.equal((await surface([runtime.rateLimit({ limit: 2, windowMs: 1000 })]).call({})).status, "ok");
});

test("requireConfirmation: all calls, or those that if says; a failing if counts as true", async () => {
  const asks = async (/** @type {any} */ options, input = {}) => (await surface([runtime.requireConfirmation(options)]).call({ input })).error?.code === "CONFIRMATION_REQUIRED";
  assert.equal(await asks(undefined), true);
  const large = { if: (/** @type {any} */ { effectiveInput }) => effectiveInput.amount > 10 };
  assert.equal(await asks(large, { amount: 11 }), true);
  assert.equal(await asks(large, { amount: 9 }), false);
  for (const answer of [undefined, null, 0, "", false]) {
    assert.equal(await asks({ if: () => answer }), false, `${answer}`);
  }
  for (const run of [() => "yes", () => Promise.resolve(false), () => () => false, () => { throw new Error("x"); }]) {
    assert.equal(await asks({ if: run }), true, `${run}`);
  }
});

test("requireConfirmation: the summary is for the person, and the options' own", async () => {
  const options = {
    who: () => "Ada",
    summary(/** @type {any} */ { effectiveInput, invocationId }) {
      assert.equal(this, options);
      return `Pay ${effectiveInput.amount} (${invocationId})`;
    },
  };
  delete (/** @type {any} */ (options).who);
  const s = surface([runtime.requireConfirmation(options)]);
  const result = await s.call({ input: { amount: 5 }, invocationId: "inv" });
  assert.equal(s.registry.confirmations.pending()[0].summary, "Pay 5 (inv)");
  assert.doesNotMatch(result.error.details.summary, /Pay/);
});

test("audit: a sink of its own gets the calls, with payload at level full", async () => {
  const sink = runtime.memoryAuditSink();
  const s = surface([runtime.audit(sink, "full")]);
  await s.call({ input: { a: 1 } });
  assert.deepEqual(sink.events().map((/** @type {any} */ event) => [event.type, event.payload]), [
    ["invocation-started", { input: { a: 1 } }], ["invocation-settled", { input: { a: 1 }, output: 1 }],
  ]);
  /** @type {any[]} */
  const trail = [];
  const own = surface([runtime.audit()], { audit: (/** @type {any} */ event) => trail.push(event.type) });
  await own.call({});
  assert.equal(trail.filter((type) => type === "invocation-settled").length, 2);
  const failing = surface([runtime.audit(() => { throw new Error("x"); })]);
  assert.equal((await failing.call({})).status, "ok");
});

test("evaluateDiscovery: hide wins, then the first disable; the page's hooks get the page's context", () => {
  const context = { capabilityId: SAVE, consumer: { id: "one", kind: "test", grants: ["save"] }, host: { user: 1 }, anything: Symbol("x") };
  const vote = (/** @type {any} */ decision, /** @type {string} */ reason) => ({ name: reason, onDiscovery: () => ({ decision, reason }) });
  const evaluate = (/** @type {any[]} */ ...policies) => runtime.evaluateDiscovery(policies, context);
  assert.deepEqual(evaluate(), { decision: "expose" });
  assert.deepEqual(evaluate(vote("disable", "first"), vote("disable", "second")), { decision: "disable", reason: "first" });
  assert.equal(evaluate(vote("disable", "first"), vote("hide", "x")).decision, "hide");
  assert.equal(evaluate(runtime.authenticated(), runtime.hasPermission("save"), runtime.rateLimit({ limit: 1, windowMs: 1 })).decision, "expose");
  assert.equal(evaluate(runtime.authenticated({ key: "admin" })).decision, "hide");
  /** @type {any[]} */
  const seen = [];
  evaluate({ name: "looks", onDiscovery: (/** @type {any} */ given) => void seen.push(given) });
  assert.equal(seen[0], context);
  assert.equal(evaluate(runtime.hasPermission("x", (/** @type {any} */ given) => given === context)).decision, "expose");
  const nested = { name: "nested", onDiscovery: () => runtime.evaluateDiscovery([runtime.authenticated()], { capabilityId: "view:a.b" }) };
  assert.equal(evaluate(nested, runtime.authenticated()).decision, "hide");
  assert.equal(evaluate(vote("disable", "x"), { name: "after", onDiscovery: () => { throw 1; } }).decision, "hide");
  assert.throws(() => runtime.evaluateDiscovery("x", context), TypeError);
  assert.throws(() => runtime.evaluateDiscovery([], undefined), TypeError);
  assert.throws(() => runtime.evaluateDiscovery([], { consumer: { id: "" } }), TypeError);
});

test("a built-in policy votes by itself, and a copy of it fails closed", async () => {
  const policy = runtime.authenticated();
  assert.equal(policy.onDiscovery({ host: { user: 1 } }).decision, "expose");
  assert.equal(policy.onDiscovery({ host: {} }).decision, "hide");
  for (const original of [policy, runtime.requireConfirmation(), runtime.rateLimit({ limit: 9, windowMs: 9 })]) {
    const copied = surface([{ ...original, name: "copy" }], { context: () => ({ user: 1 }) });
    assert.equal((await copied.call({})).error?.code, "EXECUTION_FAILED", original.name);
    assert.equal(copied.runs(), 0);
  }
});

test("policies of another runtime are not this one's", async () => {
  const other = await load({ wasm: module });
  const s = surface([other.authenticated()], { context: () => ({ user: 1 }) });
  assert.notEqual((await s.call({})).status, "ok");
});

test("what fails in development is said on the console, once for each failure, and no agent is told", async () => {
  const s = surface([runtime.hasPermission("x", () => { throw new Error("mine"); })], { environment: "development" });
  s.visible();
  assert.equal(toldCount("1 of policy has-permission(x) failed"), 1, told.join("\n"));
});

test("nothing is kept of policies that nobody uses", () => {
  const before = runtime.dev.tables();
  for (let i = 0; i < 50; i++) {
    const registry = registryOf(runtime, { policies: [runtime.authenticated(), runtime.audit(() => {})] });
    registry.register({ ...saving(runtime, () => 1), policies: [runtime.requireConfirmation({ if: () => true })] });
    runtime.evaluateDiscovery([runtime.hasPermission("x", () => true)], { capabilityId: SAVE });
    registry.dispose();
  }
  assert.deepEqual(runtime.dev.tables(), before);
});
