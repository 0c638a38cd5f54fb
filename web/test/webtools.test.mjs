// @ts-check
/** pagewarden-webtools.js where there is no page: definitions, calls, results and errors. e2e/webtools has the rest. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import * as valibot from "../../tools/node/node_modules/valibot/dist/index.mjs";
import { z } from "../../tools/node/node_modules/zod/index.js";
import { built, mustBeFrozenData, registryOf, script, thrownBy, until } from "./harness.js";
import { clearCart, complaints, errorOf, freshScript, gate, toolsOf } from "./tools.js";

const { load, module } = await script();
const runtime = await load({ wasm: module });
const webtools = await toolsOf(runtime);
const { defineWebTool, toModelContextTool, createCallTracker, toToolResult, toolError, WebToolError, WebToolInputError, ConfirmationUnavailableError } = webtools;
const declared = readFileSync(new URL("../pagewarden-webtools.d.ts", import.meta.url), "utf8");

const quantity = { type: "object", properties: { quantity: { type: "integer", minimum: 1 } }, required: ["quantity"], additionalProperties: false };

/** Adapts a tool and calls it. @param {any} definition @param {any} [args] @param {any} [options] @param {any} [adapting] */
const callOf = (definition, args, options, adapting) => toModelContextTool(defineWebTool(clearCart(definition)), adapting).execute(args, options);

test("the script has what is declared, and nothing else", () => {
  const names = [...declared.matchAll(/^export (?:declare )?(?:function|const|class) (\w+)/gm)].map((found) => found[1]);
  assert.deepEqual(Object.keys(webtools).sort(), names.sort());
});

test("the types that are published are those that are checked", () => {
  assert.equal(readFileSync(built("pagewarden-webtools.d.ts"), "utf8"), declared);
});

test("without a runtime it says what is missing, until it is connected", async () => {
  const fresh = await freshScript();
  for (const call of [() => fresh.defineWebTool(clearCart()), () => fresh.toToolResult(1), () => fresh.toolError("a", "b")]) {
    assert.match(thrownBy(call).message, /load pagewarden\.js before it, or call connect/);
  }
  for (const wrong of [undefined, {}, Object.create(runtime), "runtime"]) {
    assert.throws(() => fresh.connect(wrong), { name: "TypeError", message: /a runtime of pagewarden/ });
  }
  fresh.connect(runtime);
  fresh.connect(runtime);
  fresh.defineWebTool(clearCart());
  const other = await load({ wasm: module });
  assert.throws(() => fresh.connect(other), /connected to another runtime/);
});

test("where the page has a runtime it is connected by itself", async (t) => {
  const ready = gate();
  /** @type {any} */ (globalThis).PageWarden = { ready: ready.promise };
  t.after(() => delete (/** @type {any} */ (globalThis).PageWarden));
  const coming = freshScript();
  ready.open(runtime);
  (await coming).defineWebTool(clearCart());
});

test("where the page's runtime fails, it waits to be connected", async (t) => {
  /** @type {any} */ (globalThis).PageWarden = { ready: Promise.reject(new Error("no wasm")) };
  t.after(() => delete (/** @type {any} */ (globalThis).PageWarden));
  const fresh = await freshScript();
  assert.throws(() => fresh.toToolResult(1), /no runtime yet/);
  fresh.connect(runtime);
  assert.deepEqual(fresh.toToolResult("a"), { content: [{ type: "text", text: "a" }] });
});

// Definitions.

for (const [what, more, code, wants] of /** @type {[string, any, string, RegExp][]} */ ([
  ["no id", { id: undefined }, "INVALID_ID", /id: a tool's id is 1 to 121 of A-Z a-z 0-9 _ \. -/],
  ["an id with a space", { id: "clear cart" }, "INVALID_ID", /1 to 121/],
  ["an id that is too long", { id: "a".repeat(122) }, "INVALID_ID", /1 to 121/],
  ["an id that is no text", { id: 5 }, "INVALID_DEFINITION", /id must be a string/],
  ["no description", { description: undefined }, "INVALID_DEFINITION", /description/],
  ["too long a description", { description: "a".repeat(301) }, "LIMIT_EXCEEDED", /300/],
  ["too long a title", { title: "a".repeat(101) }, "LIMIT_EXCEEDED", /title/],
  ["nothing to execute", { execute: "clear" }, "INVALID_DEFINITION", /execute must be a function/],
  ["a fill that is no function", { fill: {} }, "INVALID_DEFINITION", /fill must be a function/],
  ["a control that is none", { control: 5 }, "INVALID_DEFINITION", /control must be an element/],
  ["fields that are none", { fields: "#a" }, "INVALID_DEFINITION", /fields must be an object/],
  ["a field that is none", { fields: { a: 5 } }, "INVALID_DEFINITION", /fields\.a must be/],
  ["a confirmation that is no flag", { requireConfirmation: "yes" }, "INVALID_DEFINITION", /requireConfirmation/],
  ["a flag that is none", { destructive: "yes" }, "INVALID_DEFINITION", /destructive must be true or false/],
  ["reading that destroys", { readOnly: true, destructive: true }, "INVALID_DEFINITION", /not read-only/],
  ["reading that reaches out", { readOnly: true, external: true }, "INVALID_DEFINITION", /not read-only/],
  ["hints that are no object", { annotations: [] }, "INVALID_DEFINITION", /annotations: must be an object/],
  ["hints that are no JSON", { annotations: { a: () => {} } }, "INVALID_DEFINITION", /annotations\.a/],
  ["a negative time limit", { timeoutMs: -1 }, "INVALID_DEFINITION", /timeoutMs/],
  ["a schema outside of the subset", { input: { type: "object", oneOf: [] } }, "UNSUPPORTED_SCHEMA", /oneOf/],
  ["a result schema outside of the subset", { outputSchema: { oneOf: [] } }, "UNSUPPORTED_SCHEMA", /oneOf/],
  ["a member that there is not", { confirm: true }, "INVALID_DEFINITION", /confirm is no member/],
])) {
  test(`a definition with ${what} is refused`, () => {
    const error = thrownBy(() => defineWebTool(clearCart(more)));
    assert.equal(error.name, "AgentSurfaceDefinitionError", error.message);
    assert.equal(error.code, code);
    assert.match(error.message, wants);
  });
}

test("what is no definition, or no schema, is a TypeError", () => {
  for (const wrong of [undefined, null, "clear"]) {
    assert.throws(() => defineWebTool(wrong), { name: "TypeError", message: /needs a definition/ });
  }
  assert.throws(() => defineWebTool(clearCart({ input: "schema" })), { name: "TypeError", message: /input must be a schema/ });
  const bare = valibot.object({ a: valibot.string() });
  assert.throws(() => defineWebTool(clearCart({ input: bare })), { name: "TypeError", message: /without a JSON Schema of its own: use fromStandardSchema/ });
});

test("a tool is frozen, and its hints follow from its flags", () => {
  const execute = () => 1;
  const tool = defineWebTool(clearCart({
    title: "Clear cart", destructive: true, repeatable: false, safeResponse: false, annotations: { own: [1], destructiveHint: false, idempotentHint: true, readOnlyHint: false }, execute,
  }));
  assert.ok(Object.isFrozen(tool));
  assert.deepEqual(Object.keys(tool), ["id", "title", "description", "jsonSchema", "annotations", "parse", "execute", "run"]);
  assert.equal(tool.execute, execute);
  assert.deepEqual(tool.annotations, { own: [1], readOnlyHint: false, destructiveHint: true, idempotentHint: false, untrustedContentHint: true, consequentialHint: true });
  assert.deepEqual(tool.jsonSchema, { type: "object", properties: {}, additionalProperties: false });
  mustBeFrozenData(tool.annotations);
  mustBeFrozenData(tool.jsonSchema);
});

test("a definition is read once, and later changes of it change nothing", async () => {
  let reads = 0;
  const definition = {
    ...clearCart(), fields: { a: "#a" },
    get title() {
      reads++;
      return "Clear cart";
    },
  };
  const tool = defineWebTool(definition);
  assert.equal(reads, 1);
  definition.execute = () => "changed";
  assert.deepEqual(await toModelContextTool(tool).execute({}), { content: [{ type: "text", text: "The cart is empty." }] });
});

test("each kind of schema is taken", async () => {
  const given = {
    raw: quantity,
    "a schema object": runtime.fromJsonSchema(quantity),
    zod: z.object({ quantity: z.number().int().min(1) }),
    "valibot, with its JSON Schema": runtime.fromStandardSchema(valibot.object({ quantity: valibot.pipe(valibot.number(), valibot.integer(), valibot.minValue(1)) }), { jsonSchema: quantity }),
  };
  for (const [name, input] of Object.entries(given)) {
    const tool = defineWebTool(clearCart({ input, execute: (/** @type {any} */ value) => value }));
    assert.equal(tool.jsonSchema.properties.quantity.type, "integer", name);
    assert.deepEqual(tool.parse({ quantity: 2 }), { quantity: 2 }, name);
    assert.deepEqual(tool.parse('{"quantity":2}'), { quantity: 2 }, name);
    const error = thrownBy(() => tool.parse({ quantity: 0 }));
    assert.ok(error instanceof WebToolInputError, name);
    assert.match(error.message, /^The input is not valid: quantity: /, name);
    assert.equal(error.issues[0].path, "quantity", name);
    assert.deepEqual((await toModelContextTool(tool).execute({ quantity: 2 })).structuredContent, { quantity: 2 }, name);
    const refused = errorOf(await toModelContextTool(tool).execute({ quantity: 0 }));
    assert.equal(refused.code, "invalid_input", name);
    assert.match(refused.message, /quantity/, name);
  }
});

test("what a schema makes of the input is what execute gets", async () => {
  const input = z.object({ sku: z.string().trim(), count: z.number().default(1) });
  assert.deepEqual((await callOf({ input, execute: (/** @type {any} */ value) => value }, { sku: " tea " })).structuredContent, { sku: "tea", count: 1 });
});

// run.

test("run parses, executes, and outside of production checks the result", async () => {
  const tool = defineWebTool(clearCart({ input: quantity, outputSchema: { type: "object", properties: { left: { type: "integer" } } }, execute: (/** @type {any} */ { quantity: n }, /** @type {any} */ c) => ({ left: n === 1 ? 0 : "many", context: c.context, source: c.source, aborted: c.signal.aborted, unfilled: c.unfilled }) }));
  assert.deepEqual(await tool.run({ quantity: 1 }, { context: 7 }), { left: 0, context: 7, source: "webmcp", aborted: false, unfilled: [] });
  await assert.rejects(tool.run({ quantity: 2 }), /clear_cart: the result does not fit outputSchema: left: /);
  await assert.rejects(tool.run({ quantity: 0 }), WebToolInputError);
  await assert.rejects(tool.run("{"), WebToolInputError);
  assert.deepEqual(JSON.parse((await toModelContextTool(tool).execute({ quantity: 2 })).content[0].text).left, "many", "the adapter does not look");
});

// Calls.

test("a tool for the browser is what the browser needs of it", () => {
  const tool = defineWebTool(clearCart({ title: "Clear cart", readOnly: true }));
  const adapted = toModelContextTool(tool);
  assert.deepEqual(Object.keys(adapted), ["name", "description", "inputSchema", "annotations", "execute", "title"]);
  assert.equal(adapted.name, "clear_cart");
  assert.deepEqual(adapted.inputSchema, tool.jsonSchema);
  adapted.inputSchema.properties.$defs = {}; // as a host does that notes there what it has compiled
  assert.notDeepEqual(adapted.inputSchema, tool.jsonSchema);
  assert.deepEqual(toModelContextTool(tool).inputSchema, tool.jsonSchema);
  assert.equal(adapted.annotations, tool.annotations);
  assert.equal("title" in toModelContextTool(defineWebTool(clearCart())), false);
  assert.throws(() => toModelContextTool({ ...tool }), { name: "TypeError", message: /defineWebTool made/ });
  assert.throws(() => toModelContextTool(tool, { calls: "all" }), { name: "TypeError", message: /options\.calls must be an object/ });
  assert.throws(() => toModelContextTool(tool, { signal: 5 }), { name: "TypeError", message: /options\.signal is no option: there are context, calls and registry/ });
});

for (const [what, args] of /** @type {[string, any][]} */ ([["nothing", undefined], ["null", null], ["an object", {}], ["text of one", "{}"], ["text of null", "null"]])) {
  test(`${what} is no input`, async () => {
    assert.deepEqual(await callOf({ execute: (/** @type {any} */ input) => input }, args), { content: [{ type: "text", text: "{}" }], structuredContent: {} });
  });
}

for (const [what, args] of /** @type {[string, any][]} */ ([
  ["text that is no JSON", "{"], ["text of a list", "[]"], ["a list", []], ["a number", 5], ["a function", () => {}], ["what is not known", { a: 1 }], ["a lone surrogate", { "\ud800": 1 }],
])) {
  test(`${what} is invalid_input, and nothing ran`, async () => {
    let ran = 0;
    const result = await callOf({ execute: () => ran++, fill: () => ran++ }, args);
    assert.equal(errorOf(result).code, "invalid_input");
    assert.equal(ran, 0);
  });
}

for (const [what, value, want] of /** @type {[string, any, any][]} */ ([
  ["a text", "done", { content: [{ type: "text", text: "done" }] }],
  ["nothing", undefined, { content: [] }],
  ["null", null, { content: [{ type: "text", text: "null" }] }],
  ["an object", { n: 1, gone: undefined }, { content: [{ type: "text", text: '{"n":1}' }], structuredContent: { n: 1 } }],
  ["a list", [1], { content: [{ type: "text", text: "[1]" }] }],
  ["an MCP result", { content: [{ type: "text", text: "a" }], isError: true }, { content: [{ type: "text", text: "a" }], isError: true }],
])) {
  test(`the result of ${what}`, async () => {
    for (const result of [await callOf({ execute: () => value }), await callOf({ execute: async () => value }), toToolResult(value)]) {
      assert.deepEqual(result, want);
      mustBeFrozenData(result);
    }
  });
}

const cyclic = /** @type {any} */ ({});
cyclic.self = cyclic;
for (const [what, value] of /** @type {[string, any][]} */ ([
  ["a function", () => {}], ["a cycle", cyclic], ["not a number", NaN], ["a big integer", 1n], ["a symbol", Symbol("a")], ["an object of a class", new Map()], ["a malformed MCP result", { content: [{ type: "text" }] }],
])) {
  test(`${what} is no result: failed`, async () => {
    assert.equal(errorOf(toToolResult(value)).code, "failed");
    assert.equal(errorOf(await callOf({ execute: () => value })).code, "failed");
  });
}

test("toolError is readable", () => {
  const result = toolError("sold_out", "There is none left.");
  assert.deepEqual(errorOf(result), { code: "sold_out", message: "There is none left." });
  mustBeFrozenData(result);
});

for (const [what, error, want] of /** @type {[string, any, any][]} */ ([
  ["an error of its own", new WebToolError("sold_out", "There is none left."), { code: "sold_out", message: "There is none left." }],
  ["an input error", new WebToolInputError("There is no such size."), { code: "invalid_input" }],
  ["no control", new ConfirmationUnavailableError("The dialog is closed."), { code: "unavailable", message: "The dialog is closed." }],
  ["a copy of the class", Object.assign(new Error("From a copy."), { name: "WebToolError", code: "copied" }), { code: "copied", message: "From a copy." }],
  ["a typed error", new runtime.AgentSurfaceError({ code: "NOT_AUTHENTICATED", message: "Sign in.", retry: "no" }), { code: "NOT_AUTHENTICATED", message: "Sign in.", retry: "no" }],
  ["any other error", new Error("the secret"), { code: "failed" }],
  ["what is no error", "the secret", { code: "failed" }],
])) {
  for (const where of ["execute", "fill"]) {
    test(`${what} thrown by ${where}`, async () => {
      const throwing = { [where]: () => { throw error; } };
      const rejecting = { [where]: () => Promise.reject(error) };
      for (const definition of [throwing, rejecting]) {
        const got = errorOf(await callOf(definition));
        assert.deepEqual({ ...got, ...(want.message === undefined && { message: undefined }) }, { message: undefined, ...want });
        assert.doesNotMatch(got.message, /secret/);
      }
    });
  }
}

test("the error classes are what they say", () => {
  const error = new WebToolError("sold_out", "There is none left.");
  assert.ok(error instanceof Error);
  assert.deepEqual([error.name, error.code, error.message], ["WebToolError", "sold_out", "There is none left."]);
  assert.ok(new WebToolInputError("a") instanceof WebToolError);
  assert.equal(new WebToolInputError("a", [{ path: "b", message: "c" }]).issues.length, 1);
  assert.equal(new ConfirmationUnavailableError("a").code, "unavailable");
});

test("execute is told of the call, and the context is read once, when it runs", async () => {
  let reads = 0;
  const filling = gate();
  const seen = /** @type {any[]} */ ([]);
  const tool = toModelContextTool(defineWebTool(clearCart({ fill: () => filling.promise, execute: (/** @type {any} */ _, /** @type {any} */ c) => void seen.push(c) })), { context: () => ({ read: ++reads }) });
  const call = tool.execute({});
  await until(() => reads === 0, "the call to wait");
  filling.open();
  await call;
  assert.equal(reads, 1);
  assert.deepEqual(Object.keys(seen[0]), ["signal", "source", "context", "unfilled", "reasons"]);
  assert.deepEqual([seen[0].source, seen[0].context, seen[0].unfilled], ["webmcp", { read: 1 }, []]);
  assert.equal(seen[0].signal.aborted, false);
  await tool.execute({});
  assert.deepEqual(seen[1].context, { read: 2 });
});

test("a context that throws has failed, without a word of it", async () => {
  assert.equal(errorOf(await callOf({}, {}, undefined, { context: () => { throw new Error("secret"); } })).code, "failed");
});

test("an abort is no result", async () => {
  const controller = new AbortController();
  const started = gate();
  const call = callOf({ execute: (/** @type {any} */ _, /** @type {any} */ { signal }) => new Promise((resolve, reject) => { signal.addEventListener("abort", () => reject(new Error("gone"))); started.open(); }) }, {}, { signal: controller.signal });
  await started.promise;
  controller.abort();
  await assert.rejects(call, { name: "AbortError" });
  await assert.rejects(callOf({}, {}, { signal: controller.signal }), { name: "AbortError" });
});

test("the caller's own AbortError is what comes back", async () => {
  const controller = new AbortController();
  const reason = new DOMException("the agent has changed its mind", "AbortError");
  controller.abort(reason);
  await assert.rejects(callOf({}, {}, { signal: controller.signal }), (error) => error === reason);
  const other = new AbortController();
  other.abort(new Error("for another reason"));
  await assert.rejects(callOf({}, {}, { signal: other.signal }), { name: "AbortError" });
});

test("an AbortError of the tool's own is rethrown", async () => {
  const error = new DOMException("given up", "AbortError");
  for (const where of ["execute", "fill"]) {
    await assert.rejects(callOf({ [where]: () => Promise.reject(error) }), (caught) => caught === error);
  }
});

test("an abort during validation means that the work never starts", async () => {
  const controller = new AbortController();
  let ran = 0;
  const input = { jsonSchema: { type: "object" }, parse: (/** @type {any} */ value) => { controller.abort(); return value; } };
  await assert.rejects(callOf({ input, fill: () => ran++, execute: () => ran++ }, {}, { signal: controller.signal }), { name: "AbortError" });
  assert.equal(ran, 0);
});

test("a result that is there before the abort is the result", async () => {
  const controller = new AbortController();
  assert.deepEqual(await callOf({ execute: () => { controller.abort(); return "done"; } }, {}, { signal: controller.signal }).catch((/** @type {any} */ error) => error.name), "AbortError");
});

test("fill comes before execute, is told what was not filled, and can fail the call", async () => {
  const steps = /** @type {any[]} */ ([]);
  const definition = { input: quantity, fill: (/** @type {any} */ input, /** @type {any} */ c) => void steps.push(["fill", input, Object.keys(c), c.unfilled, { ...c.reasons }]), execute: (/** @type {any} */ input, /** @type {any} */ c) => void steps.push(["execute", input, c.unfilled, { ...c.reasons }]) };
  await callOf(definition, { quantity: 1 });
  assert.deepEqual(steps, [
    ["fill", { quantity: 1 }, ["signal", "fields", "unfilled", "reasons"], ["quantity"], { quantity: "missing" }],
    ["execute", { quantity: 1 }, ["quantity"], { quantity: "missing" }],
  ]);
});

test("a tool that needs a person, where there is no page, is unavailable", async () => {
  let ran = 0;
  const got = errorOf(await callOf({ requireConfirmation: true, fill: () => ran++, execute: () => ran++ }));
  assert.equal(got.code, "unavailable");
  assert.equal(ran, 0);
});

test("a tool has a time limit only if it gives one", async () => {
  const got = errorOf(await callOf({ timeoutMs: 5, execute: () => new Promise(() => {}) }));
  assert.equal(got.code, "TIMEOUT");
  assert.equal(got.retry, "no");
  assert.equal(got.details.timeoutMs, 5);
});

test("calls are counted from their start to their end", async () => {
  const calls = createCallTracker();
  const first = gate();
  const adapted = toModelContextTool(defineWebTool(clearCart({ execute: () => first.promise })), { calls });
  assert.equal(calls.active, 0);
  await calls.idle();
  const call = adapted.execute({});
  assert.equal(calls.active, 1);
  let idle = false;
  const ended = calls.idle().then(() => { idle = true; });
  const failing = calls.track(Promise.reject(new Error("its own")));
  await assert.rejects(failing);
  assert.equal(idle, false);
  first.open("done");
  await call;
  await ended;
  assert.equal(calls.active, 0);
});

// Registries.

test("in the page's registry the tool is a procedure, under its policies", async () => {
  const seen = /** @type {any[]} */ ([]);
  const watching = { name: "watching", onInvoke: async (/** @type {any} */ c, /** @type {any} */ next) => { seen.push([c.capabilityId, c.effect, c.consumer, c.effectiveInput]); return next(); } };
  const registry = registryOf(runtime, { policies: [watching] });
  const tool = defineWebTool(clearCart({ title: "Clear", input: quantity, destructive: true, execute: () => "done" }));
  const adapted = toModelContextTool(tool, { registry });
  const { procedures, components } = registry.snapshot();
  assert.deepEqual(components, []);
  assert.deepEqual(procedures.map((/** @type {any} */ p) => [p.procedureId, p.effect, p.confirmation, p.description]), [["domain:clear_cart", "destructive", "optional", tool.description]]);
  assert.deepEqual(await adapted.execute({ quantity: 1 }), { content: [{ type: "text", text: "done" }] });
  assert.deepEqual(seen, [["domain:clear_cart", "destructive", { id: "web-tools", kind: "webmcp" }, { quantity: 1 }]]);
  const direct = await registry.invoke({ capabilityId: "domain:clear_cart", input: { quantity: 1 } });
  assert.deepEqual([direct.status, direct.output], ["ok", "done"]);
  registry.dispose();
});

test("a refused call fills in nothing", async () => {
  let moved = 0;
  const refusing = { name: "no", onInvoke: () => { throw new runtime.AgentSurfaceError({ code: "NOT_AUTHORIZED", message: "No.", retry: "no", details: { origin: "client", code: "other" } }); } };
  const registry = registryOf(runtime, { policies: [refusing] });
  const got = errorOf(await callOf({ fill: () => moved++, execute: () => moved++ }, {}, undefined, { registry }));
  assert.deepEqual(got, { code: "NOT_AUTHORIZED", message: "No.", retry: "no", details: { origin: "client", code: "other" } });
  assert.equal(moved, 0);
  registry.dispose();
});

test("a policy can still ask for a person, and then the host's own UI decides", async () => {
  const registry = registryOf(runtime, { policies: [runtime.requireConfirmation()] });
  let filled = 0;
  const adapted = toModelContextTool(defineWebTool(clearCart({ fill: () => filled++, execute: () => "done" })), { registry });
  for (const [approved, want] of /** @type {[boolean, string][]} */ ([[true, "done"], [false, "denied"]])) {
    const call = adapted.execute({});
    await until(() => registry.confirmations.pending().length === 1, "the question");
    const { confirmationId, decidedBy } = registry.confirmations.pending()[0];
    assert.equal(decidedBy, undefined);
    registry.confirmations.resolve(confirmationId, { approved });
    const result = await call;
    assert.equal(approved ? result.content[0].text : errorOf(result).code, want);
  }
  assert.equal(filled, 2, "the retry does not fill in again");
  const call = adapted.execute({});
  await until(() => registry.confirmations.pending().length === 1, "the question");
  registry.confirmations.forceExpire(registry.confirmations.pending()[0].confirmationId);
  assert.equal(errorOf(await call).code, "expired");
  registry.dispose();
});

test("who gives up while a person is asked gets an AbortError, and the question goes", async () => {
  const registry = registryOf(runtime, { policies: [runtime.requireConfirmation()] });
  const controller = new AbortController();
  const call = callOf({}, {}, { signal: controller.signal }, { registry });
  await until(() => registry.confirmations.pending().length === 1, "the question");
  controller.abort();
  await assert.rejects(call, { name: "AbortError" });
  assert.equal(registry.confirmations.pending().length, 0);
  registry.dispose();
});

test("two definitions of one id, and two copies of the script, do not get into each other's way", async () => {
  const other = await toolsOf(runtime);
  const first = toModelContextTool(defineWebTool(clearCart({ execute: () => "first" })));
  const second = toModelContextTool(defineWebTool(clearCart({ execute: () => "second" })));
  const third = other.toModelContextTool(other.defineWebTool(clearCart({ execute: () => "third" })));
  for (const [tool, want] of [[first, "first"], [second, "second"], [third, "third"]]) {
    assert.equal((await tool.execute({})).content[0].text, want);
  }
});

test("a registry that refuses is said", () => {
  const registry = registryOf(runtime, { onRegister: () => "reject" });
  assert.throws(() => toModelContextTool(defineWebTool(clearCart()), { registry }), /refused the tool clear_cart: guard/);
  registry.dispose();
});

test("after the registry is gone a call rejects", async () => {
  const registry = registryOf(runtime);
  const adapted = toModelContextTool(defineWebTool(clearCart()), { registry });
  registry.dispose();
  await assert.rejects(adapted.execute({}), /disposed/);
});

test("nothing is left of calls and tools that are over", async () => {
  const before = runtime.dev.tables();
  const registry = registryOf(runtime);
  for (let i = 0; i < 5; i++) {
    await callOf({ execute: () => i }, {}, undefined, { registry });
    await callOf({ execute: () => { throw new WebToolError("a", "b"); } }, {}, undefined, { registry });
  }
  registry.dispose();
  assert.deepEqual(runtime.dev.tables(), before);
});

test("developers are told of a failure, and of an answer of the tool's own not", async () => {
  complaints.length = 0;
  await callOf({ execute: () => { throw new Error("the secret"); } });
  await callOf({ execute: () => { throw new WebToolError("a", "b"); } });
  await assert.rejects(callOf({ execute: () => { throw new DOMException("given up", "AbortError"); } }));
  assert.deepEqual(complaints, ["pagewarden: the tool clear_cart failed Error: the secret"]);
});

test("pagewarden-cursor.js has what is declared, and says what it needs", async () => {
  const types = readFileSync(new URL("../pagewarden-cursor.d.ts", import.meta.url), "utf8");
  assert.equal(readFileSync(built("pagewarden-cursor.d.ts"), "utf8"), types);
  const cursor = await import(`data:text/javascript,${encodeURIComponent(readFileSync(built("pagewarden-cursor.js"), "utf8"))}`);
  assert.deepEqual(Object.keys(cursor), [...types.matchAll(/^export (?:function|const) (\w+)/gm)].map((found) => found[1]));
  assert.throws(() => cursor.mountAgentCursor(), { name: "TypeError", message: "mountAgentCursor needs a page with a document" });
});
