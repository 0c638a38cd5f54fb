// The page without a browser: the demo's application and its components, over a server in memory.
import { readFileSync } from "node:fs";
import { load } from "../../dist/pagewarden.mjs";
import { ApiError } from "../../web/demo/app/api.js";
import { createModel } from "../../web/demo/app/model.js";

/** @typedef {import("../../web/demo/app/api.js").Device} Device */

/** @param {string} name of a file of this repository */
const file = (name) => readFileSync(new URL(`../../${name}`, import.meta.url));

const contract = JSON.parse(file("web/demo/.pagewarden/contract.json").toString());

// What the page's script tag does: the demo's modules wait for it.
Object.assign(globalThis, { PageWarden: { ready: load({ wasm: file("dist/pagewarden.wasm"), contract: `sha256-${contract.hash}` }) } });

/**
 * Opens the page. writes counts what reached the server.
 * @returns {Promise<{ runtime: any, registry: any, writes: { count: number }, close: () => void }>}
 */
export async function openPage() {
  const { runtime } = await import("../../web/demo/agent/runtime.js");
  const { connectProcedures } = await import("../../web/demo/agent/procedures.js");
  const writes = { count: 0 };
  const app = createModel(memoryApi(writes));
  await app.load();
  const authority = runtime.createCapabilityAuthority(contract);
  const registry = runtime.createAgentSurfaceRegistry({ authority, environment: "test", audit: { record() {} }, context: () => ({ user: { id: "operator" } }) });
  const procedures = connectProcedures(registry, app);
  (await import("../../web/demo/agent/navigation.js")).registerNavigation(registry, app);
  (await import("../../web/demo/agent/filters.js")).registerFilters(registry, app);
  (await import("../../web/demo/agent/table.js")).registerTable(registry, app, procedures);
  (await import("../../web/demo/agent/drawer.js")).registerDrawer(registry, app);
  return { runtime, registry, writes, close: () => registry.dispose() };
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
