// @ts-check
/** createPredictionStore from JavaScript. Its rules are tested in Go (predict/); testdata/predict/patches.json holds both to one table. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { capabilitiesOf, complaints, device } from "./capabilities.js";
import { Clock, mustBeFrozenData, script, thrownBy } from "./harness.js";

const { load, module } = await script();
const clock = new Clock();
const runtime = await load({ wasm: module, timers: clock.timers });
const { createPredictionStore } = await capabilitiesOf(runtime);

const renamed = (/** @type {string} */ name, /** @type {any} */ more) => ({ baseVersion: "v1", patch: [{ op: "replace", path: "/name", value: name }], ...more });

/** What a patch comes to: the state, "invalid", or the name of what is thrown. @param {any} state @param {any} patch */
function applied(state, patch) {
  const store = createPredictionStore({ state, version: "v1" });
  try {
    const outcome = store.predict("p", { baseVersion: "v1", patch });
    return outcome === "predicted" ? store.snapshot().state : outcome;
  } catch (error) {
    assert.deepEqual(store.snapshot(), { state, version: "v1", authoritativeVersion: "v1", activePredictionIds: [] });
    return /** @type {Error} */ (error).name;
  }
}

const table = JSON.parse(readFileSync(new URL("../../testdata/predict/patches.json", import.meta.url), "utf8"));
for (const { name, state, patch, want } of table) {
  test(`patch: ${name}`, () => assert.deepEqual(applied(state, patch), want));
}

test("a value of 64 kB is taken, and a larger one is a RangeError", () => {
  const text = "a".repeat(65534);
  assert.equal(applied({ name: "" }, [{ op: "replace", path: "/name", value: text }]).name.length, 65534);
  assert.equal(applied({ name: "" }, [{ op: "replace", path: "/name", value: `${text}a` }]), "RangeError");
  assert.throws(() => createPredictionStore({ state: "a".repeat(5 << 20), version: "1" }), { name: "RangeError", message: /state: has \d+ bytes/ });
});

test("256 operations are taken, and one more is a TypeError", () => {
  const patch = Array.from({ length: 256 }, () => ({ op: "add", path: "/-", value: 1 }));
  assert.equal(applied([], patch).length, 256);
  assert.equal(applied([], [...patch, patch[0]]), "TypeError");
});

test("what is no JSON is a TypeError that says where", () => {
  /** @type {any} */
  const cyclic = {};
  cyclic.self = cyclic;
  for (const [value, message] of /** @type {[any, RegExp][]} */ ([
    [() => {}, /patch\[0\]\.value: must be JSON/], [NaN, /not a finite number/], [new Date(), /neither/], [cyclic, /nested at most/], [10n, /bigint/],
    ["\ud800", /patch\[0\]\.value/],
  ])) {
    const store = createPredictionStore(device());
    assert.throws(() => store.predict("p", renamed(value)), { name: "TypeError", message });
    assert.deepEqual(store.snapshot().activePredictionIds, []);
  }
  for (const [initial, message] of /** @type {[any, RegExp][]} */ ([
    [undefined, /state is required/], [{ version: "1" }, /state must be given/], [{ state: 1 }, /version: a version is/], [{ state: 1, version: "a b" }, /a version is/],
    [{ state: () => {}, version: "1" }, /state: must be JSON/], [[], /must be an object/], [{ state: 1, version: "1", clock: 1 }, /clock is not an option/],
  ])) {
    assert.throws(() => createPredictionStore(initial), { name: "TypeError", message });
  }
});

test("a snapshot is a frozen copy, and the state that was given stays the page's", () => {
  const initial = { state: { list: [1] }, version: "v1" };
  const store = createPredictionStore(initial);
  initial.state.list.push(2);
  const before = store.snapshot();
  mustBeFrozenData(before);
  assert.deepEqual(before, { state: { list: [1] }, version: "v1", authoritativeVersion: "v1", activePredictionIds: [] });
  store.predict("a", { baseVersion: "v1", patch: [{ op: "add", path: "/list/-", value: 3 }] });
  assert.deepEqual(before.state, { list: [1] });
  assert.deepEqual(store.snapshot(), { state: { list: [1, 3] }, version: "v1", authoritativeVersion: "v1", activePredictionIds: ["a"] });
});

test("each operation has its outcomes", () => {
  const store = createPredictionStore(device());
  assert.equal(store.predict("a", renamed("one")), "predicted");
  assert.equal(store.predict("a", renamed("two")), "invalid");
  assert.equal(store.predict("b", renamed("two", { baseVersion: "v0" })), "stale");
  assert.equal(store.predict("b", renamed("two", { expiresAt: clock.time })), "expired");
  assert.equal(store.predict("b", renamed("two", { expiresAt: 5 }), 4), "predicted");
  assert.equal(store.predict("c", renamed("three")), "predicted");
  assert.deepEqual(store.snapshot().state, { name: "three" });
  assert.deepEqual(store.expire(), ["b"]);
  assert.deepEqual(store.expire(), []);
  assert.equal(store.rollback("c"), "rolled-back");
  assert.equal(store.rollback("c"), "missing");
  assert.deepEqual(store.snapshot().state, { name: "one" });
  assert.equal(store.predict("d", renamed("four")), "predicted");
  assert.equal(store.commit("a", { state: { name: "server" }, version: "v2" }), "committed");
  assert.equal(store.commit("a", { state: 1, version: "v3" }), "missing");
  assert.equal(store.commit("d", { state: 1, version: "v3" }), "conflicted");
  assert.equal(store.predict("d", renamed("five", { baseVersion: "v2" })), "invalid");
  assert.equal(store.commit("d", { state: { name: "late" }, version: "v3" }, undefined, { reconciliation: "accept-server-state" }), "committed");
  assert.deepEqual(store.snapshot(), { state: { name: "late" }, version: "v3", authoritativeVersion: "v3", activePredictionIds: [] });
});

test("a prediction that is due is not committed; the clock is the runtime's, or what is given", () => {
  const store = createPredictionStore(device());
  store.predict("a", renamed("one", { expiresAt: clock.time + 1000 }));
  store.predict("b", renamed("two", { expiresAt: clock.time + 1000 }));
  clock.advance(1000);
  assert.equal(store.commit("a", { state: 1, version: "v2" }), "expired");
  assert.equal(store.commit("b", { state: 1, version: "v2" }, clock.time - 1), "committed");
});

test("a mistake in an argument throws and changes nothing", () => {
  const store = createPredictionStore(device());
  store.predict("a", renamed("one"));
  const before = store.snapshot();
  for (const [run, message] of /** @type {[() => unknown, RegExp][]} */ ([
    [() => store.predict(), /the id is required/], [() => store.predict(5, renamed("a")), /the id must be a string/], [() => store.predict("b"), /prediction is required/],
    [() => store.predict("", renamed("a")), /id: a prediction's id/], [() => store.predict("b", renamed("a", { expiresAt: "soon" })), /expiresAt must be milliseconds/],
    [() => store.predict("b", renamed("a"), new Date()), /neither/], [() => store.predict("b", renamed("a"), 1e17), /milliseconds/],
    [() => store.commit("a"), /state is required/], [() => store.commit("a", { state: 1 }), /version/], [() => store.commit("a", { state: 1, version: "v2" }, undefined, { reconciliation: "no" }), /reconciliation/],
    [() => store.rollback(), /id is required/], [() => store.expire("now"), /milliseconds/], [() => store.subscribe(5), /listener must be a function/],
  ])) {
    const error = thrownBy(run);
    assert.match(error.message, message);
    assert.equal(error.name, "TypeError");
  }
  assert.deepEqual(store.snapshot(), before);
});

test("listeners hear every event in order, also what others cause; one that throws changes nothing", () => {
  const store = createPredictionStore(device());
  /** @type {string[]} */
  const heard = [];
  const note = (/** @type {string} */ who) => (/** @type {any} */ { type, predictionId }) => void heard.push(`${who} ${type} ${predictionId}`);
  store.subscribe((/** @type {any} */ event) => {
    assert.ok(Object.isFrozen(event));
    if (event.type === "predicted" && event.predictionId === "a") {
      store.predict("b", renamed("two"));
      store.subscribe(note("late"));
    }
    throw new Error("a listener's own");
  });
  const stop = store.subscribe(note("first"));
  store.predict("a", renamed("one"));
  assert.deepEqual(heard, ["first predicted a", "first predicted b"]);
  store.commit("a", { state: { name: "x" }, version: "v2" });
  assert.deepEqual(heard.splice(0), ["first predicted a", "first predicted b", "first committed a", "late committed a", "first conflicted b", "late conflicted b"]);
  stop();
  stop();
  store.predict("c", renamed("three", { baseVersion: "v2" }));
  store.rollback("c");
  assert.deepEqual(heard, ["late predicted c", "late rolled-back c"]);
  assert.ok(complaints.some((line) => line.includes("a listener of a prediction store failed")));
});

test("256 predictions may be active", () => {
  const store = createPredictionStore({ state: 0, version: "v1" });
  for (let i = 0; i < 256; i++) {
    assert.equal(store.predict(`p${i}`, { baseVersion: "v1", patch: [{ op: "replace", path: "", value: i }] }), "predicted");
  }
  assert.equal(store.predict("one more", { baseVersion: "v1", patch: [] }), "invalid");
  assert.equal(store.snapshot().state, 255);
  assert.equal(store.commit("p9", { state: "done", version: "v1" }), "committed");
  assert.equal(store.snapshot().activePredictionIds.length, 255);
});
