// What every worker does: loads when it is told from where, and answers calls by their number.
import { surface } from "./use.js";

/** @param load gives the runtime of a module @param port where messages come from and go to */
export function serve(load, port) {
  let served;
  port.onmessage = async ({ data: { number, wasm, text, hang } }) => {
    try {
      if (wasm !== undefined) {
        served = surface(await load(wasm));
      }
      if (hang) {
        for (;;);
      }
      const result = await served.registry.invoke({ capabilityId: "view:page.text.echo", input: { text } });
      port.postMessage({ number, output: result.output, surfaceId: served.registry.surfaceId, adapter: adapter(served) });
    } catch (error) {
      port.postMessage({ number, error: error.message });
    }
  };
  port.postMessage({ ready: true });
}

/** What an adapter says where there is no modelContext. */
function adapter({ runtime, registry }) {
  const one = runtime.createWebMcpAdapter();
  one.start({ registry, consumer: { id: "agent", kind: "webmcp" } });
  const { supported, surface } = one.status();
  one.stop();
  return `${supported} ${surface}`;
}
