// @ts-check
/** Calls of capabilities from JavaScript: receipts, and what each error of the pipeline becomes in them. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { brief, capabilitiesOf, complaints, device, foreseen, rename } from "./capabilities.js";
import { Clock, mustBeFrozenData, registryOf, script, until } from "./harness.js";
import { gate } from "./tools.js";

const { load, module } = await script();
const clock = new Clock();
const runtime = await load({ wasm: module, timers: clock.timers });
const { createPredictionStore, defineAgentCapability, toWebMcpTool } = await capabilitiesOf(runtime);

/** A tool in a registry of its own. @param {any} [more] of the definition @param {any} [options] @param {any} [given] of the registry */
const toolOf = (more, options, given) => toWebMcpTool(defineAgentCapability(rename(more)), { registry: registryOf(runtime, given), ...options });

const PASSED = "+capability +input +policy +approval +idempotency +execute +output";
const INPUT = { name: "a" };

/** An execution that the test ends. */
function held() {
  const { promise, open, fail } = gate();
  /** @type {any} */
  const made = { started: 0, open: () => open({ version: "v2" }), fail };
  made.execute = (/** @type {any} */ _, /** @type {any} */ info) => {
    made.started++;
    made.info = info;
    return promise;
  };
  return made;
}

/** How a call comes to each row of the table in docs/prediction.md; null for what no call from JavaScript can come to, which Go tests. @type {Record<string, (() => Promise<any>) | null>} */
const ways = {
  "CAPABILITY_NOT_FOUND": () => toolOf({}, {}, { policies: [{ name: "hide", onDiscovery: () => ({ decision: "hide" }) }] }).execute(INPUT),
  "CAPABILITY_NOT_AVAILABLE": () => toolOf({}, {}, { policies: [{ name: "disable", onDiscovery: () => ({ decision: "disable", reason: "later" }) }] }).execute(INPUT),
  "AMBIGUOUS_INSTANCE": null,
  "COMPONENT_UNMOUNTED mid-flight": async () => {
    const work = held();
    const registry = registryOf(runtime, { onDuplicateInstance: "replace" });
    const promise = toolOf({ execute: work.execute }, { registry }).execute(INPUT);
    await until(() => work.started, "the work");
    registry.register({ type: "capability", instanceId: "device_drename", description: "In its place", observations: { look: { description: "Looks", output: runtime.fromJsonSchema({}), read: () => 1 } } });
    return promise;
  },
  "COMPONENT_UNMOUNTED": null,
  "STALE_CAPABILITY": null,
  "INVOCATION_CONFLICT": async () => {
    const tool = toolOf();
    await tool.execute(INPUT, { invocationId: "one" });
    return tool.execute({ name: "b" }, { invocationId: "one" });
  },
  "INVALID_INPUT": () => toolOf().execute({ name: 5 }),
  "NOT_AUTHENTICATED": () => toolOf({}, {}, { policies: [runtime.authenticated()] }).execute(INPUT),
  "NOT_AUTHORIZED": () => toolOf({}, { authorize: () => false }).execute(INPUT),
  "PRECONDITION_FAILED": null,
  "CONFIRMATION_REQUIRED": () => toolOf({ confirmation: "required" }).execute(INPUT),
  "CONFIRMATION_INVALID": async () => {
    const registry = registryOf(runtime);
    const tool = toolOf({ confirmation: "required" }, { registry });
    await tool.execute(INPUT, { invocationId: "one" });
    const [{ confirmationId: id }] = registry.confirmations.pending();
    registry.confirmations.resolve(id, { approved: false });
    return tool.execute(INPUT, { invocationId: "one", confirmationId: id });
  },
  "RATE_LIMITED": async () => {
    const tool = toolOf({ budget: { calls: 1, windowMs: 1000 } });
    await tool.execute(INPUT);
    return tool.execute(INPUT);
  },
  "TIMEOUT": async () => {
    const promise = toolOf({ execute: held().execute, timeoutMs: 50 }).execute(INPUT);
    clock.advance(51);
    return promise;
  },
  "CANCELLED": async () => {
    const controller = new AbortController();
    const promise = toolOf({ execute: held().execute }).execute(INPUT, { signal: controller.signal });
    controller.abort();
    return promise;
  },
  "EXECUTION_FAILED output-*": () => toolOf({ execute: () => ({ version: 5 }) }).execute(INPUT),
  "EXECUTION_FAILED": () => toolOf({ execute: () => { throw new Error("no"); } }).execute(INPUT),
};

const page = readFileSync(new URL("../../docs/prediction.md", import.meta.url), "utf8");
const rows = [...page.matchAll(/^\| `([A-Z_]+)` \| (?:`([^`]+)`)? ?\| `(\w+)` \| (\w+) \| `([\w-]+)` \|$/gm)];

test("the table of receipts is the one that is tested", () => {
  assert.deepEqual(rows.map(([, code, when]) => (when ? `${code} ${when}` : code)), Object.keys(ways));
});

for (const [, code, when, receiptCode, stage, outcome] of rows) {
  const way = ways[when ? `${code} ${when}` : `${code}`];
  if (way) {
    test(`${code} ${when ?? ""} gives ${receiptCode}`, async () => {
      const receipt = await way();
      assert.deepEqual([receipt.outcome, receipt.error, receipt.ok, receipt.dryRun], [outcome, { code: receiptCode, stage }, false, false]);
      assert.deepEqual(receipt.evidence.at(-1), { stage, at: receipt.evidence.at(-1).at, ok: false });
      assert.deepEqual(Object.keys(receipt), ["ok", "outcome", "dryRun", "error", "evidence"]);
      mustBeFrozenData(receipt);
    });
  }
}

test("a call that goes well gives its output and all of its evidence", async () => {
  const receipt = await toolOf().execute(INPUT);
  mustBeFrozenData(receipt);
  assert.equal(brief(receipt), `committed ${PASSED}`);
  assert.deepEqual(receipt.output, { version: "v2" });
  assert.deepEqual(await toolOf({}, { resultMode: "output" }).execute(INPUT), { version: "v2" });
  assert.equal((await toolOf({}, { resultMode: "output" }).execute({})).error.code, "input_invalid");
  assert.equal(await toolOf({ output: { type: "string" }, execute: () => "done" }, { resultMode: "output" }).execute(INPUT), "done");
  assert.equal(await toolOf({ output: {}, execute: () => undefined }, { resultMode: "output" }).execute(INPUT), null);
});

test("the shape is what registerTool takes", () => {
  const tool = toolOf({ annotations: { destructiveHint: true } });
  assert.ok(Object.isFrozen(tool));
  assert.deepEqual(Object.keys(tool), ["name", "description", "inputSchema", "annotations", "execute"]);
  assert.deepEqual(tool.annotations, { destructiveHint: true });
});

test("input comes as an object, as its text, or not at all", async () => {
  /** @type {any[]} */
  const got = [];
  const tool = toolOf({ input: {}, execute: (/** @type {any} */ input) => (got.push(input), { version: "v2" }) });
  for (const input of [{ a: 1 }, '{"a":1}', undefined, null, "null"]) {
    assert.equal((await tool.execute(input)).outcome, "committed");
  }
  assert.deepEqual(got, [{ a: 1 }, { a: 1 }, {}, {}, {}]);
  /** @type {any} */
  const cyclic = {};
  cyclic.self = cyclic;
  for (const wrong of ["{", "5", 5, [], cyclic, { a: () => {} }, { a: "\ud800" }, new Date()]) {
    assert.equal(brief(await tool.execute(wrong)), "failed input_invalid@input +capability -input");
  }
  assert.equal(got.length, 5);
});

test("an output that is too large is left out of the receipt, and not of the bare result", async () => {
  const long = { output: { type: "string" }, execute: () => "a".repeat(300) };
  const receipt = await toolOf(long, { maxReceiptBytes: 256 }).execute(INPUT);
  assert.deepEqual([receipt.ok, receipt.output, receipt.outputTruncated], [true, undefined, true]);
  assert.equal((await toolOf(long, { maxReceiptBytes: 302 }).execute(INPUT)).output.length, 300);
  assert.equal((await toolOf(long, { maxReceiptBytes: 256, resultMode: "output" }).execute(INPUT)).length, 300);
});

test("authorize judges the valid input; only true admits, and what it throws goes nowhere", async () => {
  /** @type {any[]} */
  const asked = [];
  const admitting = toolOf({}, { authorize: async (/** @type {any} */ input) => (asked.push(input), true) });
  assert.equal((await admitting.execute(INPUT)).outcome, "committed");
  assert.deepEqual(asked, [INPUT]);
  await admitting.execute({});
  assert.equal(asked.length, 1, "it is not asked about what is invalid");
  for (const authorize of [() => false, () => undefined, () => 1, () => ({}), () => "true", async () => false, () => { throw new Error("the secret"); }, async () => { throw new Error("the secret"); },
    () => { throw new runtime.AgentSurfaceError({ code: "RATE_LIMITED", message: "the secret", retry: "later" }); }]) {
    const work = held();
    const receipt = await toolOf({ execute: work.execute }, { authorize }).execute(INPUT);
    assert.deepEqual([receipt.outcome, receipt.error.code, work.started], ["denied", "capability_denied", 0]);
    assert.ok(!JSON.stringify(receipt).includes("secret"));
  }
});

test("a caller holds the capability's own token here, and what it is given", async () => {
  const admin = { capability: "admin" };
  assert.equal((await toolOf(admin).execute(INPUT)).ok, true);
  const { toMcpTool } = await capabilitiesOf(runtime);
  assert.throws(() => toMcpTool(defineAgentCapability(rename())), /made/, "another copy of the script knows nothing of it");
});

test("a handler's error says nothing to the agent, and developers see it", async () => {
  const before = complaints.length;
  const receipt = await toolOf({ execute: async () => { throw new Error("the password is 1234"); } }).execute(INPUT);
  assert.equal(brief(receipt), "failed execution_failed@execute +capability +input +policy +approval +idempotency -execute");
  assert.ok(!JSON.stringify(receipt).includes("1234"));
  assert.match(complaints.slice(before).join(), /execute of the capability device\.rename failed.*1234/);
});

test("a call is withdrawn by its signal, before, while and after", async () => {
  const work = held();
  const tool = toolOf({ execute: work.execute });
  const controller = new AbortController();
  const promise = tool.execute(INPUT, { signal: controller.signal });
  await until(() => work.started, "the work");
  assert.equal(work.info.signal.aborted, false);
  controller.abort();
  assert.equal(work.info.signal.aborted, true);
  assert.equal((await promise).error.code, "cancelled");
  const early = await tool.execute(INPUT, { signal: controller.signal });
  assert.deepEqual([early.error.code, work.started], ["cancelled", 1]);
  const other = new AbortController();
  assert.equal((await toolOf().execute(INPUT, { signal: other.signal })).outcome, "committed");
  other.abort();
  assert.equal((await toolOf().execute(INPUT, { signal: {} })).outcome, "committed", "a browser may give anything");
});

test("a person decides: the call waits for it, or comes again", async () => {
  const registry = registryOf(runtime);
  const capability = defineAgentCapability(rename({ confirmation: "required" }));
  const patient = toWebMcpTool(capability, { registry, wait: true });
  const promise = patient.execute(INPUT);
  await until(() => registry.confirmations.pending().length === 1, "the question");
  registry.confirmations.resolve(registry.confirmations.pending()[0].confirmationId, { approved: true });
  assert.equal(brief(await promise), `committed ${PASSED}`);
  const tool = toWebMcpTool(capability, { registry });
  assert.equal((await tool.execute(INPUT, { invocationId: "two" })).error.code, "approval_required");
  const [{ confirmationId: id }] = registry.confirmations.pending();
  registry.confirmations.resolve(id, { approved: true });
  assert.equal(brief(await tool.execute(INPUT, { invocationId: "two", confirmationId: id })), `committed ${PASSED}`);
});

test("a key makes equal calls one, and a store of outputs outlives the registry", async () => {
  let ran = 0;
  /** @type {Map<string, any>} */
  const kept = new Map();
  const definition = {
    execute: () => ({ version: `v${++ran}` }),
    idempotency: {
      key: (/** @type {any} */ input) => `rename ${input.name}`,
      store: { get: async (/** @type {string} */ key) => kept.get(key), put: (/** @type {string} */ key, /** @type {any} */ output) => void kept.set(key, output) },
    },
  };
  const tool = toolOf(definition);
  const receipts = await Promise.all([tool.execute(INPUT), tool.execute(INPUT), tool.execute({ name: "b" })]);
  assert.deepEqual(receipts.map((receipt) => receipt.output.version), ["v1", "v1", "v2"]);
  assert.deepEqual([...kept], [["rename a", { version: "v1" }], ["rename b", { version: "v2" }]]);
  assert.equal((await toolOf(definition).execute(INPUT)).output.version, "v1");
  assert.equal(ran, 2);
  const broken = { ...definition, idempotency: { key: () => "k", store: { get: () => { throw new Error("down"); }, put: () => {} } } };
  assert.equal((await toolOf(broken).execute(INPUT)).error.code, "execution_failed");
  for (const key of [() => 5, () => "", () => { throw new Error("no"); }, async () => "k"]) {
    assert.equal((await toolOf({ ...definition, idempotency: { key } }).execute(INPUT)).error.code, "execution_failed");
  }
  assert.equal(ran, 2);
  const forgetful = { ...definition, idempotency: { key: () => "k2", store: { get: () => null, put: async () => { throw new Error("full"); } } } };
  assert.equal((await toolOf(forgetful).execute(INPUT)).output.version, "v3");
});

test("a dry run validates, authorizes and predicts, and does nothing", async () => {
  const work = held();
  const store = createPredictionStore(device());
  const capability = defineAgentCapability(foreseen({ execute: work.execute }));
  const dry = (/** @type {any} */ more) => toWebMcpTool(capability, { registry: registryOf(runtime), dryRun: true, store, ...more });
  const receipt = await dry().execute(INPUT);
  assert.equal(brief(receipt), "dry-run +capability +input +policy");
  assert.equal(receipt.dryRun, true);
  assert.deepEqual(receipt.output, { baseVersion: "v1", patch: [{ op: "replace", path: "/name", value: "a" }], expiresAt: clock.time + 10_000 });
  assert.equal((await dry({ authorize: () => false }).execute(INPUT)).error.code, "capability_denied");
  assert.equal((await dry().execute({})).error.code, "input_invalid");
  assert.equal((await dry({ store: undefined }).execute(INPUT)).output, undefined);
  assert.deepEqual([work.started, store.snapshot()], [0, { ...device(), authoritativeVersion: "v1", activePredictionIds: [] }]);
});

test("after the registry is gone a kept tool says so", async () => {
  const registry = registryOf(runtime);
  const work = held();
  const tool = toolOf({ execute: work.execute }, { registry });
  const promise = tool.execute(INPUT);
  await until(() => work.started, "the work");
  registry.dispose();
  assert.equal((await promise).outcome, "failed");
  await assert.rejects(tool.execute(INPUT), /disposed/);
});
