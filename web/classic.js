// @ts-check
/**
 * The script as a classic one: sets globalThis.PageWarden to { load, ready }, and nothing else. With data-wasm
 * on its tag it loads at once and ready is that runtime; without, ready waits for the first load that works.
 */
import { load as loadRuntime } from "./shim.js";
import { define, freeze, hasOwn, pageDocument, report } from "./shim/intrinsics.js";
import { deferred, settled } from "./shim/promises.js";

const first = deferred();
settled(first.promise, () => {}, () => {}); // whoever awaits ready sees the failure; nobody else has to

const tag = pageDocument?.currentScript;
const pin = tag?.getAttribute("data-contract") ?? undefined;

/** @param {any} [options] */
function load(options) {
  const loaded = loadRuntime(options, pin);
  settled(loaded, first.resolve, () => {});
  return loaded;
}

if (hasOwn(globalThis, "PageWarden")) {
  report("warn", "pagewarden: the script is on this page twice; the first copy is kept");
} else {
  const api = freeze({ load, ready: first.promise });
  define(globalThis, "PageWarden", api);
  const wasm = tag?.getAttribute("data-wasm");
  if (wasm) {
    settled(load({ wasm }), () => {}, (error) => {
      first.reject(error);
      report("error", error.message);
    });
  }
}

