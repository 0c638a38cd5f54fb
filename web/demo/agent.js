// Makes the application usable for agents: one registry, one component per part of the page, and the WebMCP adapter.
// The application does not know that this exists.
import { mountConfirmationDialog } from "/pagewarden-dialog.js";
import { registerDrawer } from "./agent/drawer.js";
import { registerFilters } from "./agent/filters.js";
import { registerNavigation } from "./agent/navigation.js";
import { connectProcedures } from "./agent/procedures.js";
import { predictRenames } from "./agent/rename.js";
import { runtime } from "./agent/runtime.js";
import { registerTable } from "./agent/table.js";

/** @typedef {import("./app/model.js").Model} Model */
/** @typedef {import("./agent/types.js").Registry} Registry */

/** How long a confirmation stands when nobody answers, in milliseconds. */
const LONGEST_DECISION = 120_000;

/**
 * Offers the application's capabilities: those of the reviewed contract, which the page's script tag pins, and no
 * others. Rejects when that goes wrong; the application is not affected.
 * @param {Model} app
 * @param {Document} document
 */
export async function startAgentSurface(app, document) {
  const contract = await (await fetch("/.pagewarden/contract.json")).json();
  const registry = createRegistry(contract, app, document);
  const { ofSelection, ofDevice } = connectProcedures(registry, app);
  predictRenames(app);
  registerNavigation(registry, app);
  registerFilters(registry, app);
  registerTable(registry, app, ofSelection);
  registerDrawer(registry, app, ofDevice);
  announceAvailability(registry, app);
  mountConfirmationDialog(registry);
  const adapter = await startAdapter(registry, document);
  await inspect(registry, contract, adapter, document);
}

/**
 * For developers: with ?inspect in its address, the page shows what it offers and what is called.
 * @param {Registry} registry
 * @param {object} contract
 * @param {any} adapter
 * @param {Document} document
 */
async function inspect(registry, contract, adapter, document) {
  if (!new URLSearchParams(document.location.search).has("inspect")) return;
  const { mountInspector } = await import("/pagewarden-inspector.js");
  mountInspector(registry, { runtime, contract, adapters: [adapter] });
}

/**
 * @param {object} contract
 * @param {Model} app
 * @param {Document} document
 * @returns {Registry}
 */
function createRegistry(contract, app, document) {
  return runtime.createAgentSurfaceRegistry({
    authority: runtime.createCapabilityAuthority(contract),
    environment: "production",
    context: () => ({ user: { id: "demo-operator" } }),
    route: () => ({ path: `/${app.view}` }),
    limits: { confirmationTtlMs: confirmationTtl(document.location.search) },
  });
}

/**
 * How long a person has to decide, in milliseconds. For developers and demonstrations, ?confirmation-ttl= makes it
 * shorter; it cannot make it longer.
 * @param {string} search the query of the page's address
 */
function confirmationTtl(search) {
  const asked = new URLSearchParams(search).get("confirmation-ttl") ?? "";
  return /^\d{4,6}$/.test(asked) ? Math.min(Number(asked), LONGEST_DECISION) : LONGEST_DECISION;
}

/**
 * Availability that follows from the application's state is asked for, not announced; this tells adapters to ask again.
 * @param {Registry} registry
 * @param {Model} app
 */
function announceAvailability(registry, app) {
  const state = () => `${app.phase} ${app.view} ${Math.min(app.selected.size, 2)} ${app.canChangeSelection()}`;
  let last = state();
  app.subscribe(() => {
    const now = state();
    if (now === last) return;
    last = now;
    registry.invalidate();
  });
}

/**
 * @param {Registry} registry
 * @param {Document} document
 */
async function startAdapter(registry, document) {
  const adapter = runtime.createWebMcpAdapter({});
  await adapter.start({ registry, consumer: { id: "browser-agent", kind: "webmcp" } });
  const status = document.getElementById("agent-status");
  if (!status) return adapter;
  const { supported } = adapter.status();
  status.dataset.state = supported ? "on" : "off";
  status.textContent = supported ? "Agent tools on" : "No WebMCP in this browser";
  return adapter;
}
