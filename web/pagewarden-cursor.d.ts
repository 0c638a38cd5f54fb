/**
 * pagewarden-cursor.js: shows what a web tool does on the page. A cursor goes to each field and types, and then to the
 * control. Without it the tools do the same in one step.
 *
 *     import { mountAgentCursor } from "/pagewarden-cursor.js";
 *     mountAgentCursor();
 */

export interface AgentCursorOptions {
  /** Where in the page the cursor is put while it is shown; by default at the end of the document element. */
  root?: Element | ShadowRoot;
  /** Whether nothing may move: then fields are marked and written at once. By default as the person's system says. */
  reducedMotion?: boolean;
}

export interface MountedAgentCursor {
  /** Takes the cursor away. What is being typed is then typed at once. May be called more than once. */
  unmount(): void;
}

/**
 * Shows the calls of web tools from now on, one after the other. It never takes the focus; an abort, or the person who
 * edits a field, ends the typing. The last one that was mounted is the one that is seen.
 *
 * Throws a TypeError that names what is wrong with an option.
 */
export function mountAgentCursor(options?: AgentCursorOptions): MountedAgentCursor;
