// A page whose runtimes are in workers, and a page's own, whose handler asks a worker.
import { load } from "/pagewarden.mjs";
import { offer } from "./use.js";

/** How each kind of worker is started; what comes back is what messages go through. */
const kinds = {
  classic: () => new Worker("classic-worker.js"),
  module: () => new Worker("module-worker.js", { type: "module" }),
  shared: () => new SharedWorker("shared-worker.js", { type: "module" }).port,
};

/** A worker that is ready, as a function that asks it. */
export async function start(kind) {
  const port = kinds[kind]();
  const waiting = new Map();
  const ready = Promise.withResolvers();
  port.onmessage = ({ data }) => {
    if (data.ready) {
      ready.resolve();
      return;
    }
    waiting.get(data.number)(data);
    waiting.delete(data.number);
  };
  port.onerror = ({ message }) => ready.reject(new Error(message));
  await ready.promise;
  let last = 0;
  const ask = (message) => new Promise((resolve) => {
    waiting.set(++last, resolve);
    port.postMessage({ number: last, ...message });
  });
  return Object.assign(ask, { terminate: () => port.terminate?.() });
}

/** What a worker of a kind answers that loads from an address. */
globalThis.inWorker = async (kind, wasm) => {
  const ask = await start(kind);
  const answer = await ask({ wasm, text: "there" });
  if (kind !== "shared") ask.terminate();
  return answer;
};

/** Two pages' worth of connections to one shared worker. */
globalThis.share = async (wasm) => {
  const [one, two] = [await start("shared"), await start("shared")];
  return [await one({ wasm, text: "one" }), await two({ wasm, text: "two" })];
};

/** Offers a tool whose handler asks a worker, which can be made to hang and be terminated. */
globalThis.offerWorker = async (wasm, timeoutMs) => {
  const runtime = await load({ wasm });
  const ask = await start("module");
  await ask({ wasm, text: "warm" });
  const registry = runtime.createAgentSurfaceRegistry({ authority: runtime.createOpenAuthority(), environment: "test" });
  const input = runtime.fromJsonSchema({ type: "object", properties: { hang: { type: "boolean" } }, required: ["hang"], additionalProperties: false });
  const seen = { asked: 0, aborted: 0 };
  registry.register({
    type: "page.worker", description: "Work.",
    actions: {
      ask: {
        description: "Ask the worker.", effect: "local-state", input, timeoutMs, concurrency: { mode: "parallel", max: 4 },
        execute: async ({ hang }, { signal }) => {
          signal.addEventListener("abort", () => seen.aborted++);
          seen.asked++;
          return (await ask({ hang, text: "back" })).output;
        },
      },
      near: { description: "Do it here.", effect: "local-state", input: runtime.emptyObjectSchema, execute: () => "near" },
    },
  });
  offer({ runtime, registry });
  Object.assign(globalThis, { seen, terminate: ask.terminate, registry });
};
