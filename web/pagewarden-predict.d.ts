/**
 * pagewarden-predict.js: capabilities that a page can foresee. One definition with its handler, a prediction of what the
 * handler will change, and the reconciliation with what the server then says; offered to the browser's agent and to MCP
 * clients alike. Every call runs through the runtime's pipeline and gives a receipt. docs/prediction.md has each option.
 *
 *     import { createPredictionStore, defineAgentCapability, executePredicted, registerWebMcpTools } from "/pagewarden-predict.js";
 *
 * Registration is discovery, not authorization: a server must authorize every write again.
 */
import type { AgentSchema, AgentSurfaceRegistry, Awaitable, Consumer, FromJsonSchema, JsonSchema, ModelContext, Runtime, StandardSchema } from "./pagewarden.js";

/** A JSON Schema, a schema object, or a Standard Schema that carries its JSON Schema (zod 4). */
export type AnySchema = JsonSchema | AgentSchema | StandardSchema<any>;

/** The type of the values of a schema. */
export type ValueOf<S> = S extends StandardSchema<infer T> ? T : S extends AgentSchema<infer T> ? T : FromJsonSchema<S>;

/** Where what a capability works on lives. */
export type CapabilityScope = "page" | "session" | "server";

/** What to do about a state that has moved under a prediction. */
export type Reconciliation = "accept-server-state" | "reload" | "manual";

/** Hints, of which the first three decide the effect. */
export interface CapabilityAnnotations {
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly openWorldHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly untrustedContentHint?: boolean;
  readonly [hint: string]: any;
}

/** What `execute` is told. */
export interface CapabilityContext {
  /** Aborts when the result is no longer wanted. */
  readonly signal: AbortSignal;
  /** The identity of the call: the same for a call that is repeated. */
  readonly invocationId: string;
  readonly consumer: Consumer;
}

/** One operation of RFC 6902. `path` is a JSON Pointer of at most 256 characters, a value at most 64 kB of JSON. */
export type PatchOperation =
  | { readonly op: "add" | "replace"; readonly path: string; readonly value: unknown }
  | { readonly op: "remove"; readonly path: string };

/** What is foreseen of the state with the version `baseVersion`. */
export interface Prediction {
  readonly baseVersion: string;
  /** At most 256 operations, carried out in order, all or none. */
  readonly patch: readonly PatchOperation[];
  /** When it is not believed any more, in milliseconds since 1970. */
  readonly expiresAt?: number | undefined;
}

/** A state and its version: 1 to 128 of A-Z a-z 0-9 . _ : / - */
export interface VersionedState<State = any> {
  readonly state: State;
  readonly version: string;
}

/** A store as it was at one moment: a frozen copy. */
export interface PredictionSnapshot<State = any> {
  /** The authoritative state with the active predictions applied in order. */
  readonly state: State;
  /** The authoritative version, as in `authoritativeVersion`: a predicted state has none of its own. */
  readonly version: string;
  readonly authoritativeVersion: string;
  readonly activePredictionIds: readonly string[];
}

/** What `predict` is told: copies of its own. */
export interface Foresight<Input = any, State = any> {
  readonly input: Input;
  readonly snapshot: PredictionSnapshot<State>;
  /** The authoritative version, which the prediction names as its base. */
  readonly version: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** What `reconcile` is told. */
export interface Hindsight<Input = any, Output = any, State = any> {
  readonly input: Input;
  readonly output: Output;
  /** The store before the prediction. */
  readonly previous: PredictionSnapshot<State>;
  readonly prediction: Prediction;
  readonly now: number;
}

/** Keeps outputs of calls that went well, longer than the registry does. */
export interface IdempotencyStore<Output = any> {
  /** The output that an earlier call with that key left; undefined or null for none. */
  get(key: string): Awaitable<Output | undefined | null>;
  put(key: string, output: Output): Awaitable<unknown>;
}

export interface CapabilityDefinition<I, O, State = any> {
  /** [a-z][A-Za-z0-9._-]{0,120} */
  name: string;
  /** For agents: what the capability does and when to use it. */
  description: string;
  input: I;
  output: O;
  annotations?: CapabilityAnnotations;
  /** The token that a caller must hold; by default the name. */
  capability?: string;
  /** "page" by default. */
  scope?: CapabilityScope;
  /** State paths, [a-z][A-Za-z0-9._:/-]{0,127} each. */
  reads?: readonly string[];
  writes?: readonly string[];
  /** "manual" by default. */
  reconciliation?: Reconciliation;
  /** "never" by default, whatever the effect. */
  confirmation?: "never" | "optional" | "required";
  /** Equal keys are one call, whenever they come. `key` must answer at once. */
  idempotency?: { key(input: ValueOf<I>): string; store?: IdempotencyStore<ValueOf<O>> };
  /** How many calls of one consumer any stretch of time as long as `windowMs` admits. */
  budget?: { calls: number; windowMs: number };
  /** Limits an execution; without it nothing does. */
  timeoutMs?: number;
  /** Does the work. */
  execute(input: ValueOf<I>, context: CapabilityContext): Awaitable<ValueOf<O>>;
  /** Foresees what `execute` will change. It is pure, and answers at once. It comes together with `reconcile`. */
  predict?(foresight: Foresight<ValueOf<I>, State>): Prediction;
  /** Makes the authoritative state of what `execute` gave. */
  reconcile?(hindsight: Hindsight<ValueOf<I>, ValueOf<O>, State>): Awaitable<VersionedState<State>>;
}

/** What can be told of a capability; `toMcpTool` takes it. */
export interface CapabilityTool<Input = any, Output = any> {
  readonly name: string;
  readonly description: string;
  readonly capability: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema: JsonSchema;
  readonly annotations: CapabilityAnnotations;
  /** Not there: it carries the types. */
  readonly "~types"?: { readonly input: Input; readonly output: Output };
}

/** A capability that has been checked. It is frozen. */
export interface AgentCapability<Input = any, Output = any, State = any> {
  readonly tool: CapabilityTool<Input, Output>;
  readonly surface: {
    readonly scope: CapabilityScope;
    readonly reads: readonly string[];
    readonly writes: readonly string[];
    readonly reconciliation: Reconciliation;
  };
  readonly predict?: (foresight: Foresight<Input, State>) => Prediction;
  readonly reconcile?: (hindsight: Hindsight<Input, Output, State>) => Awaitable<VersionedState<State>>;
}

/** A step of a call. */
export type ReceiptStage = "capability" | "input" | "policy" | "approval" | "idempotency" | "execute" | "output";

/** Why a call did not end well. docs/prediction.md has the table. */
export type ReceiptCode =
  | "capability_denied" | "input_invalid" | "policy_denied" | "approval_required" | "approval_denied" | "conflict" | "timeout" | "cancelled"
  | "execution_failed" | "output_invalid";

/** What is told of a call: no credentials, nothing of the request, no text of what failed. */
export interface Receipt<Output = any> {
  readonly ok: boolean;
  readonly outcome: "committed" | "dry-run" | "failed" | "denied";
  readonly dryRun: boolean;
  /** Of a dry run the prediction, if the capability makes one. */
  readonly output?: Output;
  /** Set in place of an output that is larger than `maxReceiptBytes`. */
  readonly outputTruncated?: boolean;
  readonly error?: { readonly code: ReceiptCode; readonly stage: ReceiptStage };
  readonly evidence: readonly { readonly stage: ReceiptStage; readonly at: string; readonly ok: boolean }[];
}

export interface ProjectionOptions<Input = any> {
  /** The registry whose policies judge the calls. Without it the runtime has one for capabilities, where nobody can confirm. */
  registry?: AgentSurfaceRegistry;
  /** Who calls; its grants count beside `capabilities`. */
  consumer?: Consumer;
  /** Tokens that the caller holds. */
  capabilities?: readonly string[];
  /** Decides on each call, outside every other policy of the capability. Anything but true refuses. */
  authorize?(input: Input): Awaitable<boolean>;
  /** The largest output, as bytes of JSON, that a receipt holds: 256 to 65536, by default 16384. */
  maxReceiptBytes?: number;
  /** Validates, authorizes and predicts, and executes nothing. */
  dryRun?: boolean;
  /** What a dry run predicts on. */
  store?: PredictionStore;
  /** Waits for a person's decision where one is needed, instead of an answer that says so. */
  wait?: boolean;
  /** How long, at most. */
  waitTimeoutMs?: number;
}

export interface WebMcpToolOptions<Input = any> extends ProjectionOptions<Input> {
  /** "output" gives the bare output of a call that went well. "receipt" by default. */
  resultMode?: "receipt" | "output";
}

/** What a caller may say beside the input. A browser gives what it likes; only this is read. */
export interface CapabilityCall {
  signal?: AbortSignal;
  /** The identity of a call that is repeated. An idempotency key wins over it. */
  invocationId?: string;
  confirmationId?: string;
}

/** What `registerTool` of a page's modelContext takes. */
export interface WebMcpTool<Input = any, Result = any> {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly annotations: CapabilityAnnotations;
  /** Takes the input, or its JSON text. Rejects only when the registry is gone. */
  execute(input?: Input | string, call?: CapabilityCall | object): Promise<Result>;
}

export interface RegistrationOptions extends WebMcpToolOptions {
  /** Takes everything back when it aborts, what the browser has not answered for too. */
  signal?: AbortSignal;
}

/** What has been registered. */
export interface RegistrationReport {
  /** Whether there is an object to register with; without one nothing else is here. */
  readonly supported: boolean;
  readonly registered: readonly string[];
  readonly failed: readonly { readonly name: string; readonly error: string }[];
  /** Removes what this call has registered, the last first. It does so once. */
  cleanup(): void;
}

/** How an operation on a store, or a predicted execution, ended. */
export type PredictionOutcome = "predicted" | "committed" | "rolled-back" | "conflicted" | "expired" | "stale" | "invalid" | "missing" | "executed";

export interface PredictionEvent {
  readonly type: "predicted" | "committed" | "rolled-back" | "conflicted" | "expired";
  readonly predictionId: string;
}

/** One authoritative state and the predictions over it. Times are milliseconds since 1970, the runtime's clock by default. */
export interface PredictionStore<State = any> {
  snapshot(): PredictionSnapshot<State>;
  /** Lays a prediction over the state. Throws for a malformed patch, and a RangeError for too large a value. */
  predict(id: string, prediction: Prediction, now?: number): "predicted" | "invalid" | "stale" | "expired";
  /** Replaces the authoritative state by what the server answered to the prediction. */
  commit(
    id: string, server: VersionedState<State>, now?: number, options?: { reconciliation?: Reconciliation },
  ): "committed" | "missing" | "expired" | "conflicted";
  rollback(id: string): "rolled-back" | "missing";
  /** Ends what is due, and gives its ids. */
  expire(now?: number): readonly string[];
  /** Tells every event from now on, in order, until the function that it gives is called. A listener that throws changes nothing. */
  subscribe(listener: (event: PredictionEvent) => void): () => void;
}

export interface ExecutePredictedOptions<Input = any> {
  /** By default one that nobody can guess. */
  predictionId?: string;
  /** Withdraws the call and rolls back, at whatever moment. */
  signal?: AbortSignal;
  /** The time of the prediction, or what tells it. */
  now?: number | (() => number);
  capabilities?: readonly string[];
  consumer?: Consumer;
  registry?: AgentSurfaceRegistry;
  authorize?(input: Input): Awaitable<boolean>;
  wait?: boolean;
  invocationId?: string;
  confirmationId?: string;
}

/** How a predicted execution ended. */
export interface PredictedExecution<Output = any, State = any> {
  readonly outcome: "committed" | "rolled-back" | "conflicted" | "expired" | "stale" | "invalid" | "executed";
  /** There if something was predicted. */
  readonly predictionId?: string;
  readonly prediction?: Prediction;
  /** There if something was called. */
  readonly tool?: Receipt<Output>;
  readonly snapshot: PredictionSnapshot<State>;
}

/** One call that a conformance run makes. */
export interface ConformanceCase {
  name: string;
  /** The name of the capability. */
  capability: string;
  input?: unknown;
  /** "committed" by default. */
  outcome?: Receipt["outcome"];
  /** Throws, or rejects, when something is wrong with the receipt. */
  assert?(receipt: Receipt): unknown;
}

export interface ConformanceOptions {
  /** As of registerWebMcpTools. */
  target?: Document | ModelContext | { readonly modelContext?: any };
  registration?: WebMcpToolOptions;
  cases?: readonly ConformanceCase[];
}

export interface ConformanceReport {
  readonly supported: boolean;
  readonly registered: readonly string[];
  readonly failed: readonly { readonly name: string; readonly error: string }[];
  readonly checks: readonly { readonly name: string; readonly ok: boolean; readonly detail?: string }[];
}

/** The result of an MCP call. `_meta["pagewarden/receipt"]` has the receipt. */
export interface McpResult {
  readonly content: readonly { readonly type: "text"; readonly text: string }[];
  readonly structuredContent?: { readonly [name: string]: any };
  readonly isError?: boolean;
  readonly _meta: { readonly [name: string]: any };
}

/** A tool as `registerTool(name, config, handler)` of the official TypeScript SDK takes it. */
export interface McpTool<Input = any> {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /** There if every output is an object, as MCP wants it. */
  readonly outputSchema?: JsonSchema;
  readonly annotations: CapabilityAnnotations;
  /** `extra` is the SDK's: its signal cancels, and its `_meta` may have pagewarden/invocationId and pagewarden/confirmationId. */
  handler(input: Input, extra?: { signal?: AbortSignal; _meta?: { readonly [name: string]: any } } | object): Promise<McpResult>;
}

/** Checks a definition, reads it once, and gives the capability. Throws an AgentSurfaceDefinitionError that names what is wrong. */
export function defineAgentCapability<const I extends AnySchema, const O extends AnySchema, State = any>(
  definition: CapabilityDefinition<I, O, State>,
): AgentCapability<ValueOf<I>, ValueOf<O>, State>;

/** The capability for the browser's agent, which holds the capability's own token. */
export function toWebMcpTool<Input, Output, State>(
  capability: AgentCapability<Input, Output, State>, options: WebMcpToolOptions<Input> & { resultMode: "output" },
): WebMcpTool<Input, Output | Receipt<Output>>;
export function toWebMcpTool<Input, Output, State>(
  capability: AgentCapability<Input, Output, State>, options?: WebMcpToolOptions<Input>,
): WebMcpTool<Input, Receipt<Output>>;

/**
 * Registers capabilities with a page's modelContext, whatever its revision, and says how that went. A page without one is
 * left alone. Registration is discovery, not authorization: a server must authorize every write again.
 */
export function registerWebMcpTools(
  capabilities: readonly AgentCapability<any, any, any>[], target?: Document | ModelContext | { readonly modelContext?: any }, options?: RegistrationOptions,
): Promise<RegistrationReport>;

export function createPredictionStore<State>(initial: VersionedState<State>): PredictionStore<State>;

/**
 * Shows in the store what a call will change, makes the call, and reconciles the store with what came of it. Rejects only
 * for mistakes in the arguments, and when the registry or the runtime is gone.
 */
export function executePredicted<Input, Output, State>(
  capability: AgentCapability<Input, Output, State>, input: Input, store: PredictionStore<State>, options?: ExecutePredictedOptions<Input>,
): Promise<PredictedExecution<Output, State>>;

/** Checks capabilities as an author's test: names, pages without WebMCP, registration, the cases, and that everything is removed again. */
export function runAgentSurfaceConformance(capabilities: readonly AgentCapability<any, any, any>[], options?: ConformanceOptions): Promise<ConformanceReport>;

/** The capability for MCP clients, which hold the tokens of the options and no others. */
export function toMcpTool<Input>(tool: CapabilityTool<Input, any> | AgentCapability<Input, any, any>, options?: ProjectionOptions<Input>): McpTool<Input>;

/** Lets the capabilities run in a runtime, where the page has no `PageWarden`. The first one counts; another is an error. */
export function connect(runtime: Runtime): void;
