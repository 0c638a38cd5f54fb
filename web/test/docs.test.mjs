// @ts-check
/** Runs the snippets of docs/ and of the skill, page by page and in their order, against the package that the build made; and the loop of examples/. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { registryOf, script } from "./harness.js";

const root = new URL("../../", import.meta.url);
/** A snippet with its arrows turned into checks: `expression; // → value`. @param {string} code */
function checked(code) {
  return code.replace(/^(?!const |let )(.*); \/\/ → (.*)$/gm, "__is(($1), ($2));");
}

/** A page, of docs/ unless it says where, and its snippets. @param {string} name */
function pageOf(name) {
  const text = readFileSync(new URL(name.includes("/") ? name : `docs/${name}`, root), "utf8");
  return { text, snippets: [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(([, language, code]) => ({ language, code: `${code}` })) };
}

/** How many snippets a page has that are run elsewhere: HTML and its scripts (javascript) by e2e, Go by its package's tests. @type {[string, Record<string, number>][]} */
const pages = [["javascript.md", { html: 1, javascript: 1 }], ["providers.md", {}], ["toolset.md", { go: 1 }], ["prediction.md", { go: 3 }], ["skills/pagewarden/SKILL.md", {}]];

for (const [name, elsewhere] of pages) {
  test(`${name}: every snippet is a page or runs below`, () => {
    const { text, snippets } = pageOf(name);
    /** @type {Record<string, number>} */
    const others = {};
    for (const { language = "" } of snippets) {
      if (language !== "js") others[language] = (others[language] ?? 0) + 1;
    }
    assert.deepEqual(others, elsewhere);
    const arrows = (text.match(/^.*; \/\/ → .*$/gm) ?? []).length;
    const checks = snippets.map(({ code }) => checked(code).split("__is(").length - 1).reduce((a, b) => a + b, 0);
    assert.equal(checks, arrows, "an arrow that nothing checks");
    assert.ok(arrows > 5);
  });

  test(`${name}: the snippets run in order and give what they say`, async (t) => {
    const { count } = await run(t, name);
    assert.ok(count > 5);
  });
}

/**
 * Runs the snippets of a page as one module, and gives what that exports.
 * @param {import("node:test").TestContext} t @param {string} name @param {string} [before] what the snippets find there already
 */
async function run(t, name, before = "") {
  const dir = mkdtempSync(join(tmpdir(), "pagewarden-docs-"));
  t.after(() => rmSync(dir, { recursive: true }));
  const modules = join(dir, "node_modules");
  mkdirSync(modules);
  cpSync(fileURLToPath(new URL("dist/", root)), join(modules, "pagewarden"), { recursive: true });
  symlinkSync(fileURLToPath(new URL("tools/node/node_modules/zod", root)), join(modules, "zod"));
  const code = pageOf(name).snippets.filter(({ language }) => language === "js").map((snippet) => checked(snippet.code));
  writeFileSync(join(dir, "page.mjs"), `
    import { deepEqual } from "node:assert/strict";
    ${before}
    let __count = 0;
    const __is = (actual, expected) => (__count++, deepEqual(actual, expected));
    ${code.join("\n")}
    export const count = __count;
  `);
  const { warn, debug } = console;
  Object.assign(console, { warn() {}, debug() {} });
  t.after(() => Object.assign(console, { warn, debug }));
  return import(pathToFileURL(join(dir, "page.mjs")).href);
}

test("providers.md: what the snippets make is what the formats take", async (t) => {
  const { messagesTools, functionTools, mcpTools } = await run(t, "providers.md");
  const { load, bytes } = await script();
  const runtime = await load({ wasm: bytes });
  const registry = registryOf(runtime);
  const long = `a${"b".repeat(90)}`;
  const input = runtime.fromJsonSchema({
    type: "object", properties: { list: { type: "array", items: { $ref: "#/$defs/one" } } }, required: ["list"], additionalProperties: false,
    $defs: { one: { type: "string", enum: ["é", "b"] } },
  });
  for (const instanceId of ["one", "two"]) {
    registry.register({
      type: `app.${long}`, instanceId, description: "One", observations: { look: { description: "Looks", output: runtime.fromJsonSchema({}), read: () => 1 } },
      actions: { go: { description: "Goes", effect: "local-state", input, execute: () => 1 }, stop: { description: "Stops", effect: "local-state", input: runtime.emptyObjectSchema, execute: () => 1 } },
    });
  }
  for (const mode of ["direct", "meta"]) {
    const tools = runtime.createAgentToolset(registry, { consumer: { id: mode, kind: "embedded" }, topology: "remote", mode }).tools();
    assert.equal(tools.length, mode === "meta" ? 3 : 6);
    const messages = messagesTools(tools);
    const functions = functionTools(tools);
    const listed = mcpTools(tools).tools;
    assert.equal(new Set(messages.map((/** @type {any} */ tool) => tool.name)).size, tools.length);
    for (const { name, description, input_schema: schema, ...rest } of messages) {
      assert.match(name, /^[a-zA-Z0-9_-]{1,64}$/);
      mustBeAnObjectSchema(schema);
      assert.ok(typeof description === "string" && description.length <= 1024);
      assert.deepEqual(rest, {});
    }
    for (const { type, function: { name, description, parameters, ...rest }, ...more } of functions) {
      assert.equal(type, "function");
      assert.match(name, /^[a-zA-Z0-9_-]{1,64}$/);
      assert.ok(description.length <= 1024);
      mustBeAnObjectSchema(parameters);
      assert.deepEqual([rest, more], [{}, {}]);
    }
    for (const { name, inputSchema } of listed) {
      assert.match(name, /^[A-Za-z0-9_.-]{1,128}$/);
      mustBeAnObjectSchema(inputSchema);
    }
    assert.deepEqual(JSON.parse(JSON.stringify([messages, functions, listed])), [messages, functions, listed]);
  }
  registry.dispose();
});

/** What all three formats want: an object at the top, with no alternatives there, and references within the schema. @param {any} schema */
function mustBeAnObjectSchema(schema) {
  assert.equal(schema.type, "object");
  for (const keyword of ["oneOf", "anyOf", "allOf", "not", "enum"]) {
    assert.ok(!(keyword in schema), `${keyword} at the top`);
  }
  const dialect = schema.$schema ?? "https://json-schema.org/draft/2020-12/schema";
  assert.equal(dialect, "https://json-schema.org/draft/2020-12/schema");
  for (const [, reference] of JSON.stringify(schema).matchAll(/"\$ref":"([^"]*)"/g)) {
    assert.match(`${reference}`, /^#/);
  }
}

test("examples/loop: what is unavailable, what is confirmed and what is lost, in both topologies", () => {
  const { stdout, status, stderr } = spawnSync(process.execPath, [fileURLToPath(new URL("examples/loop/main.mjs", root))], { encoding: "utf8" });
  assert.equal(status, 0, stderr);
  const [, embedded = "", remote = ""] = stdout.split(/^=== .*$/m);
  inOrder(embedded, [
    'model calls view_devices__filters__setFilters {"city":"Oslo","status":"offline"}', '  → {"matching":2}', '  ✗ {"code":"CAPABILITY_NOT_AVAILABLE"',
    '  → {"selected":2}', "  the person is asked: Disable 2 devices: Door sensor, Light switch.", "  the person approves", '  → {"disabled":2}',
    "model: Done: 2 devices are disabled.", "The server was written to 1 time(s).",
  ]);
  inOrder(remote, [
    '  ✗ {"code":"CONFIRMATION_REQUIRED"', "  the person is asked: Disable 1 device: Rain gauge.", "user: I have decided.", "  the answer was lost (connection reset)",
    '  → {"disabled":1}', "model: Done: 1 device is disabled.", "The server was written to 1 time(s)",
  ]);
});

/** Fails unless lines begin so, one after the other. @param {string} text @param {string[]} beginnings */
function inOrder(text, beginnings) {
  let rest = text.split("\n");
  for (const beginning of beginnings) {
    const at = rest.findIndex((line) => line.startsWith(beginning));
    assert.ok(at >= 0, `no line "${beginning}" in what is left:\n${rest.join("\n")}`);
    rest = rest.slice(at + 1);
  }
}

test("contract.md: the snippets run on a page that has what they mention", async (t) => {
  const before = `
    import { load } from "pagewarden";
    import { readFileSync } from "node:fs";
    const runtime = await load({ wasm: readFileSync(new URL(import.meta.resolve("pagewarden/pagewarden.wasm"))) });
    const { registry } = runtime.createTestSurface({ host: { user: "ada" } });
    const authority = runtime.createOpenAuthority({ allowInProduction: true });
    const selected = new Set(["dev-1"]), loaded = true, select = (ids) => ids.length, forecast = (city) => "Sun in " + city;
    export { disable, registry, tool };
  `;
  const { disable, registry, table, tool } = await run(t, "contract.md", before);
  assert.deepEqual((await registry.invoke({ capabilityId: "view:devices.table.selection" })).output, ["dev-1"]);
  assert.equal((await registry.invoke({ capabilityId: "view:devices.table.select", input: { ids: ["a", "b"] } })).output, 2);
  assert.deepEqual([table.type, disable.id, tool.name, tool.execute({ city: "Oslo" })], ["devices.table", "domain:devices.disable", "external_weather__today", "Sun in Oslo"]);
});
