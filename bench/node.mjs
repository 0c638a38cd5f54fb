// @ts-check
/**
 * Measures the operations of rows.js in this Node and prints what came out as JSON. The only argument is the plan, as
 * JSON. `go run ./bench` runs it.
 */
import { readFileSync } from "node:fs";
import { noteMemories, runAll } from "./rows.js";

const dist = new URL("../dist/", import.meta.url);
console.warn = () => {}; // the open authority's warning
const memories = noteMemories();
const { load } = await import(new URL("pagewarden.mjs", dist).href);
const runtime = await load({ wasm: readFileSync(new URL("pagewarden.wasm", dist)) });
const memory = /** @type {WebAssembly.Memory} */ (memories[0]);
const result = await runAll(runtime, memory, JSON.parse(/** @type {string} */ (process.argv[2])));
console.log(JSON.stringify({ engine: `Node ${process.version}`, ...result }));

