/**
 * pagewarden: lets AI agents use a web page through declared, governed capabilities.
 *
 * ```js
 * import { load } from "pagewarden";
 * const runtime = await load({ wasm: "/pagewarden.wasm" });
 * ```
 *
 * The classic script `pagewarden.js` sets `globalThis.PageWarden` to `{ load, ready }` and nothing else.
 */

/** Any value that JSON can write. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [name: string]: JsonValue };

/** A promise, a thenable or the value itself. */
export type Awaitable<T> = T | PromiseLike<T>;

// ---------------------------------------------------------------- loading

/** What a page can hand to `load`. */
export interface LoadOptions {
  /** Where the module comes from: an address, a response, its bytes, or the compiled module. */
  wasm: URL | string | Response | BufferSource | WebAssembly.Module;
  /** Pins the reviewed contract: `sha256-` and the manifest's hash. */
  contract?: string;
  /** The page's clock and timers, for test frameworks with fake ones. Without, they are captured at load. */
  timers?: {
    setTimeout(run: () => void, ms: number): unknown;
    clearTimeout(id: any): void;
    now?(): number;
  };
}

/**
 * Loads the module and starts a runtime of its own. The promise rejects with an error that names the address and the
 * cause; a load that failed can be tried again.
 */
export function load(options: LoadOptions): Promise<Runtime>;

/** What the classic script leaves on the page. */
export interface PageWardenGlobal {
  readonly load: typeof load;
  /** The first runtime that loads; with `data-wasm` on the script's tag that is the one that the tag asks for. */
  readonly ready: Promise<Runtime>;
}

declare global {
  /** Set by the classic script `pagewarden.js`. */
  var PageWarden: PageWardenGlobal;
}

// ---------------------------------------------------------------- vocabulary

export type Plane = "view" | "domain";
export type CapabilityKind = "observation" | "action" | "procedure";
/** What an action of the view may change. */
export type ViewEffect = "local-state" | "navigation";
/** What a procedure of the server may change. */
export type DomainEffect = "server-query" | "server-mutation" | "external-side-effect" | "destructive";
export type Effect = "read" | ViewEffect | DomainEffect;
/** How much a capability insists on a person's decision. `optional` does not ask by itself; a policy may raise it. */
export type ConfirmationLevel = "never" | "optional" | "required";
/** No record, one without payload, one with input and output. */
export type AuditLevel = "none" | "metadata" | "full";
export type Environment = "development" | "production" | "test";

/** Who calls. The key `kind:id` scopes rate limits, confirmations and invocation ids. */
export interface Consumer {
  readonly id: string;
  readonly kind: "embedded" | "webmcp" | "mcp-bridge" | "test" | "other";
  /** For policies; `hasPermission` without a check looks here. */
  readonly grants?: readonly string[];
  /** What the peer says of itself; nothing is decided by it. */
  readonly claimedName?: string;
}

export interface ComponentRef {
  readonly type: string;
  /** `default` when it is left out. */
  readonly instanceId?: string;
}

// ---------------------------------------------------------------- errors

export type AgentCapabilityErrorCode =
  | "CAPABILITY_NOT_FOUND" | "CAPABILITY_NOT_AVAILABLE" | "AMBIGUOUS_INSTANCE" | "COMPONENT_UNMOUNTED"
  | "STALE_CAPABILITY" | "INVOCATION_CONFLICT" | "INVALID_INPUT" | "NOT_AUTHENTICATED" | "NOT_AUTHORIZED"
  | "PRECONDITION_FAILED" | "CONFIRMATION_REQUIRED" | "CONFIRMATION_INVALID" | "RATE_LIMITED" | "TIMEOUT" | "CANCELLED"
  | "EXECUTION_FAILED";

export type Retry = "no" | "yes" | "with-changes" | "after-refresh" | "after-delay" | "with-confirmation";

/** What an agent gets of an error. `message` is at most 300 characters and says what to do next. */
export interface ErrorPayload {
  readonly code: AgentCapabilityErrorCode;
  readonly message: string;
  readonly retry: Retry;
  readonly details?: { readonly [name: string]: any };
}

/** What is wrong with a value, at a path such as `rows[2].name`; `""` is the value itself. */
export interface Issue {
  readonly path: string;
  readonly message: string;
}

/** What a policy, a handler or an executor throws to give the agent a typed error. */
export interface AgentSurfaceError extends Error {
  readonly name: "AgentSurfaceError";
  readonly payload: ErrorPayload;
}

/** A structural defect of a definition; the message starts with `[CODE] `. */
export interface AgentSurfaceDefinitionError extends Error {
  readonly name: "AgentSurfaceDefinitionError";
  readonly code: "INVALID_ID" | "INVALID_DEFINITION" | "UNSUPPORTED_SCHEMA" | "PLANE_VIOLATION" | "DUPLICATE_CAPABILITY" | "LIMIT_EXCEEDED";
}

/** What `parse` of a schema throws. */
export interface AgentSchemaError extends Error {
  readonly name: "AgentSchemaError";
  readonly issues: readonly Issue[];
}

// ---------------------------------------------------------------- schemas

/** A JSON Schema of the subset that is supported; see docs/javascript.md. */
export interface JsonSchema {
  readonly [keyword: string]: any;
}

/** What a value is that fits a JSON Schema which TypeScript knows as a literal. */
export type FromJsonSchema<S> =
  S extends { readonly const: infer C } ? C
  : S extends { readonly enum: readonly (infer E)[] } ? E
  : S extends { readonly anyOf: readonly (infer A)[] } ? FromJsonSchema<A>
  : S extends { readonly type: infer T } ? FromJsonType<T, S>
  : any;

type FromJsonType<T, S> =
  T extends readonly (infer One)[] ? FromJsonType<One, S>
  : T extends "string" ? string
  : T extends "number" | "integer" ? number
  : T extends "boolean" ? boolean
  : T extends "null" ? null
  : T extends "array" ? (S extends { readonly items: infer I } ? FromJsonSchema<I>[] : any[])
  : T extends "object" ? FromJsonObject<S>
  : any;

type FromJsonObject<S> = S extends { readonly properties: infer P }
  ? Flat<{ -readonly [K in keyof P & RequiredOf<S>]: FromJsonSchema<P[K]> } & { -readonly [K in Exclude<keyof P, RequiredOf<S>>]?: FromJsonSchema<P[K]> }>
  : { [name: string]: any };

type RequiredOf<S> = S extends { readonly required: readonly (infer R)[] } ? R : never;
type Flat<T> = { [K in keyof T]: T[K] };

/** A schema object: what an agent is shown, and what a value is checked with. */
export interface AgentSchema<T = any> {
  readonly jsonSchema: JsonSchema;
  /** The value that the handler gets; throws something with `issues` when it does not fit. It must not wait. */
  parse(value: unknown): T;
}

/** A validator of the Standard Schema interface, version 1, as zod, valibot and others have it. */
export interface StandardSchema<Output = unknown> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown, ...more: any[]) => any;
    readonly types?: { readonly input: any; readonly output: Output } | undefined;
  };
}

// ---------------------------------------------------------------- definitions

/** What a read is told. */
export interface ReadContext<Host = any> {
  readonly capabilityId: string;
  readonly registrationId: string;
  readonly consumer: Consumer;
  /** The application's context, as `context()` of the registry gave it. */
  readonly host: Host;
}

/** What an action is told. */
export interface ExecuteContext<Host = any> extends ReadContext<Host> {
  readonly invocationId: string;
  /** Aborts when the result is no longer wanted. */
  readonly signal: AbortSignal;
  /** The person's decision, when one was needed. */
  readonly confirmation?: { readonly id: string; readonly approvedAt: string };
}

/** What observations, actions and bindings share. */
export interface CapabilityCommon {
  /** Whether it can be used now; asked at every snapshot and every call. One that throws makes it unavailable. */
  when?(): boolean;
  /** What the agent is told while `when` says false. */
  unavailableReason?: string | (() => string);
  /** Inside the component's policies. */
  policies?: readonly Policy[];
  /** JSON that agents see, at most 2 kB. */
  meta?: object;
  /** Limits one execution. */
  timeoutMs?: number;
}

/** Something that can be read. */
export interface ObservationDefinition<Output = any> extends CapabilityCommon {
  /** For the agent, 1 to 300 characters. */
  description: string;
  title?: string;
  /** Tells agents that the output holds text that others wrote. */
  untrustedContent?: boolean;
  output: AgentSchema<Output>;
  read(context: ReadContext): Awaitable<NoInfer<Output>>;
}

/** How calls of one action or procedure wait for each other. */
export interface Concurrency {
  mode?: "instance" | "capability" | "key" | "parallel";
  key?: string;
  max?: number;
  queueDepth?: number;
}

/** Something that can be done in the view. */
export interface ActionDefinition<Input = any, Output = any> extends CapabilityCommon {
  /** For the agent, 1 to 300 characters. */
  description: string;
  title?: string;
  untrustedContent?: boolean;
  input: AgentSchema<Input>;
  output?: AgentSchema<Output>;
  effect: ViewEffect;
  idempotent?: boolean;
  reversible?: boolean;
  /** That of the effect when it is left out: `required` for destructive and external ones, `optional` for `server-mutation`, else `never`. */
  confirmation?: ConfirmationLevel;
  audit?: AuditLevel;
  concurrency?: Concurrency;
  /** Looks at the state before the call: nothing to go on, or what is wrong. It must not wait. */
  precondition?(input: NoInfer<Input>, context: ExecuteContext): { message: string; details?: object } | null | undefined | void;
  execute(input: NoInfer<Input>, context: ExecuteContext): Awaitable<NoInfer<Output> | void>;
}

/** A reference to an operation of the server, and what the page adds to it. */
export interface ProcedureBinding {
  kind: "procedure-binding";
  ref: {
    /** `domain:` and the path. */
    id: string;
    path: string;
    title?: string;
    description: string;
    inputSchema: JsonSchema;
    outputSchema?: JsonSchema;
    effect: DomainEffect;
    requiresApproval?: boolean;
    untrustedContent?: boolean;
    audit?: AuditLevel;
  };
  config: CapabilityCommon & {
    /** The values of `boundKeys`, from the state of the page. */
    bind?(): object;
    /** Bound keys that the agent may supply all the same. */
    overridableFields?: readonly string[];
    confirmation?: ConfirmationLevel;
    /** A note for the agent on what the call would mean now. */
    describe?(): string;
    concurrency?: Concurrency;
  };
  boundKeys: readonly string[];
  /** The bound keys that the agent may not supply: all that are not overridable. */
  lockedKeys: readonly string[];
  /** If given, it must equal the input schema without the locked keys. */
  reducedInputSchema?: JsonSchema;
  /** The component that the call belongs to; the registering one when it is left out. */
  contextLink?: ComponentRef;
}

/** What the `bind` of a declared procedure gives: a binding with the declared fields in place of keys. */
export interface DeclaredProcedureBinding {
  kind: "procedure-binding";
  ref: Omit<ProcedureBinding["ref"], "path"> & { path?: string };
  config: ProcedureBinding["config"];
  /** What `config.bind` must supply, no more and no less. */
  boundFields: readonly { path: string; locked: boolean }[];
  contextLink?: ComponentRef;
}

/**
 * What a component offers. `Actions` and `Observations` are inferred: each handler's types follow its schemas.
 */
export interface ComponentDefinition<Actions = any, Observations = any> {
  /** Lower-case segments joined by dots, for example `devices.table`. */
  type: string;
  instanceId?: string;
  /** For the agent, 1 to 500 characters. */
  description: string;
  parent?: ComponentRef;
  meta?: object;
  /** For policies only; no agent sees it. */
  internal?: unknown;
  policies?: readonly Policy[];
  origin?: "first-party";
  /** Orders components in snapshots, high first, and decides what a budget drops. */
  priority?: number;
  enabled?: boolean;
  observations?: { [K in keyof Observations]: ObservationDefinition<Observations[K]> };
  actions?: { [K in keyof Actions]: ActionDefinition<Actions[K]> };
  procedures?: readonly (ProcedureBinding | DeclaredProcedureBinding)[];
}

// ---------------------------------------------------------------- policies

/** What a policy is told of a capability and its caller. No agent input is reachable from it. */
export interface PolicyContext<Host = any> {
  readonly capabilityId: string;
  readonly plane: Plane;
  readonly kind: CapabilityKind;
  readonly effect: Effect;
  readonly registrationId: string;
  readonly consumer: Consumer;
  readonly host: Host;
  readonly meta: { readonly component?: any; readonly capability?: any };
  /** The component's `internal`. */
  readonly internal: unknown;
  readonly environment: Environment;
  /** The registry's clock, in milliseconds. */
  now(): number;
}

/** What a policy is told of one call, after its input was validated. */
export interface PolicyInvokeContext<Host = any> extends PolicyContext<Host> {
  readonly invocationId: string;
  /** What the handler would get, bound values included. */
  readonly effectiveInput: any;
}

/** A policy's vote; `reason` is what the agent is told of `disable`. */
export interface DiscoveryDecision {
  readonly decision: "expose" | "disable" | "hide";
  readonly reason?: string;
}

/**
 * A name and any of the hooks, which are captured when it is registered. A hook that throws hides, or refuses the
 * call; one that ends without having called `next` refuses.
 */
export interface Policy {
  readonly name: string;
  /** Whether the consumer sees the capability. Synchronous: anything but a decision, or nothing, hides. */
  onDiscovery?(context: PolicyContext): DiscoveryDecision | null | undefined | void;
  /** Whether the caller may go on, before any input is looked at. Calls `next` once, or throws. */
  onAuthorize?(context: PolicyContext, next: () => Promise<void>): Awaitable<unknown>;
  /** The same over the effective input. */
  onInvoke?(context: PolicyInvokeContext, next: () => Promise<void>): Awaitable<unknown>;
}

/** A policy of the runtime's own. It works where it is registered itself; a copy of it refuses. */
export interface BuiltInPolicy extends Policy {
  onDiscovery(context: PolicyContext): DiscoveryDecision;
}

// ---------------------------------------------------------------- audit

export interface AuditEvent {
  readonly at: string;
  readonly type:
    | "registration" | "unregistration" | "registration-rejected" | "invocation-started" | "invocation-settled"
    | "confirmation-requested" | "confirmation-approved" | "confirmation-denied" | "confirmation-expired"
    | "confirmation-consumed" | "late-settlement" | "collision-suspected";
  readonly capabilityId?: string;
  readonly registrationId?: string;
  readonly invocationId?: string;
  /** The consumer key, `kind:id`. */
  readonly consumerId?: string;
  readonly status?: string;
  readonly code?: AgentCapabilityErrorCode;
  readonly durationMs?: number;
  readonly queueWaitMs?: number;
  readonly executionMs?: number;
  readonly authorityMode?: string;
  readonly claimedName?: string;
  /** At level `full` only. */
  readonly payload?: { readonly input?: any; readonly output?: any };
}

/** Receives the trail. One that throws is ignored for that event. */
export interface AuditSink {
  record(event: AuditEvent): void;
}

/** Keeps the newest events. */
export interface MemoryAuditSink extends AuditSink {
  /** The events that are kept, oldest first; a frozen copy. */
  events(): readonly AuditEvent[];
}

// ---------------------------------------------------------------- registry

/** Bounds of everything that a page or an agent can make large; times are in milliseconds. */
export interface Limits {
  maxComponentDescription: number;
  maxCapabilityDescription: number;
  maxMetaBytes: number;
  maxOutputBytes: number;
  maxSchemaBytes: number;
  maxReason: number;
  maxInputBytes: number;
  maxSchemaDepth: number;
  maxInputDepth: number;
  observationTimeoutMs: number;
  actionTimeoutMs: number;
  procedureTimeoutMs: number;
  actionQueueDepth: number;
  maxConcurrentObservationsPerConsumer: number;
  maxConcurrentObservationsTotal: number;
  maxQueuedObservationsPerConsumer: number;
  dedupeCacheSize: number;
  dedupeCacheTtlMs: number;
  tombstoneSize: number;
  tombstoneTtlMs: number;
  confirmationTtlMs: number;
  maxPendingConfirmations: number;
  maxPendingConfirmationsPerConsumer: number;
}

/** What a surface may expose at most. Only the runtime that made it takes it. */
export interface CapabilityAuthority {
  readonly mode: "open" | "contract";
  /** The manifest's; an open authority has none. */
  readonly hash?: string;
}

/** What a registration guard judges. */
export interface RegistrationCandidate {
  readonly type: string;
  readonly instanceId: string;
  readonly description: string;
  readonly origin: string;
  readonly meta?: any;
  readonly capabilityIds: readonly string[];
  /** Where the registration comes from; in development only. */
  readonly stack?: string;
}

export interface RegistryOptions {
  /** The reviewed set of capabilities that the surface may not exceed. */
  authority: CapabilityAuthority;
  /** `production` when it is left out; in `development` the console says why calls fail. */
  environment?: Environment;
  /** The application's context, read whenever policies or handlers run. */
  context?(): any;
  /** The outermost layer. */
  policies?: readonly Policy[];
  /** Where the audit trail goes: a bounded memory and, in development, `console.debug` when it is left out. */
  audit?: AuditSink | ((event: AuditEvent) => void);
  /** A guard: anything but `"accept"`, and an exception, rejects. */
  onRegister?(candidate: RegistrationCandidate): "accept" | "reject";
  /** What happens to a second live component of one type and instance; `reject` when it is left out. */
  onDuplicateInstance?: "reject" | "replace";
  /** What happens to a view capability `X.Y` beside a known domain path `X.Y`; `warn` when it is left out. */
  duplicateSuffixPolicy?: "off" | "warn" | "error";
  /** Where in the application the user is, for snapshots. */
  route?(): { path: string; params?: object } | null | undefined;
  limits?: Partial<Limits>;
  /** The clock, in milliseconds. */
  now?(): number;
}

/** One registration. After it has ended its methods do nothing. */
export interface RegistrationHandle {
  readonly registrationId: string;
  readonly status: "active" | "unregistered" | "rejected";
  /** Why it was rejected: `duplicate` or `guard`. */
  readonly reason?: string;
  /** The only change that a registration allows; setting what is already set changes nothing. */
  update(change: { enabled?: boolean; availability?: { [name: string]: { available: boolean; reason?: string } } }): void;
  /** Bumps the version, so that adapters look again. */
  invalidate(): void;
  unregister(): void;
}

/** Whose snapshot it is and what it leaves out. */
export interface SnapshotContext {
  /** The anonymous embedded consumer when it is left out. */
  consumer?: Consumer;
  /** Component types by prefix, on segment borders. */
  scope?: readonly string[];
  /** `true` when it is left out. */
  includeUnavailable?: boolean;
  /** Drops the components of lowest priority. */
  budget?: { maxComponents?: number; maxBytes?: number };
}

export interface CapabilityView {
  readonly title?: string;
  readonly description: string;
  readonly untrustedContent?: true;
  readonly available: boolean;
  readonly unavailableReason?: string;
  readonly meta?: any;
}

export interface ObservationView extends CapabilityView {
  readonly capabilityId: string;
  readonly name: string;
  readonly outputSchema: JsonSchema;
}

export interface ActionView extends CapabilityView {
  readonly capabilityId: string;
  readonly name: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly effect: ViewEffect;
  readonly idempotent: boolean;
  readonly reversible: boolean;
  readonly confirmation: ConfirmationLevel;
}

export interface ProcedureView extends CapabilityView {
  readonly procedureId: string;
  readonly contextualNote?: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly effect: DomainEffect;
  readonly confirmation: ConfirmationLevel;
  readonly boundFields: readonly { readonly path: string; readonly locked: boolean; readonly source: "ui-state" }[];
  readonly registrationId: string;
  readonly context?: Required<ComponentRef>;
}

export interface ComponentView {
  readonly type: string;
  readonly instanceId: string;
  readonly registrationId: string;
  readonly description: string;
  readonly parent?: Required<ComponentRef>;
  readonly meta?: any;
  readonly observations: readonly ObservationView[];
  readonly actions: readonly ActionView[];
}

/** The surface as one consumer sees it at one moment: frozen plain data. */
export interface SurfaceSnapshot {
  readonly surfaceId: string;
  readonly surfaceVersion: string;
  readonly capturedAt: string;
  readonly route?: { readonly path: string; readonly params?: any };
  readonly components: readonly ComponentView[];
  readonly procedures: readonly ProcedureView[];
  readonly truncated?: { readonly droppedComponents: number };
  readonly scopeRejected?: { readonly prefixes: readonly string[] };
}

/** What is called, and which state of the surface the caller looked at. */
export interface InvokeRequest {
  /** `view:TYPE.NAME` or `domain:PATH`. */
  capabilityId: string;
  /** Makes retries of one call recognisable: the same id is carried out once. Generated when it is left out. */
  invocationId?: string;
  instanceId?: string;
  registrationId?: string;
  surfaceVersion?: string;
  /** A person's approval, for the retry of a call that answered `CONFIRMATION_REQUIRED`. */
  confirmationId?: string;
  input?: unknown;
}

export interface InvokeOptions {
  consumer?: Consumer;
  /** Withdraws the call. */
  signal?: AbortSignal;
  timeoutMs?: number;
}

export interface ResultBase {
  readonly invocationId: string;
  readonly capabilityId: string;
  readonly surfaceVersion: string;
  /** Present when the surface moved while the call ran. */
  readonly surfaceChanged?: true;
}

/** What a call came to. */
export type InvokeResult<Output = any> =
  | (ResultBase & { readonly status: "ok"; readonly output?: Output; readonly error?: undefined })
  | (ResultBase & { readonly status: "error"; readonly error: ErrorPayload; readonly output?: undefined });

/** A decision that waits for a person. All of it is data, never markup. */
export interface PendingConfirmation {
  readonly confirmationId: string;
  readonly capabilityId: string;
  readonly registrationId: string;
  readonly consumerKey: string;
  readonly effect: Effect;
  /** For the person. */
  readonly summary: string;
  /** Exactly what the handler would get. */
  readonly input: any;
  readonly requestedAt: string;
  readonly expiresAt: string;
  /** Only the person's click on the control of a web tool decides it, and `resolve` does not. */
  readonly decidedBy?: "control";
}

export type ConfirmationOutcome = "approved" | "denied" | "expired";

export interface Confirmations {
  pending(): readonly PendingConfirmation[];
  /** Approves only by `approved: true`; false when the id is not pending. */
  resolve(id: string, decision: { approved: boolean; reason?: string }): boolean;
  /** The person's decision. A wait that is cancelled ends as `expired`. */
  waitFor(id: string, options?: { signal?: AbortSignal }): Promise<ConfirmationOutcome>;
  /** Told of what is pending, whenever that changed. */
  subscribe(listener: (pending: readonly PendingConfirmation[]) => void): () => void;
  /** For tests. */
  forceExpire(id: string): boolean;
}

/** Something that happened on a surface. */
export type SurfaceEvent =
  | { readonly type: "surface-changed"; readonly surfaceVersion: string }
  | { readonly type: "component-registered" | "component-unregistered"; readonly registrationId: string; readonly componentType: string; readonly instanceId: string }
  | { readonly type: "component-rejected"; readonly componentType: string; readonly instanceId: string; readonly reason: "duplicate" | "guard" }
  | { readonly type: "availability-changed"; readonly registrationId: string; readonly capabilityId: string; readonly available: boolean }
  | { readonly type: "collision-suspected"; readonly viewCapabilityId: string; readonly domainProcedureId: string }
  | { readonly type: "invocation-started"; readonly invocationId: string; readonly capabilityId: string; readonly consumerId: string }
  | { readonly type: "invocation-settled"; readonly invocationId: string; readonly capabilityId: string; readonly status: "ok" | "error"; readonly code?: AgentCapabilityErrorCode; readonly durationMs: number }
  | { readonly type: "confirmation-requested"; readonly confirmationId: string; readonly capabilityId: string; readonly expiresAt: string }
  | { readonly type: "confirmation-resolved"; readonly confirmationId: string; readonly outcome: ConfirmationOutcome };

/** Carries out the procedures that components offer. */
export interface ProcedureExecutor {
  execute(call: {
    readonly path: string;
    readonly input: any;
    readonly info: {
      readonly invocationId: string;
      readonly consumer: Consumer;
      readonly signal: AbortSignal;
      readonly confirmation?: { readonly id: string; readonly approvedAt: string };
    };
  }): Awaitable<unknown>;
  /** The paths that it knows, for readers; a path without an executor is a transport failure. */
  paths?: readonly string[];
}

/** A surface: what the components of a page offer, and the pipeline that every call runs through. */
export interface AgentSurfaceRegistry {
  readonly surfaceId: string;
  readonly authorityMode: string;
  /**
   * Puts a component on the surface, at once. Throws an AgentSurfaceDefinitionError for a structural defect; a duplicate
   * or a refusing guard gives a handle whose status is `rejected`.
   */
  register<Actions, Observations>(definition: ComponentDefinition<Actions, Observations>): RegistrationHandle;
  /** What a consumer sees now. Runs no read and waits for nothing. */
  snapshot(context?: SnapshotContext): SurfaceSnapshot;
  /** Calls a capability. The promise rejects only after `dispose`. */
  invoke<Output = any>(request: InvokeRequest, options?: InvokeOptions): Promise<InvokeResult<Output>>;
  /** Told of events in their order, until the returned function is called. */
  subscribe(listener: (event: SurfaceEvent) => void): () => void;
  readonly confirmations: Confirmations;
  /** Sets what carries procedures out; null takes it away. */
  setProcedureExecutor(executor: ProcedureExecutor | null): void;
  getVersion(): string;
  /** The host's context changed (sign-in, tenant): adapters look again. */
  invalidate(): void;
  /** Settles calls as cancelled and ends the surface: `register` and `snapshot` throw from now on. */
  dispose(): void;
}

// ---------------------------------------------------------------- contracts

/** A schema of a declaration. It is checked with the JSON Schema alone; a binding may add a `parse`. */
export interface DeclaredSchema<T = any> {
  readonly jsonSchema: JsonSchema;
  parse?(value: unknown): T;
}

/** A JSON Schema as the schema of a declaration, for modules that declare before a runtime is there. */
export function fromJsonSchema<const S extends JsonSchema>(schema: S): DeclaredSchema<FromJsonSchema<S>>;

/** For what takes no input. */
export const emptyObjectSchema: DeclaredSchema<{}>;

/** A policy that must be present where a capability is registered, in the phase that is named, or in any. */
export interface PolicyReference {
  name: string;
  phase?: "discovery" | "authorize" | "invoke";
}

/** What is declared of observations and actions alike. */
export interface CapabilityDeclaration {
  /** For the agent, 1 to 300 characters. */
  description: string;
  title?: string;
  untrustedContent?: boolean;
  policies?: readonly PolicyReference[];
  /** For reviewers and tools. */
  tags?: readonly string[];
  meta?: object;
  timeoutMs?: number;
}

/** Declares something that can be read. */
export interface ObservationDeclaration<Output = any> extends CapabilityDeclaration {
  output: DeclaredSchema<Output>;
}

/** Declares something that can be done in the view. */
export interface ActionDeclaration<Input = any, Output = any> extends CapabilityDeclaration {
  input: DeclaredSchema<Input>;
  output?: DeclaredSchema<Output>;
  effect: ViewEffect;
  idempotent?: boolean;
  reversible?: boolean;
  /** That of the effect when it is left out: `required` for destructive and external ones, `optional` for `server-mutation`, else `never`. */
  confirmation?: ConfirmationLevel;
  audit?: AuditLevel;
}

/** Declares a component and what of it agents may read and do. */
export interface ComponentDeclaration<Actions = any, Observations = any> {
  type: string;
  /** For the agent, 1 to 500 characters. */
  description: string;
  meta?: object;
  origin?: "first-party";
  priority?: number;
  /** For every capability of the component. */
  policies?: readonly PolicyReference[];
  tags?: readonly string[];
  observations?: { [K in keyof Observations]: ObservationDeclaration<Observations[K]> };
  actions?: { [K in keyof Actions]: ActionDeclaration<Actions[K]> };
}

/** What carries an observation out: all of its definition that is not declared. */
export type ObservationBinding<Output = any> = Pick<ObservationDefinition<Output>, "read"> & Partial<Omit<ObservationDefinition<Output>, "read">>;
/** What carries an action out: all of its definition that is not declared. */
export type ActionBinding<Input = any, Output = any> = Pick<ActionDefinition<Input, Output>, "execute"> & Partial<Omit<ActionDefinition<Input, Output>, "execute">>;

/** The bindings of a group, one for each declaration. */
type Bound<Group, Name extends string, All> = keyof Group extends never ? { [K in Name]?: {} } : { [K in Name]: All };

/** A declared component. */
export interface ComponentContract<Actions = any, Observations = any> {
  readonly type: string;
  /**
   * A definition for `registry.register`. Throws an AgentSurfaceDefinitionError unless every declared capability has its
   * binding, and for what is declared already; `input` and `output` may be given once more, with a `parse`.
   */
  bind(
    binding: Partial<Omit<ComponentDefinition, "type" | "description" | "observations" | "actions">> &
      Bound<Observations, "observations", { [K in keyof Observations]: ObservationBinding<Observations[K]> }> &
      Bound<Actions, "actions", { [K in keyof Actions]: ActionBinding<Actions[K]> }>,
  ): ComponentDefinition;
}

/** Declares a component. A module does so at its top level, with literals, where `pagewarden contract` reads it. */
export function defineAgentComponentContract<Actions = {}, Observations = {}>(
  declaration: ComponentDeclaration<Actions, Observations>,
): ComponentContract<Actions, Observations>;

/** Gives a declared observation its type. */
export function observationContract<Output>(declaration: ObservationDeclaration<Output>): ObservationDeclaration<Output>;

/** Gives a declared action its type. */
export function actionContract<Input, Output = any>(declaration: ActionDeclaration<Input, Output>): ActionDeclaration<Input, Output>;

/** Declares an operation of the server that a page may offer. */
export interface ProcedureDeclaration<Input = any> {
  /** `domain:` and the path. */
  id: string;
  title?: string;
  description: string;
  /** All that the operation takes. */
  input: DeclaredSchema<Input>;
  output?: DeclaredSchema;
  effect: DomainEffect;
  /** That of the effect when it is left out: `required` for destructive and external ones, `optional` for `server-mutation`, else `never`. */
  confirmation?: ConfirmationLevel;
  audit?: AuditLevel;
  untrustedContent?: boolean;
  /** The members of the input that the page supplies; a locked one the agent may not supply instead. */
  boundFields?: readonly { path: string; locked: boolean }[];
  origin?: "first-party";
  policies?: readonly PolicyReference[];
  tags?: readonly string[];
}

/** A declared procedure. */
export interface ProcedureContract {
  readonly id: string;
  /** For `procedures` of a component. Its `bind` must supply exactly the declared fields. */
  bind(config?: Omit<ProcedureBinding["config"], "overridableFields">): DeclaredProcedureBinding;
}

export function defineAgentProcedureContract<Input>(declaration: ProcedureDeclaration<Input>): ProcedureContract;

/** Declares a tool that no registry backs. */
export interface ExternalToolDeclaration<Input = any> {
  /** `external:` and one or more of A-Z a-z 0-9 . - _ */
  id: string;
  title?: string;
  description: string;
  input: DeclaredSchema<Input>;
  output?: DeclaredSchema;
  effect: Effect;
  confirmation?: ConfirmationLevel;
  untrustedContent?: boolean;
  origin?: "first-party";
  tags?: readonly string[];
}

/** A provider tool that no registry backs: nothing checks its input, asks a person, or records it, but what `execute` does. */
export interface ExternalAgentTool<Input = any, Output = any> {
  /** `external_` and the rest of the id, with `__` for a dot. */
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly execute: (input: Input, ...more: any[]) => Output;
}

/** A declared external tool. */
export interface ExternalToolContract<Input = any> {
  readonly id: string;
  bind<Output>(binding: { execute: (input: Input, ...more: any[]) => Output }): ExternalAgentTool<Input, Output>;
}

export function defineExternalAgentToolContract<Input>(declaration: ExternalToolDeclaration<Input>): ExternalToolContract<Input>;

/** Exposes provider tools that no registry backs. */
export interface AgentExposureGateway {
  /** The same tools, in order, if the authority admits every one as it was declared; one that it does not refuses the call. */
  expose<const Tools extends readonly ExternalAgentTool[]>(tools: Tools): Readonly<Tools>;
}

// ---------------------------------------------------------------- ids

export type ParsedCapabilityId =
  | { readonly plane: "view"; readonly componentType: string; readonly name: string }
  | { readonly plane: "domain"; readonly path: string };

/** What a tool name stands for. */
export interface WireNameEntry {
  readonly id: string;
  readonly instanceId?: string;
}

// ---------------------------------------------------------------- WebMCP

/**
 * A browser's object that lists tools, as far as the adapter needs one.
 * @experimental The API changes from browser to browser.
 */
export interface ModelContext {
  registerTool?(tool: any, options?: any): any;
  unregisterTool?(name: string): any;
  provideContext?(context: { tools: any[] }): any;
  clearContext?(): any;
}

/** @experimental */
export interface WebMcpAdapterOptions {
  /** The object to use in place of the page's own. */
  modelContext?: ModelContext;
  /** Narrows what is offered; wins over the host's, field by field. */
  snapshotContext?: Pick<SnapshotContext, "scope" | "budget">;
  /** Curates: null leaves a capability out, a text replaces its description. An exception, or anything else, leaves it out. */
  exposeCapability?(capability: any): string | { description?: string } | null | undefined | void;
  /**
   * Asks the person; only an exact `true` from here approves, whatever the client gives back. `client` is the browser's,
   * or null.
   */
  confirm?(pending: PendingConfirmation, client: any): Awaitable<boolean>;
  /** Lets `confirm` run when the browser passes no client. */
  confirmWithoutClient?: boolean;
  /** Origins that may see the tools, where the browser supports it. */
  exposedTo?: readonly string[];
}

/** @experimental */
export interface WebMcpAdapterStatus {
  readonly supported: boolean;
  readonly surface: "by-name" | "whole-set" | "by-signal" | "none";
  readonly registered: readonly { readonly name: string; readonly capabilityId: string }[];
  readonly refused: readonly { readonly name: string; readonly capabilityId: string; readonly error: string }[];
}

/**
 * Offers a surface to the browser's agent.
 * @experimental
 */
export interface WebMcpAdapter {
  readonly name: "webmcp";
  start(host: { registry: AgentSurfaceRegistry; consumer?: Consumer; snapshotContext?: Pick<SnapshotContext, "scope" | "budget"> }): void;
  stop(): void;
  status(): WebMcpAdapterStatus;
}

export interface AgentToolsetOptions {
  /** Who calls: stable, and different from that of every other adapter of the registry. */
  consumer: Consumer;
  /** `"direct"`, a tool for each capability, when it is left out. `"meta"` is experimental: three tools that discover, read and act. */
  mode?: "direct" | "meta";
  /** Where the model's loop runs; this or `confirmations` is required. */
  topology?: "embedded" | "remote";
  /** `"wait"` keeps a call until a person has decided, as embedded loops do; `"two-phase"` gives `CONFIRMATION_REQUIRED`, as remote ones do. */
  confirmations?: "wait" | "two-phase";
  /** Component types by prefix; an empty list admits all. It limits what is discovered, not what may be called. */
  scope?: readonly string[];
  /** Bounds what `surface_discover` gives; meta mode only. */
  budget?: { maxComponents?: number; maxBytes?: number };
  /** How long a call waits for a person, in milliseconds; then it ends with `CONFIRMATION_REQUIRED`, and the person may still decide. */
  waitTimeoutMs?: number;
}

/** A tool for a model. Frozen. */
export interface AgentTool {
  /** 1 to 64 of A-Z a-z 0-9 _ - */
  readonly name: string;
  /** `[plane · effect]` and the authored text; nothing in it changes from turn to turn. */
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /** What may change from turn to turn: see `capabilityState`. */
  readonly state: { readonly available: boolean; readonly unavailableReason?: string; readonly note?: string };
  /**
   * Calls the tool with the tokens of the catalog that it was handed out in. Never throws or rejects: what is wrong is in
   * the result. The call's identity is `invocationId`, else `toolCallId`, else generated; a repetition under the same one
   * gives the first result and does nothing twice. Many providers count their tool calls anew in each conversation
   * (`call_0`): a host whose ids are not unique gives an `invocationId` of its own.
   */
  execute(input?: unknown, call?: AgentToolCall): Promise<InvokeResult>;
}

export interface AgentToolCall {
  toolCallId?: string;
  invocationId?: string;
  /** Evidence that a person has decided, from the details of `CONFIRMATION_REQUIRED`. */
  confirmationId?: string;
  /** Withdraws the call, and a confirmation that it waits for. */
  signal?: AbortSignal;
}

/** A registry's capabilities as tools for any model. Frozen. */
export interface AgentToolset {
  /** The tools as they are now, in a fixed order; the same array while nothing has changed. Throws after `dispose`. */
  tools(): readonly AgentTool[];
  /** Calls back when names, texts, schemas or states differ from what `tools()` gave last; never in meta mode. Gives what ends it. */
  subscribe(listener: () => void): () => void;
  /** The capability id of each tool of the last catalog, by its name; the authority on what a name means. A copy. */
  wireNameMap(): Map<string, string>;
  /** Ends calls that wait for a person, with the `CONFIRMATION_REQUIRED` that they were given; later calls are `CAPABILITY_NOT_FOUND`. */
  dispose(): void;
}

/** What the checks see of a tool. */
export interface ConformanceTool {
  /** What its peer calls it by, where an adapter makes names. */
  readonly name?: string;
  /** What it stands for, as the adapter's map says. */
  readonly capabilityId: string;
  readonly description?: string;
  readonly inputSchema?: JsonSchema;
  /** Whatever else the peer is told of how things stand with it now. */
  readonly state?: unknown;
}

/** One instance of an adapter under test, as its peer sees it. */
export interface ConformanceAdapter {
  /** Connects it to a surface; called once. An empty `scope` admits everything. */
  start(at: { readonly registry: AgentSurfaceRegistry; readonly consumer: Consumer; readonly scope: readonly string[] }): unknown;
  /** What the peer is offered now; after `stop` nothing. */
  tools(): Awaitable<readonly ConformanceTool[]>;
  /** The peer calls a tool that it was offered, perhaps some time ago. */
  call(tool: any, input: any, call: { readonly invocationId?: string; readonly confirmationId?: string }): Awaitable<{ readonly output?: unknown; readonly error?: any }>;
  /** Ends it; may come again. */
  stop(): unknown;
}

export interface ConformanceSubject {
  /** Makes an instance that is not started. */
  create(): ConformanceAdapter;
  /** What adapters may do one way or the other; each is false when it is left out. */
  traits?: {
    /** A call that a person must confirm ends with `CONFIRMATION_REQUIRED`. */
    twoPhase?: boolean;
    /** There is no tool for what cannot be used now. */
    omitsUnavailable?: boolean;
    /** The peer cannot give a call an identity. */
    unnamedCalls?: boolean;
    /** A tool names a capability and no registration. */
    resolvesAtCall?: boolean;
  };
}

/** What came of one check. */
export interface ConformanceResult {
  readonly name: string;
  /** What every adapter promises. */
  readonly rule: string;
  readonly passed: boolean;
  /** What the adapter did wrong. */
  readonly error?: string;
}

// ---------------------------------------------------------------- testing

export interface TestSurfaceOptions {
  /** A registry that is there already; the harness does not dispose it. */
  registry?: AgentSurfaceRegistry;
  /** For a registry that the harness makes; an open one when it is left out. */
  authority?: CapabilityAuthority;
  /** `{ id: "test", kind: "test" }` when it is left out. */
  consumer?: Consumer;
  /** The application's context. */
  host?: any;
}

/** A request for a capability as it was seen: for tests that use it after the surface has moved. */
export interface CapturedRef {
  readonly capabilityId: string;
  readonly registrationId: string;
  readonly surfaceVersion: string;
}

/** A registry as one consumer uses it, with verbs for tests. */
export interface TestSurface {
  readonly registry: AgentSurfaceRegistry;
  snapshot(context?: SnapshotContext): SurfaceSnapshot;
  /** A call; one without a registration goes to the only one that the consumer sees. */
  invoke<Output = any>(request: InvokeRequest, options?: InvokeOptions): Promise<InvokeResult<Output>>;
  /** The output of an observation; rejects when the call fails and when the surface moved while it ran. */
  observe<Output = any>(capabilityId: string): Promise<Output>;
  /** Throws when the consumer does not see exactly one. */
  captureRef(capabilityId: string): CapturedRef;
  /** The same surface in another host context: somebody else is signed in. */
  as(host: any): TestSurface;
  /** Without an id, the only one that is pending; each throws when there is none or are several. */
  readonly confirmations: {
    pending(): readonly PendingConfirmation[];
    approve(id?: string): void;
    deny(id?: string): void;
    expire(id?: string): void;
  };
  /** Everything that happened since the surface was made. */
  events(): readonly SurfaceEvent[];
  /** The trail of a registry that the harness made. */
  auditLog(): readonly AuditEvent[];
  dispose(): void;
}

// ---------------------------------------------------------------- development

/** Why each capability looks as it does to a consumer, those included that policies hide. */
export interface SurfaceExplanation {
  readonly surfaceId: string;
  readonly surfaceVersion: string;
  readonly authorityMode: string;
  readonly environment: Environment;
  readonly consumer: Consumer;
  readonly capabilities: readonly {
    readonly capabilityId: string;
    readonly registrationId: string;
    readonly component: Required<ComponentRef>;
    readonly kind: CapabilityKind;
    readonly effect: Effect;
    readonly confirmation: ConfirmationLevel;
    readonly outcome: "expose" | "disable" | "hide";
    readonly reason?: string;
    readonly available: boolean;
    readonly unavailableReason?: string;
    readonly policies: readonly {
      readonly name: string;
      readonly scope: "registry" | "component" | "capability";
      readonly phases: readonly ("discovery" | "authorize" | "invoke")[];
      readonly vote?: "expose" | "disable" | "hide";
      readonly reason?: string;
      readonly threw: boolean;
      readonly raisesConfirmation: boolean;
    }[];
  }[];
}

/**
 * A step of a call: the phase of the pipeline that begins, or its settlement. `resolution` comes first and says what was
 * asked; `settlement` comes last, perhaps alone when the call was withdrawn before it began, and says what came of it.
 */
export interface CallStep {
  readonly phase:
    | "resolution" | "availability" | "authorization" | "effective input" | "invoke policies" | "confirmation" | "precondition"
    | "admission" | "execution" | "settlement";
  readonly invocationId: string;
  readonly capabilityId: string;
  /** The consumer key, `kind:id`. */
  readonly consumerId: string;
  /** At `resolution` only. */
  readonly request?: Omit<InvokeRequest, "capabilityId" | "invocationId">;
  /** At `settlement` only, as are the rest. */
  readonly result?: InvokeResult;
  readonly registrationId?: string;
  readonly queueWaitMs?: number;
  /** What the handler got or would have got, bound values included. */
  readonly effectiveInput?: any;
}

/** For people and tests. No agent, prompt or adapter may get anything of it. */
export interface DeveloperTools {
  /** Throws for a registry that is disposed of or of another runtime. */
  explainSurface(registry: AgentSurfaceRegistry, context?: Pick<SnapshotContext, "consumer">): SurfaceExplanation;
  /**
   * Tells of every call of a registry as it runs, whoever makes it, at once and in the order of its phases, until the returned
   * function is called. A repetition under the same invocation id, which gets the first result, is no call of its own.
   * Throws for a registry that is disposed of or of another runtime.
   */
  watchCalls(registry: AgentSurfaceRegistry, listener: (step: CallStep) => void): () => void;
  /** Whether a component type lies under one of the prefixes; an empty list admits everything. */
  matchesScope(componentType: string, scope?: readonly string[]): boolean;
  /** Sizes of the runtime's tables, for leak tests. */
  tables(): { readonly [table: string]: number };
}

// ---------------------------------------------------------------- the runtime

/** Every export of the API; frozen. */
export interface Runtime {
  // registry

  /** Makes a surface. Throws without an authority of this runtime. */
  createAgentSurfaceRegistry(options: RegistryOptions): AgentSurfaceRegistry;
  /** The limits that hold where a registry says nothing else. */
  readonly DEFAULT_LIMITS: Readonly<Limits>;

  // definitions

  /** Checks a definition as `register` would, and gives it back. */
  defineAgentComponent<Actions, Observations>(definition: ComponentDefinition<Actions, Observations>): ComponentDefinition<Actions, Observations>;
  /** Gives its argument back; for the types of an observation that is written by itself. */
  observation<Output>(definition: ObservationDefinition<Output>): ObservationDefinition<Output>;
  /** Gives its argument back; for the types of an action that is written by itself. */
  action<Input, Output>(definition: ActionDefinition<Input, Output>): ActionDefinition<Input, Output>;
  /** Throws the AgentSurfaceDefinitionError that `register` would throw. */
  validateComponentDefinition(definition: unknown): void;

  // contracts

  /**
   * Admits every capability, for trying things out. A registry in production refuses it unless it was made with
   * `allowInProduction`.
   */
  createOpenAuthority(options?: { allowInProduction?: boolean }): CapabilityAuthority;
  /**
   * Admits what the manifest holds, and nothing else. Throws a TypeError that names the field for one that was changed
   * after `pagewarden contract snapshot` wrote it, and for any other than the one that the runtime is pinned to.
   */
  createCapabilityAuthority(manifest: object): CapabilityAuthority;
  /** A gateway under an authority; `environment` is `production` when it is left out. */
  createAgentExposureGateway(authority: CapabilityAuthority, options?: { environment?: Environment }): AgentExposureGateway;

  // contracts, as the module exports them

  readonly defineAgentComponentContract: typeof defineAgentComponentContract;
  readonly defineAgentProcedureContract: typeof defineAgentProcedureContract;
  readonly defineExternalAgentToolContract: typeof defineExternalAgentToolContract;
  readonly observationContract: typeof observationContract;
  readonly actionContract: typeof actionContract;

  // schemas

  /**
   * A schema object for a JSON Schema. The type of its values follows a literal; `fromJsonSchema<T>(…)` says it.
   * Throws an AgentSurfaceDefinitionError for a document that is not supported.
   */
  fromJsonSchema<T = never, const S extends JsonSchema = JsonSchema>(document: S): AgentSchema<[T] extends [never] ? FromJsonSchema<S> : T>;
  /**
   * A schema object for a validator of the Standard Schema interface. It checks values in the page; the JSON Schema is
   * what agents see. A validator that answers later is an issue.
   */
  fromStandardSchema<Output>(schema: StandardSchema<Output>, options: { jsonSchema: JsonSchema }): AgentSchema<Output>;
  /** For an action without input. */
  readonly emptyObjectSchema: AgentSchema<{}>;
  /** Whether a document is supported, and if not, why and what to write instead. */
  validateJsonSchemaDocument(document: unknown, limits?: Partial<Pick<Limits, "maxSchemaBytes" | "maxSchemaDepth">>): { readonly ok: boolean; readonly reason?: string };
  /** What is wrong with a value. `root` is the document that the schema's `$ref`s are resolved in, `path` the value's. */
  validateValueAgainstSchema(value: unknown, schema: JsonSchema, root?: JsonSchema, path?: string): readonly Issue[];
  readonly AgentSchemaError: new (issues: readonly Issue[]) => AgentSchemaError;

  // policies

  /** Hides capabilities, and refuses calls with NOT_AUTHENTICATED, while the host context has nothing under `key` (`user`). */
  authenticated(options?: { key?: string }): BuiltInPolicy;
  /** Hides and refuses unless `check` gives exactly `true`; without a check, unless the consumer's grants have the name. */
  hasPermission(name: string, check?: (context: PolicyContext) => boolean): BuiltInPolicy;
  /** Hides and refuses what belongs to another tenant. No expected tenant admits everybody. */
  tenantBoundary(options: {
    current(context: PolicyContext): string | number | null | undefined;
    expected(context: PolicyContext): string | number | null | undefined;
  }): BuiltInPolicy;
  /** Hides capabilities in every other environment; there a call is CAPABILITY_NOT_FOUND. */
  environment(only: readonly Environment[]): BuiltInPolicy;
  /** At most `limit` calls of one consumer to one capability in any `windowMs`. One policy object is one limit. */
  rateLimit(options: { limit: number; windowMs: number }): BuiltInPolicy;
  /** Asks for a person's confirmation, of all calls or of those that `if` says. `summary` is what the person reads. */
  requireConfirmation(options?: {
    if?(context: PolicyInvokeContext): boolean;
    summary?(context: PolicyInvokeContext): string;
  }): BuiltInPolicy;
  /** Records start and settlement of calls in a sink of its own, or once more in the registry's. */
  audit(sink?: AuditSink | ((event: AuditEvent) => void), level?: AuditLevel): BuiltInPolicy;
  /** What the policies come to for one capability and caller: any hide wins, else the first disable, else expose. */
  evaluateDiscovery(policies: readonly Policy[], context: Partial<PolicyContext>): DiscoveryDecision;

  // audit

  /** A sink that keeps the newest events, 1000 unless `capacity` says otherwise. */
  memoryAuditSink(options?: { capacity?: number }): MemoryAuditSink;
  /** A sink that writes to `console.debug`. */
  consoleAuditSink(): AuditSink;

  // errors

  readonly AgentSurfaceError: new (payload: ErrorPayload) => AgentSurfaceError;
  readonly AgentSurfaceDefinitionError: new (code: string, message: string) => AgentSurfaceDefinitionError;
  /** Recognised by name and shape, so that errors of another copy of the script count too. */
  isAgentSurfaceError(value: unknown): value is AgentSurfaceError;
  /** The closed set of codes, in its published order. */
  readonly AGENT_CAPABILITY_ERROR_CODES: readonly AgentCapabilityErrorCode[];

  // ids

  /** Undefined for what is no capability id. */
  parseCapabilityId(id: string): ParsedCapabilityId | undefined;
  /** Throws a TypeError for what cannot be an id. */
  formatViewCapabilityId(componentType: string, name: string): string;
  formatDomainCapabilityId(path: string): string;
  isValidComponentType(value: unknown): value is string;
  isValidCapabilityName(value: unknown): value is string;
  isValidInstanceId(value: unknown): value is string;
  /** A capability id as a tool name that model providers accept: at most 64 characters of A-Z a-z 0-9 _ -. */
  encodeWireName(id: string): string;
  /** `level` 0 to 3: the higher, the longer the hash at the name's end. */
  encodeWireNameForInstance(id: string, instanceId?: string, level?: number): string;
  /** Names for a whole catalog, no two the same. */
  assignWireNames(entries: readonly WireNameEntry[]): {
    readonly names: readonly string[];
    readonly byName: { readonly [name: string]: WireNameEntry };
  };
  /** The id of a name that says it; undefined where it does not. The map of `assignWireNames` is the authority. */
  decodeWireName(name: string): string | undefined;
  readonly MAX_ID_LENGTH: number;
  readonly MAX_WIRE_NAME_LENGTH: number;
  /** Whether two values are the same JSON, whatever the order of members. */
  jsonDeepEqual(a: unknown, b: unknown): boolean;
  /** The canonical text of a value (RFC 8785). */
  canonicalJson(value: unknown): string;
  /** The SHA-256 of the canonical text, as 64 hexadecimal digits. */
  digestJson(value: unknown): string;

  // adapters

  /**
   * Offers a surface as WebMCP tools, on whatever revision of that API the browser has.
   * @experimental
   */
  createWebMcpAdapter(options?: WebMcpAdapterOptions): WebMcpAdapter;

  /**
   * A registry's capabilities as tools for any model. `mode: "meta"` is experimental.
   */
  createAgentToolset(registry: AgentSurfaceRegistry, options: AgentToolsetOptions): AgentToolset;
  /**
   * What of the tools changes between turns, as text for the end of a model's context, behind what it keeps in its cache;
   * "" when everything is available and nothing has a note.
   */
  capabilityState(tools: readonly Pick<AgentTool, "name" | "state">[]): string;

  /** Holds an adapter of yours to what every adapter promises, each check on a registry of its own. */
  runAdapterConformance(subject: ConformanceSubject): Promise<readonly ConformanceResult[]>;

  // testing

  /** A surface for tests. */
  createTestSurface(options?: TestSurfaceOptions): TestSurface;
  /** A snapshot as indented JSON that is the same in every run: registration ids numbered, times and ids of the surface left out. */
  serializeSurfaceSnapshot(snapshot: SurfaceSnapshot, options?: { includeVersion?: boolean }): string;

  /** For developers and tests. */
  readonly dev: DeveloperTools;
}
