// @ts-check
/** A process of Node lives as long as somebody waits for the runtime, and no longer. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { test } from "node:test";
import { built } from "./harness.js";

/** Every script begins with this: a registry with one action, and its call. */
const BEGIN = `
import { readFileSync } from "node:fs";
import { load } from ${JSON.stringify(built("pagewarden.mjs").href)};
const runtime = await load({ wasm: await WebAssembly.compile(readFileSync(new URL(${JSON.stringify(built("pagewarden.wasm").href)}))) });
const registry = runtime.createAgentSurfaceRegistry({
  authority: runtime.createOpenAuthority(), environment: "test", audit: { record() {} }, limits: { confirmationTtlMs: 300 },
});
const input = runtime.fromJsonSchema({});
const act = (execute, more) => ({ description: "Acts", effect: "local-state", input, execute, ...more });
registry.register({
  type: "app.form", description: "A form",
  actions: { now: act(() => 1), soon: act(() => new Promise((done) => setTimeout(done, 20))), never: act(() => new Promise(() => {})), asks: act(() => 1, { confirmation: "required" }) },
});
const call = async (name, options) => {
  const result = await registry.invoke({ capabilityId: "view:app.form." + name, input: {} }, options);
  return result.error ?? { code: result.status };
};
const say = ({ code }) => console.log(code);
`;

/**
 * Runs a script in a process of its own.
 * @param {string} script
 * @returns {Promise<{ said: string[], lingered: number, code: number | null }>} what it printed, and how many milliseconds it lived after that
 */
function run(script) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["--input-type=module", "-e", BEGIN + script], { stdio: ["ignore", "pipe", "inherit"] });
    let said = "";
    let last = performance.now();
    child.stdout.on("data", (text) => {
      said += text;
      last = performance.now();
    });
    child.on("error", reject);
    child.on("exit", (code) => resolve({ said: said.trim().split("\n"), lingered: performance.now() - last, code }));
  });
}

for (const [what, script, ...said] of [
  ["a call that ended at once", `say(await call("now"));`, "ok"],
  ["a call that ended later", `say(await call("soon"));`, "ok"],
  ["a question that nobody waits for", `say(await call("asks"));`, "CONFIRMATION_REQUIRED"],
  ["the end of the registry", `say(await call("now")); registry.dispose();`, "ok"],
  ["the call of a tool", `
    const tools = [];
    runtime.createWebMcpAdapter({ modelContext: { registerTool: (tool) => void tools.push(tool) } }).start({ registry, consumer: { id: "a", kind: "webmcp" } });
    await tools.find(({ name }) => name.endsWith("soon")).execute({});
    say({ code: "told" });`, "told"],
]) {
  test(`after ${what} the process ends`, async () => {
    const ended = await run(/** @type {string} */ (script));
    assert.deepEqual([ended.said, ended.code], [said, 0]);
    assert.ok(ended.lingered < 2000, `it lived on for ${ended.lingered} ms`);
  });
}

test("who waits for a time limit gets its answer, also after calls for which nobody had to wait", async () => {
  const { said, code } = await run(`
    say(await call("now"));
    await new Promise((done) => setTimeout(done, 50));
    say(await call("never", { timeoutMs: 300 }));
    const { details } = await call("asks");
    say({ code: await registry.confirmations.waitFor(details.confirmationId) });
  `);
  assert.deepEqual([said, code], [["ok", "TIMEOUT", "expired"], 0]);
});
