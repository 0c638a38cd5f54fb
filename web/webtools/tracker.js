// @ts-check
/** Counts calls in progress, for whoever has to wait for their end. */
import { NativeMap, freeze, mapClear, mapForEach, mapSet } from "../shim/builtins.js";
import { deferred, follow } from "../shim/promises.js";

/** @returns {{ readonly active: number, track: <T>(promise: T) => T, idle: () => Promise<void> }} */
export function createCallTracker() {
  let active = 0;
  /** @type {Map<ReturnType<typeof deferred>, true>} */
  const waiting = new NativeMap();
  const ended = () => {
    if (--active === 0) {
      mapForEach(waiting, (_, outcome) => outcome.resolve(undefined));
      mapClear(waiting);
    }
  };
  return freeze({
    get active() {
      return active;
    },
    track(promise) {
      active++;
      follow(promise, ended, ended);
      return promise;
    },
    idle() {
      const outcome = deferred();
      if (active === 0) {
        outcome.resolve(undefined);
      } else {
        mapSet(waiting, outcome, true);
      }
      return outcome.promise;
    },
  });
}
