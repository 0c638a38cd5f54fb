// @ts-check
/**
 * Prints the benchmark rows in this Node: each in u, the time that the engine takes to parse one fixed document,
 * beside its target. `node bench/node.mjs --json` gives { unit, rows }, with times in microseconds.
 */
import { readFileSync } from "node:fs";

/** What Node should take at most, in u. @type {Record<string, number>} */
const TARGETS = {
  "register and unregister 100 components": 6,
  "register and unregister 1000": 56,
  "snapshot of 100 components, warm": 0.65,
  "action invoke, no-op handler": 0.13,
  "action invoke, two built-in policies": 0.27,
  "observation invoke": 0.1,
  "digestJson of a 32 kB value": 4,
};

const dist = new URL("../dist/", import.meta.url);
console.warn = () => {}; // the open authority's warning
const { load } = await import(new URL("pagewarden.mjs", dist).href);
const { runRows } = await import("./rows.js");
const runtime = await load({ wasm: readFileSync(new URL("pagewarden.wasm", dist)) });
const { unit, rows } = await runRows(runtime);

if (process.argv[2] === "--json") {
  console.log(JSON.stringify({ unit, rows }));
} else {
  console.log(`Node ${process.version}: u = ${unit.toFixed(0)} µs; medians of five rounds`);
  console.log(`${"operation".padEnd(42)}${"µs".padStart(10)}${"u".padStart(10)}${"target".padStart(10)}`);
  for (const { name, microseconds } of rows) {
    const target = TARGETS[name];
    const inUnits = microseconds / unit;
    const verdict = target === undefined ? "" : inUnits <= target ? "" : `  ${(inUnits / target).toFixed(1)} times over`;
    console.log(`${name.padEnd(42)}${microseconds.toFixed(1).padStart(10)}${inUnits.toFixed(3).padStart(10)}${String(target ?? "").padStart(10)}${verdict}`);
  }
}
