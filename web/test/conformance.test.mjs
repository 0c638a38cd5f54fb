// @ts-check
/** The checks of adaptertest through runAdapterConformance: our adapters pass, and a broken one is told what is wrong. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Clock, script, told, until } from "./harness.js";

const { load, module } = await script();
const clock = new Clock();
const runtime = await load({ wasm: module, timers: clock.timers });
const before = runtime.dev.tables();

/** An answer as the checks read it. @param {any} result */
const answer = (result) => (result.status === "ok" ? { output: result.output } : { error: result.error });

/** A toolset as a subject. @param {object} options @param {(adapter: any) => void} [spoil] */
const toolset = (options, spoil) => () => {
  /** @type {any} */
  let made;
  const adapter = {
    start: (/** @type {any} */ { registry, consumer, scope }) => { made = runtime.createAgentToolset(registry, { consumer, scope, ...options }); },
    tools: () => {
      try {
        const names = made.wireNameMap();
        return made.tools().map((/** @type {any} */ tool) => ({ ...tool, capabilityId: names.get(tool.name) ?? made.wireNameMap().get(tool.name) }));
      } catch {
        return [];
      }
    },
    call: async (/** @type {any} */ tool, /** @type {any} */ input, /** @type {any} */ call) => answer(await tool.execute(input, call)),
    stop: () => made.dispose(),
  };
  spoil?.(adapter);
  return adapter;
};

/** The WebMCP adapter on an object that takes tools. */
function webmcp() {
  const tools = new Map();
  const modelContext = {
    registerTool: (/** @type {any} */ tool) => void tools.set(tool.name, tool),
    unregisterTool: (/** @type {string} */ name) => void tools.delete(name),
  };
  const adapter = runtime.createWebMcpAdapter({ modelContext });
  return {
    start: (/** @type {any} */ { registry, consumer, scope }) => adapter.start({ registry, consumer, snapshotContext: { scope } }),
    tools: () => {
      const ids = new Map(adapter.status().registered.map((/** @type {any} */ { name, capabilityId }) => [name, capabilityId]));
      return [...tools.values()].map((tool) => ({ ...tool, capabilityId: ids.get(tool.name) }));
    },
    call: async (/** @type {any} */ tool, /** @type {any} */ input) => {
      const { content, isError } = await tool.execute(input);
      const value = JSON.parse(content[0].text);
      return isError ? { error: value } : { output: value };
    },
    stop: () => adapter.stop(),
  };
}

for (const [name, create, traits] of /** @type {[string, () => any, object | undefined][]} */ ([
  ["an embedded toolset", toolset({ topology: "embedded" }), undefined],
  ["a remote toolset", toolset({ topology: "remote" }), { twoPhase: true }],
  ["the WebMCP adapter", webmcp, { omitsUnavailable: true, unnamedCalls: true }],
])) {
  test(`${name} keeps every promise`, async () => {
    const report = await runtime.runAdapterConformance({ create, traits });
    assert.ok(report.length >= 11);
    assert.deepEqual(report.filter((/** @type {any} */ { passed }) => !passed), []);
    assert.ok(Object.isFrozen(report) && Object.isFrozen(report[0]));
  });
}

test("a broken adapter is told what is wrong", async () => {
  for (const [name, spoil, words] of /** @type {[string, (adapter: any) => void, RegExp][]} */ ([
    ["scope", (adapter) => {
      const { start } = adapter;
      adapter.start = (/** @type {any} */ at) => start({ ...at, scope: [] });
    }, /offers/],
    ["errors", (adapter) => {
      const { call } = adapter;
      adapter.call = async (/** @type {any[]} */ ...args) => {
        const { error, ...rest } = await call(...args);
        return error ? { error: { ...error, details: undefined } } : rest;
      };
    }, /details|ended with/],
    ["stop", (adapter) => { adapter.stop = () => {}; }, /stop|offer/i],
    ["consumer", (adapter) => { adapter.tools = () => { throw new Error("my words"); }; }, /my words/],
    ["refresh", (adapter) => { adapter.tools = () => "none"; }, /array of tools/],
    ["names", (adapter) => { adapter.start = () => Promise.reject(new Error("not today")); }, /not today/],
  ])) {
    const report = await runtime.runAdapterConformance({ create: toolset({ topology: "embedded" }, spoil) });
    const { passed, error } = report.find((/** @type {any} */ check) => check.name === name);
    assert.equal(passed, false, name);
    assert.match(error, words);
  }
  assert.throws(() => runtime.runAdapterConformance({}), /create/);
  assert.throws(() => runtime.runAdapterConformance({ create() {}, traits: { twophase: true } }), /twophase/);
});

test("an adapter that throws what cannot be read, throws nothing to read or never answers gets its report", async () => {
  const evil = { toString() { throw evil; } };
  const never = () => new Promise(() => {});
  for (const [create, words] of /** @type {[any, RegExp][]} */ ([
    [() => { throw evil; }, /^starting: could not be read/],
    [() => ({ start: () => Promise.reject(evil) }), /^starting: could not be read/],
    [() => ({ start() { throw Symbol("s"); } }), /^starting: could not be read/],
    [() => ({ start() { throw ""; } }), /^starting: the page's code failed/],
    [() => undefined, /^starting: TypeError/],
    [toolset({ topology: "embedded" }, (adapter) => { adapter.start = never; }), /^starting: no answer/],
    [toolset({ topology: "embedded" }, (adapter) => { adapter.tools = never; }), /^listing the tools: no answer/],
    [toolset({ topology: "embedded" }, (adapter) => { adapter.call = never; }), /0 answers|no answer/],
  ])) {
    let report = /** @type {any} */ (null);
    runtime.runAdapterConformance({ create }).then((/** @type {any} */ done) => { report = done; });
    await until(() => report !== null || (clock.advance(1000), false), "the report");
    const { passed, error } = report.find((/** @type {any} */ check) => check.name === "consumer");
    assert.equal(passed, false);
    assert.match(error, words);
  }
  clock.advance(20_000);
  assert.equal(clock.armed, 0);
});

test("nothing is left of it", () => {
  assert.deepEqual({ ...runtime.dev.tables(), goroutines: 0 }, { ...before, goroutines: 0 });
  assert.ok(!told.some((line) => line.includes("internal error")), told.join("\n"));
});
