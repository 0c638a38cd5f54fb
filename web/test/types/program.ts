/**
 * A program in strict TypeScript that uses each export of the API. It is only type-checked: what has to hold of the
 * types is written down as assignments, and what must not compile as expected errors.
 */
import {
  actionContract, defineAgentComponentContract, defineAgentProcedureContract, defineExternalAgentToolContract, emptyObjectSchema, fromJsonSchema, load,
  observationContract,
} from "../../pagewarden.js";
import { mountAgentCursor } from "../../pagewarden-cursor.js";
import type { AgentCursorOptions, MountedAgentCursor } from "../../pagewarden-cursor.js";
import { mountConfirmationDialog } from "../../pagewarden-dialog.js";
import type { DialogLabels, DialogOptions, MountedDialog } from "../../pagewarden-dialog.js";
import { mountInspector, replayRecording } from "../../pagewarden-inspector.js";
import type { InspectorOptions, MountedInspector, Recording } from "../../pagewarden-inspector.js";
import {
  ConfirmationUnavailableError, WebToolError, WebToolInputError, connect, createCallTracker, defineWebTool, registerWebTool, toModelContextTool, toToolResult, toolError,
} from "../../pagewarden-webtools.js";
import {
  connect as connectCapabilities, createPredictionStore, defineAgentCapability, executePredicted, registerWebMcpTools, runAgentSurfaceConformance, toMcpTool, toWebMcpTool,
} from "../../pagewarden-predict.js";
import type { AgentCapability, McpTool, PredictedExecution, PredictionStore, Receipt, RegistrationReport, VersionedState, WebMcpTool } from "../../pagewarden-predict.js";
import type { CallTracker, ModelContextTool, RegisteredWebTool, ToolResult, WebTool } from "../../pagewarden-webtools.js";
import type { AgentSurfaceRegistry, AgentTool, AgentToolset, AuditSink, Consumer, InvokeResult, Issue, Policy, Runtime, SurfaceSnapshot } from "../../pagewarden.js";

/** Holds when A and B are the same type. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const holds = <T extends true>(): T => true as T;

export async function loading(): Promise<Runtime> {
  const runtime = await load({ wasm: new URL("https://example.test/pagewarden.wasm"), contract: "sha256-00" });
  await load({ wasm: "/pagewarden.wasm", timers: { setTimeout: (run, ms) => setTimeout(run, ms), clearTimeout: (id) => clearTimeout(id), now: () => 0 } });
  await load({ wasm: new Uint8Array() });
  // @ts-expect-error: the module has to come from somewhere
  await load({});
  const ready: Runtime = await PageWarden.ready;
  await PageWarden.load({ wasm: "/pagewarden.wasm" });
  return runtime ?? ready;
}

export function schemas(runtime: Runtime): void {
  const order = runtime.fromJsonSchema({
    type: "object",
    properties: {
      id: { type: "string" },
      count: { type: "integer" },
      state: { enum: ["open", "closed"] },
      tags: { type: "array", items: { type: "string" } },
      note: { anyOf: [{ type: "string" }, { type: "null" }] },
    },
    required: ["id", "state"],
    additionalProperties: false,
  });
  type Order = ReturnType<typeof order.parse>;
  holds<Same<Order["id"], string>>();
  holds<Same<Order["state"], "open" | "closed">>();
  holds<Same<Order["count"], number | undefined>>();
  holds<Same<Order["tags"], string[] | undefined>>();
  holds<Same<Order["note"], string | null | undefined>>();
  const said = runtime.fromJsonSchema<{ id: string }>({ type: "object" });
  holds<Same<ReturnType<typeof said.parse>, { id: string }>>();
  const standard = runtime.fromStandardSchema(
    { "~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value }), types: undefined as { input: string; output: Date } | undefined } },
    { jsonSchema: { type: "string" } },
  );
  holds<Same<ReturnType<typeof standard.parse>, Date>>();
  runtime.emptyObjectSchema.parse({});
  const verdict: { ok: boolean; reason?: string } = runtime.validateJsonSchemaDocument({}, { maxSchemaDepth: 3 });
  const issues: readonly Issue[] = runtime.validateValueAgainstSchema(1, { $ref: "#/$defs/a" }, { $defs: { a: {} } }, "rows[2]");
  throw new runtime.AgentSchemaError(verdict.ok ? issues : []);
}

const idsSchema = fromJsonSchema({ type: "object", properties: { ids: { type: "array", items: { type: "string" } } }, required: ["ids"] });

export const lamps = defineAgentComponentContract({
  type: "lamps", description: "The lamps", policies: [{ name: "authenticated", phase: "authorize" }], tags: ["house"],
  observations: { lit: observationContract({ description: "Which are lit", output: fromJsonSchema({ type: "array", items: { type: "string" } }) }) },
  actions: {
    turnOff: actionContract({ description: "Turns them off", effect: "local-state", confirmation: "optional", input: idsSchema, policies: [{ name: "rate-limit" }] }),
    reset: { description: "Resets all", effect: "navigation", input: emptyObjectSchema },
  },
});

export const dimAll = defineAgentProcedureContract({
  id: "domain:lamps.dim", description: "Dims lamps", effect: "server-mutation", input: idsSchema, boundFields: [{ path: "ids", locked: true }],
});

export const weather = defineExternalAgentToolContract({
  id: "external:weather", description: "The weather", effect: "server-query", input: fromJsonSchema({ type: "object", properties: { day: { enum: ["today"] } }, required: ["day"] }),
});

export function contracts(runtime: Runtime, manifest: object): void {
  const authority = runtime.createCapabilityAuthority(manifest);
  const hash: string | undefined = authority.hash;
  const registry = runtime.createAgentSurfaceRegistry({ authority });
  registry.register(lamps.bind({
    instanceId: hash ?? "none", policies: [runtime.authenticated()], procedures: [dimAll.bind({ bind: () => ({ ids: [] }), when: () => true })],
    observations: { lit: { read: () => ["desk"] } },
    actions: {
      turnOff: { execute: (given, { signal }) => { holds<Same<typeof given, { ids: string[] }>>(); return signal.aborted; }, when: () => true },
      reset: { execute() {} },
    },
  }));
  // @ts-expect-error: an observation gives what its schema says
  lamps.bind({ observations: { lit: { read: () => [1] } }, actions: { turnOff: { execute() {} }, reset: { execute() {} } } });
  // @ts-expect-error: every declared capability has its binding
  lamps.bind({ observations: { lit: { read: () => [] } }, actions: { turnOff: { execute() {} } } });
  // @ts-expect-error: and so every group
  lamps.bind({ observations: { lit: { read: () => [] } } });
  // @ts-expect-error: what is declared is not said again
  lamps.bind({ type: "lamp", observations: { lit: { read: () => [] } }, actions: { turnOff: { execute() {} }, reset: { execute() {} } } });
  // @ts-expect-error: a procedure acts on the server
  defineAgentProcedureContract({ id: "domain:a", description: "A", effect: "navigation", input: idsSchema });
  const sign = runtime.defineAgentComponentContract({
    type: "sign", description: "The sign", observations: { text: runtime.observationContract({ description: "Its text", output: runtime.fromJsonSchema({ type: "string" }) }) },
    actions: { turn: runtime.actionContract({ description: "Turns it", effect: "local-state", input: runtime.emptyObjectSchema }) },
  });
  registry.register(sign.bind({ observations: { text: { read: () => "a" } }, actions: { turn: { execute() {} } } }));
  runtime.defineAgentProcedureContract({ id: "domain:a", description: "A", effect: "server-query", input: emptyObjectSchema }).bind();
  runtime.defineExternalAgentToolContract({ id: "external:a", description: "A", effect: "read", input: emptyObjectSchema });
  const today = weather.bind({ execute: async ({ day }) => { holds<Same<typeof day, "today">>(); return 7; } });
  const exposed = runtime.createAgentExposureGateway(authority, { environment: "development" }).expose([today]);
  const degrees: Promise<number> = exposed[0].execute({ day: "today" });
  void degrees;
}

export function definitions(runtime: Runtime, registry: AgentSurfaceRegistry): void {
  const input = runtime.fromJsonSchema({ type: "object", properties: { to: { enum: ["on", "off"] } }, required: ["to"] });
  registry.register({
    type: "lamp", description: "A lamp", instanceId: "desk", parent: { type: "room" }, internal: Symbol("any"), priority: 1, enabled: true,
    observations: {
      state: { description: "Whether it is on", output: runtime.fromJsonSchema({ type: "boolean" }), read: ({ consumer }) => consumer.id === "x" },
    },
    actions: {
      turn: {
        description: "Turns it on or off", effect: "local-state", input,
        precondition: ({ to }) => (to === "on" ? undefined : { message: "It is broken.", details: { since: 1 } }),
        execute(given, { signal, confirmation }) {
          holds<Same<typeof given.to, "on" | "off">>();
          return signal.aborted ? confirmation?.id : given.to;
        },
      },
    },
  });
  const component = runtime.defineAgentComponent({
    type: "lamp", description: "A lamp",
    observations: { state: runtime.observation({ description: "State", output: runtime.fromJsonSchema({ type: "boolean" }), read: async () => true }) },
    actions: {
      turn: runtime.action({
        description: "Turns", effect: "navigation", input, when: () => true, unavailableReason: () => "No power", timeoutMs: 5, meta: { a: 1 },
        concurrency: { mode: "parallel", max: 2 }, confirmation: "optional", audit: "full", idempotent: true, reversible: false,
        execute: async ({ to }) => void to,
      }),
    },
    procedures: [{
      kind: "procedure-binding",
      ref: { id: "domain:lamps.buy", path: "lamps.buy", description: "Buys a lamp", inputSchema: { type: "object" }, effect: "server-mutation" },
      config: { bind: () => ({ shop: 1 }), describe: () => "At the shop", overridableFields: [], policies: [runtime.authenticated()] },
      boundKeys: ["shop"], lockedKeys: ["shop"],
    }],
  });
  const handle = registry.register(component);
  handle.update({ enabled: false, availability: { turn: { available: false, reason: "Broken" } } });
  handle.invalidate();
  handle.unregister();
  const status: "active" | "unregistered" | "rejected" = handle.status;
  runtime.validateComponentDefinition({ status, id: handle.registrationId, why: handle.reason });
  // @ts-expect-error: a view action cannot have a server's effect
  runtime.action({ description: "x", effect: "destructive", input, execute: () => {} });
  // @ts-expect-error: the handler's input follows the schema
  runtime.action({ description: "x", effect: "local-state", input, execute: ({ from }) => from });
}

const consumer: Consumer = { id: "me", kind: "test", grants: ["read"], claimedName: "Me" };

export function policies(runtime: Runtime): readonly Policy[] {
  const own: Policy = {
    name: "own",
    onDiscovery: ({ effect }) => (effect === "destructive" ? { decision: "disable", reason: "Not now" } : undefined),
    async onAuthorize(context, next) {
      if (context.now() < 0) throw new runtime.AgentSurfaceError({ code: "NOT_AUTHORIZED", message: "No.", retry: "no" });
      await next();
    },
    onInvoke: (context, next) => next().then(() => context.effectiveInput),
  };
  const list = [
    own, runtime.authenticated({ key: "person" }), runtime.hasPermission("admin", ({ host }) => host.admin === true), runtime.hasPermission("read"),
    runtime.tenantBoundary({ current: ({ host }) => host.tenant, expected: ({ meta }) => meta.component?.tenant }),
    runtime.environment(["development", "test"]), runtime.rateLimit({ limit: 5, windowMs: 1000 }),
    runtime.requireConfirmation({ if: ({ effectiveInput }) => effectiveInput.amount > 10, summary: () => "Pay" }), runtime.requireConfirmation(),
    runtime.audit(runtime.memoryAuditSink(), "full"), runtime.audit(),
  ];
  const { decision, reason } = runtime.evaluateDiscovery(list, { capabilityId: "view:a.b", consumer, host: { person: 1 } });
  return decision === "expose" || reason ? list : [];
}

export function sinks(runtime: Runtime): AuditSink {
  const memory = runtime.memoryAuditSink({ capacity: 10 });
  memory.record({ at: "", type: "registration" });
  const codes = memory.events().map((event) => event.code);
  return codes.length > 0 ? memory : runtime.consoleAuditSink();
}

export function errors(runtime: Runtime, error: unknown): string {
  if (runtime.isAgentSurfaceError(error)) return error.payload.code;
  const defect = new runtime.AgentSurfaceDefinitionError("INVALID_ID", "[INVALID_ID] x");
  return `${defect.code}${runtime.AGENT_CAPABILITY_ERROR_CODES.join()}`;
}

export function ids(runtime: Runtime): unknown {
  const parsed = runtime.parseCapabilityId("view:a.b");
  if (parsed?.plane === "view") return runtime.formatViewCapabilityId(parsed.componentType, parsed.name);
  if (parsed !== undefined) return runtime.formatDomainCapabilityId(parsed.path);
  const value: unknown = "x";
  if (runtime.isValidComponentType(value) || runtime.isValidCapabilityName(value) || runtime.isValidInstanceId(value)) return value;
  const { names, byName } = runtime.assignWireNames([{ id: "view:a.b", instanceId: "one" }, { id: "domain:x" }]);
  const id: string | undefined = byName[names[0] ?? ""]?.id ?? runtime.decodeWireName(runtime.encodeWireName("view:a.b"));
  const lengths: number = runtime.MAX_ID_LENGTH + runtime.MAX_WIRE_NAME_LENGTH + runtime.encodeWireNameForInstance("view:a.b", "one", 2).length;
  return [id, lengths, runtime.jsonDeepEqual(1, 1), runtime.canonicalJson({}), runtime.digestJson([])];
}

export async function registries(runtime: Runtime): Promise<InvokeResult<number>> {
  const registry = runtime.createAgentSurfaceRegistry({
    authority: runtime.createOpenAuthority({ allowInProduction: true }), environment: "development", context: () => ({ user: 1 }), policies: policies(runtime),
    audit: (event) => void event.at, onRegister: ({ capabilityIds, stack }) => (capabilityIds.length > 9 || stack ? "reject" : "accept"),
    onDuplicateInstance: "replace", duplicateSuffixPolicy: "off", route: () => ({ path: "/" }), limits: { ...runtime.DEFAULT_LIMITS, maxReason: 5 }, now: () => 0,
  });
  const stop = registry.subscribe((event) => (event.type === "surface-changed" ? event.surfaceVersion : event.type === "invocation-settled" && event.code));
  registry.setProcedureExecutor({ paths: ["a"], execute: async ({ path, input, info }) => [path, input, info.signal, info.confirmation?.id] });
  registry.setProcedureExecutor(null);
  const snapshot: SurfaceSnapshot = registry.snapshot({ consumer, scope: ["a"], includeUnavailable: false, budget: { maxBytes: 1 } });
  const result = await registry.invoke<number>({ capabilityId: "view:a.b", surfaceVersion: snapshot.surfaceVersion, input: {} }, { consumer, timeoutMs: 1, signal: new AbortController().signal });
  if (result.status === "error") {
    const pending = registry.confirmations.pending()[0];
    const outcome = await registry.confirmations.waitFor(pending?.confirmationId ?? result.error.details?.["confirmationId"], {});
    registry.confirmations.resolve("id", { approved: outcome === "approved" });
    registry.confirmations.subscribe((list) => list.length)();
    registry.confirmations.forceExpire("id");
  }
  const adapter = runtime.createWebMcpAdapter({ exposeCapability: () => null, confirm: async (pending) => pending.summary === "", snapshotContext: { scope: [] } });
  adapter.start({ registry, consumer });
  const names = adapter.status().registered.map(({ name }) => name);
  adapter.stop();
  const toolset: AgentToolset = runtime.createAgentToolset(registry, { consumer, topology: "embedded", mode: "meta", budget: { maxBytes: 1 }, waitTimeoutMs: 1 });
  const tools: readonly AgentTool[] = toolset.tools();
  const stopTools = toolset.subscribe(() => runtime.capabilityState(toolset.tools()).length);
  const told = await tools[0]?.execute({}, { toolCallId: "a", signal: new AbortController().signal });
  const id: string | undefined = toolset.wireNameMap().get(told?.capabilityId ?? "");
  const report = await runtime.runAdapterConformance({ create: () => ({ start: () => {}, tools: () => [], call: async () => ({ output: 1 }), stop: () => {} }), traits: { twoPhase: true } });
  report.every(({ passed, error = "" }) => passed || error.length > 0);
  stopTools();
  toolset.dispose();
  stop();
  registry.invalidate();
  registry.dispose();
  return names.includes(id + registry.surfaceId + registry.getVersion() + registry.authorityMode) ? result : { ...result };
}

export async function testing(runtime: Runtime): Promise<string> {
  const surface = runtime.createTestSurface({ authority: runtime.createOpenAuthority(), consumer, host: { user: 1 } });
  surface.registry.register({ type: "a", description: "A", observations: {} });
  const count = await surface.observe<number>("view:a.b");
  const ref = surface.captureRef("view:a.b");
  const result = await surface.as(null).invoke({ ...ref, input: { count } });
  surface.confirmations.approve(surface.confirmations.pending()[0]?.confirmationId);
  surface.confirmations.deny();
  surface.confirmations.expire();
  const seen = [surface.events().length, surface.auditLog().length, result.status];
  surface.dispose();
  const reasons = runtime.dev.explainSurface(surface.registry, { consumer }).capabilities.map(({ policies: all }) => all[0]?.vote);
  const stop: () => void = runtime.dev.watchCalls(surface.registry, ({ phase, request, result }) => phase === "settlement" && [request?.input, result?.status]);
  stop();
  const inScope = runtime.dev.matchesScope("a.b", ["a"]) && runtime.dev.tables()["waits"] === 0;
  return runtime.serializeSurfaceSnapshot(surface.snapshot(), { includeVersion: inScope }) + seen.join() + reasons.join();
}

export function dialogs(registry: AgentSurfaceRegistry): void {
  const labels: DialogLabels = { title: "Allow?", queue: (waiting) => `${waiting.toFixed()} more`, timeLeft: "soon", effects: { destructive: "Gone for good" }, direction: "rtl" };
  const options: DialogOptions = { root: document.body, labels, onShow: (pending) => console.log(pending.summary.length), timers: { setTimeout: (run, ms) => setTimeout(run, ms), clearTimeout: (id) => clearTimeout(id), now: () => 0 } };
  const mounted: MountedDialog = mountConfirmationDialog(registry, options);
  mounted.unmount();
  mountConfirmationDialog({ confirmations: registry.confirmations }).unmount();
  // @ts-expect-error: no text of the dialog
  mountConfirmationDialog(registry, { labels: { titel: "" } });
  // @ts-expect-error: a registry is needed
  mountConfirmationDialog({});
}

export async function inspecting(runtime: Runtime, registry: AgentSurfaceRegistry, recording: Recording): Promise<boolean> {
  const adapter = runtime.createWebMcpAdapter();
  const options: InspectorOptions = { root: document.body, runtime, adapters: [adapter], contract: {}, consumers: [{ id: "a", kind: "mcp-bridge", grants: ["orders"] }] };
  const mounted: MountedInspector = mountInspector(registry, options);
  mounted.unmount();
  // @ts-expect-error: no option of the inspector
  mountInspector(registry, { theme: "dark" });
  // @ts-expect-error: a registry is needed
  mountInspector({});
  await replayRecording(runtime.createTestSurface({ registry }), recording);
  const { ok, calls } = await replayRecording(registry, recording, {
    decide: ({ confirmationId }, outcome) => registry.confirmations.resolve(confirmationId, { approved: outcome === "approved" }),
    ignore: ({ path }, { capabilityId }, index) => path === "output.at" && capabilityId.length > index, consumer: (recorded) => ({ ...recorded, grants: [] }),
    onCall: ({ differences }) => console.log(differences[0]?.expected),
  });
  return ok && calls.every(({ result }) => result.status === "ok");
}

export async function webTools(runtime: Runtime, registry: AgentSurfaceRegistry): Promise<void> {
  connect(runtime);
  const add = defineWebTool({
    id: "add_to_cart",
    title: "Add to cart",
    description: "Put an article into the cart.",
    input: { type: "object", properties: { sku: { type: "string" }, quantity: { type: "integer" } }, required: ["sku"], additionalProperties: false },
    annotations: { openWorldHint: false, own: [1] },
    readOnly: false, destructive: false, repeatable: true, external: false, safeResponse: true, requireConfirmation: true,
    control: () => document.querySelector("button"),
    fields: { sku: "#sku", quantity: document.body },
    fill: (input, { signal, fields, unfilled, reasons }) => {
      holds<Same<typeof input, { sku: string; quantity?: number }>>();
      const why: string | undefined = reasons[unfilled[0] ?? ""];
      return [signal.aborted, fields["sku"]?.id, why];
    },
    outputSchema: { type: "object" },
    timeoutMs: 1000,
    execute: ({ sku, quantity }, { signal, source, context, unfilled }) => {
      holds<Same<typeof quantity, number | undefined>>();
      holds<Same<typeof source, "webmcp">>();
      return { sku, signal, context, unfilled };
    },
  });
  holds<Same<ReturnType<typeof add.parse>, { sku: string; quantity?: number }>>();
  const ran: { sku: string } = await add.run({ sku: "tea" }, { context: 1 });
  const none = defineWebTool({ id: "none", description: "Takes nothing.", execute: (input) => Object.keys(input).length });
  holds<Same<Awaited<ReturnType<typeof none.run>>, number>>();
  const made = defineWebTool({ id: "made", description: "A schema object.", input: runtime.fromJsonSchema<{ a: Date }>({ type: "object" }), execute: ({ a }) => a.getTime() });
  holds<Same<ReturnType<typeof made.parse>, { a: Date }>>();
  const standard = { "~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value }), types: undefined as { input: string; output: { b: bigint } } | undefined } } as const;
  const other: WebTool<{ b: bigint }> = defineWebTool({ id: "standard", description: "A Standard Schema.", input: standard, execute: ({ b }) => `${b}` });
  // @ts-expect-error: a tool needs something to execute
  defineWebTool({ id: "idle", description: "Does nothing." });
  // @ts-expect-error: there is no such parameter
  defineWebTool({ id: "odd", description: "Reads what is not there.", input: { type: "object", properties: { a: { type: "string" } } }, execute: ({ z }) => z });
  const calls: CallTracker = createCallTracker();
  const adapted: ModelContextTool = toModelContextTool(add, { context: () => 1, calls, registry });
  const result: ToolResult = await adapted.execute({ sku: ran.sku }, { signal: new AbortController().signal });
  const registered: RegisteredWebTool = registerWebTool(other, { context: () => 1, registry, signal: new AbortController().signal, modelContext: { registerTool() {} } });
  await registered.unregister();
  await calls.idle();
  const looks: AgentCursorOptions = { root: document.body, reducedMotion: false };
  const cursor: MountedAgentCursor = mountAgentCursor(looks);
  cursor.unmount();
  // @ts-expect-error: there is no such option
  mountAgentCursor({ speed: 1 });
  const texts: unknown[] = [result.content[0]?.type, toToolResult(1).structuredContent, toolError("a", "b").isError, registered.supported, registered.registered, registered.error, calls.active];
  throw texts.length > 0 ? new WebToolError("code", "message") : new WebToolInputError("message", [{ path: "", message: "" }]) ?? new ConfirmationUnavailableError("message");
}

export async function capabilities(runtime: Runtime, registry: AgentSurfaceRegistry): Promise<void> {
  connectCapabilities(runtime);
  interface Cart { items: string[] }
  const add = defineAgentCapability({
    name: "cart.add", description: "Adds a product to the cart", annotations: { destructiveHint: false }, scope: "session", reads: ["cart"], writes: ["cart"],
    reconciliation: "accept-server-state", confirmation: "optional", capability: "shop", timeoutMs: 1000, budget: { calls: 5, windowMs: 1000 },
    input: { type: "object", properties: { sku: { type: "string" }, quantity: { type: "integer" } }, required: ["sku"] },
    output: runtime.fromJsonSchema({ type: "object", properties: { cartVersion: { type: "string" } }, required: ["cartVersion"] }),
    idempotency: { key: (input) => input.sku, store: { get: async (key: string) => (key === "" ? { cartVersion: "1" } : undefined), put: (_key, output) => output.cartVersion } },
    async execute(input, { signal, invocationId, consumer }) {
      const sku: string = input.sku;
      holds<Same<typeof input.quantity, number | undefined>>();
      return { cartVersion: `${sku} ${signal.aborted} ${invocationId} ${consumer.id}` };
    },
    predict: ({ input, snapshot, version, now }) => ({ baseVersion: version, patch: [{ op: "add", path: "/items/-", value: input.sku }], expiresAt: now + snapshot.activePredictionIds.length }),
    reconcile: ({ input, output, previous }): VersionedState<Cart> => ({ state: { items: [...previous.state.items, input.sku] }, version: output.cartVersion }),
  });
  const tool: WebMcpTool<{ sku: string; quantity?: number }, Receipt<{ cartVersion: string }>> = toWebMcpTool(add, { registry, authorize: (input) => input.sku !== "" });
  const receipt = await tool.execute({ sku: "a" }, { signal: AbortSignal.timeout(5) });
  const version: string | undefined = receipt.output?.cartVersion;
  const bare = await toWebMcpTool(add, { resultMode: "output", maxReceiptBytes: 256, dryRun: false }).execute({ sku: version ?? "" });
  const either: { cartVersion: string } | Receipt = bare;
  const store: PredictionStore<Cart> = createPredictionStore<Cart>({ state: { items: [] }, version: "cart-1" });
  const stop: () => void = store.subscribe(({ type, predictionId }) => void `${type}${predictionId}`);
  const outcome: "predicted" | "invalid" | "stale" | "expired" = store.predict("a", { baseVersion: "cart-1", patch: [{ op: "remove", path: "/items/0" }] }, Date.now());
  store.commit("a", { state: { items: [outcome] }, version: "2" }, undefined, { reconciliation: "reload" });
  store.rollback("a") satisfies "rolled-back" | "missing";
  const expired: readonly string[] = store.expire();
  const result: PredictedExecution = await executePredicted(add, { sku: "a" }, store, { predictionId: expired[0] ?? "p", now: () => 1, capabilities: ["more"] });
  const report: RegistrationReport = await registerWebMcpTools([add], document, { registry, signal: AbortSignal.abort() });
  report.cleanup();
  const checks = await runAgentSurfaceConformance([add], { target: document, cases: [{ name: "adds", capability: "cart.add", input: { sku: "a" }, assert: (r) => r.output }] });
  const remote: McpTool = toMcpTool(add.tool, { capabilities: [add.tool.capability] });
  const { content } = await remote.handler({ sku: "a" }, { _meta: { "pagewarden/invocationId": "one" } });
  const names: string[] = [result.outcome, report.failed[0]?.error ?? "", checks.checks[0]?.detail ?? "", content[0]?.text ?? "", `${either}`, add.surface.scope];
  const any: AgentCapability = add;
  // @ts-expect-error: the input follows the schema
  await tool.execute({ sku: 5 });
  // @ts-expect-error: as it does where it is predicted
  await executePredicted(add, { quantity: 1 }, store);
  // @ts-expect-error: a store is not what it shows
  await executePredicted(add, { sku: "a" }, store.snapshot());
  // @ts-expect-error: what is executed gives what the output says
  defineAgentCapability({ name: "a", description: "A", input: {}, output: { type: "string" }, execute: () => 5 });
  // @ts-expect-error: a capability needs an output
  defineAgentCapability({ name: "a", description: "A", input: {}, execute: () => 5 });
  // @ts-expect-error: a patch adds, replaces and removes
  store.predict("a", { baseVersion: "1", patch: [{ op: "move", path: "/a" }] });
  // @ts-expect-error: what adds needs a value
  store.predict("a", { baseVersion: "1", patch: [{ op: "add", path: "/a" }] });
  stop();
  console.log(names, any);
}
