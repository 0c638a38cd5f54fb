// @ts-check
/** Lets go of what the page has lost, where the host tells. */
const Native = globalThis.FinalizationRegistry;
const watchOf = Native && Function.prototype.call.bind(Native.prototype.register);
const net = Native && new Native((/** @type {() => void} */ release) => {
  try {
    release();
  } catch {
    // The runtime has ended, and everything with it.
  }
});

/** Calls release some time after the page has lost an object; release must not hold it. @param {object} object @param {() => void} release */
export function whenLost(object, release) {
  if (net !== undefined) {
    watchOf(net, object, release);
  }
}
