// @ts-check
/** What is open: handlers and policy hooks of the page that the runtime waits for, and their signals. */
import { NativeAbortController, NativeError, NativePromise, abortController, abortSignalOf } from "./intrinsics.js";
import { deferred, follow } from "./promises.js";

/**
 * A handler or policy hook that has not settled.
 * @typedef {{ controller: AbortController | null, stopped: Error | null, nexts: number, next: ReturnType<typeof deferred> | null, returned: boolean, over: boolean }} Open
 */

/** @returns {Open} */
export const newOpen = () => ({ controller: null, stopped: null, nexts: 0, next: null, returned: false, over: false });

/** @param {Open} open @returns {AbortSignal} */
export function signalOf(open) {
  if (open.controller === null) {
    open.controller = new NativeAbortController();
    if (open.stopped !== null) {
      abortController(open.controller, open.stopped);
    }
  }
  return abortSignalOf(open.controller);
}

/** @param {Open} open @param {string} reason */
export function abort(open, reason) {
  if (open.stopped === null) {
    open.stopped = new NativeError(reason);
    if (open.controller !== null) {
      abortController(open.controller, open.stopped);
    }
  }
}

/** A promise that is rejected, and whose rejection nobody has to look at. @param {string} reason */
export function refusal(reason) {
  const refused = new NativePromise((_, reject) => reject(new NativeError(reason)));
  follow(refused, () => {}, () => {});
  return refused;
}
