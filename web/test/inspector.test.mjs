// @ts-check
/** The inspector without a page: what it makes of a surface, of calls and of schemas; recording and replaying. e2e/inspector has the rest. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { CallLog, MOST_CALLS, matchesCall, phaseTimes } from "../inspector/calls.js";
import { fieldOf, inputOf } from "../inspector/fields.js";
import { Recorder } from "../inspector/recorder.js";
import { Openness, rowsOf, surfaceOf } from "../inspector/surface.js";
import { clip, consumerOf, duration, pretty } from "../inspector/words.js";
import { built, registryOf, saving, script } from "./harness.js";

const { load, module: wasm } = await script();
const runtime = await load({ wasm });
const declared = readFileSync(new URL("../pagewarden-inspector.d.ts", import.meta.url), "utf8");
// A package without a type leaves it to its reader what a .js file is, and Node 20 takes it for a script.
const source = readFileSync(built("pagewarden-inspector.js"), "utf8");
const inspector = await import(`data:text/javascript,${encodeURIComponent(source)}`);
const { replayRecording } = inspector;

test("the script has what is declared, and nothing else", () => {
  const names = [...declared.matchAll(/^export function (\w+)/gm)].map((found) => found[1]);
  assert.deepEqual(Object.keys(inspector).sort(), names.sort());
  assert.equal(readFileSync(built("pagewarden-inspector.d.ts"), "utf8"), declared);
});

test("without a document it says what it needs, when it is called", () => {
  assert.throws(() => inspector.mountInspector(registryOf(runtime)), { name: "TypeError", message: "mountInspector needs a page with a document" });
});

test("nothing in it approves", () => {
  const code = source.replaceAll(/"[^"]*"|`[^`]*`/g, '""'); // texts aside
  assert.deepEqual(code.match(/approved:\s*(?!!1|false)\S+/g), null);
  assert.equal(code.match(/\.resolve\([^)]*approved/g)?.length, 1, "the one place that denies");
});

test("texts are cut, and say how long they were", () => {
  assert.equal(clip("abc", 3), "abc");
  assert.equal(clip("abcd", 3), "abc… (4 characters)");
  assert.equal(clip(7), "7");
  assert.ok(pretty({ a: "x".repeat(100_000) }).length < 21_000);
  assert.equal(pretty(undefined), "");
  assert.deepEqual([0.04, 12.4, 9999, 12_340].map(duration), ["0.0 ms", "12 ms", "9999 ms", "12.3 s"]);
});

test("a consumer is KIND:ID, or an id alone", () => {
  assert.deepEqual(consumerOf("webmcp:a:b"), { kind: "webmcp", id: "a:b" });
  assert.deepEqual(consumerOf("me"), { kind: "embedded", id: "me" });
  for (const nobody of ["", "webmcp:", "robot:me", ":"]) {
    assert.equal(consumerOf(nobody), undefined, nobody);
  }
});

/** Two components, one in the other, with something of each state. */
function world() {
  const registry = registryOf(runtime, { policies: [runtime.audit()] });
  const action = (/** @type {any} */ more) => ({ description: "Does it", effect: "local-state", input: runtime.emptyObjectSchema, execute: () => 1, ...more });
  registry.register({ type: "shop", description: "The shop", actions: { open: action({ title: "Öffnen" }) } });
  registry.register({
    type: "shop.cart", description: "The cart", parent: { type: "shop" },
    actions: {
      pay: action({ when: () => false, unavailableReason: "It is empty" }),
      hide: action({ policies: [{ name: "never", onDiscovery: () => ({ decision: "hide" }) }] }),
      close: action({ policies: [{ name: "later", onDiscovery: () => ({ decision: "disable", reason: "Not now" }) }] }),
    },
  });
  return registry;
}

/** @param {any} registry @param {any} [manifest] */
const look = (registry, manifest) => surfaceOf(runtime.dev.explainSurface(registry), registry.snapshot(), manifest);

test("a surface is a tree with every state and its reason", () => {
  const registry = world();
  const components = look(registry, { capabilities: [{ capabilityId: "view:shop.open", effect: "local-state" }] });
  const states = components.flatMap(({ capabilities }) => capabilities).map(({ name, state, reason }) => [name, state, reason]);
  assert.deepEqual(states, [
    ["open", "available", undefined], ["pay", "unavailable", "It is empty"], ["hide", "hidden", "never hides it"], ["close", "disabled", "Not now"],
  ]);
  const [shop, cart] = components;
  assert.equal(cart?.parent, "shop default");
  assert.equal(shop?.capabilities[0]?.entry.effect, "local-state");
  assert.equal(shop?.capabilities[0]?.view.title, "Öffnen");
  assert.equal(cart?.capabilities[1]?.view, undefined, "a snapshot has nothing of what is hidden");
  registry.dispose();
});

test("the rows of the tree: levels, positions, what is closed, what has a text", () => {
  const registry = world();
  const components = look(registry);
  const openness = new Openness();
  const names = (/** @type {any[]} */ rows) => rows.map(({ level, position, siblings, component, capability, policy }) =>
    `${level} ${position}/${siblings} ${policy?.name ?? capability?.name ?? component.type}`);
  assert.deepEqual(names(rowsOf(components, openness)), ["1 1/1 shop", "2 1/2 open", "2 2/2 shop.cart", "3 1/3 pay", "3 2/3 hide", "3 3/3 close"]);
  const hidden = components[1]?.capabilities[1]?.key ?? "";
  openness.turn(hidden);
  assert.deepEqual(names(rowsOf(components, openness)).slice(4), ["3 2/3 hide", "4 1/2 audit", "4 2/2 never", "3 3/3 close"]);
  openness.turn(components[0]?.key ?? "");
  assert.deepEqual(names(rowsOf(components, openness)), ["1 1/1 shop"]);
  assert.deepEqual(names(rowsOf(components, new Openness(), " öffnen")), ["1 1/1 shop", "2 1/1 open"]);
  assert.deepEqual(names(rowsOf(components, new Openness(), "disabled")), ["1 1/1 shop.cart", "2 1/1 close"]);
  assert.deepEqual(rowsOf(components, new Openness(), "nothing has this"), []);
  registry.dispose();
});

test("components that call each other their parent are shown all the same", () => {
  const component = (/** @type {string} */ type, /** @type {string} */ parent) => ({ key: type, type, instanceId: "default", description: "", parent: `${parent} default`, capabilities: [] });
  const rows = rowsOf([component("a", "b"), component("b", "a"), component("c", "c"), component("d", "gone")], new Openness());
  assert.deepEqual(rows.map(({ key, level }) => `${level} ${key}`), ["1 a", "1 b", "1 c", "1 d"]);
});

test("a large surface begins closed, and opens for a text", () => {
  const registry = registryOf(runtime);
  for (let i = 0; i < 201; i++) {
    registry.register({ ...saving(runtime, () => 1), type: `part${i}.form` });
  }
  const components = look(registry);
  assert.equal(rowsOf(components, new Openness()).length, 201);
  assert.equal(rowsOf(components, new Openness(), "part200.").length, 2);
  registry.dispose();
});

/** The log of a registry's calls, with a clock by hand. @param {any} registry */
function logOf(registry) {
  const clock = { now: 0 };
  const log = new CallLog(() => clock.now, () => 1_000 + clock.now);
  runtime.dev.watchCalls(registry, (/** @type {any} */ step) => log.add(step));
  return { log, clock };
}

test("the log has each call with its phases and what came of it", async () => {
  const registry = registryOf(runtime);
  const { log, clock } = logOf(registry);
  /** @type {any} */
  let done;
  registry.register(saving(runtime, () => new Promise((resolve) => (done = resolve))));
  clock.now = 5;
  const call = registry.invoke({ capabilityId: "view:app.form.save", input: { a: 1 } }, { consumer: { id: "me", kind: "test" } });
  const [entry] = log.calls;
  assert.equal(entry?.status, "running");
  assert.equal(phaseTimes(/** @type {any} */ (entry)).at(-1)?.ms, undefined);
  clock.now = 25;
  done({ saved: true });
  await call;
  assert.deepEqual([entry?.status, entry?.consumerId, entry?.input, entry?.effectiveInput, entry?.result, entry?.startedAt, entry?.ended], [
    "ok", "test:me", '{"a":1}', "", '{"saved":true}', 1_005, 25,
  ]);
  assert.deepEqual(phaseTimes(/** @type {any} */ (entry)).at(-1), { name: "execution", from: 0, ms: 20 });
  await registry.invoke({ capabilityId: "view:app.form.gone" });
  assert.deepEqual([log.calls[1]?.status, log.calls[1]?.code], ["error", "CAPABILITY_NOT_FOUND"]);
  const matching = (/** @type {string} */ text, onlyErrors = false) => log.calls.filter((one) => matchesCall(one, text, onlyErrors)).map(({ number }) => number);
  assert.deepEqual([matching(""), matching("test:me"), matching("not_found"), matching("", true)], [[1, 2], [1], [2], [2]]);
  registry.dispose();
});

/** A call of nothing, as steps. @param {CallLog} log @param {string} invocationId @param {any} input */
function callIn(log, invocationId, input) {
  const common = { invocationId, capabilityId: "view:a.b", consumerId: "test:me" };
  log.add({ ...common, phase: "resolution", request: { input } });
  log.add(/** @type {any} */ ({ ...common, phase: "settlement", result: { status: "ok" } }));
}

test("the log is bounded in calls and in characters", () => {
  const log = new CallLog(() => 0, () => 0);
  for (let i = 0; i < MOST_CALLS + 501; i++) {
    callIn(log, `${i}`, 1);
  }
  assert.deepEqual([log.calls.length, log.dropped, log.calls[0]?.invocationId], [MOST_CALLS, 501, "501"]);
  const large = new CallLog(() => 0, () => 0);
  for (let i = 0; i < 1500; i++) {
    callIn(large, `${i}`, "x".repeat(100_000));
  }
  assert.ok(large.calls.length < 1001 && large.calls.length > 900, `${large.calls.length} calls`);
  assert.match(large.calls[0]?.input ?? "", /… \(100002 characters\)$/);
  log.clear();
  assert.deepEqual([log.calls.length, log.dropped], [0, 0]);
});

test("what was dropped takes no room any more", () => {
  const log = new CallLog(() => 0, () => 0);
  const common = { capabilityId: "view:a.b", consumerId: "test:me" };
  const late = Array.from({ length: 600 }, (_, i) => ({ ...common, invocationId: `late ${i}` }));
  late.forEach((call) => void log.add({ ...call, phase: "resolution", request: { input: "x".repeat(10_000) } }));
  for (let i = 0; i < 50_000; i++) {
    const call = { ...common, invocationId: `${i}` };
    log.add({ ...call, phase: "resolution", request: { input: "x".repeat(300) } });
    log.add(/** @type {any} */ ({ ...call, phase: "settlement", effectiveInput: "x".repeat(300), result: { status: "ok", output: "x".repeat(300) } }));
  }
  late.forEach((call) => void log.add(/** @type {any} */ ({ ...call, phase: "settlement", result: { status: "ok", output: "x".repeat(19_000) } })));
  for (let i = 0; i < 900; i++) {
    callIn(log, `large ${i}`, "x".repeat(10_000));
  }
  assert.ok(log.calls.length >= MOST_CALLS, `${log.calls.length} calls`);
});

const ORDER = {
  type: "object", required: ["sku", "address"], additionalProperties: false, $defs: { size: { enum: ["s", "m", 3, null] } },
  properties: {
    sku: { type: "string", maxLength: 4, description: "The article" }, count: { type: "integer", default: 2 }, size: { $ref: "#/$defs/size" }, gift: { type: "boolean" },
    address: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    billing: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    notes: { type: "array", items: { type: "string" } }, fixed: { const: "only" }, either: { anyOf: [{ type: "string" }, { type: "null" }] },
  },
};

test("a form asks for each member of a schema in its own way", () => {
  const field = fieldOf(ORDER);
  assert.deepEqual(field.members.map(({ name, required, field: { kind, initial } }) => `${name}${required ? "*" : ""} ${kind} ${initial}`), [
    "sku* text ", "count number 2", "size choice ", "gift boolean ", "address* object ", "billing object ", "notes json ", "fixed choice 0", "either json ",
  ]);
  assert.equal(field.members[0]?.field.hint, "string, length ≤ 4 · The article");
  assert.equal(fieldOf({ type: "object" }).kind, "json", "an object of any members");
  assert.equal(fieldOf({ $ref: "#" }).kind, "json", "a reference to itself");
  assert.equal(fieldOf(undefined).kind, "json");
  const endless = fieldOf({ type: "object", properties: { inner: { $ref: "#" } } });
  assert.ok(JSON.stringify(endless).length < 2000);
  const names = Array.from({ length: 60 }, (_, i) => `m${i}`);
  const bushy = fieldOf({ type: "object", properties: Object.fromEntries(names.map((name) => [name, { $ref: "#" }])) });
  assert.ok(JSON.stringify(bushy).split('"kind"').length <= 302, "as many members as a person can look at");
  assert.deepEqual(bushy.members.map(({ name }) => name), names);
  for (const $ref of ["#/%zz", "#/toString", "#/a/b/c", "#a"]) {
    assert.equal(fieldOf({ type: "object", properties: { a: { $ref } } }).members[0]?.field.kind, $ref === "#a" ? "object" : "json", $ref);
  }
  assert.equal(fieldOf({ properties: { a: { $ref: "#/$defs/x%2Fy~1z" } }, type: "object", $defs: { x: { "y/z": { type: "boolean" } } } }).members[0]?.field.kind, "boolean");
});

test("what is entered becomes the input; what is empty is left out", () => {
  const field = fieldOf(ORDER);
  const made = (/** @type {any} */ entered) => inputOf(field, entered);
  assert.deepEqual(made({ sku: "tea", count: "3", size: "2", gift: "true", address: { city: "Ulm" }, notes: '["a"]', fixed: "0" }), {
    value: { sku: "tea", count: 3, size: 3, gift: true, address: { city: "Ulm" }, notes: ["a"], fixed: "only" }, issues: [],
  });
  assert.deepEqual(made({}), { value: { sku: "", address: { city: "" } }, issues: [] });
  assert.deepEqual(made({ billing: { city: "" } }).value, { sku: "", address: { city: "" } });
  assert.deepEqual(made({ count: "many", notes: "[", size: "3" }).issues.map((issue) => issue.split(":")[0]), ["count is not a number", "notes is not JSON"]);
  assert.deepEqual(inputOf(fieldOf({ type: "object", properties: { n: { type: "number" } }, required: ["n"] }), { n: "" }).issues, ["n is missing"]);
  assert.deepEqual(Object.keys(/** @type {any} */ (inputOf(fieldOf(JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}')), Object.fromEntries([["__proto__", "x"]])).value)), ["__proto__"]);
});

/** A shop that keeps a count. @param {any} [more] */
function counting(more) {
  let count = 0;
  const registry = registryOf(runtime);
  registry.register({
    type: "shop.cart", description: "The cart", instanceId: "main",
    actions: {
      add: { description: "Adds", effect: "local-state", input: runtime.fromJsonSchema({ type: "object" }), execute: ({ n = 1 }) => ({ rows: (count += n + (more?.extra ?? 0)), at: more?.at ?? 1 }) },
      clear: { description: "Clears", effect: "local-state", confirmation: "required", input: runtime.fromJsonSchema({ type: "object" }), execute: () => ({ rows: (count = 0) }) },
    },
  });
  return registry;
}

const ADD = "view:shop.cart.add";
const CLEAR = "view:shop.cart.clear";
const consumer = { kind: "webmcp", id: "agent" };

/** Calls, a confirmation that was approved and one that was denied, as they were recorded. */
async function recorded() {
  const registry = counting();
  const recorder = new Recorder(() => "main");
  runtime.dev.watchCalls(registry, (/** @type {any} */ step) => recorder.add(step));
  const call = (/** @type {string} */ capabilityId, /** @type {any} */ more) => registry.invoke({ capabilityId, ...more }, { consumer });
  await call(ADD, { input: { n: 9 } });
  recorder.start("2026-01-01T00:00:00.000Z");
  await call(ADD, { input: { n: 1 }, registrationId: registry.snapshot().components[0].registrationId });
  for (const approved of [true, false]) {
    const { error } = await call(CLEAR, { input: { approved } });
    registry.confirmations.resolve(error.details.confirmationId, { approved });
    await call(CLEAR, { input: { approved }, confirmationId: error.details.confirmationId });
  }
  await call("view:shop.cart.gone", { input: {} });
  recorder.stop();
  await call(ADD, {});
  registry.dispose();
  return JSON.parse(JSON.stringify(recorder.recording()));
}

test("a recording has the calls, what came of them, and which confirmation each came with", async () => {
  const { format, recordedAt, calls } = await recorded();
  assert.deepEqual([format, recordedAt], ["pagewarden-recording/1", "2026-01-01T00:00:00.000Z"]);
  assert.deepEqual(calls[0], { capabilityId: ADD, consumer, instanceId: "main", input: { n: 1 }, result: { status: "ok", output: { rows: 10, at: 1 } } });
  assert.deepEqual(calls.slice(1).map((/** @type {any} */ call) => [call.confirmationOf, call.result.error ?? call.result.output]), [
    [undefined, { code: "CONFIRMATION_REQUIRED" }], [1, { rows: 0 }], [undefined, { code: "CONFIRMATION_REQUIRED" }], [3, { code: "CONFIRMATION_INVALID", reason: "denied" }],
    [undefined, { code: "CAPABILITY_NOT_FOUND" }],
  ]);
});

/** Replays with the decisions of the recording, as a test makes them. @param {any} registry @param {any} recording @param {any} [more] */
const replay = (registry, recording, more) => replayRecording(registry, recording, {
  decide: (/** @type {any} */ { confirmationId }, /** @type {string} */ outcome) => registry.confirmations.resolve(confirmationId, { approved: outcome === "approved" }), ...more,
});

test("a recording replays on the same surface, and tells what is different on another", async () => {
  const recording = await recorded();
  const same = counting();
  await same.invoke({ capabilityId: ADD, input: { n: 9 } });
  const { ok, calls } = await replay(same, recording);
  assert.deepEqual([ok, calls.length, calls.flatMap((/** @type {any} */ call) => call.differences)], [true, 6, []]);

  const other = runtime.createTestSurface({ registry: counting({ extra: 1, at: 7 }) });
  const told = [];
  const again = await replayRecording(other, recording, {
    decide: (/** @type {any} */ { confirmationId }) => other.confirmations.deny(confirmationId), onCall: (/** @type {any} */ call) => told.push(call.index),
    ignore: (/** @type {any} */ { path }) => path === "output.at",
  });
  assert.equal(again.ok, false);
  assert.deepEqual(again.calls[0].differences, [{ path: "output.rows", expected: 10, actual: 2 }]);
  assert.deepEqual(again.calls[2].differences.map((/** @type {any} */ { path }) => path), ["status", "output", "error"]);
  assert.deepEqual(again.calls.map((/** @type {any} */ call) => call.ok), [false, true, false, true, true, true]);
  assert.equal(told.length, 6);
  other.dispose();
});

test("without a decision, replaying waits for whoever decides, and approves nothing", async () => {
  const recording = await recorded();
  const registry = counting();
  const asked = new Promise((resolve) => registry.subscribe((/** @type {any} */ event) => event.type === "confirmation-requested" && resolve(event.confirmationId)));
  const replayed = replayRecording(registry, { ...recording, calls: recording.calls.slice(1, 3).map((/** @type {any} */ call) => ({ ...call, ...(call.confirmationOf === 1 && { confirmationOf: 0 }) })) });
  const id = await asked;
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(registry.confirmations.pending().map((/** @type {any} */ one) => one.confirmationId), [id]);
  registry.confirmations.forceExpire(id);
  assert.deepEqual((await replayed).calls[1].result.error.details.reason, "expired");
  registry.dispose();
});

test("what is no recording is refused by name", async () => {
  const registry = counting();
  const call = { capabilityId: ADD, consumer, result: { status: "ok" } };
  for (const [recording, words] of /** @type {[any, RegExp][]} */ ([
    [undefined, /format pagewarden-recording\/1/], [{ format: "other", calls: [] }, /format/], [{ format: "pagewarden-recording/1", calls: [{}] }, /calls\[0\] must have/],
    [{ format: "pagewarden-recording/1", calls: [{ ...call, confirmationOf: 0 }] }, /calls\[0\]\.confirmationOf/],
  ])) {
    await assert.rejects(replayRecording(registry, recording), (/** @type {any} */ error) => error instanceof TypeError && words.test(error.message));
  }
  await assert.rejects(replayRecording({}, { format: "pagewarden-recording/1", calls: [] }), /a registry or a test surface/);
  registry.dispose();
});

const guide = readFileSync(new URL("../../docs/inspector.md", import.meta.url), "utf8");

/** What the guide's test is about: a cart with the capabilities that its recording calls. */
const CART = `export function cart(runtime) {
  let rows = 0;
  const action = (more) => ({ description: "Changes the cart", effect: "local-state", input: runtime.fromJsonSchema({ type: "object" }), ...more });
  return {
    type: "cart", description: "The cart",
    actions: { add: action({ execute: () => ({ rows: ++rows, savedAt: Date.now() }) }), clear: action({ confirmation: "required", execute: () => { rows = 0; } }) },
  };
}
`;

test("the recording and the test of docs/inspector.md", (t) => {
  const [, recording = ""] = /```json\n([\s\S]*?)```/.exec(guide) ?? [];
  const [, program = ""] = /<!-- inspector-replay -->\n```js\n([\s\S]*?)```/.exec(guide) ?? [];
  const dir = mkdtempSync(join(tmpdir(), "pagewarden-replay-"));
  t.after(() => rmSync(dir, { recursive: true }));
  mkdirSync(join(dir, "node_modules"));
  cpSync(fileURLToPath(new URL("../../dist/", import.meta.url)), join(dir, "node_modules", "pagewarden"), { recursive: true });
  for (const [name, text] of [["cart.js", CART], ["recording.json", recording], ["replay.test.js", program], ["package.json", '{ "type": "module" }']]) {
    writeFileSync(join(dir, `${name}`), `${text}`);
  }
  const replayed = () => spawnSync(process.execPath, ["replay.test.js"], { cwd: dir, encoding: "utf8", env: { ...process.env, NODE_TEST_CONTEXT: "" } });
  const same = replayed();
  assert.equal(same.status, 0, same.stdout + same.stderr);
  writeFileSync(join(dir, "recording.json"), recording.replace('"rows": 1', '"rows": 2'));
  const different = replayed();
  assert.equal(different.status, 1);
  assert.match(different.stdout, /output\.rows/);
});
