// @ts-check
/** How an optional script finds the runtime that its page has anyway. */
import { pick } from "./builtins.js";
import { deferred, settled } from "./promises.js";

/**
 * Resolves when the page's own runtime is there and has been connected, or will not come. A page without one connects by itself.
 * @param {(runtime: any) => void} connect
 */
export function arrival(connect) {
  const arrived = deferred();
  const done = () => arrived.resolve(undefined);
  const ready = pick(pick(globalThis, "PageWarden"), "ready");
  try {
    settled(ready, (runtime) => {
      try {
        connect(runtime);
      } finally {
        done();
      }
    }, done);
  } catch {
    done(); // what is no promise
  }
  return arrived.promise;
}
