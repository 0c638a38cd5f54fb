// A page that offers a tool, and one that waits until the test lets it go on.
import { offer, surface } from "./use.js";

globalThis.readyYet = "waiting";
PageWarden.ready.then(() => (globalThis.readyYet = "ready"), (error) => (globalThis.readyYet = error.message));
const runtime = await PageWarden.ready;
const made = surface(runtime);
let finish;
const waiting = { held: 0, ended: [] };
made.registry.register({
  type: "page.holder", description: "Waits.",
  actions: {
    hold: {
      description: "Wait.", effect: "local-state", input: runtime.emptyObjectSchema, timeoutMs: 600000,
      execute: () => new Promise((resolve) => {
        waiting.held++;
        finish = resolve;
      }),
    },
  },
});
made.registry.subscribe((event) => event.type === "invocation-settled" && waiting.ended.push(event.capabilityId));
globalThis.kept = { ...made, adapter: offer(made), waiting, finish: () => finish("held") };
