// @ts-check
/** The script and the module agree: on operations, on imports, and on the Go that the import table was written for. */
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { built } from "./harness.js";

const bridge = new URL("../../jsbridge/", import.meta.url);
const shim = new URL("../shim/", import.meta.url);

/** Go's constants of one type: every const block of a file, with iota. @param {string} source @param {string} type @param {string} prefix */
function goConstants(source, type, prefix) {
  /** @type {Record<string, number>} */
  const values = {};
  for (const [, block] of source.matchAll(/^const \(\n([\s\S]*?)^\)/gm)) {
    let formula = "";
    let iota = -1;
    for (const line of block.split("\n").map((text) => text.replace(/\/\/.*/, "").trim()).filter(Boolean)) {
      iota++;
      const declared = /^(\w+)(?:\s+(\w+)\s*=\s*(.+))?$/.exec(line);
      assert.ok(declared, `cannot read ${line}`);
      const [, name, declaredType, value] = declared;
      if (declaredType !== undefined) {
        formula = declaredType === type ? value : "";
      }
      if (formula !== "" && name.startsWith(prefix)) {
        values[name.slice(prefix.length)] = valueOf(formula, iota);
      }
    }
  }
  return values;
}

/** @param {string} formula @param {number} iota */
function valueOf(formula, iota) {
  const shift = /^1 << (\d+)$/.exec(formula);
  if (shift) {
    return 1 << Number(shift[1]);
  }
  const offset = /^iota(?: \+ (\d+))?$/.exec(formula);
  assert.ok(offset, `cannot work out ${formula}`);
  return iota + Number(offset[1] ?? 0);
}

const ops = readFileSync(new URL("ops.go", bridge), "utf8");
for (const [file, type, prefix] of [
  ["op.js", "Op", "Op"], ["status.js", "Status", "Status"], ["question.js", "Question", "Ask"], ["answer.js", "Answer", "Answer"], ["news.js", "News", "Tell"],
]) {
  test(`ops/${file} is the ${type} of ops.go`, async () => {
    const script = { ...(await import(new URL(`ops/${file}`, shim).href)) };
    const go = goConstants(ops, type, prefix);
    assert.ok(Object.keys(go).length >= 5);
    assert.deepEqual(script, go);
  });
}

test("every constant of the script is used, so that none outlives what it was for", () => {
  const sources = readdirSync(shim).filter((name) => name.endsWith(".js")).map((name) => readFileSync(new URL(name, shim), "utf8")).join("\n");
  for (const [type, prefix] of [["Op", "Op"], ["Question", "Ask"], ["News", "Tell"]]) {
    for (const name of Object.keys(goConstants(ops, type, prefix))) {
      assert.ok(new RegExp(`\\b${type}\\.${name}\\b`).test(sources), `${type}.${name} is not used`);
    }
  }
});

for (const variant of /** @type {const} */ (["", "faults/"])) {
  test(`the ${variant || "shipped "}module imports what the script gives, and nothing else`, async () => {
    const module = await WebAssembly.compile(readFileSync(built("pagewarden.wasm", variant)));
    const imports = WebAssembly.Module.imports(module);
    assert.ok(imports.every(({ kind }) => kind === "function"));
    const wanted = (/** @type {string} */ from) => imports.filter(({ module: name }) => name === from).map(({ name }) => name).sort();
    assert.deepEqual([...new Set(imports.map(({ module: name }) => name))].sort(), ["gojs", "pagewarden"]);
    const { GoHost } = await import(new URL("gojs.js", shim).href);
    assert.deepEqual(wanted("gojs").filter((name) => !Object.hasOwn(new GoHost(() => {}).imports(), name)), [], "the script lacks imports");
    const load = readFileSync(new URL("load.js", shim), "utf8");
    const given = /** @type {RegExpExecArray} */ (/pagewarden: \{\n\s*__proto__: null,\n([\s\S]*?)\n {6}\},/.exec(load))[1];
    assert.deepEqual([...given.matchAll(/^ {8}(\w+): \(/gm)].map(([, name]) => name).sort(), wanted("pagewarden"));
  });
}

test("the import table has no entry that no module needs", async () => {
  const module = await WebAssembly.compile(readFileSync(built("pagewarden.wasm", "faults/")));
  const { GoHost } = await import(new URL("gojs.js", shim).href);
  const wanted = new Set(WebAssembly.Module.imports(module).map(({ name }) => name));
  assert.deepEqual(Object.keys(new GoHost(() => {}).imports()).filter((name) => !wanted.has(name)), []);
});

/** The release of Go whose runtime the table in gojs.js was read from. Look at its misc/wasm before you change this. */
const TABLE_WRITTEN_FOR = "1.26";

test("the module is built by the Go that the import table was written for", () => {
  const declared = /^go (\d+\.\d+)/m.exec(readFileSync(new URL("../../go.mod", import.meta.url), "utf8"));
  assert.equal(declared?.[1], TABLE_WRITTEN_FOR);
  const version = /\bgo(1\.\d+)(?:\.\d+)?\b/.exec(readFileSync(built("pagewarden.wasm")).toString("latin1"));
  assert.equal(version?.[1], TABLE_WRITTEN_FOR);
});

test("the module exports what the script calls", async () => {
  const module = await WebAssembly.compile(readFileSync(built("pagewarden.wasm")));
  const names = WebAssembly.Module.exports(module).map(({ name }) => name).sort();
  assert.deepEqual(names, ["getsp", "mem", "pw_do", "pw_mail", "pw_reserve", "resume", "run"]);
});
