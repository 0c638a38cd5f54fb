// @ts-check
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const dist = new URL("../../dist/faults/", import.meta.url);
globalThis.setTimeout = /** @type {any} */ (() => {
  throw new Error("this page has no timers");
});
const { load } = await import(new URL("pagewarden.mjs", dist).href);
const { runScheduling } = await import("./scheduling.js");
const wasm = readFileSync(new URL("pagewarden.wasm", dist));
const calls = Number(process.env.PAGEWARDEN_CALLS ?? 100_000);

test("nothing reachable from an export waits", async (t) => {
  for (const line of await runScheduling({ load, wasm, fault: true, calls })) {
    t.diagnostic(line);
  }
});

test("the same while the collector runs all the time", async (t) => {
  const lines = await runScheduling({ load, wasm, fault: true, calls: Math.ceil(calls / 10), gcPercent: 5 });
  assert.equal(lines.length, 9);
  t.diagnostic(lines.join("; "));
});
