// Loads the runtime both ways and calls a capability in each. What happened is left in globalThis.outcome.
import { load } from "/pagewarden.mjs";

async function callIn(runtime) {
  const registry = runtime.createAgentSurfaceRegistry({ authority: runtime.createOpenAuthority(), environment: "test" });
  registry.register({
    type: "page.text", description: "The page's text.",
    observations: { read: { description: "Read it.", output: runtime.fromJsonSchema({ type: "string" }), read: () => document.title } },
  });
  runtime.createWebMcpAdapter().start({ registry, consumer: { id: "agent", kind: "webmcp" } });
  const result = await registry.invoke({ capabilityId: "view:page.text.read" });
  return result.output ?? result;
}

const settle = (promise) => promise.then((value) => ({ value }), (error) => ({ error: error.message }));

globalThis.outcome = Promise.all([
  settle(PageWarden.ready.then(callIn)),
  settle(load({ wasm: "/pagewarden.wasm" }).then(callIn)),
]);
