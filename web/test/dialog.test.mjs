// @ts-check
/** pagewarden-dialog.js outside a page: what it exports, and that a server can import it. e2e/dialog has the rest. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { built } from "./harness.js";

const declared = readFileSync(new URL("../pagewarden-dialog.d.ts", import.meta.url), "utf8");
// A package without a type leaves it to its reader what a .js file is, and Node 20 takes it for a script.
const source = readFileSync(built("pagewarden-dialog.js"), "utf8");
const module = await import(`data:text/javascript,${encodeURIComponent(source)}`);

test("the script has what is declared, and nothing else", () => {
  const names = [...declared.matchAll(/^export (?:function|const) (\w+)/gm)].map((found) => found[1]);
  assert.deepEqual(Object.keys(module), names);
});

test("without a document it says what it needs, when it is called", () => {
  const confirmations = { pending: () => [], resolve: () => false, subscribe: () => () => {} };
  assert.throws(() => module.mountConfirmationDialog({ confirmations }), { name: "TypeError", message: "mountConfirmationDialog needs a page with a document" });
});

test("the types that are published are those that are checked", () => {
  assert.equal(readFileSync(built("pagewarden-dialog.d.ts"), "utf8"), declared);
});
