// @ts-check
/** Confirmations and procedures through the page's API (policy-confirm.md; invocation.md, phase 5 and 9). */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Clock, mustBeFrozenData, registryOf, SAVE, saving, schema, script, thrownBy, turn } from "./harness.js";

const { load, module } = await script();
const clock = new Clock();
const runtime = await load({ wasm: module, timers: clock.timers });
const before = runtime.dev.tables();

/** A registry whose save needs a person. @param {any} [execute] @param {any} [options] */
function asking(execute = () => "saved", options = undefined) {
  const registry = registryOf(runtime, options);
  registry.register(saving(runtime, execute, { confirmation: "required" }));
  return registry;
}

/** @param {any} registry @param {any} [more] */
const save = (registry, more) => registry.invoke({ capabilityId: SAVE, input: { n: 1 }, ...more });

/** The id that a refused call names. @param {any} result */
function idOf(result) {
  assert.equal(result.error?.code, "CONFIRMATION_REQUIRED", JSON.stringify(result));
  return result.error.details.confirmationId;
}

test("a record is made, shown, approved and used once", async () => {
  /** @type {any} */
  let seen;
  const registry = asking((/** @type {any} */ input, /** @type {any} */ ctx) => ((seen = ctx), input));
  const refused = await save(registry);
  const id = idOf(refused);
  assert.match(id, /^cnf_/);
  assert.deepEqual([refused.error.retry, refused.error.details.effect, refused.error.details.origin], ["with-confirmation", "local-state", "client"]);
  const pending = registry.confirmations.pending();
  mustBeFrozenData(pending);
  assert.equal(pending.length, 1);
  assert.deepEqual([pending[0].confirmationId, pending[0].capabilityId, pending[0].consumerKey, pending[0].input], [id, SAVE, "embedded:anonymous", { n: 1 }]);
  const still = await save(registry, { confirmationId: id });
  assert.equal(idOf(still), id);
  assert.equal(registry.confirmations.resolve(id, { approved: true }), true);
  assert.equal(registry.confirmations.resolve(id, { approved: true }), false);
  const done = await save(registry, { confirmationId: id });
  assert.deepEqual(done.output, { n: 1 });
  assert.deepEqual([seen.confirmation.id, typeof seen.confirmation.approvedAt], [id, "string"]);
  const again = await save(registry, { confirmationId: id });
  assert.deepEqual([again.error.code, again.error.details.reason], ["CONFIRMATION_INVALID", "consumed"]);
  registry.dispose();
});

test("only an object whose approved is exactly true approves", async () => {
  const answers = [
    true, "yes", 1, undefined, null, {}, { approved: 1 }, { approved: "true" }, { approved: false }, { approved: new Boolean(true) }, { Approved: true },
    [true], Promise.resolve({ approved: true }),
  ];
  for (const answer of answers) {
    const registry = asking();
    const id = idOf(await save(registry));
    registry.confirmations.resolve(id, answer);
    const after = await save(registry, { confirmationId: id });
    assert.deepEqual([after.error.code, after.error.details.reason], ["CONFIRMATION_INVALID", "denied"], JSON.stringify(answer));
    registry.dispose();
  }
  const polluted = /** @type {any} */ (Object.prototype);
  const registry = asking();
  const id = idOf(await save(registry));
  polluted.approved = true;
  try {
    registry.confirmations.resolve(id, {});
  } finally {
    delete polluted.approved;
  }
  assert.equal((await save(registry, { confirmationId: id })).error.details.reason, "denied");
  registry.dispose();
});

test("an approval is for what was shown, by whom it was asked", async () => {
  const registry = asking();
  const id = idOf(await save(registry));
  registry.confirmations.resolve(id, { approved: true });
  for (const attempt of [save(registry, { confirmationId: id, input: { n: 2 } }), save(registry, { confirmationId: "cnf_other" }),
    registry.invoke({ capabilityId: SAVE, input: { n: 1 }, confirmationId: id }, { consumer: { id: "other", kind: "test" } })]) {
    const result = await attempt;
    assert.deepEqual([result.error.code, result.error.details.reason, result.error.retry], ["CONFIRMATION_INVALID", "mismatch", "no"]);
  }
  assert.equal((await save(registry, { confirmationId: id })).output, "saved");
  registry.dispose();
});

test("waitFor gives the outcome, and an id that is no text is a TypeError", async () => {
  const registry = asking();
  for (const [decide, outcome] of /** @type {[(id: string) => void, string][]} */ ([
    [(id) => registry.confirmations.resolve(id, { approved: true }), "approved"],
    [(id) => registry.confirmations.resolve(id, { approved: false }), "denied"],
    [(id) => registry.confirmations.forceExpire(id), "expired"],
    [() => clock.advance(120_000), "expired"],
  ])) {
    const id = idOf(await save(registry, { input: { n: Math.random() } }));
    const waits = [registry.confirmations.waitFor(id), registry.confirmations.waitFor(id)];
    decide(id);
    assert.deepEqual(await Promise.all(waits), [outcome, outcome]);
    assert.equal(await registry.confirmations.waitFor(id), outcome);
  }
  assert.equal(await registry.confirmations.waitFor("cnf_unknown"), "expired");
  await assert.rejects(registry.confirmations.waitFor(5), TypeError);
  await assert.rejects(registry.confirmations.waitFor("cnf_x", { signal: {} }), TypeError);
  assert.ok(thrownBy(() => registry.confirmations.resolve(5, { approved: true })) instanceof TypeError);
  assert.ok(thrownBy(() => registry.confirmations.forceExpire()) instanceof TypeError);
  assert.equal(registry.confirmations.forceExpire("cnf_unknown"), false);
  registry.dispose();
});

test("the last wait that is aborted withdraws the record", async () => {
  const registry = asking();
  const id = idOf(await save(registry));
  const [one, two] = [new AbortController(), new AbortController()];
  const waits = [registry.confirmations.waitFor(id, { signal: one.signal }), registry.confirmations.waitFor(id, { signal: two.signal })];
  one.abort();
  assert.equal(await waits[0], "expired");
  assert.equal(registry.confirmations.pending().length, 1);
  two.abort();
  assert.equal(await waits[1], "expired");
  assert.equal(registry.confirmations.pending().length, 0);
  assert.equal(registry.confirmations.resolve(id, { approved: true }), false);
  const late = await save(registry, { confirmationId: id });
  assert.deepEqual([late.error.code, late.error.details.reason, late.error.retry], ["CONFIRMATION_INVALID", "expired", "with-confirmation"]);
  const again = idOf(await save(registry));
  assert.equal(await registry.confirmations.waitFor(again, { signal: AbortSignal.abort() }), "expired");
  assert.equal(registry.confirmations.pending().length, 0);
  registry.dispose();
});

test("subscribers get the pending list at each change", async () => {
  const registry = asking();
  /** @type {number[]} */
  const lengths = [];
  const stop = registry.confirmations.subscribe((/** @type {any} */ pending) => {
    mustBeFrozenData(pending);
    lengths.push(pending.length);
  });
  const first = idOf(await save(registry));
  const second = idOf(await save(registry, { input: { n: 2 } }));
  assert.equal(idOf(await save(registry)), first);
  registry.confirmations.resolve(first, { approved: true });
  registry.confirmations.forceExpire(second);
  assert.deepEqual(lengths, [1, 2, 1, 0]);
  stop();
  await save(registry, { input: { n: 3 } });
  assert.equal(lengths.length, 4);
  registry.dispose();
});

test("a confirmation expires by the clock, whether or not a timer fired", async () => {
  const registry = asking();
  const id = idOf(await save(registry));
  registry.confirmations.resolve(id, { approved: true });
  clock.time += 120_001; // the clock jumps, and no timer fires
  const late = await save(registry, { confirmationId: id });
  assert.deepEqual([late.error.code, late.error.details.reason], ["CONFIRMATION_INVALID", "expired"]);
  registry.dispose();
});

test("disposing expires what is pending and answers who waits", async () => {
  const registry = asking();
  const wait = registry.confirmations.waitFor(idOf(await save(registry)));
  registry.dispose();
  assert.equal(await wait, "expired");
});

test("several at once are independent, and a double approval runs once", async () => {
  let runs = 0;
  const registry = asking(() => ++runs);
  const ids = [];
  for (const n of [1, 2, 3]) {
    ids.push(idOf(await save(registry, { input: { n } })));
  }
  registry.confirmations.resolve(ids[2], { approved: true });
  registry.confirmations.resolve(ids[0], { approved: false });
  const twice = await Promise.all([1, 2].map(() => save(registry, { input: { n: 3 }, confirmationId: ids[2] })));
  assert.deepEqual(twice.map((result) => result.status).sort(), ["error", "ok"]);
  assert.equal(runs, 1);
  assert.equal(registry.confirmations.pending().length, 1);
  registry.dispose();
});

test("the handler gets what was bound, not what became of it", async () => {
  /** @type {any} */
  let seen;
  const registry = registryOf(runtime);
  const given = /** @type {any} */ ({ amount: 1 });
  registry.register(saving(runtime, (/** @type {any} */ input) => void (seen = input), { confirmation: "required", input: { jsonSchema: { type: "object" }, parse: (/** @type {any} */ v) => Object.assign(given, v) } }));
  const id = idOf(await save(registry, { input: { amount: 1 } }));
  registry.confirmations.resolve(id, { approved: true });
  const call = save(registry, { input: { amount: 1 }, confirmationId: id });
  given.amount = 1_000_000;
  await call;
  assert.deepEqual(seen, { amount: 1 });
  registry.dispose();
});

/** A component that offers domain:orders.cancel. @param {any} [config] @param {any} [ref] @param {any} [more] */
function ordering(config, ref, more) {
  return {
    type: "app.order", description: "An order",
    procedures: [{
      kind: "procedure-binding",
      ref: {
        id: "domain:orders.cancel", path: "orders.cancel", description: "Cancels an order", effect: "server-mutation",
        inputSchema: { type: "object", properties: { order: { type: "string" }, reason: { type: "string" } }, required: ["order"], additionalProperties: false },
        ...ref,
      },
      config: { bind: () => ({ order: "o1" }), ...config },
      boundKeys: ["order"], lockedKeys: ["order"], ...more,
    }],
  };
}
const cancel = { capabilityId: "domain:orders.cancel", input: { reason: "late" } };

test("a procedure runs through the executor with bound values", async () => {
  const registry = registryOf(runtime);
  registry.register(ordering({ describe: () => "Order o1" }));
  const [procedure] = registry.snapshot().procedures;
  assert.deepEqual([procedure.procedureId, procedure.contextualNote, procedure.boundFields], ["domain:orders.cancel", "Order o1", [{ path: "order", locked: true, source: "ui-state" }]]);
  assert.deepEqual(Object.keys(procedure.inputSchema.properties), ["reason"]);
  const without = await registry.invoke(cancel);
  assert.deepEqual([without.error.code, without.error.details.reason], ["EXECUTION_FAILED", "transport"]);
  /** @type {any} */
  let request;
  const executor = { execute(/** @type {any} */ asked) {
    request = asked;
    return { cancelled: this === executor };
  } };
  registry.setProcedureExecutor(executor);
  const done = await registry.invoke({ ...cancel, invocationId: "i1" });
  assert.deepEqual(done.output, { cancelled: true });
  assert.deepEqual([request.path, request.input, request.info.invocationId], ["orders.cancel", { order: "o1", reason: "late" }, "i1"]);
  assert.ok(request.info.signal instanceof AbortSignal && Object.isFrozen(request) && Object.isFrozen(request.info));
  assert.deepEqual(request.info.consumer, { id: "anonymous", kind: "embedded" });
  const locked = await registry.invoke({ ...cancel, input: { order: "o2" } });
  assert.deepEqual([locked.error.code, locked.error.details.lockedFields], ["INVALID_INPUT", ["order"]]);
  registry.setProcedureExecutor(null);
  assert.equal((await registry.invoke(cancel)).error.details.reason, "transport");
  for (const bad of [5, {}, { execute: 5 }]) {
    assert.ok(thrownBy(() => registry.setProcedureExecutor(bad)) instanceof TypeError);
  }
  registry.dispose();
});

test("bind is asked at each call, and its faults are PRECONDITION_FAILED", async () => {
  let bind = /** @type {any} */ (() => ({ order: "o1" }));
  const registry = registryOf(runtime);
  registry.register(ordering({ bind: () => bind() }));
  registry.setProcedureExecutor({ execute: ({ /** @type {any} */ input }) => input.order });
  assert.equal((await registry.invoke(cancel)).output, "o1");
  bind = () => ({ order: "o2" });
  assert.equal((await registry.invoke(cancel)).output, "o2");
  for (const bad of [() => { throw new Error("secret"); }, () => 5, () => undefined, () => ({}), () => ({ order: 5 }), async () => ({ order: "o1" }), () => ({ order: "o1", f() {} })]) {
    bind = bad;
    const result = await registry.invoke(cancel);
    assert.deepEqual([result.error.code, result.error.retry, result.error.details.reason], ["PRECONDITION_FAILED", "after-refresh", "binding-failed"]);
    assert.ok(!JSON.stringify(result).includes("secret"));
  }
  registry.dispose();
});

test("fields that may be overridden may be supplied", async () => {
  const registry = registryOf(runtime);
  registry.register(ordering({ overridableFields: ["order"] }, {}, { lockedKeys: [] }));
  registry.setProcedureExecutor({ execute: ({ /** @type {any} */ input }) => input.order });
  assert.equal((await registry.invoke({ ...cancel, input: {} })).output, "o1");
  assert.equal((await registry.invoke({ ...cancel, input: { order: "o9" } })).output, "o9");
  registry.dispose();
});

test("a destructive procedure asks first, and the agent's summary has no bound value", async () => {
  const registry = registryOf(runtime);
  registry.register(ordering({ bind: () => ({ order: "tenant-secret" }) }, { effect: "destructive" }));
  /** @type {any} */
  let info;
  registry.setProcedureExecutor({ execute: (/** @type {any} */ request) => ((info = request.info), "cancelled") });
  const refused = await registry.invoke(cancel);
  const id = idOf(refused);
  assert.ok(!refused.error.details.summary.includes("tenant-secret"));
  assert.deepEqual(registry.confirmations.pending()[0].input, { order: "tenant-secret", reason: "late" });
  registry.confirmations.resolve(id, { approved: true });
  assert.equal((await registry.invoke({ ...cancel, confirmationId: id })).output, "cancelled");
  assert.equal(info.confirmation.id, id);
  registry.dispose();
});

test("an executor's failures: transport, transient, typed, and a server's own confirmation", async () => {
  let fail = /** @type {any} */ (() => {});
  const registry = registryOf(runtime);
  registry.register(ordering());
  registry.setProcedureExecutor({ execute: async () => fail() });
  const run = async () => (await registry.invoke(cancel)).error;
  fail = () => { throw new Error("SELECT secret"); };
  assert.deepEqual([(await run()).code, (await run()).details], ["EXECUTION_FAILED", { reason: "transport" }]);
  fail = () => { throw Object.assign(new Error("busy"), { transient: true, retryAfterMs: 1500 }); };
  const transient = await run();
  assert.deepEqual([transient.retry, transient.details.transient, transient.details.retryAfterMs], ["after-delay", true, 1500]);
  fail = () => { throw new runtime.AgentSurfaceError({ code: "NOT_AUTHORIZED", message: "Not yours.", retry: "no" }); };
  assert.deepEqual((await run()).message, "Not yours.");
  const required = { code: "CONFIRMATION_REQUIRED", message: "Ask.", retry: "with-confirmation", details: { origin: "server", confirmationId: "s1" } };
  fail = () => { throw new runtime.AgentSurfaceError(required); };
  assert.deepEqual(await run(), required);
  registry.dispose();
});

/** @type {[string, any, RegExp][]} */
const badBindings = [
  ["locked keys that are not the bound ones", { lockedKeys: [] }, /lockedKeys/],
  ["a reduced schema that is another", { reducedInputSchema: { type: "object" } }, /reducedInputSchema/],
  ["an unknown field", { colour: "red" }, /colour/],
  ["no reference", { ref: undefined }, /ref/],
  ["a reference with another id", { ref: { id: "domain:other", path: "orders.cancel", description: "d", effect: "server-mutation", inputSchema: {} } }, /id/],
];
for (const [name, more, message] of badBindings) {
  test(`a binding with ${name} is a defect`, () => {
    const registry = registryOf(runtime);
    const error = thrownBy(() => registry.register(ordering({}, {}, more)));
    assert.ok(error instanceof runtime.AgentSurfaceDefinitionError, String(error));
    assert.match(error.message, message);
    registry.dispose();
  });
}

test("nothing of all this is kept", async () => {
  await turn();
  assert.deepEqual({ ...runtime.dev.tables(), goroutines: 0 }, { ...before, goroutines: 0 });
});
