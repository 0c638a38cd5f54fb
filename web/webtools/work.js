// @ts-check
/** What a registry asks of a tool: to prepare the page for a call, to put the question, to do the work. */
import { apply, freeze, isArray, pick } from "../shim/builtins.js";
import { deferred, follow } from "../shim/promises.js";
import { errandOf } from "./calls.js";
import { inDevelopment } from "./environment.js";
import { isAbortError, isWebToolError, messageOf } from "./errors.js";
import { fillIn } from "./fill.js";
import { report } from "./report.js";
import { awaitClick } from "./waiting.js";

/** @typedef {import("./define.js").Kept} Kept */

/**
 * Finds and writes, and lets the author fill in what is left. Gives what execute is told of it.
 * @param {Kept} kept @param {any} input @param {any} info
 */
export const prepare = (kept, input, info) => attempt(kept, info, (give, fail) => fillIn(kept, input, info.signal, (filled) => {
  const told = { unfilled: filled.unfilled, reasons: filled.reasons };
  if (kept.fill === undefined || filled.again) {
    give(told);
    return;
  }
  const context = freeze({ signal: info.signal, fields: filled.fields, unfilled: filled.unfilled, reasons: filled.reasons });
  follow(apply(kept.fill, undefined, [input, context]), () => give(told), fail);
}, fail));

/** Waits for the person's click on the control. @param {Kept} kept @param {any} pending @param {any} info */
export const question = (kept, pending, info) => awaitClick(kept, pending, info.signal);

/** @param {Kept} kept @param {any} both { input, prepared? } @param {any} info */
export const execute = (kept, both, info) => attempt(kept, info, (give, fail) => {
  const prepared = pick(both, "prepared");
  const unfilled = pick(prepared, "unfilled");
  const errand = errandOf(info.invocationId);
  const context = freeze({
    signal: info.signal,
    source: "webmcp",
    context: typeof errand?.context === "function" ? apply(errand.context, undefined, []) : undefined,
    unfilled: freeze(isArray(unfilled) ? unfilled : []),
    reasons: freeze(pick(prepared, "reasons") ?? {}),
  });
  follow(apply(kept.execute, undefined, [both.input, context]), give, fail);
});

/**
 * Runs what may take its time and fail, and gives a promise whose rejection the registry understands.
 * @param {Kept} kept @param {any} info @param {(give: (value: any) => void, fail: (error: any) => void) => void} run
 */
function attempt(kept, info, run) {
  const outcome = deferred();
  const fail = (/** @type {any} */ error) => outcome.reject(translated(kept, info, error));
  try {
    run(outcome.resolve, fail);
  } catch (error) {
    fail(error);
  }
  return outcome.promise;
}

/** @param {Kept} kept @param {any} info @param {any} error */
function translated(kept, info, error) {
  const { connection } = kept;
  if (isWebToolError(error)) {
    return new connection.source.AgentSurfaceError(connection.payload(pick(error, "code"), messageOf(error)));
  }
  const errand = errandOf(info.invocationId);
  if (isAbortError(error) && errand !== undefined) {
    errand.thrown = error;
  } else if (inDevelopment() && !connection.source.isAgentSurfaceError(error)) {
    report(`the tool ${kept.id} failed`, error);
  }
  return error;
}
