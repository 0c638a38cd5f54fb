// @ts-check
/** Manifests for tests, put together and sealed as contract.md says: apart from Go, so that both must agree. */
import { createHash } from "node:crypto";

/** Canonical JSON of values whose names and texts need no care. @param {any} value @returns {string} */
const canonical = (value) => Array.isArray(value) ? `[${value.map(canonical).join()}]`
  : typeof value === "object" && value !== null ? `{${Object.keys(value).sort().map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join()}}`
  : JSON.stringify(value);

/** @param {any} value */
const hash = (value) => createHash("sha256").update(canonical(value)).digest("hex");

const SEEN = ["capabilityId", "kind", "title", "description", "componentDescription", "effect", "inputSchema", "outputSchema", "untrustedContent", "audit", "boundFields"];

/** A manifest with every hash right. @param {any[]} capabilities @param {any} [more] */
export function sealed(capabilities, more) {
  const entries = capabilities.map((entry) => {
    const { origin = "first-party", hash: _, admission: __, ...rest } = entry;
    rest.admission = hash(Object.fromEntries(SEEN.filter((name) => name in rest).map((name) => [name, rest[name]])));
    return { ...rest, origin, hash: hash(rest) };
  });
  const { hash: _, ...manifest } = {
    formatVersion: 1, compiler: "pagewarden/test", targets: ["web"], capabilities: entries, external: [], completeness: { status: "proven" }, ...more,
  };
  return { ...manifest, hash: hash(manifest) };
}

export const IDS = { type: "object", properties: { ids: { type: "array", items: { type: "string" } } }, required: ["ids"], additionalProperties: false };

/** The entries of the declarations that the suites use. */
export const ENTRIES = [
  {
    declaration: "src/table.js#table", capabilityId: "view:devices.table.selection", kind: "observation", title: "Selection", description: "What is selected",
    componentDescription: "The table of devices", effect: "read", outputSchema: { type: "array" }, untrustedContent: true,
  },
  {
    declaration: "src/table.js#table", capabilityId: "view:devices.table.select", kind: "action", description: "Select rows",
    componentDescription: "The table of devices", effect: "local-state", inputSchema: IDS, confirmation: "optional", audit: "metadata",
    policies: [{ name: "authenticated", phase: "authorize" }], tags: ["devices"],
  },
  {
    declaration: "src/api.js#disable", capabilityId: "domain:devices.disable", kind: "procedure", description: "Disable devices", effect: "server-mutation",
    inputSchema: IDS, confirmation: "optional", audit: "metadata", boundFields: [{ path: "ids", locked: true }],
  },
  {
    declaration: "src/weather.js#default", capabilityId: "external:weather.today", kind: "external", description: "The weather of today", effect: "server-query",
    inputSchema: { type: "object" }, confirmation: "never",
  },
];

/** The declarations themselves, with the functions of a module or of a runtime. @param {any} from */
export function declarations({ defineAgentComponentContract, defineAgentProcedureContract, defineExternalAgentToolContract, observationContract, actionContract, fromJsonSchema }) {
  return {
    table: defineAgentComponentContract({
      type: "devices.table", description: "The table of devices",
      observations: { selection: observationContract({ title: "Selection", description: "What is selected", untrustedContent: true, output: fromJsonSchema({ type: "array" }) }) },
      actions: {
        select: actionContract({
          description: "Select rows", effect: "local-state", confirmation: "optional", input: fromJsonSchema(IDS),
          policies: [{ name: "authenticated", phase: "authorize" }], tags: ["devices"],
        }),
      },
    }),
    disable: defineAgentProcedureContract({
      id: "domain:devices.disable", description: "Disable devices", effect: "server-mutation", origin: "first-party", tags: [], policies: [], input: fromJsonSchema(IDS), boundFields: [{ path: "ids", locked: true }],
    }),
    weather: defineExternalAgentToolContract({
      id: "external:weather.today", description: "The weather of today", effect: "server-query", origin: "first-party", tags: [], input: fromJsonSchema({ type: "object" }),
    }),
  };
}
