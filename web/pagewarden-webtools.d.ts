/**
 * pagewarden-webtools.js: the small way in. One tool beside the one control that a person would press for the same; no
 * components needed.
 *
 *     import { defineWebTool, registerWebTool } from "/pagewarden-webtools.js";
 *     registerWebTool(defineWebTool({ id: "clear_cart", description: "Remove every item.", execute: () => cart.clear() }));
 *
 * Every call runs through the runtime's pipeline. docs/webtools.md has each option.
 */
import type { AgentSchema, AgentSurfaceRegistry, Awaitable, FromJsonSchema, Issue, JsonSchema, ModelContext, Runtime, StandardSchema } from "./pagewarden.js";

/** What a tool without `input` takes. */
export interface NoInput {
  readonly type: "object";
  readonly properties: {};
  readonly additionalProperties: false;
}

/** What `execute` gets for an `input`. */
export type WebToolInput<S> = S extends StandardSchema<infer T> ? T : S extends AgentSchema<infer T> ? T : FromJsonSchema<S>;

/** An element, a function that gives one, or a CSS selector, which may match inside open shadow roots. */
export type ElementTarget = Element | string | (() => Element | null | undefined);

/** Hints for browsers. Those that a browser does not know are ignored. */
export interface WebToolAnnotations {
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
  readonly untrustedContentHint?: boolean;
  readonly consequentialHint?: boolean;
  readonly [hint: string]: any;
}

/** What was not typed into the page. */
export interface FilledReport {
  /** The parameters that were left alone, in the order of the input. */
  readonly unfilled: readonly string[];
  /** Why, for each: "missing", "ambiguous", "disabled", "read-only", or words. */
  readonly reasons: { readonly [parameter: string]: string };
}

/** What `execute` is told. */
export interface WebToolContext<Context = any> extends FilledReport {
  /** Aborts when the result is no longer wanted. */
  readonly signal: AbortSignal;
  readonly source: "webmcp";
  /** What the adapter's `context()` gave when the work began. */
  readonly context: Context;
}

/** What `fill` is told. */
export interface FillContext extends FilledReport {
  readonly signal: AbortSignal;
  /** The form controls that were found, by parameter; of a group of radio buttons or checkboxes the first. */
  readonly fields: { readonly [parameter: string]: Element };
}

export interface WebToolDefinition<S = NoInput, Output = unknown> {
  /** The tool's name for the browser: 1 to 121 of A-Z a-z 0-9 _ . - */
  id: string;
  /** For people, at most 100 characters. The control is found by it. */
  title?: string;
  /** For agents, 1 to 300 characters: what the tool does and when to use it. */
  description: string;
  /** What the tool takes: a JSON Schema, a schema object, or a Standard Schema that carries its JSON Schema (zod 4). */
  input?: S;
  annotations?: WebToolAnnotations;
  /** Nothing changes anywhere. */
  readOnly?: boolean;
  /** Something is lost for good. */
  destructive?: boolean;
  /** A second call with the same input changes nothing more. */
  repeatable?: boolean;
  /** The effect reaches outside of the application. */
  external?: boolean;
  /** Results hold no text that others wrote. */
  safeResponse?: boolean;
  /** The person must click the control before the tool runs. */
  requireConfirmation?: boolean;
  /** What a person would press for the same; by default the one button or link whose accessible name is the title. */
  control?: ElementTarget;
  /** What each parameter is typed into; by default the form control with its name, id or label. */
  fields?: { readonly [parameter: string]: ElementTarget };
  /** Brings what is left of the input onto the page, before the person is asked. */
  fill?(input: WebToolInput<S>, context: FillContext): unknown;
  /** What `execute` gives. Looked at by `run`, in development only. */
  outputSchema?: JsonSchema;
  /** Limits an execution; without it nothing does. */
  timeoutMs?: number;
  /** Does the work. A text, JSON, an MCP result, or nothing is the result; see `toToolResult`. */
  execute(input: WebToolInput<S>, context: WebToolContext): Awaitable<Output>;
}

/** A tool that has been checked. */
export interface WebTool<Input = any, Output = unknown> {
  readonly id: string;
  readonly title: string | undefined;
  readonly description: string;
  readonly jsonSchema: JsonSchema;
  readonly annotations: WebToolAnnotations;
  /** The input for `execute`, from an object or its JSON text. Throws a WebToolInputError. */
  parse(args: unknown): Input;
  execute(input: Input, context: WebToolContext): Awaitable<Output>;
  /** Parses and executes, for tests and for the page itself: no registry, no page, no person. */
  run(args: unknown, context?: { signal?: AbortSignal; source?: string; context?: any }): Promise<Output>;
}

/** A piece of a result. */
export type ToolContent =
  | { readonly type: "text"; readonly text: string; readonly [more: string]: any }
  | { readonly type: "image" | "audio"; readonly data: string; readonly mimeType: string; readonly [more: string]: any }
  | { readonly type: "resource"; readonly resource: { readonly uri?: string; readonly [more: string]: any }; readonly [more: string]: any }
  | { readonly type: "resource_link"; readonly uri: string; readonly name: string; readonly [more: string]: any };

/** A result as an agent's host takes it. */
export interface ToolResult {
  readonly content: readonly ToolContent[];
  readonly structuredContent?: { readonly [name: string]: any };
  readonly isError?: boolean;
  readonly _meta?: { readonly [name: string]: any };
}

/** What `registerTool` of a page's modelContext takes. */
export interface ModelContextTool {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly annotations: WebToolAnnotations;
  /** Rejects only with an AbortError, and when the registry is gone. */
  execute(args?: unknown, options?: { signal?: AbortSignal } | object): Promise<ToolResult>;
}

/** Counts calls in progress, a person's decision included. */
export interface CallTracker {
  readonly active: number;
  /** Counts a promise until it settles, and gives it back. */
  track<T extends PromiseLike<any>>(promise: T): T;
  /** Resolves when nothing is in progress. */
  idle(): Promise<void>;
}

export interface ToModelContextToolOptions {
  /** Read once for each call, when the work begins. */
  context?(): unknown;
  /** Counts each call. */
  calls?: Pick<CallTracker, "track">;
  /** The registry whose policies judge the calls. Without it the runtime has one for all tools. */
  registry?: AgentSurfaceRegistry;
}

export interface RegisterWebToolOptions {
  context?(): unknown;
  registry?: AgentSurfaceRegistry;
  /** Unregisters the tool when it aborts. */
  signal?: AbortSignal;
  /** The object to register with; by default the page's, as soon as there is one. */
  modelContext?: ModelContext;
}

export interface RegisteredWebTool {
  /** Whether the page has an object that lists tools. */
  readonly supported: boolean;
  /** Whether that object has the tool. Some browsers take a moment to answer. */
  readonly registered: boolean;
  /** Why it has not, in the words of the browser. */
  readonly error: string | undefined;
  /** Takes the tool away, and resolves when the calls in progress have ended. May be called more than once. */
  unregister(): Promise<void>;
}

/** An answer to the agent: a code of your own, and a message for a model of which 300 characters are used. */
export class WebToolError extends Error {
  constructor(code: string, message: string);
  readonly code: string;
}

/** The input is not what the tool takes: `invalid_input`. */
export class WebToolInputError extends WebToolError {
  constructor(message: string, issues?: readonly Issue[]);
  readonly issues: readonly Issue[];
}

/** There is nothing on the page that a person could press to confirm: `unavailable`. */
export class ConfirmationUnavailableError extends WebToolError {
  constructor(message: string);
}

/**
 * Checks a definition, reads it once, and gives the tool. Throws an AgentSurfaceDefinitionError that names what is wrong.
 */
export function defineWebTool<const S extends JsonSchema | AgentSchema | StandardSchema<any> = NoInput, Output = unknown>(
  definition: WebToolDefinition<S, Output>,
): WebTool<WebToolInput<S>, Output>;

/**
 * The tool in the shape that `modelContext.registerTool` takes. A call parses the arguments, lets the registry's policies
 * decide, finds the control and the fields, types, fills in, waits for the person where the tool requires it, executes,
 * and gives a result. Nothing moves on the page before the call was let pass.
 */
export function toModelContextTool(tool: WebTool<any, any>, options?: ToModelContextToolOptions): ModelContextTool;

/** Registers the tool with the page's modelContext, whatever its revision, and says how that went. */
export function registerWebTool(tool: WebTool<any, any>, options?: RegisterWebToolOptions): RegisteredWebTool;

/** For those who register by hand. */
export function createCallTracker(): CallTracker;

/** The result for a value: a text, an MCP result, other JSON, or nothing. What JSON cannot write has failed. */
export function toToolResult(value: unknown): ToolResult;

/** A result that is an error, whose text is `{ code, message }`. */
export function toolError(code: string, message: string): ToolResult;

/**
 * Lets the tools run in a runtime, where the page has no `PageWarden`. The first one counts; another is an error.
 */
export function connect(runtime: Runtime): void;
