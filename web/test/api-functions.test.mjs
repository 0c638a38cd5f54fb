// @ts-check
/** The pure functions and constants of the API. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { mustBeFrozenData, script } from "./harness.js";

const { load, module } = await script();
const runtime = await load({ wasm: module });

test("capability ids", () => {
  assert.deepEqual(runtime.parseCapabilityId("view:devices.table.filter"), { plane: "view", componentType: "devices.table", name: "filter" });
  assert.deepEqual(runtime.parseCapabilityId("domain:a.b/c"), { plane: "domain", path: "a.b/c" });
  mustBeFrozenData(runtime.parseCapabilityId("view:a.b"));
  for (const value of ["view:", "x", "", "domain:", undefined, null, 5, {}, Symbol("x"), () => 1]) {
    assert.equal(runtime.parseCapabilityId(value), undefined);
  }
  assert.equal(runtime.formatViewCapabilityId("devices.table", "filter"), "view:devices.table.filter");
  assert.equal(runtime.formatDomainCapabilityId("a.b"), "domain:a.b");
  assert.throws(() => runtime.formatViewCapabilityId("Devices", "x"), { name: "TypeError", message: /component type/ });
  assert.throws(() => runtime.formatViewCapabilityId("devices"), /the name is required/);
  assert.throws(() => runtime.formatViewCapabilityId(1, "x"), /must be a string/);
  assert.throws(() => runtime.formatDomainCapabilityId(""), TypeError);
});

test("predicates answer for anything", () => {
  const cases = /** @type {[string, any[], any[]][]} */ ([
    ["isValidComponentType", ["a", "a.b-c"], ["A", "a.", ""]],
    ["isValidCapabilityName", ["a", "aB2"], ["A", "a.b"]],
    ["isValidInstanceId", ["a", "A_-9"], ["a b", ""]],
  ]);
  const odd = [undefined, null, 0, {}, [], Symbol("x"), () => 1, 10n, { get a() { throw 1; } }];
  for (const [name, yes, no] of cases) {
    for (const value of yes) {
      assert.equal(runtime[name](value), true, `${name} ${value}`);
    }
    for (const value of [...no, ...odd, "a".repeat(runtime.MAX_ID_LENGTH + 1)]) {
      assert.equal(runtime[name](value), false, name);
    }
  }
});

test("wire names", () => {
  assert.equal(runtime.encodeWireName("view:lamp.turn"), "view_lamp__turn");
  assert.equal(runtime.encodeWireNameForInstance("view:lamp.turn", "desk"), "view_lamp__turn_at_desk");
  assert.match(runtime.encodeWireNameForInstance("view:lamp.turn", undefined, 1), /_0_[a-z0-9]{9}$/);
  assert.equal(runtime.decodeWireName("view_lamp__turn"), "view:lamp.turn");
  assert.equal(runtime.decodeWireName("view_lamp__turn_at_desk"), undefined);
  assert.equal(runtime.decodeWireName(5), undefined);
  assert.throws(() => runtime.encodeWireName("lamp"), TypeError);
  assert.throws(() => runtime.encodeWireNameForInstance("view:a.b", "", 9), /level/);
  const { names, byName } = runtime.assignWireNames([{ id: "view:lamp.turn" }, { id: "view:lamp.turn", instanceId: "desk" }, { id: "view:lamp.turn" }]);
  assert.deepEqual(names, ["view_lamp__turn", "view_lamp__turn_at_desk", "view_lamp__turn"]);
  assert.deepEqual(byName, { view_lamp__turn: { id: "view:lamp.turn" }, view_lamp__turn_at_desk: { id: "view:lamp.turn", instanceId: "desk" } });
  mustBeFrozenData(byName);
  assert.ok(names.every((/** @type {string} */ name) => name.length <= runtime.MAX_WIRE_NAME_LENGTH));
  assert.throws(() => runtime.assignWireNames("x"), TypeError);
  assert.throws(() => runtime.assignWireNames([{ id: "nothing" }]), TypeError);
  assert.throws(() => runtime.assignWireNames([1]), TypeError);
});

test("JSON: equality, canonical text, digest", () => {
  assert.equal(runtime.jsonDeepEqual({ a: 1, b: [1, { c: null }] }, { b: [1.0, { c: null }], a: 1 }), true);
  assert.equal(runtime.jsonDeepEqual({ a: 1 }, { a: 2 }), false);
  assert.equal(runtime.jsonDeepEqual(Symbol("x"), Symbol("x")), false);
  assert.equal(runtime.jsonDeepEqual(undefined, undefined), true);
  assert.equal(runtime.jsonDeepEqual(undefined, null), false);
  assert.equal(runtime.canonicalJson({ b: 1e21, a: "é\n", "\u{1F600}": -0 }), '{"a":"é\\n","b":1e+21,"\u{1F600}":0}');
  assert.equal(runtime.digestJson({ b: 1, a: 2 }), createHash("sha256").update('{"a":2,"b":1}').digest("hex"));
  assert.throws(() => runtime.canonicalJson(undefined), /required/);
  assert.throws(() => runtime.digestJson({ a: () => 1 }), /a: must be JSON/);
  assert.throws(() => runtime.canonicalJson({ a: "\ud800" }), TypeError);
});

/** Numbers from 0 to below n, the same in every run. @returns {(n: number) => number} */
function picking() {
  let state = 7;
  return (n) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % n;
  };
}

/** Some JSON value. @param {(n: number) => number} pick @param {number} depth @returns {any} */
function someValue(pick, depth) {
  const texts = ["", "a", "é\u2028", "\u{1f600}", "\ufffd\ufeff", '"\\/\b\f\n\r\t\u0000\u001f\u007f', "__proto__", "10", "9", "x".repeat(99), "x".repeat(101), "\\ud800"];
  const numbers = [0, -0, 1, -1.5, 5e-324, 1.2345e300, 1e21, 1e-7, 123456789012345680000, 0.1, 2 ** 53, 1e-6, 4.35];
  switch (pick(depth > 0 ? 6 : 4)) {
    case 0:
      return texts[pick(texts.length)];
    case 1:
      return numbers[pick(numbers.length)] * (pick(2) === 0 ? 1 : pick(1000));
    case 2:
      return pick(2) === 0;
    case 3:
      return null;
    case 4:
      return Array.from({ length: pick(4) }, () => someValue(pick, depth - 1));
  }
  return Object.fromEntries(Array.from({ length: pick(5) }, () => [texts[pick(texts.length)], someValue(pick, depth - 1)]));
}

/** A value with the members of every object in order, or in the opposite order. @param {any} value @param {number} sign @returns {any} */
function ordered(value, sign) {
  if (Array.isArray(value)) {
    return value.map((element) => ordered(element, sign));
  }
  if (typeof value !== "object" || value === null) {
    return value;
  }
  const names = Object.keys(value).sort((a, b) => (a < b ? -sign : sign));
  return Object.fromEntries(names.map((name) => [name, ordered(value[name], sign)]));
}

test("canonical text is the same in whatever order the members come", () => {
  const pick = picking();
  for (let i = 0; i < 500; i++) {
    const value = someValue(pick, 3);
    const text = runtime.canonicalJson(ordered(value, 1));
    for (const other of [value, ordered(value, -1)]) {
      assert.equal(runtime.canonicalJson(other), text);
      assert.equal(runtime.digestJson(other), createHash("sha256").update(text).digest("hex"));
    }
    assert.equal(runtime.jsonDeepEqual(JSON.parse(text), value), true);
  }
  for (const value of ["\ud800", { a: "\udc00" }, { a: 1, "\ud800": 1 }, { b: 1, a: "\ud800" }]) {
    assert.throws(() => runtime.digestJson(value), TypeError);
    assert.throws(() => runtime.canonicalJson(value), TypeError);
    assert.equal(runtime.jsonDeepEqual(value, value), false);
    assert.equal(runtime.jsonDeepEqual(1, value), false);
  }
  assert.equal(runtime.digestJson("\\ud800"), createHash("sha256").update(JSON.stringify("\\ud800")).digest("hex"));
});

test("constants", () => {
  assert.equal(runtime.DEFAULT_LIMITS.actionTimeoutMs, 10_000);
  assert.equal(runtime.AGENT_CAPABILITY_ERROR_CODES.length, 16);
  assert.equal(runtime.AGENT_CAPABILITY_ERROR_CODES[0], "CAPABILITY_NOT_FOUND");
  mustBeFrozenData(runtime.DEFAULT_LIMITS);
  mustBeFrozenData(runtime.AGENT_CAPABILITY_ERROR_CODES);
  assert.deepEqual([runtime.MAX_ID_LENGTH, runtime.MAX_WIRE_NAME_LENGTH], [128, 64]);
});

test("matchesScope", () => {
  const { matchesScope } = runtime.dev;
  assert.equal(matchesScope("devices.table", ["devices"]), true);
  assert.equal(matchesScope("devices2", ["devices"]), false);
  assert.equal(matchesScope("devices", []), true);
  assert.equal(matchesScope("devices"), true);
  assert.throws(() => matchesScope("devices", "x"), TypeError);
});

test("definitions are checked without being registered, and keep nothing", () => {
  const before = runtime.dev.tables();
  const good = {
    type: "app.form", description: "A form", policies: [runtime.authenticated()],
    actions: { save: runtime.action({ description: "Saves", effect: "local-state", input: { jsonSchema: {}, parse: (/** @type {any} */ v) => v }, execute() {} }) },
    observations: { state: runtime.observation({ description: "State", output: runtime.fromJsonSchema({}), read() {} }) },
  };
  assert.equal(runtime.defineAgentComponent(good), good);
  assert.equal(runtime.validateComponentDefinition(good), undefined);
  for (const [change, code] of /** @type {[any, string][]} */ ([
    [{ type: "App" }, "INVALID_ID"], [{ description: "" }, "INVALID_DEFINITION"], [{ colour: 1 }, "INVALID_DEFINITION"], [{ actions: { save: 1 } }, "INVALID_DEFINITION"],
    [{ description: "x".repeat(501) }, "LIMIT_EXCEEDED"], [{ actions: { save: { ...good.actions.save, effect: "destructive" } } }, "PLANE_VIOLATION"],
  ])) {
    assert.throws(() => runtime.defineAgentComponent({ ...good, ...change }), { name: "AgentSurfaceDefinitionError", code });
    assert.throws(() => runtime.validateComponentDefinition({ ...good, ...change }), { code });
  }
  assert.throws(() => runtime.defineAgentComponent(undefined), { code: "INVALID_DEFINITION" });
  assert.deepEqual(runtime.dev.tables(), before);
});
