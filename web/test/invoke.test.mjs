// @ts-check
/** Calls: handlers of every kind, identity, queues, cancellation, time limits and errors (invocation.md). */
import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { callOnce, Clock, mustBeFrozenData, registryOf, SAVE, saving, schema, script, turn } from "./harness.js";

const { load, module } = await script();
const clock = new Clock();
const runtime = await load({ wasm: module, timers: clock.timers });
const before = runtime.dev.tables();
const never = () => new Promise(() => {});

/** @param {any} payload */
const surfaceError = (payload) => new runtime.AgentSurfaceError({ message: "Refused.", retry: "no", ...payload });

/** @type {[string, (input: any) => unknown][]} ways to give 42 */
const kinds = [
  ["a value", () => 42],
  ["a promise", async () => 42],
  ["a frozen promise", () => Object.freeze(Promise.resolve(42))],
  ["a frozen promise that takes a task", () => Object.freeze(turn().then(() => 42))],
  ["a promise that cannot be extended, of a frozen one", () => Object.preventExtensions(Promise.resolve(Object.freeze(Promise.resolve(42))))],
  ["a promise that takes a task", async () => (await turn(), 42)],
  ["a thenable", () => ({ then: (/** @type {any} */ resolve) => resolve(42) })],
  ["a thenable that answers later", () => ({ then: (/** @type {any} */ resolve) => void turn().then(() => resolve(42)) })],
  ["a thenable of a promise of a thenable", () => ({ then: (/** @type {any} */ r) => r(Promise.resolve({ then: (/** @type {any} */ q) => q(42) })) })],
  ["a thenable that answers twice", () => ({ then: (/** @type {any} */ resolve, /** @type {any} */ reject) => (resolve(42), resolve(43), reject(new Error())) })],
  ["a thenable that throws after it answered", () => ({ then(/** @type {any} */ resolve) { resolve(42); throw new Error("late"); } })],
  ["a subclass of Promise", () => new (class Mine extends Promise {})((resolve) => resolve(42))],
  ["an object whose then is no function", () => ({ then: 5 })],
];
for (const [name, run] of kinds) {
  test(`a handler may give ${name}`, async () => {
    const result = await callOnce(runtime, run);
    assert.equal(result.status, "ok", JSON.stringify(result));
    assert.deepEqual(result.output, name.endsWith("no function") ? { then: 5 } : 42);
    assert.ok(Object.isFrozen(result));
  });
}

/** @type {[string, () => unknown][]} ways to fail */
const failures = [
  ["throws", () => { throw new Error("secret"); }],
  ["throws nothing", () => { throw undefined; }],
  ["throws a text", () => { throw "secret"; }],
  ["rejects", async () => { throw new Error("secret"); }],
  ["rejects with a frozen promise", () => Object.freeze(Promise.reject(new Error("secret")))],
  ["rejects later", async () => { await turn(); throw new Error("secret"); }],
  ["gives a thenable that rejects", () => ({ then: (/** @type {any} */ _, /** @type {any} */ reject) => reject(new Error("secret")) })],
  ["gives a thenable that throws", () => ({ then() { throw new Error("secret"); } })],
  ["gives an object whose then throws when read", () => ({ get then() { throw new Error("secret"); } })],
  ["throws what throws when it is read", () => { throw new Proxy({}, { get() { throw new Error("secret"); }, getPrototypeOf() { throw new Error("secret"); } }); }],
  ["throws an error that looks like ours but is not", () => { throw Object.assign(new Error("secret"), { name: "AgentSurfaceError", payload: "secret" }); }],
  ["overflows its stack", function again() { return /** @type {any} */ (again)() + 1; }],
];
for (const [name, run] of failures) {
  test(`a handler that ${name} is EXECUTION_FAILED with a fixed message, and the next call works`, async () => {
    const result = await callOnce(runtime, run);
    assert.deepEqual([result.error?.code, result.error?.retry, result.error?.details.reason], ["EXECUTION_FAILED", "no", "handler-error"]);
    assert.ok(!JSON.stringify(result).includes("secret"));
    mustBeFrozenData(result);
    assert.equal((await callOnce(runtime, () => "fine")).output, "fine");
  });
}

const thrown = ["CAPABILITY_NOT_AVAILABLE", "INVALID_INPUT", "NOT_AUTHENTICATED", "NOT_AUTHORIZED", "PRECONDITION_FAILED", "RATE_LIMITED", "EXECUTION_FAILED"];
/** @type {Record<string, string>} */
const retries = {
  CAPABILITY_NOT_AVAILABLE: "after-refresh", INVALID_INPUT: "with-changes", PRECONDITION_FAILED: "with-changes", RATE_LIMITED: "after-delay",
};
for (const code of thrown) {
  test(`a handler may throw an AgentSurfaceError with ${code}`, async () => {
    const payload = { code, message: "Do it another way.", retry: retries[code] ?? "no", details: { hint: ["x"] } };
    const result = await callOnce(runtime, () => { throw surfaceError(payload); });
    assert.deepEqual(result.error, payload);
    const lookalike = await callOnce(runtime, async () => {
      throw { name: "AgentSurfaceError", payload };
    });
    assert.deepEqual(lookalike.error, payload);
  });
}

for (const [name, payload] of /** @type {[string, any][]} */ ([
  ["a code for the runtime alone", { code: "TIMEOUT" }],
  ["an unknown code", { code: "OOPS" }],
  ["a confirmation, which is for executors", { code: "CONFIRMATION_REQUIRED", retry: "with-confirmation" }],
  ["a retry that the code does not allow", { code: "NOT_AUTHORIZED", retry: "after-delay" }],
  ["a message that is too long", { code: "NOT_AUTHORIZED", message: "x".repeat(301) }],
  ["details that are too large", { code: "NOT_AUTHORIZED", details: { text: "x".repeat(2100) } }],
])) {
  test(`an AgentSurfaceError with ${name} is a handler error`, async () => {
    const result = await callOnce(runtime, () => { throw surfaceError(payload); });
    assert.deepEqual([result.error.code, result.error.details.reason], ["EXECUTION_FAILED", "handler-error"]);
  });
}

test("AgentSurfaceError copies its payload, and isAgentSurfaceError goes by name and shape", () => {
  const payload = { code: "NOT_AUTHORIZED", message: "No.", retry: "no", details: { list: [1] } };
  const error = surfaceError(payload);
  payload.details.list.push(2);
  assert.deepEqual(error.payload.details, { list: [1] });
  mustBeFrozenData(error.payload);
  assert.ok(error instanceof Error && runtime.isAgentSurfaceError(error));
  assert.ok(runtime.isAgentSurfaceError({ name: "AgentSurfaceError", payload: {} }));
  for (const other of [undefined, null, 5, new Error(), { name: "AgentSurfaceError" }, { name: "AgentSurfaceError", payload: 5 }]) {
    assert.equal(runtime.isAgentSurfaceError(other), false);
  }
  assert.throws(() => new runtime.AgentSurfaceError({ code: "X", details: { f() {} } }), TypeError);
});

test("a handler gets its context", async () => {
  const user = { name: "Ada" };
  /** @type {any} */
  let seen;
  const registry = registryOf(runtime, { context: () => ({ user }) });
  const handle = registry.register({
    ...saving(runtime, (/** @type {any} */ _, /** @type {any} */ ctx) => void (seen = ctx)),
    observations: { state: { description: "State", output: schema(runtime), read: (/** @type {any} */ ctx) => (seen = ctx, "read") } },
  });
  const consumer = { id: "me", kind: "other", claimedName: "Robot" };
  await registry.invoke({ capabilityId: SAVE, invocationId: "i1" }, { consumer });
  assert.ok(Object.isFrozen(seen));
  assert.deepEqual([seen.capabilityId, seen.registrationId, seen.invocationId, seen.consumer], [SAVE, handle.registrationId, "i1", consumer]);
  assert.equal(seen.host.user, user);
  assert.ok(seen.signal instanceof AbortSignal && seen.signal === seen.signal && !seen.signal.aborted);
  assert.ok(!("confirmation" in seen));
  const read = await registry.invoke({ capabilityId: "view:app.form.state" });
  assert.equal(read.output, "read");
  assert.deepEqual(Object.keys(seen).sort(), ["capabilityId", "consumer", "host", "registrationId"]);
  registry.dispose();
});

test("invoke starts in the same turn and settles when the handler has", async () => {
  const registry = registryOf(runtime);
  let started = false;
  /** @type {(value: any) => void} */
  let release = () => {};
  registry.register(saving(runtime, () => {
    started = true;
    return new Promise((resolve) => (release = resolve));
  }));
  let settled = false;
  const call = registry.invoke({ capabilityId: SAVE });
  assert.ok(call instanceof Promise && Object.getPrototypeOf(call) === Promise.prototype);
  assert.ok(started);
  call.then(() => (settled = true));
  await turn();
  assert.equal(settled, false);
  release("done");
  assert.equal((await call).output, "done");
  registry.dispose();
});

test("twenty calls at once, one that never ends: the others answer and the stuck one times out", async () => {
  const registry = registryOf(runtime);
  registry.register(saving(runtime, (/** @type {any} */ { n }) => (n === 7 ? never() : turn().then(() => n)), { concurrency: { mode: "parallel", max: 32 }, timeoutMs: 100 }));
  const calls = Array.from({ length: 20 }, (_, n) => registry.invoke({ capabilityId: SAVE, input: { n } }));
  const others = await Promise.all(calls.filter((_, n) => n !== 7));
  assert.ok(others.every((result) => result.status === "ok"));
  clock.advance(100);
  const stuck = await calls[7];
  assert.deepEqual([stuck.error.code, stuck.error.retry, stuck.error.details], ["TIMEOUT", "no", { timeoutMs: 100, idempotent: false, progress: "may-have-happened" }]);
  registry.dispose();
});

test("a handler may call other capabilities and the registry", async () => {
  const registry = registryOf(runtime);
  registry.register({
    type: "app.form", description: "A form",
    actions: {
      save: { description: "Saves", effect: "local-state", input: schema(runtime), execute: () => "inner" },
      all: {
        description: "Saves all", effect: "local-state", input: schema(runtime), concurrency: { mode: "capability" },
        execute: async () => {
          const handle = registry.register({ ...saving(runtime, () => "other"), instanceId: "other" });
          assert.equal(registry.snapshot().components.length, 2);
          const other = await registry.invoke({ capabilityId: SAVE, instanceId: "other" });
          handle.unregister();
          return other.output;
        },
      },
    },
  });
  assert.equal((await registry.invoke({ capabilityId: "view:app.form.all" })).output, "other");
  registry.dispose();
});

test("options.timeoutMs wins over the capability's, which wins over the kind's", async () => {
  const registry = registryOf(runtime, { limits: { actionTimeoutMs: 300 } });
  registry.register(saving(runtime, never, { timeoutMs: 200, idempotent: true, concurrency: { mode: "parallel", max: 9 } }));
  registry.register({ ...saving(runtime, never), type: "app.other" });
  const calls = [
    registry.invoke({ capabilityId: SAVE }, { timeoutMs: 100 }), registry.invoke({ capabilityId: SAVE }), registry.invoke({ capabilityId: "view:app.other.save" }),
  ];
  const outcomes = /** @type {any[]} */ ([]);
  calls.forEach((call, i) => call.then((/** @type {any} */ result) => (outcomes[i] = result.error)));
  for (const count of [1, 2, 3]) {
    clock.advance(100);
    await turn();
    assert.equal(outcomes.filter(Boolean).length, count);
  }
  assert.deepEqual(outcomes.map((error) => [error.code, error.details.timeoutMs, error.retry]), [["TIMEOUT", 100, "yes"], ["TIMEOUT", 200, "yes"], ["TIMEOUT", 300, "no"]]);
  registry.dispose();
});

test("a time-out aborts the handler's signal, frees its slot and records what comes later", async () => {
  /** @type {any[]} */
  const records = [];
  const registry = registryOf(runtime, { audit: (/** @type {any} */ record) => void records.push(record) });
  /** @type {AbortSignal[]} */
  const signals = [];
  /** @type {any[]} */
  const releases = [];
  registry.register(saving(runtime, (/** @type {any} */ _, /** @type {any} */ { signal }) => {
    signals.push(signal);
    return new Promise((resolve) => releases.push(resolve));
  }, { timeoutMs: 50 }));
  const first = registry.invoke({ capabilityId: SAVE });
  const second = registry.invoke({ capabilityId: SAVE });
  assert.equal(signals.length, 1);
  clock.advance(50);
  assert.equal((await first).error.code, "TIMEOUT");
  assert.ok(signals[0].aborted && signals[0].reason instanceof Error);
  assert.equal(signals.length, 2);
  assert.equal(signals[1].aborted, false);
  releases[0]("late");
  await turn();
  assert.deepEqual(records.filter((record) => record.type === "late-settlement").map((record) => record.status), ["ok"]);
  releases[1]("in time");
  assert.equal((await second).output, "in time");
  registry.dispose();
});

test("an aborted signal cancels at once, before and while the handler runs", async () => {
  const registry = registryOf(runtime);
  /** @type {AbortSignal | undefined} */
  let seen;
  registry.register(saving(runtime, (/** @type {any} */ _, /** @type {any} */ { signal }) => {
    seen = signal;
    return never();
  }));
  const controller = new AbortController();
  const call = registry.invoke({ capabilityId: SAVE }, { signal: controller.signal });
  const queued = registry.invoke({ capabilityId: SAVE }, { signal: controller.signal });
  controller.abort();
  const [running, waiting] = await Promise.all([call, queued]);
  assert.deepEqual([running.error.code, running.error.retry, running.error.details.progress], ["CANCELLED", "yes", "may-have-happened"]);
  assert.deepEqual([waiting.error.code, waiting.error.retry, waiting.error.details.progress], ["CANCELLED", "yes", "not-started"]);
  assert.equal(seen?.aborted, true);
  let ran = false;
  registry.register({ ...saving(runtime, () => void (ran = true)), type: "app.other" });
  const early = await registry.invoke({ capabilityId: "view:app.other.save" }, { signal: AbortSignal.abort() });
  assert.equal(early.error.code, "CANCELLED");
  assert.equal(ran, false);
  registry.dispose();
});

test("a signal that outlives its calls keeps nothing of them", async () => {
  const registry = registryOf(runtime);
  registry.register(saving(runtime, () => "saved"));
  const { signal } = new AbortController();
  for (let i = 0; i < 20; i++) {
    assert.equal((await registry.invoke({ capabilityId: SAVE }, { signal })).status, "ok");
  }
  assert.equal(getEventListeners(signal, "abort").length, 0);
  registry.dispose();
});

test("what is no request or no option settles INVALID_INPUT: invoke rejects only after dispose", async () => {
  const registry = registryOf(runtime);
  registry.register(saving(runtime, () => "saved"));
  const good = { capabilityId: SAVE };
  for (const [request, options, message] of /** @type {[any, any, RegExp][]} */ ([
    [undefined, undefined, /request must be an object/],
    [5, undefined, /request must be an object/],
    [{}, undefined, /./],
    [{ capabilityId: 5 }, undefined, /capabilityId must be a string/],
    [{ ...good, instanceId: 5 }, undefined, /instanceId must be a string/],
    [{ ...good, invocationId: {} }, undefined, /invocationId must be a string/],
    [{ get capabilityId() { throw new Error("mine"); } }, undefined, /mine|could not be read/],
    [good, { consumer: { id: "x", kind: "alien" } }, /consumer/],
    [good, { consumer: 5 }, /consumer/],
    [good, { consumer: { id: "\ud800", kind: "test" } }, /surrogate/],
    [good, { timeoutMs: -1 }, /timeoutMs/],
    [good, { timeoutMs: "1" }, /timeoutMs/],
    [good, { signal: {} }, /AbortSignal/],
  ])) {
    const result = await registry.invoke(request, options);
    assert.equal(result.status, "error");
    assert.ok(["INVALID_INPUT", "CAPABILITY_NOT_FOUND"].includes(result.error.code), JSON.stringify(result));
    if (result.error.code === "INVALID_INPUT") {
      assert.match(result.error.details.issues[0].message, message);
    }
    mustBeFrozenData(result);
  }
  registry.dispose();
});

test("the same identity runs once; another request under it is a conflict", async () => {
  const registry = registryOf(runtime);
  let runs = 0;
  registry.register(saving(runtime, async () => {
    await turn();
    return ++runs;
  }));
  const request = { capabilityId: SAVE, invocationId: "i1", input: { a: 1, b: 2 } };
  const [first, joined] = await Promise.all([registry.invoke(request), registry.invoke({ ...request, input: { b: 2, a: 1 } })]);
  assert.deepEqual(first, joined);
  assert.deepEqual(await registry.invoke(request), first);
  const conflict = await registry.invoke({ ...request, input: { a: 2 } });
  assert.equal(conflict.error.code, "INVOCATION_CONFLICT");
  assert.equal((await registry.invoke(request, { consumer: { id: "other", kind: "test" } })).output, 2);
  assert.equal(runs, 2);
  registry.dispose();
});

test("unregistering during a call aborts it one task later, unless it ends before", async () => {
  const registry = registryOf(runtime);
  /** @type {any} */
  let handle = registry.register(saving(runtime, () => {
    handle.unregister();
    return "removed myself";
  }));
  const own = await registry.invoke({ capabilityId: SAVE });
  assert.deepEqual([own.output, own.surfaceChanged], ["removed myself", true]);

  handle = registry.register(saving(runtime, async () => {
    handle.unregister();
    await Promise.resolve();
    return "in the same task";
  }));
  assert.equal((await registry.invoke({ capabilityId: SAVE })).output, "in the same task");

  let aborted = false;
  handle = registry.register(saving(runtime, (/** @type {any} */ _, /** @type {any} */ { signal }) => {
    signal.addEventListener("abort", () => (aborted = true));
    return never();
  }));
  const call = registry.invoke({ capabilityId: SAVE });
  handle.unregister();
  assert.ok(aborted);
  const cut = await call;
  assert.deepEqual([cut.error.code, cut.error.details.phase, cut.error.details.progress], ["COMPONENT_UNMOUNTED", "mid-flight", "may-have-happened"]);
  const gone = await registry.invoke({ capabilityId: SAVE });
  assert.deepEqual([gone.error.code, gone.error.details.phase], ["COMPONENT_UNMOUNTED", "resolve"]);
  registry.dispose();
});

test("a precondition decides before the handler", async () => {
  let verdict = /** @type {any} */ (() => undefined);
  const run = () => callOnce(runtime, () => "saved", { n: 1 }, { precondition: (/** @type {any} */ input, /** @type {any} */ ctx) => verdict(input, ctx) });
  assert.equal((await run()).output, "saved");
  verdict = (/** @type {any} */ input) => ({ message: `Not ${input.n}.`, details: { n: input.n } });
  assert.deepEqual((await run()).error, { code: "PRECONDITION_FAILED", message: "Not 1.", retry: "with-changes", details: { n: 1 } });
  verdict = () => { throw { message: "Not now." }; };
  assert.deepEqual([(await run()).error.code, (await run()).error.message], ["PRECONDITION_FAILED", "Not now."]);
  for (const error of [
    new Error("secret"), Object.assign(new Error("secret"), { stack: undefined }), Object.defineProperty(new DOMException("secret"), "stack", { value: undefined }),
    new (class { message = "secret"; })(), Object.create(Error.prototype, { message: { value: "secret" } }),
  ]) {
    verdict = () => { throw error; };
    const failed = await run();
    assert.equal(failed.error.code, "PRECONDITION_FAILED");
    assert.ok(!JSON.stringify(failed).includes("secret"));
  }
  verdict = async () => undefined;
  assert.equal((await run()).error.code, "PRECONDITION_FAILED");
  verdict = () => { throw surfaceError({ code: "NOT_AUTHENTICATED" }); };
  assert.equal((await run()).error.code, "NOT_AUTHENTICATED");
});

test("a schema's own parse decides, and its value is what the handler gets", async () => {
  const parsing = (/** @type {any} */ parse) => callOnce(runtime, (/** @type {any} */ input) => input, { n: "5" }, { input: { jsonSchema: { type: "object" }, parse } });
  assert.deepEqual((await parsing((/** @type {any} */ value) => ({ n: Number(value.n) }))).output, { n: 5 });
  const issues = [{ path: "n", message: "must be even" }];
  assert.deepEqual((await parsing(() => { throw new runtime.AgentSchemaError(issues); })).error.details.issues, issues);
  assert.equal((await parsing(() => { throw new Error("secret"); })).error.code, "INVALID_INPUT");
  assert.equal((await parsing(async () => ({ n: 5 }))).error.code, "INVALID_INPUT");
  assert.equal((await parsing(() => new Map())).error.code, "INVALID_INPUT");
});

test("nothing of all this is kept", async () => {
  await turn();
  assert.deepEqual({ ...runtime.dev.tables(), goroutines: 0 }, { ...before, goroutines: 0 });
});
