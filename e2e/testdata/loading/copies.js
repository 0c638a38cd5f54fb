// Two copies of the script in one page: what each gives, what the browser lists, and how often a call runs.
import { offer, surface, use } from "./use.js";

/** The runtimes of a page with the classic script and the modules at the addresses that are given. */
async function runtimesOf(modules) {
  const runtimes = [await PageWarden.ready];
  for (const { script, wasm } of modules) {
    const { load } = script === undefined ? PageWarden : await import(script);
    runtimes.push(await load({ wasm }));
  }
  return runtimes;
}

/** Offers the same surface from each runtime, one after the other in one turn. */
globalThis.offerFromEach = async (...modules) => {
  const surfaces = (await runtimesOf(modules)).map((runtime) => surface(runtime, "development"));
  const adapters = surfaces.map(offer);
  Object.assign(globalThis, { surfaces, adapters });
};

/** Until no registration is on its way: each adapter says what became of its one tool. */
globalThis.settled = () => adapters.every((adapter) => adapter.status().registered.length + adapter.status().refused.length === 1);

/** What happened in each runtime. */
globalThis.report = () => ({
  calls: surfaces.map(({ calls }) => calls),
  refused: adapters.map((adapter) => adapter.status().refused),
  surfaces: new Set(surfaces.map(({ registry }) => registry.surfaceId)).size,
  told: told.filter((line) => !line.includes("open authority") && !line.startsWith("debug")),
});

/** What an error of one runtime's class says when another's handler throws it. */
globalThis.throwAcross = async () => {
  const [one, two] = surfaces.map(({ runtime }) => runtime);
  const registry = two.createAgentSurfaceRegistry({ authority: two.createOpenAuthority(), environment: "test" });
  const error = new one.AgentSurfaceError({ code: "RATE_LIMITED", message: "Wait a moment.", retry: "after-delay" });
  registry.register({
    type: "page.thrower", description: "Throws.",
    actions: { throw: { description: "Throw.", effect: "local-state", input: two.emptyObjectSchema, execute: () => { throw error; } } },
  });
  const result = await registry.invoke({ capabilityId: "view:page.thrower.throw", input: {} });
  registry.dispose();
  return result.error.code;
};

/** Whether the runtimes refuse each other's objects. */
globalThis.mixUp = () => {
  const [one, two] = surfaces;
  const refuses = (run) => {
    try {
      run();
      return "taken";
    } catch (error) {
      return error.message;
    }
  };
  return [
    refuses(() => two.runtime.createAgentSurfaceRegistry({ authority: one.runtime.createOpenAuthority(), environment: "test" })),
    refuses(() => two.runtime.createWebMcpAdapter().start({ registry: one.registry, consumer: { id: "agent", kind: "webmcp" } })),
    refuses(() => two.runtime.dev.explainSurface(one.registry)),
  ];
};
globalThis.use = use;
