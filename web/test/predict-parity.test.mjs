// @ts-check
/** One capability, several ways to it: the same call gives the same verdict, receipt and audit. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { capabilitiesOf, rename } from "./capabilities.js";
import { Clock, registryOf, script } from "./harness.js";
import { ModelContext } from "./tools.js";

const { load, module } = await script();
const clock = new Clock();
const runtime = await load({ wasm: module, timers: clock.timers });
const { defineAgentCapability, registerWebMcpTools, toMcpTool, toWebMcpTool } = await capabilitiesOf(runtime);

const consumer = { id: "someone", kind: "test", grants: ["device.rename"] };

/** A registry with its audit, and a server's work. @param {any} [more] of the definition @param {any} [given] of the registry */
function stage(more, given) {
  /** @type {any[]} */
  const trail = [];
  const registry = registryOf(runtime, { audit: (/** @type {any} */ event) => trail.push(event), ...given });
  return { registry, capability: defineAgentCapability(rename(more)), trail };
}

/** What the audit says, without what tells one call from another. @param {any[]} trail */
const said = (trail) => trail.filter(({ invocationId }) => invocationId !== undefined).map((event) => {
  const { invocationId, registrationId, surfaceId, surfaceVersion, durationMs, eventId, timestamp, at, ...rest } = event;
  return rest;
});

/** The receipt without the times. @param {any} receipt */
const timeless = (receipt) => ({ ...receipt, evidence: receipt.evidence.map((/** @type {any} */ { stage, ok }) => ({ stage, ok })) });

/** Each way to a capability, and what it gives: the receipt where there is one, and the error of the pipeline where it is seen. @type {Record<string, (made: any, input: any) => Promise<any>>} */
const ways = {
  webmcp: async ({ registry, capability }, input) => {
    const context = new ModelContext("by-signal");
    await registerWebMcpTools([capability], context.object, { registry, consumer });
    return { receipt: await context.call("device.rename", input) };
  },
  tool: async ({ registry, capability }, input) => ({ receipt: await toWebMcpTool(capability, { registry, consumer }).execute(input) }),
  mcp: async ({ registry, capability }, input) => {
    const result = await toMcpTool(capability.tool, { registry, consumer }).handler(input);
    const { "pagewarden/receipt": receipt } = result._meta;
    assert.deepEqual(JSON.parse(result.content[0].text), result.isError ? receipt : receipt.output);
    assert.deepEqual(result.structuredContent, receipt.ok ? receipt.output : undefined);
    assert.equal(result.isError, receipt.ok ? undefined : true);
    return { receipt };
  },
  registry: async ({ registry, capability }, input) => {
    toWebMcpTool(capability, { registry });
    return { result: await registry.invoke({ capabilityId: "domain:device.rename", input }, { consumer }) };
  },
  toolset: async ({ registry, capability }, input) => {
    toWebMcpTool(capability, { registry });
    const [tool] = runtime.createAgentToolset(registry, { consumer, mode: "direct", topology: "remote" }).tools();
    return { result: await tool.execute(input) };
  },
};

/** @type {[string, any, any, any][]} */
const cases = [
  ["goes well", { name: "a" }, {}, {}],
  ["invalid input", { name: 5 }, {}, {}],
  ["a handler that fails", { name: "a" }, { execute: () => { throw new Error("no"); } }, {}],
  ["an output that does not fit", { name: "a" }, { execute: () => 5 }, {}],
  ["a policy that refuses", { name: "a" }, {}, { policies: [{ name: "no", onInvoke: () => {} }] }],
  ["a policy that hides", { name: "a" }, {}, { policies: [{ name: "hide", onDiscovery: () => ({ decision: "hide" }) }] }],
  ["a token that is not held", { name: "a" }, { capability: "admin" }, {}],
  ["a confirmation", { name: "a" }, { confirmation: "required" }, {}],
  ["an error of the server's", { name: "a" }, { execute: () => { throw new runtime.AgentSurfaceError({ code: "NOT_AUTHORIZED", message: "Not yours.", retry: "no" }); } }, {}],
];

for (const [name, input, more, given] of cases) {
  test(`${name}: the same by every way`, async () => {
    /** @type {Record<string, any>} */
    const receipts = {};
    /** @type {Record<string, any>} */
    const trails = {};
    /** @type {Record<string, any>} */
    const results = {};
    for (const [way, call] of Object.entries(ways)) {
      if (more.capability && (way === "webmcp" || way === "tool")) continue; // there the own token is held
      if ((given.policies?.[0].name === "hide" || more.capability) && way === "toolset") continue; // there is no tool to call
      const made = stage(more, given);
      const { receipt, result } = await call(made, structuredClone(input));
      trails[way] = said(made.trail);
      if (receipt) receipts[way] = timeless(receipt);
      if (result) results[way] = result;
      made.registry.dispose();
    }
    const [first] = Object.values(receipts);
    for (const [way, receipt] of Object.entries(receipts)) assert.deepEqual(receipt, first, way);
    for (const [way, trail] of Object.entries(trails)) assert.deepEqual(trail, trails["mcp"], way);
    for (const [way, result] of Object.entries(results)) {
      assert.equal(result.status === "ok", first.ok, way);
      assert.deepEqual(result.output, first.output, way);
    }
    assert.ok(trails["mcp"].length > 0 || name.includes("hides"), "the audit saw it");
  });
}
