// What became of a script tag: how ready ends, if it does, what was told by then, and whether the page can go on.
import { attempt, use } from "./use.js";

const names = () => Object.getOwnPropertyNames(globalThis);
const frame = document.createElement("iframe");
document.documentElement.append(frame);
const usual = new Set(Object.getOwnPropertyNames(frame.contentWindow));
frame.remove();

await new Promise((resolve) => (document.readyState === "complete" ? resolve() : addEventListener("load", resolve)));
const { PageWarden, told } = globalThis;
const loads = document.querySelector("script[data-wasm]")?.dataset.wasm;
const outcome = loads
  ? await PageWarden.ready.then(async (runtime) => ({ value: await use(runtime) }), (error) => ({ error: error.message }))
  : await Promise.race([PageWarden.ready.then(() => ({ value: "ready" })), { value: "waits" }]);
const tryAgain = (make) => attempt(PageWarden.load, make);
globalThis.tryAgain = tryAgain;
globalThis.seen = {
  ...outcome,
  told: told.filter((line) => !line.includes("open authority")),
  global: names().filter((name) => !usual.has(name) && !["told", "tryAgain"].includes(name)),
  later: await tryAgain(() => "/pagewarden.wasm"),
};
