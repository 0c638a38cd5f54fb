// @ts-check
/**
 * What a script of the page can do to pagewarden-predict.js: it patches each built-in in turn, with a recorder, a thrower
 * and a liar, and calls the same things each time. Run as a program it prints what differed and what was handed out.
 */
import { capabilitiesOf, device, foreseen, rename } from "./capabilities.js";
import { registryOf, script } from "./harness.js";

const { stringify } = JSON;
const { defineProperty, getOwnPropertyDescriptor } = Object;
const { apply: reflectApply } = Reflect;

const { load, module } = await script();
const runtime = await load({ wasm: module });
const predict = await capabilitiesOf(runtime);
const { createPredictionStore, defineAgentCapability, executePredicted, registerWebMcpTools, runAgentSurfaceConformance, toMcpTool, toWebMcpTool } = predict;

/** What came of the scenario, as text that can be compared; made when nothing is patched. @type {() => string} */
let outcome = () => "";

/** Everything in a fixed order. */
async function scenario() {
  const registry = registryOf(runtime);
  const store = createPredictionStore(device());
  let heard = "";
  const stop = store.subscribe((/** @type {any} */ { type }) => {
    heard += ` ${type}`;
  });
  /** @type {any} */
  let told;
  const capability = defineAgentCapability(foreseen({
    reads: ["device"], idempotency: { key: (/** @type {any} */ input) => `key ${input.name}` },
    execute: (/** @type {any} */ input, /** @type {any} */ info) => {
      told = { input, id: info.invocationId, aborted: info.signal.aborted };
      return { version: "v2" };
    },
  }));
  const options = { registry, authorize: (/** @type {any} */ input) => input.name !== "secret" };
  const controller = new AbortController();
  const first = await executePredicted(capability, { name: "new" }, store, { ...options, predictionId: "p1", now: 1000, signal: controller.signal });
  const tool = toWebMcpTool(capability, options);
  const receipts = [await tool.execute({ name: "a" }), await tool.execute({ name: "secret" }), await tool.execute({ nope: 1 }), await tool.execute('{"name":"b"}')];
  const result = await toMcpTool(capability.tool, { registry }).handler({ name: "c" });
  const plain = defineAgentCapability(rename({ name: "device.other" }));
  /** @type {any} */
  const given = {};
  const context = { registerTool: (/** @type {any} */ it, /** @type {any} */ { signal }) => {
    given.tool = it;
    signal.addEventListener("abort", () => {
      given.gone = true;
    });
  } };
  const report = await registerWebMcpTools([plain], context, { registry });
  const called = await given.tool.execute({ name: "x" });
  report.cleanup();
  const checks = await runAgentSurfaceConformance([plain], { target: context, registration: { registry }, cases: [{ name: "one", capability: "device.other", input: { name: "y" } }] });
  let thrown = "";
  try {
    store.predict("p2", { baseVersion: "v2", patch: [{ op: "remove", path: "" }] });
  } catch (error) {
    thrown = `${error}`;
  }
  stop();
  registry.dispose();
  outcome = () => timeless(stringify({
    first, told, receipts, result, report: [report.registered, report.failed], gone: given.gone, called, checks, heard, thrown, snapshot: store.snapshot(), tool: capability.tool,
    surface: capability.surface,
  }));
}

const TIME = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;
const replaceOf = String.prototype.replace;
/** @param {string} text */
const timeless = (text) => reflectApply(replaceOf, text, [TIME, "T"]);

/** Objects whose functions are patched, by name. @type {[string, any, (string | symbol)[]?][]} */
const TARGETS = [
  ["Array.prototype", Array.prototype], ["Object", Object], ["Map.prototype", Map.prototype], ["WeakMap.prototype", WeakMap.prototype], ["Promise.prototype", Promise.prototype],
  ["Promise", Promise], ["JSON", JSON], ["Reflect", Reflect], ["String.prototype", String.prototype], ["Number", Number], ["Symbol", Symbol], ["Date", Date],
  ["Date.prototype", Date.prototype], ["Math", Math], ["AbortController.prototype", AbortController.prototype], ["AbortSignal.prototype", AbortSignal.prototype],
  ["EventTarget.prototype", EventTarget.prototype], ["FinalizationRegistry.prototype", FinalizationRegistry.prototype], ["Function.prototype", Function.prototype, ["call", "apply", "bind"]],
  ["globalThis", globalThis, ["structuredClone", "queueMicrotask", "setTimeout", "setInterval", "Map", "WeakMap", "Promise", "AbortController", "RangeError", "TypeError", "Error", "FinalizationRegistry", "Date"]],
  ["RegExp.prototype", RegExp.prototype], ["Error", Error], ["Set.prototype", Set.prototype],
];

/** Names that a page may put on Object.prototype: options, members, and what the runtime's own answers have. */
const NAMES = (`then toJSON get set value writable configurable enumerable registry consumer capabilities authorize resultMode maxReceiptBytes dryRun store wait waitTimeoutMs signal ` +
  `invocationId confirmationId predictionId now expiresAt reconciliation name description annotations capability scope reads writes confirmation budget timeoutMs input output execute predict ` +
  `reconcile idempotency key put tooLarge code closed message fault tool mcp surface parse jsonSchema issues ~standard modelContext registerTool unregisterTool provideContext clearContext ` +
  `target registration cases assert outcome do of ticket listener self functions 0 1 2 3 4 5 length payload details reason`).split(" ");

/** What our scripts have called that a page had patched. @type {Map<string, number>} */
const reached = new Map();
const { has: hasOf, set: setOf } = Map.prototype;
const NativeError = Error;
const { includes, split } = String.prototype;
const OURS = ["data:text/javascript", "pagewarden.mjs"];

/** Notes a call whose caller is one of our scripts: the engine and Node may use what they like. @param {string} name */
function note(name) {
  const { stack = "" } = new NativeError();
  const frames = reflectApply(split, stack, ["\n    at "]);
  for (let i = 3; i < frames.length; i++) {
    const frame = `${frames[i]}`;
    if (reflectApply(includes, frame, ["<anonymous>"])) {
      continue; // a built-in, on behalf of the next
    }
    for (let j = 0; j < OURS.length; j++) {
      if (reflectApply(includes, frame, [OURS[j]])) {
        reflectApply(setOf, reached, [name, reflectApply(hasOf, reached, [name]) ? 2 : 1]);
      }
    }
    return;
  }
}

/** A function in place of another, that notes who calls it. @param {string} name @param {any} original */
function recording(name, original) {
  return function (/** @type {any[]} */ ...given) {
    note(name);
    return new.target ? reflectConstruct(original, given, new.target) : reflectApply(original, /** @type {any} */ (this), given);
  };
}
const { construct: reflectConstruct } = Reflect;

/** Patches everything at once. @returns {() => void} what undoes it */
function patchAll() {
  /** @type {(() => void)[]} */
  const undo = [];
  for (const [of, object, only] of TARGETS) {
    for (const key of only ?? Reflect.ownKeys(object)) {
      const found = getOwnPropertyDescriptor(object, key);
      if (found === undefined || !found.configurable || key === "constructor") continue;
      const name = `${of}.${String(key)}`;
      const changed = typeof found.value === "function" ? { ...found, value: recording(name, found.value) } : found.get ? { ...found, get: recording(name, found.get) } : undefined;
      if (changed === undefined) continue;
      if (of === "globalThis") Object.setPrototypeOf(changed.value, found.value), changed.value.prototype = found.value.prototype;
      undo.push(() => void defineProperty(object, key, found));
      defineProperty(object, key, changed);
    }
  }
  return () => undo.forEach((one) => one());
}

/** Puts a property on the prototypes that all objects share. @param {string} key @param {any} value what it gives, or "throw" @returns {() => void} what undoes it */
function plant(key, value) {
  const undoArray = plantOn(Array.prototype, "Array.prototype", key, value);
  const undoObject = plantOn(Object.prototype, "Object.prototype", key, value);
  return () => {
    undoObject();
    undoArray();
  };
}

/** @param {any} object @param {string} of @param {string} key @param {any} value @returns {() => void} */
function plantOn(object, of, key, value) {
  if (Object.hasOwn(object, key)) return () => {};
  const get = () => {
    note(`${of}.${key}`);
    return value;
  };
  const set = /** @this {any} @param {any} given */ function (given) {
    note(`setting ${of}.${key}`);
    defineProperty(this, key, /** @type {any} */ ({ __proto__: null, value: given, writable: true, configurable: true, enumerable: true }));
  };
  defineProperty(object, key, /** @type {any} */ ({ __proto__: null, get, set, configurable: true }));
  return () => void delete object[key];
}

await scenario();
const want = outcome();
/** @type {string[]} */
const differences = [];

/** @param {string} what @param {() => () => void} change */
async function under(what, change) {
  const restore = change();
  let got;
  outcome = () => "nothing";
  try {
    await scenario();
  } catch (error) {
    got = error;
  }
  restore();
  got ??= outcome();
  if (got !== want) differences.push(`${what}: ${got instanceof Error ? `${got.stack}`.slice(0, 300) : difference(want, `${got}`)}`);
}

/** @param {string} a @param {string} b */
function difference(a, b) {
  let i = 0;
  while (a[i] === b[i] && i < a.length) i++;
  return `…${a.slice(Math.max(0, i - 40), i + 60)} became …${b.slice(Math.max(0, i - 40), i + 60)}`;
}

await under("nothing", () => () => {});
await under("recorders of everything", patchAll);
for (const key of NAMES) {
  await under(`${key} is true`, () => plant(key, true));
  await under(`${key} is a function`, () => plant(key, () => ({ value: 1 })));
}
// The suite proves itself on a script that is as careless as most.
const careless = await import(`data:text/javascript,${encodeURIComponent("export const run = (o) => { for (const x of [1]) [x].map(String); return [o.wait, {}.signal, JSON.stringify(o)]; }")}`);
const undo = patchAll();
const unplant = plant("signal", 1);
const before = reached.size;
careless.run({ wait: 1 });
unplant();
undo();
const proof = [...reached.keys()].slice(before).sort();
for (const name of proof) reached.delete(name);
console.log(JSON.stringify({ proof, differences, reached: [...reached.keys()] }, null, 1));
process.exit(0);
