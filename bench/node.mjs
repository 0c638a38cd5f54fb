// @ts-check
/** Prints the benchmark rows of this Node as JSON: { unit, rows }. */
import { readFileSync } from "node:fs";

const dist = new URL("../dist/", import.meta.url);
const { load } = await import(new URL("pagewarden.mjs", dist).href);
const { runRows } = await import("./rows.js");
console.warn = () => {}; // the open authority's warning
const runtime = await load({ wasm: readFileSync(new URL("pagewarden.wasm", dist)) });
console.log(JSON.stringify(await runRows(runtime)));
