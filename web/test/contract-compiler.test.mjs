// @ts-check
/** The compiler and the runtime see the same declarations: what pagewarden contract snapshot reads of a module is admitted when the module runs. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { built, script } from "./harness.js";

const root = fileURLToPath(new URL("../../", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "pagewarden-contract-"));
after(() => rmSync(folder, { recursive: true }));

/** Every way of writing a constant, with what the two sides could write in two ways: numbers, texts, order, absence. */
const SOURCE = `
import * as pw from ${JSON.stringify(built("pagewarden.mjs").href)};
import texts from "./texts.json" with { type: "json" };
const { fromJsonSchema, observationContract: observation } = pw;
const NUMBERS = { minimum: -0.5, maximum: 1e21, multipleOf: 0.1, enum: [9007199254740993, 0x10, 1_000, 5e-7, -0] };
const BASE = Object.freeze({ tags: ["x", "x"], effect: "local-state", title: undefined });
export const lamp = pw.defineAgentComponentContract({
  type: "lamp", description: texts.lamp, meta: { a: [1, { b: null }] }, priority: 3, tags: [...BASE.tags, "y"], policies: [],
  observations: { state: observation({ output: fromJsonSchema({ type: ["string", "null"], "maxLength": 1e2, description: "\\u2028\\u0007\\u{1F600}" }), description: "s", untrustedContent: true }) },
  actions: { turn: pw.actionContract({ ...BASE, description: \`Turn
it\\tü 😀\`, confirmation: "required", audit: "full", ["timeoutMs"]: 500, input: fromJsonSchema({ properties: { n: NUMBERS, __proto__x: {}, "1": {} }, type: "object", title: undefined }) }) },
});
export const disable = pw.defineAgentProcedureContract({ id: "domain:lamp.off", description: "d", effect: "destructive", input: fromJsonSchema({ type: "object", properties: { ids: { type: "array" } } }),
  boundFields: [{ path: "ids", locked: true }] });
export const clock = pw.defineExternalAgentToolContract({ id: "external:clock", description: "The time", effect: "read", input: pw.emptyObjectSchema });
`;

test("what the compiler reads is what the runtime admits", async () => {
  writeFileSync(join(folder, "main.mjs"), SOURCE);
  writeFileSync(join(folder, "texts.json"), JSON.stringify({ lamp: "A lamp, \u00e9 and e\u0301" }));
  writeFileSync(join(folder, "pagewarden.json"), JSON.stringify({ entries: ["main.mjs"] }));
  const command = join(folder, "pagewarden");
  execFileSync("go", ["build", "-o", command, "./cmd/pagewarden"], { cwd: root });
  execFileSync(command, ["contract", "snapshot"], { cwd: folder });
  const manifest = JSON.parse(readFileSync(join(folder, ".pagewarden", "contract.json"), "utf8"));
  assert.deepEqual(manifest.capabilities.map((/** @type {any} */ { capabilityId }) => capabilityId), ["domain:lamp.off", "external:clock", "view:lamp.state", "view:lamp.turn"]);

  const { load, module } = await script();
  const runtime = await load({ wasm: module, contract: `sha256-${manifest.hash}` });
  const authority = runtime.createCapabilityAuthority(manifest);
  const registry = runtime.createAgentSurfaceRegistry({ authority, environment: "test", audit: { record() {} } });
  const { lamp, disable, clock } = await import(pathToFileURL(join(folder, "main.mjs")).href);
  const handle = registry.register(lamp.bind({
    observations: { state: { read: () => "on" } }, actions: { turn: { execute: () => "on" } }, procedures: [disable.bind({ bind: () => ({ ids: [] }) })],
  }));
  assert.equal(handle.status, "active");
  const [tool] = runtime.createAgentExposureGateway(authority, { environment: "test" }).expose([clock.bind({ execute: () => "noon" })]);
  assert.equal(tool.execute({}), "noon");
});
