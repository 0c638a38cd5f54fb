// @ts-check
/** What the script keeps of one registry. */
import { disposedError } from "./errors.js";

/**
 * plans are the runtime's numbers of definitions that it can mount again, by their text; components and procedures
 * are those of the last snapshot; specs are what tools of the last catalog say, by number, and specList their order as text; heard
 * are the listeners of its toolsets, steps those who watch calls.
 * @typedef {import("./callbacks.js").Owner & { steps: Map<any, true>, plans: Map<string, string>, components: any, procedures: any, specs: Map<number, any>, specList: string, heard: Map<number, Map<any, true>> }} Surface
 */

/**
 * An operation on a registry that has not been disposed of.
 * @param {import("./instance.js").Instance} instance @param {Surface} surface @param {number} op @param {number} b @param {string} text
 */
export function callSurface(instance, surface, op, b, text) {
  if (surface.disposed) {
    throw disposedError();
  }
  return instance.call(op, surface.number, b, text);
}
