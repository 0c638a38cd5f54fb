// @ts-check
/** pagewarden.d.ts and the runtime have the same names. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { built, registryOf, saving, script } from "./harness.js";

const declared = readFileSync(new URL("../pagewarden.d.ts", import.meta.url), "utf8");
const { load, module } = await script();
const runtime = await load({ wasm: module });

/**
 * The members that an interface declares itself, in their order.
 * @param {string} name
 */
function membersOf(name) {
  const start = new RegExp(`^(?:export )?interface ${name}(?:<[^{]*>)?(?: extends [^{]*)? \\{$`, "m").exec(declared);
  assert.ok(start, `pagewarden.d.ts declares no interface ${name}`);
  const body = declared.slice(start.index + start[0].length, declared.indexOf("\n}", start.index));
  return [...body.matchAll(/^ {2}(?:readonly )?(\w+)\??[:(<]/gm)].map((found) => found[1]);
}

/** @param {object} value @param {string} name @param {string[]} [without] members that are not always there */
function mustMatch(value, name, without = []) {
  const want = membersOf(name).filter((member) => !without.includes(/** @type {string} */ (member)));
  assert.deepEqual(Object.keys(value).sort(), want.sort(), name);
}

test("the runtime has what is declared, and nothing else", () => mustMatch(runtime, "Runtime"));
test("so has its dev", () => mustMatch(runtime.dev, "DeveloperTools"));

test("so have the objects that it makes", () => {
  const registry = registryOf(runtime);
  mustMatch(registry, "AgentSurfaceRegistry");
  mustMatch(registry.confirmations, "Confirmations");
  const handle = registry.register(saving(runtime, () => 1));
  mustMatch(handle, "RegistrationHandle", ["reason"]);
  mustMatch(registry.register(saving(runtime, () => 1)), "RegistrationHandle");
  mustMatch(runtime.createWebMcpAdapter(), "WebMcpAdapter");
  mustMatch(runtime.createTestSurface({ registry }), "TestSurface");
  mustMatch(runtime.emptyObjectSchema, "AgentSchema");
  mustMatch(runtime.createOpenAuthority(), "CapabilityAuthority", ["hash"]);
  mustMatch(runtime.DEFAULT_LIMITS, "Limits");
  assert.deepEqual(Object.keys(runtime.memoryAuditSink()), ["record", "events"]);
  assert.deepEqual(Object.keys(runtime.consoleAuditSink()), ["record"]);
  const declaration = { type: "a.b", id: "domain:a", description: "A", effect: "server-query", input: runtime.emptyObjectSchema };
  mustMatch(runtime.defineAgentComponentContract(declaration), "ComponentContract");
  mustMatch(runtime.defineAgentProcedureContract(declaration), "ProcedureContract");
  mustMatch(runtime.defineAgentProcedureContract(declaration).bind(), "DeclaredProcedureBinding", ["contextLink"]);
  mustMatch(runtime.defineExternalAgentToolContract(declaration), "ExternalToolContract");
  mustMatch(runtime.defineExternalAgentToolContract(declaration).bind({ execute() {} }), "ExternalAgentTool");
  mustMatch(runtime.createAgentExposureGateway(runtime.createOpenAuthority(), { environment: "test" }), "AgentExposureGateway");
  registry.dispose();
});

test("so has the module, and the classic script its one global", async () => {
  const functions = [...declared.matchAll(/^export (?:function|const) (\w+)/gm)].map((found) => found[1]);
  assert.deepEqual(Object.keys(await import(built("pagewarden.mjs").href)), functions.sort());
  const before = Object.keys(globalThis);
  (0, eval)(readFileSync(built("pagewarden.js"), "utf8"));
  assert.deepEqual(Object.keys(globalThis).filter((name) => !before.includes(name)), ["PageWarden"]);
  mustMatch(/** @type {any} */ (globalThis).PageWarden, "PageWardenGlobal");
});

test("what may change with the browsers is marked as experimental", () => {
  for (const name of ["  createWebMcpAdapter", "export interface WebMcpAdapter ", "export interface WebMcpAdapterOptions", "export interface ModelContext"]) {
    const before = declared.slice(0, declared.indexOf(`\n${name}`)).trimEnd();
    assert.match(before.slice(before.lastIndexOf("/**")), /@experimental/, name);
  }
});

test("the codes are declared in their order", () => {
  const union = /export type AgentCapabilityErrorCode =([^;]*);/.exec(declared)?.[1] ?? "";
  assert.deepEqual([...union.matchAll(/"(\w+)"/g)].map((found) => found[1]), runtime.AGENT_CAPABILITY_ERROR_CODES);
});

test("the program of web/test/types uses each export", () => {
  const program = readFileSync(new URL("types/program.ts", import.meta.url), "utf8");
  for (const name of [...Object.keys(runtime), ...Object.keys(runtime.dev)]) {
    assert.match(program, new RegExp(`\\.${name}\\b`), name);
  }
});

test("everything is frozen", () => {
  for (const name of Object.keys(runtime)) {
    assert.ok(Object.isFrozen(runtime[name]) || typeof runtime[name] === "function", name);
  }
  assert.ok(Object.isFrozen(runtime));
});
