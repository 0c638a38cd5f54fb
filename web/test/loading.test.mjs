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
after(() => {
  server.close();
  server.closeAllConnections();
});

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
    const warnings = told.slice(before).filter((line) => line.includes("serve the module as"));
    assert.equal(warnings.length, 1);
    assert.ok(warnings[0].startsWith(`warn pagewarden: serve the module as application/wasm and not as "${type}"`), warnings[0]);
  });
}

/** A response whose body has been read. */
async function spent() {
  const response = await fetch(`${origin}/ok.wasm`);
  await response.arrayBuffer();
  return response;
}

/** What each failing load names besides where it looked. @type {[string, any, RegExp][]} */
const failures = [
  ["a missing file", `${origin}/missing.wasm`, /missing\.wasm failed: the server answered 404/],
  ["a page in its place", `${origin}/page.wasm`, /page\.wasm failed: .*magic.* \(served as "text\/html"\)/],
  ["a page that claims to be wasm", `${origin}/lying.wasm`, /lying\.wasm failed: .*magic.* \(served as "application\/wasm"\)/],
  ["a truncated file", `${origin}/truncated.wasm`, /truncated\.wasm failed: /],
  ["a truncated file of the wrong type", `${origin}/truncated-octets.wasm`, /truncated-octets\.wasm failed: /],
  ["an empty file", `${origin}/empty.wasm`, /empty\.wasm failed: /],
  ["a server that is not there", "http://127.0.0.1:1/pagewarden.wasm", /127\.0\.0\.1:1\/pagewarden\.wasm failed: .*; is the server up/],
  ["a response that says nothing", Response.error(), /the given module failed: is the server up, and may this page read from it/],
  ["a response that was read", await spent(), /ok\.wasm failed: .*read/],
  ["bytes that are not wasm", new Uint8Array([1, 2, 3, 4]), /the given module failed: /],
  ["no bytes", new Uint8Array(0), /the given module failed: /],
  ["another module", await WebAssembly.compile(new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0])), /the given module failed: .* and the module of build none: /],
  ["nothing", undefined, /the given module failed: load needs \{ wasm \}/],
  ["an empty address", "", /the given module failed: /],
  ["a number", 5, /load needs \{ wasm \}/],
  ["an object", {}, /the given module failed: load needs \{ wasm \}/],
  ["an address that goes on for ever", `data:application/wasm;base64,${"A".repeat(1000)}`, /^pagewarden: loading data:application\/wasm;base64,A{171} failed: /],
  ["an object that has an address", { href: `${origin}/ok.wasm`, url: `${origin}/ok.wasm` }, /the given module failed: load needs \{ wasm \}/],
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

test("timers that cannot be held or let go of fail no call", async () => {
  let touched = 0;
  const refuse = () => {
    touched++;
    throw new Error("mine");
  };
  const timers = { setTimeout: () => ({ ref: refuse, unref: refuse }), clearTimeout() {} };
  const own = await load({ wasm: module, timers });
  const registry = registryOf(own);
  registry.register(saving(own, (/** @type {any} */ input) => (input.wait ? turn().then(() => "late") : "soon")));
  for (const [input, output] of /** @type {[any, string][]} */ ([[{}, "soon"], [{ wait: true }, "late"], [{}, "soon"], [{ wait: true }, "late"]])) {
    const result = await registry.invoke({ capabilityId: SAVE, input });
    assert.equal(result.output, output, JSON.stringify(result));
  }
  assert.ok(touched > 1, "the timers were never touched");
});

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

/**
 * A module of this build whose program does not wait for calls.
 * @param {number[]} body of run, which may call function 0 with the address of an exit code that is 3
 */
function program(...body) {
  const text = (/** @type {string} */ name) => [name.length, ...Buffer.from(name)];
  const section = (/** @type {number} */ id, /** @type {number[]} */ ...content) => [id, content.length, ...content];
  return new Uint8Array([
    0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0,
    ...section(1, 2, 0x60, 1, 0x7f, 0, 0x60, 2, 0x7f, 0x7f, 0), // (i32) and (i32, i32)
    ...section(2, 1, ...text("gojs"), ...text("runtime.wasmExit"), 0, 0),
    ...section(3, 1, 1),
    ...section(5, 1, 0, 1),
    ...section(7, 2, ...text("mem"), 2, 0, ...text("run"), 0, 1),
    ...section(10, 1, body.length + 2, 0, ...body, 0x0b),
    ...section(11, 1, 0, 0x41, 8, 0x0b, 4, 3, 0, 0, 0), // 3 at 8
    ...section(0, ...text("pagewarden"), ...Buffer.from(buildOf(readFileSync(built("pagewarden.mjs"), "utf8")))),
  ]);
}

for (const [name, body, reason] of /** @type {[string, number[], RegExp][]} */ ([
  ["ends", [0x41, 0, 0x10, 0], /the given module failed: the program ended with code 3$/],
  ["returns", [0x41, 16, 0x10, 0], /the given module failed: the program returned$/],
  ["traps", [0x00], /the given module failed: an exception left the module$/],
])) {
  test(`a program that ${name} while it starts fails the load, which alone says so`, async () => {
    const before = told.length;
    await assert.rejects(load({ wasm: program(...body) }), reason);
    await turn();
    assert.deepEqual(told.slice(before), []);
    await mustWork(await load({ wasm: module }));
  });
}

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
    "clearTimeout", "queueMicrotask", "fetch", "Response", "Headers", "URL", "MessageChannel", "MessagePort",
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

test("what comes between the script and its load is not asked", async () => {
  const context = vm.createContext(pageGlobals());
  classic.runInContext(context);
  const page = vm.runInContext("PageWarden", context);
  const response = new Response(new Uint8Array(bytes), { headers: { "content-type": "application/octet-stream" } });
  const asked = /** @type {string[]} */ ([]);
  context.asked = (/** @type {any} */ value) => void asked.push(`then of ${Object.keys(value)}`);
  vm.runInContext("Object.defineProperty(Object.prototype, 'then', { configurable: true, get() { asked(this); } })", context);
  const patched = /** @type {[any, string][]} */ ([
    [Response.prototype, "ok"], [Response.prototype, "status"], [Response.prototype, "headers"], [Response.prototype, "arrayBuffer"],
    [Headers.prototype, "get"], [WebAssembly.Module, "customSections"], [WebAssembly.Module, "exports"], [WebAssembly, "compile"],
    [WebAssembly, "instantiate"], [WebAssembly, "Instance"], [WebAssembly.Instance.prototype, "exports"], [WebAssembly.Memory.prototype, "buffer"],
  ]);
  const restore = patched.map(([holder, name]) => {
    const descriptor = /** @type {PropertyDescriptor} */ (Object.getOwnPropertyDescriptor(holder, name));
    Object.defineProperty(holder, name, { configurable: true, get: () => void asked.push(name) });
    return () => Object.defineProperty(holder, name, descriptor);
  });
  try {
    await page.load({ wasm: response });
    await page.ready;
  } finally {
    restore.forEach((undo) => undo());
  }
  assert.deepEqual(asked, []);
});

test("a host that makes large instances through promises only", async () => {
  const globals = pageGlobals();
  const context = vm.createContext(globals);
  const Instance = function () {
    throw new RangeError("WebAssembly.Instance is disallowed on the main thread, if the buffer size is larger than 4KB");
  };
  Instance.prototype = WebAssembly.Instance.prototype;
  globals.WebAssembly = Object.create(WebAssembly, { Instance: { value: Instance } });
  Object.assign(context, globals);
  classic.runInContext(context);
  const page = vm.runInContext("PageWarden", context);
  await mustWork(await page.load({ wasm: module }));
  await assert.rejects(page.load({ wasm: await WebAssembly.compile(program(0x41, 0, 0x10, 0)) }), /the program ended with code 3/);
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
