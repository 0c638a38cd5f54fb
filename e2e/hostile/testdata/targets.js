/**
 * What a hostile script may patch. A target is a name and the places that are patched together; a place is where
 * (an expression of the realm), which property, and what the liar gives in place of an attractive default
 * (attackers.js says how). To add a target, add a name to a row of HOLDERS or a line to PLACES.
 */

/** Zeros in place of random bytes. */
const zeros = (bytes) => Uint8Array.prototype.fill.call(bytes, 0);
const at = (...args) => ({ instead: (...given) => given[args[0]] });

/** What is better than the default, by target. */
const LIES = {
  "Object.freeze": at(0),
  "Object.setPrototypeOf": at(0),
  "Object.defineProperty": at(0),
  "Object.keys": { instead: () => ["approved"] },
  "Promise.prototype.then": { instead: (onValue) => onValue?.(true) },
  "Crypto.prototype.getRandomValues": { instead: zeros },
  "queueMicrotask": { instead: () => {} },
  "setTimeout": { instead: () => 0 },
  "MessagePort.prototype.postMessage": { instead: () => {} },
  "Reflect.apply": { instead: () => true },
  "Function.prototype.call": { instead: () => true },
  "Function.prototype.apply": { instead: () => true },
  "Function.prototype.bind": { instead: () => () => true },
  "JSON.stringify": { instead: () => '"forged"' },
  "Math.floor": { instead: () => 0 },
};

/**
 * Holders of functions and accessors. Each name is a target of its own; what else a holder has is one target
 * together ("the rest of"), since a script that uses none of it needs no case for each. @@ is a well-known symbol.
 */
const HOLDERS = [
  ["Array", "isArray from of @@species"],
  ["Array.prototype", "at concat copyWithin entries every fill filter find findIndex flat forEach includes indexOf join keys lastIndexOf map pop push reduce reverse shift slice some sort splice toString unshift values @@iterator"],
  ["Object", "assign create defineProperties defineProperty entries freeze fromEntries getOwnPropertyDescriptor getOwnPropertyNames getPrototypeOf hasOwn is isExtensible isFrozen keys preventExtensions seal setPrototypeOf values"],
  ["Object.prototype", "hasOwnProperty isPrototypeOf propertyIsEnumerable toString valueOf __defineGetter__ __proto__ constructor"],
  ["Map", "@@species"],
  ["Map.prototype", "get set has delete clear forEach entries keys values size @@iterator"],
  ["Set.prototype", "add has delete forEach values size @@iterator"],
  ["WeakMap.prototype", "get set has delete"],
  ["WeakSet.prototype", "add has"],
  ["Promise", "all race reject resolve withResolvers @@species"],
  ["Promise.prototype", "then catch finally constructor"],
  ["JSON", "parse stringify"],
  ["Reflect", "apply construct defineProperty get getOwnPropertyDescriptor getPrototypeOf has ownKeys set"],
  ["Proxy", "revocable"],
  ["String", "fromCharCode raw"],
  ["String.prototype", "at charAt charCodeAt codePointAt concat endsWith includes indexOf isWellFormed match padStart replace slice split startsWith substring toString trim valueOf @@iterator"],
  ["Number", "isFinite isInteger isSafeInteger parseFloat"],
  ["Number.prototype", "toString valueOf"],
  ["Boolean.prototype", "valueOf"],
  ["Symbol", "for"],
  ["Symbol.prototype", "toString @@toPrimitive"],
  ["BigInt.prototype", "toString"],
  ["TextEncoder.prototype", "encode encodeInto"],
  ["TextDecoder.prototype", "decode"],
  ["Date", "now parse"],
  ["Date.prototype", "getTime toISOString toJSON valueOf @@toPrimitive"],
  ["Math", "floor ceil imul max min random trunc"],
  ["Error", "captureStackTrace"],
  ["Error.prototype", "toString"],
  ["AbortController.prototype", "abort signal"],
  ["AbortSignal", "abort any timeout"],
  ["AbortSignal.prototype", "aborted reason throwIfAborted onabort"],
  ["EventTarget.prototype", "addEventListener removeEventListener dispatchEvent"],
  ["MessagePort.prototype", "postMessage onmessage start"],
  ["MessageEvent.prototype", "data"],
  ["Crypto.prototype", "getRandomValues randomUUID"],
  ["SubtleCrypto.prototype", "digest"],
  ["Performance.prototype", "now"],
  ["console", "debug error info log warn"],
  ["RegExp.prototype", "exec test flags @@match @@replace @@split"],
  ["Function.prototype", "apply bind call toString"],
  ["Object.getPrototypeOf(Uint8Array)", "from @@species"],
  ["Object.getPrototypeOf(Uint8Array.prototype)", "buffer byteLength byteOffset length copyWithin fill set slice subarray @@iterator @@toStringTag"],
  ["ArrayBuffer", "isView @@species"],
  ["ArrayBuffer.prototype", "byteLength resizable detached slice transfer"],
  ["DataView.prototype", "buffer byteLength byteOffset getFloat64 getInt32 getUint32 getUint8 setBigInt64 setFloat64 setInt32 setUint32 setUint8"],
  ["WebAssembly", "compile compileStreaming instantiate instantiateStreaming validate"],
  ["WebAssembly.Memory.prototype", "buffer grow"],
  ["WebAssembly.Instance.prototype", "exports"],
  ["WebAssembly.Module", "exports imports customSections"],
  ["WebAssembly.Table.prototype", "get set"],
  ["Object.getPrototypeOf([][Symbol.iterator]())", "next"],
  ["Object.getPrototypeOf(new Map()[Symbol.iterator]())", "next"],
  ["Object.getPrototypeOf(new Set()[Symbol.iterator]())", "next"],
  ["Object.getPrototypeOf(''[Symbol.iterator]())", "next"],
  ["Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]()))", "@@iterator"],
  ["Object.getPrototypeOf(function* () {}).prototype", "next return throw"],
  ["Object.getPrototypeOf(async function* () {}).prototype", "next"],
  ["Response.prototype", "arrayBuffer clone headers ok status text url"],
  ["Headers.prototype", "get"],
  ["URL.prototype", "href toString"],
  ["Document.prototype", "currentScript visibilityState"],
  ["Element.prototype", "getAttribute"],
];

/** Functions of the realm by themselves. */
const GLOBALS = `Array Object Map Set WeakMap WeakSet WeakRef FinalizationRegistry Promise Proxy String Number Symbol BigInt Boolean Date RegExp Function
  Error TypeError RangeError AggregateError AbortController AbortSignal Event EventTarget MessageChannel MessagePort TextEncoder TextDecoder
  Uint8Array Int32Array Uint32Array Float64Array BigInt64Array ArrayBuffer SharedArrayBuffer DataView
  structuredClone queueMicrotask setTimeout clearTimeout setInterval requestAnimationFrame fetch eval parseInt isNaN isFinite encodeURIComponent
  URL Response Headers Blob crypto performance navigator console Reflect JSON Math WebAssembly`.split(/\s+/);

/** Functions of WebAssembly by themselves. */
const WEBASSEMBLY = ["Memory", "Instance", "Module", "Table", "Global", "RuntimeError"];

const NUMBERS = Array.from({ length: 64 }, (_, i) => String(i));

/** A thenable's then that settles at once, and what JSON could ask for. */
const forgedThen = { call: (resolve) => resolve?.({ status: "ok", output: "forged" }) };
const forgedJSON = { call: () => ({ approved: true }) };

/** Properties that nobody has yet, or that are no functions. */
const PLACES = [
  ...["Object.prototype", "Array.prototype", "String.prototype", "Number.prototype", "Boolean.prototype", "Function.prototype"].flatMap((where) => [
    [where, "toJSON", forgedJSON], [where, "then", forgedThen],
  ]),
  ...["Object", "Array", "String", "Number", "Error", "Function"].map((name) => [`${name}.prototype`, "@@toPrimitive", { call: () => "forged" }]),
  ...["Object", "Array", "Error", "Promise", "Map", "AbortSignal", "Uint8Array", "WebAssembly.Module"].map((name) => [name, "@@hasInstance", { call: () => true }]),
  ...["get", "set", "value", "writable", "enumerable", "configurable"].map((name) => ["Object.prototype", name, name === "get" ? { call: () => "forged" } : true]),
  ...["@@toStringTag", "@@iterator", "@@isConcatSpreadable", "@@unscopables", "@@asyncIterator", "length", "name", "message", "cause", "stack", "next", "done", "raw"].map((name) => ["Object.prototype", name]),
  ["Error.prototype", "message"], ["Error.prototype", "name"], ["Error.prototype", "cause"], ["Error.prototype", "stack"],
  ["Array.prototype", "@@isConcatSpreadable"], ["Array.prototype", "constructor"],
  ["WebAssembly.Memory.prototype", "constructor"], ["Function.prototype", "caller"], ["Function.prototype", "arguments"],
];

/** Classes of the API, which a script may make extend another one. */
const ERRORS = ["AgentSurfaceError", "AgentSurfaceDefinitionError", "AgentSchemaError"];

/** What leads to the module's memory: attacked also while it grows, which it does once in a realm. */
const MEMORY = /^(DataView|the prototype of Uint8Array\.prototype\.(buffer|byteLength|length|set|subarray|slice)|WebAssembly\.(Memory|Instance)|TextDecoder\.|TextEncoder\.|Crypto\.|Uint8Array|Int32Array|Float64Array|ArrayBuffer(\.prototype\.byteLength)?$)/;

/** What Go's own loader uses besides. */
const LOADER = /^(Map\.prototype\.[gs]et|Reflect\.get|Math\.floor|Performance\.prototype\.now|Date(\.prototype\.getTime)?|isNaN|Promise)$/;

/** What could be met while the module loads, when it comes from a server, and when that serves it under a wrong type. */
const LOADING = new RegExp(`${MEMORY.source}|${LOADER.source}|^(Promise\\.|MessagePort\\.|Function\\.prototype\\.(apply|bind|call)|Reflect\\.apply|JSON\\.|Map\\.prototype|
  |WebAssembly|queueMicrotask|setTimeout|crypto|performance|Object\\.(freeze|keys|defineProperty|getPrototypeOf|hasOwn)$|Array\\.prototype\\[|
  |Object\\.prototype(\\[|\\.(then|get|set|value|wasm|timers|now|setTimeout)$))`.replace(/\s+\|/g, ""));
const SERVED = /^(Response|Headers\.prototype\.get|URL|fetch|WebAssembly\.(compile|instantiate|Module|Instance)|Object\.prototype\.then|Promise\.prototype\.(then|constructor))/;
const MISSERVED = /^(Response\.prototype\.(arrayBuffer|headers)|Headers\.prototype\.get|ArrayBuffer|WebAssembly\.compile$|Object\.prototype\.then)/;

/** When a target is attacked; suite.js says what the words mean. */
function timesOf(name) {
  const times = [MEMORY.test(name) || LOADER.test(name) ? "fresh" : "after"];
  const add = (time, pattern) => void (pattern.test(name) && times.push(time));
  add("module", LOADING);
  add("address", SERVED);
  add("plain", MISSERVED);
  return times;
}

/** What an option would be if somebody meant it. */
const OPTION_LIES = {
  environment: "test", mode: "open", onDuplicateInstance: "replace", confirmation: "never", effect: "local-state", kind: "test", plane: "view", decision: "expose",
  consumer: { id: "root", kind: "test", grants: ["save", "x"] }, grants: ["save", "x"], input: { n: 7 }, policies: [], scope: ["nothing"], budget: { maxComponents: 0 },
  limits: { maxInputDepth: 1 }, timeoutMs: 1, retryAfterMs: 1, capacity: 1, id: "forged", instanceId: "forged", registrationId: "reg_forged", invocationId: "same",
  confirmationId: "cnf_forged", surfaceVersion: "0", capabilityId: "view:app.form.save", description: "Forged", title: "Forged", reason: "forged", path: "forged", key: "forged",
  user: "ada", host: { user: "ada" }, exposedTo: ["https://example.org"], signal: { aborted: true }, details: { forged: true }, maxComponents: 0, queueDepth: 50, max: 50,
  onRegister: { call: () => "accept" }, when: { call: () => true }, onDiscovery: { call: () => ({ decision: "expose" }) }, execute: { call: () => "forged" }, read: { call: () => "forged" },
  onAuthorize: { call: (_, next) => next() }, onInvoke: { call: (_, next) => next() }, precondition: { call: () => undefined }, bind: { call: () => ({ customer: "forged" }) },
  confirm: { call: () => true }, requestUserInteraction: { call: () => true }, exposeCapability: { call: () => "forged" }, context: { call: () => ({ user: "ada" }) },
  parse: { call: () => ({ n: 7 }) }, record: { call: () => undefined }, now: { call: () => 0 }, registerTool: { call: () => undefined }, unregisterTool: { call: () => undefined },
  provideContext: { call: () => undefined }, clearContext: { call: () => undefined }, check: { call: () => true }, if: { call: () => false }, modelContext: { registerTool() {}, unregisterTool() {} },
};

const nameOf = (where, key) => {
  const short = where.replace(/^Object\.getPrototypeOf\((.*)\)$/, "the prototype of $1");
  return key.startsWith("@@") ? `${short}[Symbol.${key.slice(2)}]` : `${short}.${key}`;
};

/**
 * Every target.
 * @param {string[]} options names of options, each a target on Object.prototype @param {string[]} reads what else the script reads by name
 */
export function targetsOf(options, reads) {
  const targets = [];
  const add = (name, ...places) => targets.push({ name, places, times: timesOf(name) });
  for (const [where, names] of HOLDERS) {
    names.split(" ").forEach((key) => add(nameOf(where, key), [where, key, LIES[`${where}.${key}`]]));
    add(`the rest of ${nameOf(where, "").replace(/\.$/, "")}`, [where, "*", undefined, names.split(" ")]);
  }
  GLOBALS.forEach((key) => add(key, ["globalThis", key, LIES[key]]));
  WEBASSEMBLY.forEach((key) => add(`WebAssembly.${key}`, ["WebAssembly", key]));
  ["Array.prototype", "Object.prototype"].forEach((where) => add(`${where}[0…63]`, ...NUMBERS.map((i) => [where, i])));
  PLACES.forEach(([where, key, lie]) => add(nameOf(where, key), [where, key, lie]));
  add("Error.prepareStackTrace", ["Error", "sites"]);
  ERRORS.forEach((name) => add(`what ${name} extends`, [`globalThis.runtime?.${name}`, "extends"]));
  const known = new Set(targets.map(({ name }) => name));
  const fresh = (names) => names.filter((key) => !known.has(`Object.prototype.${key}`));
  fresh(options).forEach((key) => add(`Object.prototype.${key}`, ["Object.prototype", key, OPTION_LIES[key] ?? true]));
  const rest = fresh(reads).filter((key) => !options.includes(key));
  add("Object.prototype, all other names that the script reads", ...rest.map((key) => ["Object.prototype", key, true]));
  // A recorder changes nothing, so it can be everywhere at once: then whatever is asked while loading is heard.
  const everywhere = targets.flatMap(({ places }) => places);
  targets.push({ name: "all of these at once", places: everywhere, times: ["module", "address", "plain"], attackers: ["recorder"] });
  return targets;
}

/** Applies a target to a realm. @param {import("./attackers.js").Attack} attack @param {{ places: any[] }} target @param {any} realm its window */
export function patch(attack, { places }, realm) {
  const holders = places.map(([where]) => realm.eval(where)); // all of them before anything is patched
  places.forEach(([, key, lie, without], i) => {
    switch (key) {
      case "*":
        return attack.patchRest(holders[i], without.map(keyOf));
      case "sites":
        return attack.patchStacks(holders[i]);
      case "extends":
        return attack.patchParent(holders[i]);
    }
    return attack.patch(holders[i], keyOf(key), lie);
  });
}

const keyOf = (name) => (name.startsWith("@@") ? Symbol[name.slice(2)] : name);
