// @ts-check
/** What a dead runtime leaves of the optional scripts (boundary.md, Death): no tool with the browser, and an answer to every call. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { brief, capabilitiesOf, rename } from "./capabilities.js";
import { FATAL } from "./faults.js";
import { registryOf, script, thrownBy, turn } from "./harness.js";
import { ModelContext, clearCart, gate, toolsOf } from "./tools.js";

const { load, module } = await script("faults/");
const STYLES = /** @type {const} */ (["by-name", "by-signal", "whole-set"]);

/** Ends a runtime. @param {any} runtime */
async function kill(runtime) {
  assert.equal(thrownBy(() => runtime.dev.fault(FATAL, 0)).payload.details.reason, "runtime-lost");
  await turn();
}

for (const style of STYLES) {
  test(`${style}: capabilities are withdrawn, and one that the browser has kept says what happened`, async () => {
    const runtime = await load({ wasm: module });
    const { defineAgentCapability, registerWebMcpTools } = await capabilitiesOf(runtime);
    const context = new ModelContext(style);
    const { promise } = gate();
    const capabilities = ["a", "b"].map((name) => defineAgentCapability(rename({ name, execute: () => promise })));
    const report = await registerWebMcpTools(capabilities, context.object, { registry: registryOf(runtime) });
    const tool = context.tools.get("a");
    const pending = tool.execute({ name: "x" });
    await kill(runtime);
    assert.deepEqual(context.names, []);
    assert.equal(brief(await pending), "failed execution_failed@execute -execute");
    assert.equal(brief(await tool.execute({ name: "x" })), "failed execution_failed@execute -execute");
    report.cleanup();
  });

  test(`${style}: a web tool is withdrawn, and can be unregistered all the same`, async () => {
    const runtime = await load({ wasm: module });
    const { defineWebTool, registerWebTool } = await toolsOf(runtime);
    const context = new ModelContext(style);
    const handle = registerWebTool(defineWebTool(clearCart()), { modelContext: context.object });
    const tool = context.tools.get("clear_cart");
    await kill(runtime);
    assert.deepEqual([context.names, handle.registered], [[], false]);
    await assert.rejects(tool.execute({}), (/** @type {any} */ error) => error.payload.details.reason === "runtime-lost");
    await handle.unregister();
    await turn();
  });
}

test("a registration that the browser has not answered ends with the runtime, and its late answer brings nothing back", async () => {
  const runtime = await load({ wasm: module });
  const { defineAgentCapability, registerWebMcpTools } = await capabilitiesOf(runtime);
  const context = new ModelContext("by-signal", { promises: true });
  const registering = registerWebMcpTools([defineAgentCapability(rename())], context.object, { registry: registryOf(runtime) });
  await kill(runtime);
  const { registered, failed } = await registering;
  assert.deepEqual([registered, failed], [[], [{ name: "device.rename", error: "the runtime has ended" }]]);
  context.waiting[0]?.resolve();
  await turn();
  assert.deepEqual(context.names, []);
});
