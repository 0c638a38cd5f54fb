// The page without a browser: the demo's application and its components, over a server in memory, under the demo's contract.
import { readFileSync } from "node:fs";
import { load } from "../../dist/pagewarden.mjs";
import { ApiError } from "../../web/demo/app/api.js";
import { createModel } from "../../web/demo/app/model.js";

/** @typedef {import("../../web/demo/app/api.js").Device} Device */

const contract = JSON.parse(readFileSync(new URL("../../web/demo/.pagewarden/contract.json", import.meta.url), "utf8"));
const wasm = readFileSync(new URL("../../dist/pagewarden.wasm", import.meta.url));
export const runtime = await load({ wasm, contract: `sha256-${contract.hash}` });

// What the script tag of a page does: the demo's modules find the runtime here.
Object.assign(globalThis, { PageWarden: { ready: Promise.resolve(runtime) } });
const { registerDrawer } = await import("../../web/demo/agent/drawer.js");
const { registerFilters } = await import("../../web/demo/agent/filters.js");
const { registerNavigation } = await import("../../web/demo/agent/navigation.js");
const { connectProcedures } = await import("../../web/demo/agent/procedures.js");
const { registerTable } = await import("../../web/demo/agent/table.js");

/**
 * Opens the page. writes counts what reached the server.
 * @returns {Promise<{ registry: any, writes: { count: number }, close: () => void }>}
 */
export async function openPage() {
  const writes = { count: 0 };
  const app = createModel(memoryApi(writes));
  await app.load();
  const registry = runtime.createAgentSurfaceRegistry({
    authority: runtime.createCapabilityAuthority(contract), context: () => ({ user: { id: "operator" } }), audit: { record() {} },
  });
  const { ofSelection, ofDevice } = connectProcedures(registry, app);
  registerNavigation(registry, app);
  registerFilters(registry, app);
  registerTable(registry, app, ofSelection);
  registerDrawer(registry, app, ofDevice);
  return { registry, writes, close: () => registry.dispose() };
}

/** @param {{ count: number }} writes @returns {import("../../web/demo/app/api.js").Api} */
function memoryApi(writes) {
  /** @type {Device[]} */
  let devices = [
    device("dev-01", "Door sensor", "Oslo", "offline"),
    device("dev-02", "Heat meter", "Oslo", "online"),
    device("dev-03", "Rain gauge", "Lisbon", "online"),
    device("dev-04", "Light switch", "Oslo", "offline"),
  ];
  /** @param {string[]} ids @param {Partial<Device>} changes */
  const change = async (ids, changes) => {
    writes.count++;
    devices = devices.map((one) => (ids.includes(one.id) ? { ...one, ...changes, version: one.version + 1 } : one));
    return devices.filter(({ id }) => ids.includes(id));
  };
  return {
    list: async () => devices,
    disable: (ids, reason) => change(ids, { enabled: false, ...(reason !== undefined && { disabledReason: reason }) }),
    enable: (ids) => change(ids, { enabled: true }),
    rename: () => Promise.reject(new ApiError("not_found", "There is no renaming here.", 404)),
  };
}

/** @param {string} id @param {string} name @param {string} city @param {Device["status"]} status @returns {Device} */
const device = (id, name, city, status) => ({ id, name, city, status, firmware: "1.0", lastSeen: "2026-01-01T00:00:00Z", enabled: true, version: 1 });
