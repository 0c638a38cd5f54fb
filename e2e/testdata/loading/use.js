// What every test of loading does with a runtime: one surface, one call, tools for the browser if it has any.

/** The tools that a page offers, and how often each was called. */
export function surface(runtime, environment = "test") {
  const registry = runtime.createAgentSurfaceRegistry({ authority: runtime.createOpenAuthority(), environment });
  const calls = [];
  const handle = registry.register({
    type: "page.text", description: "The page's text.",
    actions: {
      echo: {
        description: "Give back the text.", effect: "local-state",
        input: runtime.fromJsonSchema({ type: "object", properties: { text: { type: "string" } }, required: ["text"], additionalProperties: false }),
        execute: ({ text }) => {
          calls.push(text);
          return text;
        },
      },
    },
  });
  return { runtime, registry, handle, calls };
}

/** Offers a surface to the browser's agents. */
export function offer({ runtime, registry }) {
  const adapter = runtime.createWebMcpAdapter();
  adapter.start({ registry, consumer: { id: "agent", kind: "webmcp" } });
  return adapter;
}

/** Fails unless the runtime carries out a call. */
export async function use(runtime) {
  const { registry } = surface(runtime);
  const result = await registry.invoke({ capabilityId: "view:page.text.echo", input: { text: "here" } });
  registry.dispose();
  return result.output ?? JSON.stringify(result.error);
}

/** Loads and uses a runtime: { value } or { error }, and what was told meanwhile, the open authority's warning left out. */
export async function attempt(load, make) {
  const mark = told.length;
  const outcome = await (async () => {
    try {
      return { value: await use(await load({ wasm: await make() })) };
    } catch (error) {
      return { error: error instanceof Error ? error.message : `not an error: ${error}` };
    }
  })();
  return { ...outcome, told: told.slice(mark).filter((line) => !line.includes("open authority")) };
}
