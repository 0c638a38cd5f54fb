/**
 * pagewarden-inspector.js: a panel for developers, in the page, with what a surface offers, what is called on it and what
 * waits for a person. It is no part of the production script.
 *
 *     import { mountInspector } from "/pagewarden-inspector.js";
 *     mountInspector(registry);
 *
 * docs/inspector.md shows it, and says what it is not safe against.
 */
import type { AgentSurfaceRegistry, Consumer, ConfirmationOutcome, InvokeResult, PendingConfirmation, Runtime, TestSurface, WebMcpAdapter } from "./pagewarden.js";

export interface InspectorOptions {
  /** What the panel is put into, and fills; by default it lies over the lower part of the page. */
  root?: Element | ShadowRoot;
  /** The runtime that made the registry; that of `PageWarden.ready` when it is left out. */
  runtime?: Pick<Runtime, "dev">;
  /** Adapters whose status is shown. */
  adapters?: readonly Pick<WebMcpAdapter, "name" | "status">[];
  /** The contract's manifest, whose entries are shown beside what is registered. */
  contract?: object;
  /** Consumers to choose from besides those that have called; with their grants. */
  consumers?: readonly Consumer[];
}

export interface MountedInspector {
  /** Takes the panel away, ends what it listens to, and withdraws what it waits for. May be called more than once. */
  unmount(): void;
}

/**
 * Shows a panel for a registry. It only ever denies: to approve is for the page's own UI or the dialog.
 *
 * Throws a TypeError that names what is wrong with the registry or an option.
 */
export function mountInspector(registry: AgentSurfaceRegistry, options?: InspectorOptions): MountedInspector;

/** A call as it was recorded. */
export interface RecordedCall {
  readonly capabilityId: string;
  readonly instanceId?: string;
  readonly consumer: Consumer;
  readonly input?: any;
  /** The index of the earlier call that asked for the confirmation with which this one came. */
  readonly confirmationOf?: number;
  /** Of an error, what is the same in every run. */
  readonly result: { readonly status: "ok" | "error"; readonly output?: any; readonly error?: { readonly code: string; readonly reason?: string } };
}

/** What the panel exports, as JSON. */
export interface Recording {
  readonly format: "pagewarden-recording/1";
  readonly recordedAt: string;
  /** In the order in which they began. */
  readonly calls: readonly RecordedCall[];
}

/** A place at which a result is not what was recorded, such as `output.rows[2].name`; what is absent is undefined. */
export interface Difference {
  readonly path: string;
  readonly expected: any;
  readonly actual: any;
}

export interface ReplayOptions {
  /**
   * Decides a confirmation as it was decided when the calls were recorded; in a test, by `registry.confirmations`. Without,
   * or while it is still pending afterwards, replaying waits for whoever decides.
   */
  decide?(pending: PendingConfirmation, outcome: ConfirmationOutcome): unknown;
  /** True for a difference that does not matter, such as a time. */
  ignore?(difference: Difference, recorded: RecordedCall, index: number): boolean;
  /** Who calls, in place of the recorded consumer, of which only kind and id are known. */
  consumer?(recorded: Consumer): Consumer;
  /** Told of each call when it has its result. */
  onCall?(call: ReplayedCall): void;
}

export interface ReplayedCall {
  readonly index: number;
  readonly capabilityId: string;
  readonly ok: boolean;
  /** At most 100. */
  readonly differences: readonly Difference[];
  readonly result: InvokeResult;
}

/**
 * Makes recorded calls again, one after the other, and compares their results. It needs no page, and approves nothing.
 * Rejects with a TypeError for what is no recording.
 */
export function replayRecording(
  registry: AgentSurfaceRegistry | Pick<TestSurface, "registry">, recording: Recording, options?: ReplayOptions,
): Promise<{ readonly ok: boolean; readonly calls: readonly ReplayedCall[] }>;
