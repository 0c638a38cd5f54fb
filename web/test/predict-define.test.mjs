// @ts-check
/** pagewarden-predict.js: what it exports, how it gets its runtime, and what a definition may be. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { z } from "../../tools/node/node_modules/zod/index.js";
import { brief, capabilitiesOf, foreseen, freshScript, rename } from "./capabilities.js";
import { built, mustBeFrozenData, registryOf, script, thrownBy } from "./harness.js";
import { gate } from "./tools.js";

const { load, module } = await script();
const runtime = await load({ wasm: module });
const predict = await capabilitiesOf(runtime);
const { defineAgentCapability, toWebMcpTool, toMcpTool } = predict;
const declared = readFileSync(new URL("../pagewarden-predict.d.ts", import.meta.url), "utf8");

test("the script has what is declared, and nothing else", () => {
  const names = [...declared.matchAll(/^export (?:declare )?(?:function|const|class) (\w+)/gm)].map((found) => found[1]);
  assert.deepEqual(Object.keys(predict).sort(), [...new Set(names)].sort());
});

test("the types that are published are those that are checked", () => {
  assert.equal(readFileSync(built("pagewarden-predict.d.ts"), "utf8"), declared);
});

test("without a runtime it says what is missing, until it is connected", async () => {
  const fresh = await freshScript();
  for (const call of [() => fresh.defineAgentCapability(rename()), () => fresh.createPredictionStore({ state: 1, version: "1" })]) {
    assert.match(thrownBy(call).message, /load pagewarden\.js before it, or call connect/);
  }
  for (const wrong of [undefined, {}, Object.create(runtime), "runtime"]) {
    assert.throws(() => fresh.connect(wrong), { name: "TypeError", message: /a runtime of pagewarden/ });
  }
  fresh.connect(runtime);
  fresh.connect(runtime);
  fresh.defineAgentCapability(rename());
  const other = await load({ wasm: module });
  assert.throws(() => fresh.connect(other), /connected to another runtime/);
});

test("where the page has a runtime it is connected by itself", async (t) => {
  const ready = gate();
  /** @type {any} */ (globalThis).PageWarden = { ready: ready.promise };
  t.after(() => delete (/** @type {any} */ (globalThis).PageWarden));
  const coming = freshScript();
  ready.open(runtime);
  (await coming).defineAgentCapability(rename());
});

test("where the page's runtime fails, it waits to be connected", async (t) => {
  /** @type {any} */ (globalThis).PageWarden = { ready: Promise.reject(new Error("no wasm")) };
  t.after(() => delete (/** @type {any} */ (globalThis).PageWarden));
  const fresh = await freshScript();
  assert.throws(() => fresh.createPredictionStore({ state: 1, version: "1" }), /no runtime yet/);
});

for (const [what, more, code, wants] of /** @type {[string, any, string, RegExp][]} */ ([
  ["no name", { name: undefined }, "INVALID_ID", /name: want \[a-z\]/],
  ["a name that begins with a capital", { name: "Cart" }, "INVALID_ID", /name/],
  ["a name that is too long", { name: "a".repeat(122) }, "INVALID_ID", /name/],
  ["a name that is no text", { name: 5 }, "INVALID_DEFINITION", /name must be a string/],
  ["no description", { description: " " }, "INVALID_DEFINITION", /description: agents need one/],
  ["no input", { input: undefined }, "INVALID_DEFINITION", /input: a capability needs an input schema/],
  ["no output", { output: undefined }, "INVALID_DEFINITION", /output: a capability needs an output schema/],
  ["a schema outside of the subset", { input: { type: "object", oneOf: [] } }, "UNSUPPORTED_SCHEMA", /oneOf/],
  ["nothing to execute", { execute: "rename" }, "INVALID_DEFINITION", /execute: a capability needs an execute function/],
  ["predict without reconcile", { predict: () => {} }, "INVALID_DEFINITION", /predict and reconcile come together/],
  ["reconcile without predict", { reconcile: () => {} }, "INVALID_DEFINITION", /predict and reconcile come together/],
  ["a predict that is no function", { predict: {}, reconcile: () => {} }, "INVALID_DEFINITION", /predict: must be a function/],
  ["a scope that there is not", { scope: "planet" }, "INVALID_DEFINITION", /scope: want page, session or server/],
  ["a state path with a space", { writes: ["a b"] }, "INVALID_DEFINITION", /writes: a state path/],
  ["paths that are no list", { reads: "cart" }, "INVALID_DEFINITION", /reads must be an array of strings/],
  ["a reconciliation that there is not", { reconciliation: "hope" }, "INVALID_DEFINITION", /reconciliation: want/],
  ["a confirmation that there is not", { confirmation: "maybe" }, "INVALID_DEFINITION", /confirmation: want/],
  ["hints that are no JSON", { annotations: { a: () => {} } }, "INVALID_DEFINITION", /annotations\.a: must be JSON/],
  ["hints that are no object", { annotations: [] }, "INVALID_DEFINITION", /annotations: must be an object/],
  ["reading that destroys", { annotations: { readOnlyHint: true, destructiveHint: true } }, "INVALID_DEFINITION", /readOnlyHint/],
  ["a negative time limit", { timeoutMs: -1 }, "INVALID_DEFINITION", /timeoutMs/],
  ["a budget of nothing", { budget: { calls: 0, windowMs: 1 } }, "INVALID_DEFINITION", /budget: want/],
  ["a budget with more", { budget: { calls: 1, windowMs: 1, burst: 2 } }, "INVALID_DEFINITION", /budget\.burst is not an option/],
  ["idempotency without a key", { idempotency: {} }, "INVALID_DEFINITION", /idempotency\.key: want a function/],
  ["a store that cannot put", { idempotency: { key: String, store: { get: () => {} } } }, "INVALID_DEFINITION", /get and put/],
  ["a member that there is not", { confirm: true }, "INVALID_DEFINITION", /confirm is no member/],
])) {
  test(`a definition with ${what} is refused`, () => {
    const error = thrownBy(() => defineAgentCapability(rename(more)));
    assert.equal(error.name, "AgentSurfaceDefinitionError", error.message);
    assert.match(error.message, wants);
    assert.equal(error.code, code);
  });
}

test("what is no definition, or no schema, is a TypeError", () => {
  for (const wrong of [undefined, null, "rename"]) {
    assert.throws(() => defineAgentCapability(wrong), { name: "TypeError", message: /needs a definition/ });
  }
  assert.throws(() => defineAgentCapability(rename({ input: "schema" })), { name: "TypeError", message: /input must be a schema/ });
});

test("a capability is frozen, with its defaults filled in", () => {
  const { execute, ...definition } = foreseen({ reads: ["device", "owner", "device"] });
  const capability = defineAgentCapability({ ...definition, execute });
  assert.ok(Object.isFrozen(capability));
  assert.deepEqual(Object.keys(capability), ["tool", "surface", "predict", "reconcile"]);
  assert.equal(capability.predict, definition.predict);
  mustBeFrozenData(capability.tool);
  mustBeFrozenData(capability.surface);
  assert.deepEqual({ ...capability.tool, inputSchema: 0, outputSchema: 0 }, {
    name: "device.rename", description: "Renames the device", capability: "device.rename", inputSchema: 0, outputSchema: 0, annotations: {},
  });
  assert.deepEqual(capability.surface, { scope: "page", reads: ["device", "owner"], writes: ["device"], reconciliation: "manual" });
  assert.deepEqual(Object.keys(defineAgentCapability(rename())), ["tool", "surface"]);
});

test("schemas may be schema objects, and those of other libraries, which judge for themselves", async () => {
  const own = defineAgentCapability(rename({ input: runtime.fromJsonSchema({ type: "object", properties: { name: { const: "a" } } }) }));
  assert.equal(brief(await toWebMcpTool(own, { registry: registryOf(runtime) }).execute({ name: "b" })), "failed input_invalid@input +capability -input");
  let got;
  const input = z.object({ name: z.string().trim().refine((name) => name !== "taken") });
  const library = defineAgentCapability(rename({
    input,
    execute: (/** @type {any} */ value) => {
      got = value;
      return { version: "v2" };
    },
  }));
  const tool = toWebMcpTool(library, { registry: registryOf(runtime) });
  assert.equal((await tool.execute({ name: " new " })).outcome, "committed");
  assert.deepEqual(got, { name: "new" });
  assert.equal(brief(await tool.execute({ name: "taken" })), "failed input_invalid@input +capability -input");
});

test("functions are called on the author's object, with what they are to know", async () => {
  /** @type {any} */
  let told;
  const definition = {
    ...rename(), version: undefined,
    /** @this {any} @param {any} input @param {any} info */
    execute(input, info) {
      told = { self: this === definition, input, ...info, signal: info.signal instanceof AbortSignal, frozen: Object.isFrozen(info) };
      return { version: "v2" };
    },
  };
  delete definition.version;
  const consumer = { id: "someone", kind: "test", grants: ["more"] };
  const tool = toWebMcpTool(defineAgentCapability(definition), { consumer, capabilities: ["other"], registry: registryOf(runtime) });
  await tool.execute({ name: "a" }, { invocationId: "one" });
  assert.deepEqual(told, {
    self: true, input: { name: "a" }, invocationId: "one", signal: true, frozen: true, consumer: { id: "someone", kind: "test", grants: ["more", "other", "device.rename"] },
  });
});

test("two capabilities of one name do not come together in a registry", () => {
  const registry = registryOf(runtime);
  const [one, two] = [defineAgentCapability(rename()), defineAgentCapability(rename())];
  toWebMcpTool(one, { registry });
  toMcpTool(one.tool, { registry });
  const error = thrownBy(() => toWebMcpTool(two, { registry }));
  assert.equal(error.code, "DUPLICATE_CAPABILITY", error.message);
  registry.dispose();
  assert.match(thrownBy(() => toWebMcpTool(one, { registry })).message, /disposed/);
  toWebMcpTool(two, { registry: registryOf(runtime) });
});

test("what is no capability, and what is no option, is a TypeError", () => {
  const capability = defineAgentCapability(rename());
  for (const wrong of [undefined, {}, rename(), { ...capability }]) {
    assert.throws(() => toWebMcpTool(wrong), { name: "TypeError", message: /needs a capability that defineAgentCapability made/ });
    assert.throws(() => toMcpTool(wrong), { name: "TypeError" });
  }
  for (const [options, message] of /** @type {[any, RegExp][]} */ ([
    [{ dryrun: true }, /options\.dryrun is no option/], [{ authorize: true }, /options\.authorize must be a function/], [{ registry: 5 }, /options\.registry must be an object/],
    [{ registry: {} }, /createAgentSurfaceRegistry/], [{ resultMode: "all" }, /resultMode: want receipt or output/], [{ capabilities: "a" }, /capabilities must be an array of strings/],
    [{ store: {} }, /a store that createPredictionStore made/], [{ consumer: { id: "a", kind: "b" } }, /consumer/], [5, /options must be an object/],
    [{ waitTimeoutMs: -1 }, /waitTimeoutMs/],
  ])) {
    const error = thrownBy(() => toWebMcpTool(capability, options));
    assert.match(error.message, message);
    assert.equal(error.name, "TypeError");
  }
  for (const maxReceiptBytes of [0, 255, 65537]) {
    assert.throws(() => toWebMcpTool(capability, { maxReceiptBytes }), { name: "RangeError", message: /maxReceiptBytes: want 256 to 65536/ });
  }
});
