// @ts-check
/** Runs the snippets of docs/javascript.md, in their order, against the package that the build made. */
import assert from "node:assert/strict";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = new URL("../../", import.meta.url);
const text = readFileSync(new URL("docs/javascript.md", root), "utf8");
const snippets = [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(([, language, code]) => ({ language, code: `${code}` }));

/** A snippet with its arrows turned into checks: `expression; // → value`. @param {string} code */
function checked(code) {
  return code.replace(/^(?!const |let )(.*); \/\/ → (.*)$/gm, "__is(($1), ($2));");
}

test("every snippet is a page or runs below", () => {
  assert.deepEqual([...new Set(snippets.map(({ language }) => language))].sort(), ["html", "js"]);
  assert.equal(snippets.filter(({ language }) => language === "html").length, 1, "the page is run by e2e");
  const arrows = (text.match(/^.*; \/\/ → .*$/gm) ?? []).length;
  const checks = snippets.map(({ code }) => checked(code).split("__is(").length - 1).reduce((a, b) => a + b, 0);
  assert.equal(checks, arrows, "an arrow that nothing checks");
  assert.ok(arrows > 20);
});

test("the snippets run in order and give what they say", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "pagewarden-docs-"));
  t.after(() => rmSync(dir, { recursive: true }));
  const modules = join(dir, "node_modules");
  mkdirSync(modules);
  cpSync(fileURLToPath(new URL("dist/", root)), join(modules, "pagewarden"), { recursive: true });
  symlinkSync(fileURLToPath(new URL("tools/node/node_modules/zod", root)), join(modules, "zod"));
  const code = snippets.filter(({ language }) => language === "js").map((snippet) => checked(snippet.code));
  writeFileSync(join(dir, "page.mjs"), `
    import { deepEqual } from "node:assert/strict";
    let __count = 0;
    const __is = (actual, expected) => (__count++, deepEqual(actual, expected));
    ${code.join("\n")}
    export const count = __count;
  `);
  const { warn, debug } = console;
  Object.assign(console, { warn() {}, debug() {} });
  t.after(() => Object.assign(console, { warn, debug }));
  const { count } = await import(pathToFileURL(join(dir, "page.mjs")).href);
  assert.ok(count > 20);
});
