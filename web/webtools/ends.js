// @ts-check
/** What ends with the runtime. */
import { NativeMap, mapDelete, mapForEach, mapSet } from "../shim/builtins.js";

/** @type {Map<object, () => void>} */
const ends = new NativeMap();

/** Runs end when the runtime dies, unless what it gives back is called before. @param {() => void} end @returns {() => void} */
export function atDeath(end) {
  const key = {};
  mapSet(ends, key, end);
  return () => void mapDelete(ends, key);
}

/** The runtime is dead: no tool of it stays with the browser (boundary.md, Death). */
export function endAll() {
  mapForEach(ends, (end) => {
    try {
      end();
    } catch {
      // the page's own object, which is as it is
    }
  });
}
