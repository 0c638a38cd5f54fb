// @ts-check
/** Every kind of page value on its way in and out (boundary.md; cases 3 and 10). */
import assert from "node:assert/strict";
import { test } from "node:test";
import vm from "node:vm";
import { callOnce, mustBeFrozenData, registryOf, saving, script, SAVE, schema } from "./harness.js";

const { load, module } = await script();
const runtime = await load({ wasm: module });

/** An array nested so deep. @param {number} depth */
function nested(depth) {
  let value = /** @type {any} */ (1);
  for (let i = 0; i < depth; i++) {
    value = [value];
  }
  return value;
}

function cyclic() {
  const value = /** @type {any} */ ({ a: [{}] });
  value.a[0].back = value;
  return value;
}

function revoked() {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

const otherRealm = vm.runInNewContext("({ list: [1, { deep: 'x' }], text: 'y' })");

/**
 * Values that JSON carries, and what arrives.
 * @type {[string, any, any][]}
 */
const carried = [
  ["null", null, null],
  ["true", true, true],
  ["zero", 0, 0],
  ["minus zero, as JSON writes it", -0, 0],
  ["a fraction", 0.1, 0.1],
  ["the smallest number", 5e-324, 5e-324],
  ["a number with an exponent", 1.5e-9, 1.5e-9],
  ["the largest safe integer", Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  ["the smallest safe integer", Number.MIN_SAFE_INTEGER, Number.MIN_SAFE_INTEGER],
  ["a byte order mark", "\ufeffa\ufeff", "\ufeffa\ufeff"],
  ["NUL", "a\u0000b", "a\u0000b"],
  ["characters beyond the basic plane", "\u{1f600}\u{10ffff}", "\u{1f600}\u{10ffff}"],
  ["line separators", "\u2028\u2029\u0085", "\u2028\u2029\u0085"],
  ["quotes and backslashes", "\"\\/\b\f\n\r\t\u001f", "\"\\/\b\f\n\r\t\u001f"],
  ["the text 5", "5", "5"],
  ["empty things", ["", {}, []], ["", {}, []]],
  ["a member that is undefined", { a: undefined, b: 1 }, { b: 1 }],
  ["an object without a prototype", Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
  ["objects of another realm", otherRealm, { list: [1, { deep: "x" }], text: "y" }],
  ["a proxy of a plain object", new Proxy({ a: 1 }, {}), { a: 1 }],
  ["a proxy of an array", new Proxy([1, 2], {}), [1, 2]],
  ["a getter", { get a() { return 1; } }, { a: 1 }],
  ["members that are not enumerable, left out", Object.defineProperty({ a: 1 }, "b", { value: 2 }), { a: 1 }],
  ["symbol keys, left out", { a: 1, [Symbol("b")]: 2 }, { a: 1 }],
  ["names that are prototypes' names", { constructor: 1, toString: 2, hasOwnProperty: 3, valueOf: 4 }, { constructor: 1, toString: 2, hasOwnProperty: 3, valueOf: 4 }],
  ["toJSON as data", { toJSON: 1, a: 2 }, { toJSON: 1, a: 2 }],
  ["odd names", { "": 1, "a.b": 2, "\ufeff": 3, "\u0000": 4, "\u{1f600}": 5 }, { "": 1, "a.b": 2, "\ufeff": 3, "\u0000": 4, "\u{1f600}": 5 }],
  ["the same object twice", (() => { const one = { a: 1 }; return [one, one]; })(), [{ a: 1 }, { a: 1 }]],
  ["extra properties of an array, left out", Object.assign([1], { extra: 2 }), [1]],
];

for (const [name, value, want] of carried) {
  test(`${name} goes in and out`, async () => {
    let seen;
    const result = await callOnce(runtime, (/** @type {any} */ input) => {
      seen = structuredClone(input);
      return { back: value };
    }, { value });
    assert.equal(result.status, "ok", JSON.stringify(result));
    assert.deepEqual(seen, { value: want });
    assert.deepEqual(result.output, { back: want });
    mustBeFrozenData(result);
  });
}

test("__proto__ is a name like any other, both ways", async () => {
  const value = JSON.parse('{"__proto__":{"admin":true},"a":1}');
  let own = false;
  const result = await callOnce(runtime, (/** @type {any} */ input) => {
    own = Object.hasOwn(input.value, "__proto__") && input.value.admin === undefined;
    return value;
  }, { value });
  assert.equal(own, true);
  assert.equal(JSON.stringify(result.output), '{"__proto__":{"admin":true},"a":1}');
  assert.equal(result.output.admin, undefined);
  assert.equal(/** @type {any} */ ({}).admin, undefined);
});

/**
 * Values that JSON does not carry: where the fault is, for { value } as input.
 * @type {[string, any, string, RegExp][]}
 */
const refused = [
  ["NaN", NaN, "value", /finite/],
  ["Infinity", [1, Infinity], "value[1]", /finite/],
  ["minus Infinity", -Infinity, "value", /finite/],
  ["a BigInt", { n: 1n }, "value.n", /bigint/],
  ["a symbol", Symbol("s"), "value", /symbol/],
  ["a function", { rows: [{ f() {} }] }, "value.rows[0].f", /function/],
  ["undefined in an array", [1, undefined], "value[1]", /undefined/],
  ["a hole", [, 1], "value[0]", /undefined/],
  ["a huge sparse array", new Array(2 ** 32 - 1), "value[0]", /undefined/],
  ["a Date", new Date(0), "value", /plain object/],
  ["a Map", new Map([["a", 1]]), "value", /plain object/],
  ["a Set", { "odd name": new Set() }, 'value["odd name"]', /plain object/],
  ["a regular expression", /x/, "value", /plain object/],
  ["a typed array", new Uint8Array(3), "value", /plain object/],
  ["an error", new Error("secret"), "value", /plain object/],
  ["a promise", Promise.resolve(1), "value", /plain object/],
  ["an instance of a class", new (class Thing { a = 1; })(), "value", /plain object/],
  ["a boxed string", Object("x"), "value", /plain object/],
  ["an object whose prototype is one of the page's", Object.create({ a: 1 }), "value", /plain object/],
  ["a cycle", cyclic(), "", /nested|deep|levels/],
  ["100,000 levels", nested(100_000), "", /nested|deep|levels/],
  ["65 levels", nested(65), "", /nested|deep|levels/],
  ["a revoked proxy", revoked(), "value", /could not be read/],
  ["a getter that throws", { get a() { throw new Error("secret"); } }, "value.a", /could not be read/],
  ["a proxy that throws", new Proxy({ a: 1 }, { ownKeys() { throw new Error("secret"); } }), "value", /could not be read/],
];

for (const [name, value, path, message] of refused) {
  test(`${name} as input is INVALID_INPUT that says where`, async () => {
    let ran = false;
    const result = await callOnce(runtime, () => {
      ran = true;
    }, { value });
    assert.equal(result.error?.code, "INVALID_INPUT", JSON.stringify(result));
    assert.equal(ran, false);
    const [issue] = result.error.details.issues;
    if (path !== "") {
      assert.equal(issue.path, path);
    }
    assert.match(issue.message, message);
    assert.ok(!JSON.stringify(result).includes("secret"));
    const next = await callOnce(runtime, () => "fine");
    assert.equal(next.output, "fine");
  });

  test(`${name} as output is output-invalid, and says that it may have happened`, async () => {
    const result = await callOnce(runtime, () => ({ value }));
    assert.equal(result.error?.code, "EXECUTION_FAILED", JSON.stringify(result));
    assert.equal(result.error.details.reason, "output-invalid");
    assert.ok(["done", "may-have-happened"].includes(result.error.details.progress), JSON.stringify(result.error));
    assert.ok(!JSON.stringify(result).includes("secret"));
  });
}

for (const value of [2 ** 53 + 2, -(2 ** 53) - 2, 2 ** 60]) {
  test(`the integer ${value}, which float64 may have rounded, is refused`, async () => {
    const result = await callOnce(runtime, () => "ran", { value });
    assert.equal(result.error?.code, "INVALID_INPUT", JSON.stringify(result));
    assert.equal(result.error.details.issues[0].path, "value");
  });
}

test("a lone surrogate never changes silently on its way to the module", async () => {
  const schema = runtime.fromJsonSchema({});
  assert.throws(() => schema.parse({ a: "\ud800" }), (/** @type {any} */ error) => error.issues[0].path === "a" && /surrogate/.test(error.issues[0].message));
  const registry = registryOf(runtime);
  for (const member of ["capabilityId", "invocationId", "instanceId", "registrationId", "surfaceVersion", "confirmationId"]) {
    const result = await registry.invoke({ capabilityId: SAVE, [member]: "\ud800" });
    assert.match(result.error.details.issues[0].message, new RegExp(`${member}.*surrogate`));
  }
  const reasons = ["\ud800", "\\ud800"].map((reason) => {
    const policy = { name: "p", onDiscovery: () => ({ decision: "disable", reason }) };
    const handle = registry.register({ ...saving(runtime, () => 1), instanceId: reason.length === 1 ? "alone" : "escaped", policies: [policy] });
    assert.equal(handle.status, "active");
    return registry.snapshot().components.find((/** @type {any} */ c) => c.registrationId === handle.registrationId)?.actions[0]?.unavailableReason;
  });
  assert.deepEqual(reasons, [undefined, "\\ud800"], "a vote that cannot be read hides");
  registry.dispose();
});

for (const value of ["\ud800", "\udc00", "a\udfffb", { "\ud800": 1 }]) {
  test(`a lone surrogate in ${JSON.stringify(value)} arrives as it is or is refused by name`, async () => {
    let seen;
    const result = await callOnce(runtime, (/** @type {any} */ input) => {
      seen = input.value;
    }, { value });
    if (result.status === "ok") {
      assert.deepEqual(seen, value);
    } else {
      assert.equal(result.error.code, "INVALID_INPUT");
      assert.ok(result.error.details.issues[0].path.startsWith("value"));
      assert.match(result.error.details.issues[0].message, /surrogate|well-formed|Unicode/i);
    }
    const output = await callOnce(runtime, () => ({ value }));
    if (output.status === "ok") {
      assert.deepEqual(output.output, { value });
    } else {
      assert.equal(output.error.details.reason, "output-invalid");
    }
  });
}

test("each property is read once, so that a getter cannot give one value to the check and another to the handler", async () => {
  let reads = 0;
  let listed = 0;
  const changing = { get amount() { return ++reads === 1 ? 1 : 1_000_000; } };
  const proxy = new Proxy({ inner: 1 }, { ownKeys: (target) => (listed++, Reflect.ownKeys(target)) });
  let seen;
  const result = await callOnce(runtime, (/** @type {any} */ input) => {
    seen = input;
  }, { changing, proxy }, { input: schema(runtime, {
    type: "object", required: ["changing", "proxy"],
    properties: { changing: { type: "object", properties: { amount: { maximum: 10 } } }, proxy: {} },
  }) });
  assert.equal(result.status, "ok");
  assert.equal(/** @type {any} */ (seen).changing.amount, 1);
  assert.deepEqual([reads, listed], [1, 1]);
});

test("the request and the options are read once", async () => {
  const registry = registryOf(runtime);
  registry.register(saving(runtime, (/** @type {any} */ input) => input));
  /** @type {Record<string, number>} */
  const reads = {};
  const counting = (/** @type {Record<string, any>} */ values) => new Proxy(values, {
    get(target, name) {
      reads[String(name)] = (reads[String(name)] ?? 0) + 1;
      return target[String(name)];
    },
  });
  const result = await registry.invoke(
    counting({ capabilityId: SAVE, input: counting({ a: 1 }), invocationId: "x1" }),
    counting({ consumer: counting({ id: "me", kind: "test" }), timeoutMs: 100 }),
  );
  assert.equal(result.status, "ok");
  assert.deepEqual(reads, { capabilityId: 1, input: 1, a: 1, invocationId: 1, consumer: 1, id: 1, kind: 1, timeoutMs: 1 });
  registry.dispose();
});

test("a handler that keeps or changes its input changes nothing else", async () => {
  const registry = registryOf(runtime);
  const request = { capabilityId: SAVE, input: { list: [1] }, invocationId: "once" };
  registry.register(saving(runtime, (/** @type {any} */ input) => {
    input.list.push(2);
    return input;
  }));
  const result = await registry.invoke(request);
  assert.deepEqual(result.output, { list: [1, 2] });
  assert.deepEqual(request.input, { list: [1] });
  assert.deepEqual((await registry.invoke(request)).output, { list: [1, 2] });
  registry.dispose();
});

test("an output that is changed after it was returned does not change", async () => {
  const output = { list: [1] };
  const call = callOnce(runtime, () => output);
  output.list.push(2);
  assert.deepEqual((await call).output, { list: [1] });
});

test("nothing, null and undefined have one meaning each", async () => {
  assert.ok(!("output" in (await callOnce(runtime, () => undefined))));
  assert.ok(!("output" in (await callOnce(runtime, () => {}))));
  assert.equal((await callOnce(runtime, () => null)).output, null);
  assert.equal((await callOnce(runtime, () => "")).output, "");
  assert.equal((await callOnce(runtime, () => false)).output, false);
  assert.equal((await callOnce(runtime, () => 0)).output, 0);
  assert.equal((await callOnce(runtime, (/** @type {any} */ input) => JSON.stringify(input))).output, "{}");
});

test("an observation that gives nothing where it declares an output is output-invalid", async () => {
  const registry = registryOf(runtime);
  registry.register({
    type: "app.form", description: "A form",
    observations: { state: { description: "State", output: schema(runtime, { type: "string" }), read: () => undefined } },
  });
  const result = await registry.invoke({ capabilityId: "view:app.form.state" });
  assert.equal(result.error.details.reason, "output-invalid");
  registry.dispose();
});

test("sizes are limited in bytes of UTF-8, in and out", async () => {
  const registry = registryOf(runtime, { limits: { maxInputBytes: 1000, maxOutputBytes: 1000 } });
  registry.register(saving(runtime, (/** @type {any} */ input) => (input.out === undefined ? "ok" : "é".repeat(input.out))));
  const invoke = (/** @type {any} */ input) => registry.invoke({ capabilityId: SAVE, input });
  assert.equal((await invoke({ text: "é".repeat(480) })).status, "ok");
  assert.equal((await invoke({ text: "é".repeat(500) })).error.code, "INVALID_INPUT");
  assert.equal((await invoke({ out: 499 })).status, "ok");
  assert.equal((await invoke({ out: 500 })).error.details.reason, "output-too-large");
  registry.dispose();
});

test("huge texts and lists are refused and the next call works", async () => {
  for (const value of ["x".repeat(50_000_000), new Array(5_000_000).fill(1), Object.fromEntries(Array.from({ length: 200_000 }, (_, i) => [`k${i}`, i]))]) {
    const result = await callOnce(runtime, () => "ran", { value });
    assert.equal(result.error.code, "INVALID_INPUT");
    const output = await callOnce(runtime, () => value);
    assert.equal(output.error.details.reason, "output-too-large", JSON.stringify(output.error));
  }
  assert.equal((await callOnce(runtime, () => "fine")).output, "fine");
});

test("megabytes go through when the limits allow them, and memory that grew is read at its new place", async () => {
  const registry = registryOf(runtime, { limits: { maxInputBytes: 32_000_000, maxOutputBytes: 32_000_000 } });
  registry.register(saving(runtime, (/** @type {any} */ input) => ({ length: input.text.length, text: input.text })));
  const text = "\u{1f600}é".repeat(2_500_000); // 15 MB
  const result = await registry.invoke({ capabilityId: SAVE, input: { text } });
  assert.equal(result.output.length, text.length);
  assert.equal(result.output.text, text);
  const beyond = await registry.invoke({ capabilityId: SAVE, input: { text: text.slice(0, 3) + "x".repeat(32_000_000) } });
  assert.match(beyond.error.details.issues[0].message, /at most 32000000 bytes/);
  assert.equal((await registry.invoke({ capabilityId: SAVE, input: { text: "x" } })).output.text, "x");
  registry.dispose();
});

test("toJSON on prototypes has no say", async () => {
  const prototypes = [Object.prototype, Array.prototype, String.prototype, Number.prototype, Boolean.prototype];
  const before = prototypes.map((prototype) => Object.getOwnPropertyDescriptor(prototype, "toJSON"));
  let asked = 0;
  for (const prototype of prototypes) {
    Object.defineProperty(prototype, "toJSON", { configurable: true, value: () => (asked++, "forged") });
  }
  try {
    const result = await callOnce(runtime, (/** @type {any} */ input) => ({ got: input.list, n: 1, s: "x", b: true }), { list: [1, "a"] });
    assert.deepEqual(Object.entries(result.output).map(String), ["got,1,a", "n,1", "s,x", "b,true"]);
    assert.equal(asked, 0);
  } finally {
    prototypes.forEach((prototype, i) => {
      if (before[i] === undefined) {
        delete (/** @type {any} */ (prototype).toJSON);
      }
    });
  }
});

test("a then on Object.prototype is not asked, for results, outputs and snapshots", async () => {
  const registry = registryOf(runtime);
  registry.register(saving(runtime, () => ({ a: 1 })));
  let asked = 0;
  let result;
  Object.defineProperty(Object.prototype, "then", { configurable: true, get() { asked++; return undefined; } });
  try {
    const call = registry.invoke({ capabilityId: SAVE });
    result = await new Promise((resolve) => call.then((/** @type {any} */ value) => resolve(JSON.stringify(value.output))));
    registry.snapshot();
  } finally {
    delete (/** @type {any} */ (Object.prototype).then);
  }
  assert.equal(result, '{"a":1}');
  assert.equal(asked, 0);
  registry.dispose();
});

test("setters for indexes and options on prototypes see nothing", async () => {
  let seen = "";
  const names = ["0", "1", "2", "consumer", "timeoutMs", "signal", "capabilityId", "path", "message", "answer", "text", "value", "get"];
  let call;
  try {
    for (const name of names) {
      const setter = { __proto__: null, configurable: true, get: () => undefined, set: () => void (seen += `${name} `) };
      Object.defineProperty(Object.prototype, name, /** @type {any} */ (setter));
    }
    call = callOnce(runtime, (/** @type {any} */ input) => input, { list: [1, [2]], o: {} });
  } finally {
    for (const name of names) {
      delete (/** @type {any} */ (Object.prototype)[name]);
    }
  }
  assert.deepEqual((await call).output, { list: [1, [2]], o: {} });
  assert.equal(seen, "");
});
