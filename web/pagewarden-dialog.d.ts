/**
 * pagewarden-dialog.js: a dialog that asks a person about the confirmations of a registry, for pages that have none of
 * their own.
 *
 *     import { mountConfirmationDialog } from "/pagewarden-dialog.js";
 *     mountConfirmationDialog(registry);
 *
 * docs/confirmation.md says what it promises, and what no dialog in a page can promise.
 */
import type { AgentSurfaceRegistry, Effect, PendingConfirmation } from "./pagewarden.js";

/** What the dialog needs of a registry. Those of the runtime have it; so has any other object that keeps to it. */
export type ConfirmationSource =
  & { readonly confirmations: Pick<AgentSurfaceRegistry["confirmations"], "pending" | "resolve" | "subscribe"> }
  & Partial<Pick<AgentSurfaceRegistry, "snapshot">>;

export interface DialogOptions {
  /**
   * Where in the page the dialog is put while it is shown; by default, and while this is not part of the page, at the
   * end of the document element. Its looks do not depend on it.
   */
  root?: Element | ShadowRoot;
  /** The page's own words, in place of the English ones. */
  labels?: DialogLabels;
  /** Told of each question once the person can see all of it. What it throws is reported as an error of the page. */
  onShow?(pending: PendingConfirmation): unknown;
  /** For tests: what `load` takes, so that fake timers control the delay of Approve and the time that is left. */
  timers?: { setTimeout(run: () => void, ms: number): any; clearTimeout(id: any): void; now(): number };
}

/** The words of the dialog. All are shown as text; a function may also be a string. */
export interface DialogLabels {
  /** The language of the words (`lang`), "en" by default. */
  language?: string;
  /** The direction of the words: "ltr", the default, or "rtl". */
  direction?: "ltr" | "rtl";
  title?: string;
  /** The title for what is destructive. */
  titleDestructive?: string;
  /** What each effect means to a person. */
  effects?: { [E in Effect]?: string };
  component?: string;
  action?: string;
  consumer?: string;
  /** The title of the input, which has that many values. */
  input?: string | ((values: number) => string);
  inputName?: string;
  inputValue?: string;
  noInput?: string;
  /** Stands for the name of an input that has no names. */
  wholeInput?: string;
  emptyText?: string;
  emptyList?: string;
  emptyObject?: string;
  /** The length of a long text. */
  characters?: string | ((count: number) => string);
  /** The button that shows the next values of a very long input. */
  more?: string | ((next: number, left: number) => string);
  deny?: string;
  approve?: string;
  /** Spoken when another question takes the place of the last. */
  next?: string;
  /** How many more questions wait. */
  queue?: string | ((waiting: number) => string);
  timeLeft?: string | ((seconds: number) => string);
  /** Spoken shortly before the time is over. */
  timeWarning?: string | ((seconds: number) => string);
  /** Shown while something covers the dialog, so that nothing can be approved. */
  covered?: string;
}

export interface MountedDialog {
  /** Takes the dialog away. What waits for a decision goes on waiting. May be called more than once. */
  unmount(): void;
}

/**
 * Shows each pending confirmation of a registry until it is decided, here or elsewhere, or expires. Only a person's own
 * click or key approves, 400 ms after the question came into sight, while nothing covers it. Deny, Escape and closing
 * deny. A registry has one dialog at a time: what is mounted beside it takes over when it is unmounted.
 *
 * Throws a TypeError that names what is wrong with the registry or an option.
 */
export function mountConfirmationDialog(registry: ConfirmationSource, options?: DialogOptions): MountedDialog;
