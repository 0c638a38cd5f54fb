// @ts-check
/** Every way of loading, and every way in which it fails (js-api.md, Loading; cases 6, 19, 23 and 24). */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { after, test } from "node:test";
import vm from "node:vm";
import { Worker } from "node:worker_threads";
import { built, callOnce, registryOf, saving, script, SAVE, told, toldCount, turn } from "./harness.js";

const { load, bytes, module } = await script();

/** What the server answers, by path. @type {Record<string, { status?: number, type?: string, body: Uint8Array | string }>} */
const files = {
  "/ok.wasm": { type: "application/wasm", body: bytes },
  "/octets.wasm": { type: "application/octet-stream", body: bytes },
  "/parameter.wasm": { type: "application/wasm; charset=utf-8", body: bytes },
  "/untyped.wasm": { body: bytes },
  "/missing.wasm": { status: 404, type: "text/html", body: "<!doctype html><title>Not found</title>" },
  "/page.wasm": { type: "text/html", body: "<!doctype html><title>The application</title>" },
  "/lying.wasm": { type: "application/wasm", body: "<!doctype html>" },
  "/truncated.wasm": { type: "application/wasm", body: bytes.subarray(0, bytes.length >> 1) },
  "/truncated-octets.wasm": { type: "application/octet-stream", body: bytes.subarray(0, bytes.length >> 1) },
  "/empty.wasm": { type: "application/wasm", body: "" },
};
const server = createServer((request, response) => {
  const file = files[request.url ?? ""] ?? { status: 404, body: "" };
  response.writeHead(file.status ?? 200, file.type === undefined ? {} : { "content-type": file.type });
  response.end(file.body);
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
const origin = `http://127.0.0.1:${/** @type {import("node:net").AddressInfo} */ (server.address()).port}`;
after(() => server.close());

/** Fails unless the runtime carries out a call. @param {any} runtime */
async function mustWork(runtime) {
  const result = await callOnce(runtime, (/** @type {any} */ input) => input, { n: 1 });
  assert.equal(JSON.stringify(result.output), '{"n":1}'); // it may be of another realm
}

const sources = {
  bytes: () => bytes,
  "an ArrayBuffer": () => new Uint8Array(bytes).buffer,
  "a view into a larger buffer": () => {
    const larger = new Uint8Array(bytes.length + 32);
    larger.set(bytes, 16);
    return larger.subarray(16, 16 + bytes.length);
  },
  "a module": () => module,
  "a response": () => fetch(`${origin}/ok.wasm`),
  "a URL string": () => `${origin}/ok.wasm`,
  "a URL": () => new URL(`${origin}/ok.wasm`),
};
for (const [name, source] of Object.entries(sources)) {
  test(`load takes ${name}`, async () => {
    const before = told.length;
    await mustWork(await load({ wasm: await source() }));
    assert.deepEqual(told.slice(before).filter((line) => !line.includes("open authority")), []);
  });
}

for (const [name, type] of [["octets", "application/octet-stream"], ["untyped", ""], ["parameter", "application/wasm; charset=utf-8"]]) {
  test(`a module served as ${type || "nothing"} loads with one warning`, async () => {
    const before = told.length;
    await mustWork(await load({ wasm: `${origin}/${name}.wasm` }));
    const warnings = told.slice(before).filter((line) => line.includes("application/wasm, so"));
    assert.equal(warnings.length, 1);
    assert.ok(warnings[0].startsWith(`warn pagewarden: the module is served as "${type}"`), warnings[0]);
  });
}

/** What each failing load names besides where it looked. @type {[string, any, RegExp][]} */
const failures = [
  ["a missing file", `${origin}/missing.wasm`, /missing\.wasm failed: the server answered 404/],
  ["a page in its place", `${origin}/page.wasm`, /page\.wasm failed: .*not WebAssembly \(text\/html\)/],
  ["a page that claims to be wasm", `${origin}/lying.wasm`, /lying\.wasm failed: .*magic/],
  ["a truncated file", `${origin}/truncated.wasm`, /truncated\.wasm failed: /],
  ["a truncated file of the wrong type", `${origin}/truncated-octets.wasm`, /truncated-octets\.wasm failed: /],
  ["an empty file", `${origin}/empty.wasm`, /empty\.wasm failed: /],
  ["a server that is not there", "http://127.0.0.1:1/pagewarden.wasm", /127\.0\.0\.1:1\/pagewarden\.wasm failed: /],
  ["bytes that are not wasm", new Uint8Array([1, 2, 3, 4]), /the given module failed: /],
  ["no bytes", new Uint8Array(0), /the given module failed: /],
  ["another module", await WebAssembly.compile(new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0])), /the given module failed: /],
  ["nothing", undefined, /nothing failed: load needs \{ wasm \}/],
  ["a number", 5, /load needs \{ wasm \}/],
  ["an object", {}, /the given module failed: load needs \{ wasm \}/],
  ["an object that looks like a URL", { get href() { throw new Error("no"); } }, /failed: load needs/],
];
for (const [name, wasm, message] of failures) {
  test(`loading ${name} fails with where and why, and can be tried again`, async () => {
    await assert.rejects(load({ wasm }), (/** @type {any} */ error) => {
      assert.ok(error instanceof Error);
      assert.match(error.message, message);
      return true;
    });
    await mustWork(await load({ wasm: module }));
  });
}

test("load without options, and with timers that are none, rejects", async () => {
  await assert.rejects(load(), /load needs \{ wasm \}/);
  await assert.rejects(load(5), /load needs \{ wasm \}/);
  await assert.rejects(load({ wasm: module, timers: {} }), /timers must have setTimeout, clearTimeout/);
  await assert.rejects(load({ wasm: module, timers: { setTimeout() {}, clearTimeout() {}, now: 5 } }), /timers must have/);
});

test("a script of one build refuses the module of another and names both", async () => {
  const id = buildOf(readFileSync(built("pagewarden.mjs"), "utf8"));
  const other = Buffer.from(bytes);
  const fake = id.split("").reverse().join("");
  let patched = 0;
  for (let at = other.indexOf(id); at >= 0; at = other.indexOf(id, at + 1)) {
    other.write(fake, at);
    patched++;
  }
  assert.ok(patched > 0, "the module does not hold the script's build id");
  await assert.rejects(load({ wasm: other }), (/** @type {any} */ error) => {
    assert.ok(error.message.includes(`build ${id}`) && error.message.includes(`build ${fake}`), error.message);
    return true;
  });
  await mustWork(await load({ wasm: module }));
});

/** The build id that the bundler has put into a script. @param {string} source */
function buildOf(source) {
  const found = /"([0-9a-f]{32})"/.exec(source);
  assert.ok(found, "the script has no build id");
  return found[1];
}

test("two loads give two runtimes that know nothing of each other", async () => {
  const [one, two] = await Promise.all([load({ wasm: module }), load({ wasm: module })]);
  const first = registryOf(one);
  const second = registryOf(two);
  assert.notEqual(first.surfaceId, second.surfaceId);
  first.register(saving(one, () => "first"));
  assert.equal(second.snapshot().components.length, 0);
  assert.throws(() => two.createAgentSurfaceRegistry({ authority: one.createOpenAuthority() }), /of this runtime/);
  const adapter = two.createWebMcpAdapter({});
  assert.throws(() => adapter.start({ registry: first, consumer: { id: "agent", kind: "webmcp" } }), /of this runtime/);
  second.register(saving(two, () => "second"));
  assert.equal((await first.invoke({ capabilityId: SAVE })).output, "first");
  assert.equal((await second.invoke({ capabilityId: SAVE })).output, "second");
  first.dispose();
  assert.equal((await second.invoke({ capabilityId: SAVE })).output, "second");
});

test("each of two runtimes gets its own tasks", async () => {
  const runtimes = [await load({ wasm: module }), await load({ wasm: module })];
  const calls = runtimes.map((runtime) => {
    const registry = registryOf(runtime);
    const handle = registry.register(saving(runtime, () => new Promise(() => {})));
    const call = registry.invoke({ capabilityId: SAVE });
    handle.unregister();
    return call;
  });
  for (const result of await Promise.all(calls)) {
    assert.equal(result.error.code, "COMPONENT_UNMOUNTED");
    assert.equal(result.error.details.phase, "mid-flight");
  }
});

/** The globals of a page, as far as the script needs them. */
function pageGlobals() {
  const names = [
    "TextEncoder", "TextDecoder", "AbortController", "AbortSignal", "EventTarget", "WebAssembly", "crypto", "performance", "setTimeout",
    "clearTimeout", "queueMicrotask", "fetch", "Headers", "Response", "URL", "MessageChannel", "MessagePort",
  ];
  /** @type {Record<string, any>} */
  const globals = { console: { error: record("error"), warn: record("warn"), debug: record("debug") } };
  for (const name of names) {
    globals[name] = /** @type {any} */ (globalThis)[name];
  }
  return globals;
}

/** @param {string} level */
const record = (level) => (/** @type {any[]} */ ...args) => void told.push(`${level} ${args.map(String).join(" ")}`);

const classic = new vm.Script(readFileSync(built("pagewarden.js"), "utf8"), { filename: "pagewarden.js" });

test("the classic script leaves PageWarden on the global and nothing else", async () => {
  const context = vm.createContext(pageGlobals());
  const names = () => [.../** @type {string[]} */ (vm.runInContext("Reflect.ownKeys(globalThis).map(String)", context))];
  const before = new Set(names());
  classic.runInContext(context);
  assert.deepEqual(names().filter((name) => !before.has(name)), ["PageWarden"]);
  const api = vm.runInContext("PageWarden", context);
  assert.deepEqual([...Object.keys(api)].sort(), ["load", "ready"]);
  assert.ok(Object.isFrozen(api));
  assert.throws(() => vm.runInContext("'use strict'; PageWarden = 1", context), /read only|Cannot assign/);
  const runtime = await api.load({ wasm: module });
  assert.deepEqual(names().filter((name) => !before.has(name)), ["PageWarden"]);
  assert.equal(await api.ready, runtime);
});

test("the classic script on a page twice warns and keeps the first", async () => {
  const context = vm.createContext(pageGlobals());
  classic.runInContext(context);
  const first = vm.runInContext("PageWarden", context);
  const before = toldCount("on this page twice");
  classic.runInContext(context);
  assert.equal(vm.runInContext("PageWarden", context), first);
  assert.equal(toldCount("on this page twice") - before, 1);
});

/** A page whose script tag says where the module is. @param {Record<string, string>} attributes */
function pageWithTag(attributes) {
  const document = { currentScript: { getAttribute: (/** @type {string} */ name) => attributes[name] ?? null } };
  const context = vm.createContext({ ...pageGlobals(), document, navigator: {} });
  classic.runInContext(context);
  return vm.runInContext("PageWarden", context);
}

test("data-wasm loads at once, and ready is that runtime", async () => {
  const page = pageWithTag({ "data-wasm": `${origin}/ok.wasm` });
  await mustWork(await page.ready);
});

test("a data-wasm that fails rejects ready, says so once, and load still works", async () => {
  const before = toldCount("missing.wasm failed");
  const page = pageWithTag({ "data-wasm": `${origin}/missing.wasm` });
  await assert.rejects(page.ready, /missing\.wasm failed: the server answered 404/);
  await turn();
  assert.equal(toldCount("missing.wasm failed") - before, 1);
  await mustWork(await page.load({ wasm: module }));
});

test("ready waits for the first load that works", async () => {
  const context = vm.createContext(pageGlobals());
  classic.runInContext(context);
  const page = vm.runInContext("PageWarden", context);
  let ready = false;
  page.ready.then(() => {
    ready = true;
  });
  await assert.rejects(page.load({ wasm: `${origin}/missing.wasm` }), /404/);
  await turn();
  assert.equal(ready, false);
  const runtime = await page.load({ wasm: module });
  assert.equal(await page.ready, runtime);
});

test("the script works in a worker", async () => {
  const source = `
    const { parentPort, workerData } = require("node:worker_threads");
    (async () => {
      const { load } = await import(workerData.script);
      const runtime = await load({ wasm: workerData.module });
      const registry = runtime.createAgentSurfaceRegistry({ authority: runtime.createOpenAuthority(), environment: "test" });
      registry.register({ type: "app.form", description: "A form", actions: { save: {
        description: "Saves", effect: "local-state", input: runtime.fromJsonSchema({}), execute: async (input) => input.n + 1,
      } } });
      const result = await registry.invoke({ capabilityId: "view:app.form.save", input: { n: 41 } });
      parentPort.postMessage(result.output);
    })();`;
  const worker = new Worker(source, { eval: true, workerData: { script: built("pagewarden.mjs").href, module }, stderr: true });
  const answer = await new Promise((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
  });
  assert.equal(answer, 42);
  await worker.terminate();
});
