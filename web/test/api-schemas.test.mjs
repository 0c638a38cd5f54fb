// @ts-check
/** Schema objects: of JSON Schemas, of Standard Schemas (zod and valibot), and with a parse of the page's own. */
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { SAVE, callOnce, mustBeFrozenData, registryOf, saving, script, thrownBy } from "./harness.js";

const { load, module } = await script();
const runtime = await load({ wasm: module });
const packages = createRequire(new URL("../../tools/node/package.json", import.meta.url));
const { z } = await import(pathToFileURL(packages.resolve("zod")).href);
const v = await import(pathToFileURL(packages.resolve("valibot")).href);

const ORDER = {
  type: "object",
  properties: { id: { type: "string", minLength: 2 }, rows: { type: "array", items: { type: "object", properties: { name: { type: "string" } }, required: ["name"] } } },
  required: ["id"],
  additionalProperties: false,
};

/** The issues of an exception of parse. @param {() => unknown} run */
function issuesOf(run) {
  const error = thrownBy(run);
  assert.ok(error instanceof runtime.AgentSchemaError, `${error}`);
  assert.equal(error.name, "AgentSchemaError");
  mustBeFrozenData(error.issues);
  return error.issues;
}

/** What a call of a component with this input schema comes to. @param {any} schema @param {any} input */
async function called(schema, input) {
  /** @type {any[]} */
  const seen = [];
  const result = await callOnce(runtime, (/** @type {any} */ given) => void seen.push(given), input, { input: schema });
  return { result, seen };
}

test("parse of a JSON Schema validates and gives a copy", () => {
  const schema = runtime.fromJsonSchema(ORDER);
  mustBeFrozenData(schema.jsonSchema);
  assert.ok(Object.isFrozen(schema));
  const value = { id: "ab", rows: [{ name: "x" }] };
  const parsed = schema.parse(value);
  assert.deepEqual(parsed, value);
  assert.notEqual(parsed, value);
  assert.deepEqual(issuesOf(() => schema.parse({ id: "a", rows: [{}], more: 1 })).map((/** @type {any} */ issue) => issue.path), ["id", "more", "rows[0].name"]);
});

test("parse refuses what is no JSON, and reads a getter once", () => {
  const schema = runtime.fromJsonSchema({});
  assert.deepEqual(issuesOf(() => schema.parse(undefined)), [{ path: "", message: "must be JSON, and is undefined" }]);
  assert.equal(issuesOf(() => schema.parse({ a: [() => 1] }))[0].path, "a[0]");
  assert.match(issuesOf(() => schema.parse({ get a() { throw new Error("mine"); } }))[0].message, /getter/);
  let reads = 0;
  const parsed = runtime.fromJsonSchema({ type: "object", properties: { a: { const: 1 } } }).parse({ get a() { return ++reads; } });
  assert.deepEqual([parsed, reads], [{ a: 1 }, 1]);
});

test("a document that is not supported is refused by name, at once", () => {
  for (const [document, want] of /** @type {[any, RegExp][]} */ ([
    [{ oneOf: [] }, /oneOf/], [{ type: "string", pattern: "(?=a)" }, /pattern/], [true, /object/], [{ minimum: "1" }, /minimum/],
  ])) {
    const error = thrownBy(() => runtime.fromJsonSchema(document));
    assert.equal(error.code, "UNSUPPORTED_SCHEMA");
    assert.match(error.message, want);
    const verdict = runtime.validateJsonSchemaDocument(document);
    assert.equal(verdict.ok, false);
    assert.match(verdict.reason, want);
  }
  assert.throws(() => runtime.fromJsonSchema(undefined), TypeError);
  assert.throws(() => runtime.fromJsonSchema({ const: () => 1 }), TypeError);
});

test("validateJsonSchemaDocument knows limits and what is no JSON", () => {
  assert.deepEqual(runtime.validateJsonSchemaDocument(ORDER), { ok: true });
  assert.equal(runtime.validateJsonSchemaDocument(ORDER, { maxSchemaDepth: 1 }).ok, false);
  assert.equal(runtime.validateJsonSchemaDocument(ORDER, { maxSchemaBytes: 10 }).ok, false);
  assert.throws(() => runtime.validateJsonSchemaDocument(ORDER, { maxSchemaDeep: 1 }), /no such limit/);
  assert.match(runtime.validateJsonSchemaDocument({ default: () => 1 }).reason, /default: must be JSON/);
  assert.match(runtime.validateJsonSchemaDocument(undefined).reason, /undefined/);
});

test("validateValueAgainstSchema resolves $ref in the root and writes paths below the given one", () => {
  const root = { $defs: { row: { type: "object", required: ["name"] }, other: { type: "string" } } };
  assert.deepEqual(runtime.validateValueAgainstSchema({}, { $ref: "#/$defs/row" }, root, "rows[2]").map((/** @type {any} */ issue) => issue.path), ["rows[2].name"]);
  assert.deepEqual(runtime.validateValueAgainstSchema({ name: 1 }, { $ref: "#/$defs/row" }, root), []);
  assert.deepEqual(runtime.validateValueAgainstSchema({ name: 1 }, { $ref: "#/$defs/row", ...root }), []);
  assert.equal(runtime.validateValueAgainstSchema({ a: Symbol("x") }, {}, undefined, "at")[0].path, "at.a");
  assert.equal(runtime.validateValueAgainstSchema(2 ** 60, {})[0].path, "");
  assert.throws(() => runtime.validateValueAgainstSchema({}, { $ref: "#/$defs/none" }), TypeError);
  assert.throws(() => runtime.validateValueAgainstSchema({}), /schema is required/);
});

const libraries = [
  {
    name: "zod",
    schema: z.object({ id: z.string().min(2), at: z.string().transform((/** @type {string} */ text) => text.length), rows: z.array(z.object({ name: z.string() })).optional() }),
    later: z.object({ id: z.string().refine(async () => true) }),
  },
  {
    name: "valibot",
    schema: v.object({ id: v.pipe(v.string(), v.minLength(2)), at: v.pipe(v.string(), v.transform((/** @type {string} */ text) => text.length)), rows: v.optional(v.array(v.object({ name: v.string() }))) }),
    later: v.objectAsync({ id: v.pipeAsync(v.string(), v.checkAsync(async () => true)) }),
  },
];

for (const { name, schema, later } of libraries) {
  const jsonSchema = { type: "object", properties: { id: { type: "string" }, at: { type: "string" } } };
  const standard = runtime.fromStandardSchema(schema, { jsonSchema });

  test(`${name}: its own check decides, and the handler gets what it parsed`, async () => {
    assert.deepEqual(standard.jsonSchema, jsonSchema);
    assert.deepEqual(standard.parse({ id: "ab", at: "noon", rows: [{ name: "x" }] }), { id: "ab", at: 4, rows: [{ name: "x" }] });
    const { result, seen } = await called(standard, { id: "ab", at: "noon" });
    assert.equal(result.status, "ok");
    assert.deepEqual(seen, [{ id: "ab", at: 4 }]);
  });

  test(`${name}: its issues have the paths that the runtime writes`, async () => {
    const paths = issuesOf(() => standard.parse({ id: "a", at: "x", rows: [{ name: "x" }, { name: 3 }] })).map((/** @type {any} */ issue) => issue.path);
    assert.deepEqual(paths.sort(), ["id", "rows[1].name"]);
    const { result, seen } = await called(standard, { id: 1, at: "x" });
    assert.equal(result.error.code, "INVALID_INPUT");
    assert.deepEqual(result.error.details.issues.map((/** @type {any} */ issue) => issue.path), ["id"]);
    assert.ok(result.error.details.issues[0].message.length > 0);
    assert.deepEqual(seen, []);
  });

  test(`${name}: an asynchronous check is an issue, not a hang`, async () => {
    const asynchronous = runtime.fromStandardSchema(later, { jsonSchema });
    const { result, seen } = await called(asynchronous, { id: "ab" });
    assert.equal(result.error.code, "INVALID_INPUT");
    assert.match(JSON.stringify(result.error.details), /asynchronous/);
    assert.deepEqual(seen, []);
  });
}

test("a Standard Schema of the page's own: odd issues, odd paths, no issues at all", () => {
  const of = (/** @type {any} */ result) => runtime.fromStandardSchema({ "~standard": { version: 1, vendor: "own", validate: () => result } }, { jsonSchema: {} });
  assert.equal(of({ value: 5 }).parse(1), 5);
  assert.deepEqual(issuesOf(() => of({ issues: [{ message: "m", path: ["a b", { key: 2 }, "__proto__"] }] }).parse(1)), [{ path: '["a b"][2].__proto__', message: "m" }]);
  assert.deepEqual(issuesOf(() => of({ issues: [{}] }).parse(1)), [{ path: "", message: "was refused" }]);
  assert.deepEqual(issuesOf(() => of({ issues: [] }).parse(1)), [{ path: "", message: "was refused" }]);
  assert.match(issuesOf(() => of(Promise.resolve({ value: 1 })).parse(1))[0].message, /asynchronous/);
  assert.match(issuesOf(() => of(undefined).parse(1))[0].message, /asynchronous/);
  assert.equal(issuesOf(() => of({ issues: Array.from({ length: 100 }, () => ({ message: "x" })) }).parse(1)).length, 20);
});

test("what is no Standard Schema, or comes without a JSON Schema, is refused", () => {
  assert.throws(() => runtime.fromStandardSchema({}, { jsonSchema: {} }), TypeError);
  assert.throws(() => runtime.fromStandardSchema(z.string()), TypeError);
  assert.throws(() => runtime.fromStandardSchema(z.string(), { jsonSchema: { not: {} } }), { code: "UNSUPPORTED_SCHEMA" });
});

test("a parse of the page's own: its value, its issues, its failures", async () => {
  const parsing = (/** @type {any} */ parse) => ({ jsonSchema: { type: "object" }, parse });
  const upper = await called(parsing((/** @type {any} */ value) => ({ name: value.name.toUpperCase() })), { name: "x" });
  assert.deepEqual(upper.seen, [{ name: "X" }]);
  const refused = await called(parsing(() => { throw new runtime.AgentSchemaError([{ path: "name", message: "is taken" }]); }), { name: "x" });
  assert.deepEqual(refused.result.error.details.issues, [{ path: "name", message: "is taken" }]);
  for (const parse of [() => { throw new Error("secret"); }, () => { throw undefined; }, () => Promise.resolve({}), () => () => 1, () => { throw { get issues() { throw 1; } }; }]) {
    const { result, seen } = await called(parsing(parse), {});
    assert.equal(result.error.code, "INVALID_INPUT", `${parse}`);
    assert.doesNotMatch(JSON.stringify(result), /secret/);
    assert.deepEqual(seen, []);
  }
});

test("what was parsed is what the person confirms and what the handler gets", async () => {
  const registry = registryOf(runtime);
  /** @type {any[]} */
  const seen = [];
  let round = 0;
  registry.register(saving(runtime, (/** @type {any} */ given) => void seen.push(given), {
    confirmation: "required", input: { jsonSchema: {}, parse: () => ({ round: ++round }) },
  }));
  const asked = await registry.invoke({ capabilityId: SAVE, input: {}, invocationId: "one" });
  const [pending] = registry.confirmations.pending();
  assert.deepEqual(pending.input, { round });
  registry.confirmations.resolve(pending.confirmationId, { approved: true });
  const retried = await registry.invoke({ capabilityId: SAVE, input: {}, invocationId: "one", confirmationId: asked.error.details.confirmationId });
  if (retried.status === "ok") {
    assert.deepEqual(seen, [pending.input]);
  } else {
    assert.equal(retried.error.details.reason, "mismatch");
    assert.deepEqual(seen, []);
  }
  registry.dispose();
});

test("emptyObjectSchema takes an empty object only", async () => {
  assert.deepEqual(runtime.emptyObjectSchema.parse({}), {});
  assert.equal(issuesOf(() => runtime.emptyObjectSchema.parse({ a: 1 }))[0].path, "a");
});
