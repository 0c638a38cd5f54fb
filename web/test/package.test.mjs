// @ts-check
/** The folder that the build makes is an npm package: packed, installed elsewhere, and imported in Node. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const dist = fileURLToPath(new URL("../../dist/", import.meta.url));
const compiler = fileURLToPath(new URL("../../tools/node/node_modules/typescript/bin/tsc", import.meta.url));

const PROGRAM = `
  import { readFile } from "node:fs/promises";
  import { load } from "pagewarden";
  const runtime = await load({ wasm: await readFile(new URL(import.meta.resolve("pagewarden/pagewarden.wasm"))) });
  console.log(runtime.encodeWireName("view:lamp.turn"));
`;

const TYPED = `
  import { load, type Runtime } from "pagewarden";
  export const runtime: Promise<Runtime> = load({ wasm: "/pagewarden.wasm" });
  export const parsed: Promise<{ a: string }> = runtime.then((r) =>
    r.fromJsonSchema({ type: "object", properties: { a: { type: "string" } }, required: ["a"] }).parse({}));
  import { mountConfirmationDialog, type MountedDialog } from "pagewarden/pagewarden-dialog.js";
  export const dialog: Promise<MountedDialog> = runtime.then((r) =>
    mountConfirmationDialog(r.createAgentSurfaceRegistry({ authority: r.createOpenAuthority() }), { labels: { deny: "No" } }));
  import { connect, defineWebTool, type WebTool } from "pagewarden/pagewarden-webtools.js";
  export const tool: Promise<WebTool> = runtime.then((r) => (connect(r), defineWebTool({ id: "a", description: "A", execute: () => 1 })));
  import { createPredictionStore, defineAgentCapability, type PredictionStore } from "pagewarden/pagewarden-predict.js";
  export const store: PredictionStore<{ items: string[] }> = createPredictionStore({ state: { items: [] as string[] }, version: "1" });
  export const name: string = defineAgentCapability({ name: "a", description: "A", input: {}, output: {}, execute: () => 1 }).tool.name;
`;

test("npm pack, npm install, import", (t) => {
  const dir = mkdtempSync(join(tmpdir(), "pagewarden-package-"));
  t.after(() => rmSync(dir, { recursive: true }));
  const npm = (/** @type {string[]} */ ...args) => execFileSync("npm", args, { cwd: dir, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  writeFileSync(join(dir, "package.json"), '{ "private": true, "type": "module" }');
  const packed = JSON.parse(npm("pack", "--json", dist))[0];
  const files = packed.files.map((/** @type {{ path: string }} */ file) => file.path).filter((/** @type {string} */ path) => !path.endsWith(".br"));
  assert.deepEqual(files.sort(), [
    "package.json", "pagewarden-cursor.d.ts", "pagewarden-cursor.js", "pagewarden-dialog.d.ts", "pagewarden-dialog.js", "pagewarden-inspector.d.ts", "pagewarden-inspector.js", "pagewarden-predict.d.ts", "pagewarden-predict.js", "pagewarden-webtools.d.ts", "pagewarden-webtools.js", "pagewarden-webtools.licenses.txt", "pagewarden.d.ts", "pagewarden.js", "pagewarden.mjs", "pagewarden.wasm",
  ]);
  npm("install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund", `./${packed.filename}`);
  writeFileSync(join(dir, "program.mjs"), PROGRAM);
  assert.equal(execFileSync(process.execPath, ["program.mjs"], { cwd: dir, encoding: "utf8" }), "view_lamp__turn\n");
  writeFileSync(join(dir, "typed.ts"), TYPED);
  for (const resolution of ["bundler", "nodenext"]) {
    const module = resolution === "nodenext" ? "nodenext" : "esnext";
    execFileSync(process.execPath, [
      compiler, "--noEmit", "--strict", "--target", "es2022", "--module", module, "--moduleResolution", resolution, "--lib", "es2022,dom", "--types", "", "typed.ts",
    ], { cwd: dir, encoding: "utf8" });
  }
});

test("the package promises what is there, and says how it is licensed", () => {
  const { exports, license, types } = JSON.parse(readFileSync(join(dist, "package.json"), "utf8"));
  const promised = [types, ...Object.values(exports).flatMap((target) => (typeof target === "string" ? [target] : Object.values(target)))];
  for (const file of promised) {
    assert.ok(existsSync(join(dist, file)), file);
  }
  assert.equal(Object.keys(exports["."])[0], "types");
  assert.equal(license, "MIT");
});
