// @ts-check
/** Whether the page is being worked on. A bundler puts its mode in place of the name; elsewhere the address tells. */
const scope = /** @type {any} */ (globalThis);

/** @returns {boolean} */
function look() {
  try {
    // @ts-expect-error: only bundlers and Node have it
    return process.env.NODE_ENV !== "production";
  } catch {
    return scope.location !== undefined && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\]|.*\.localhost)$/.test(scope.location.hostname);
  }
}

const development = look();

export const inDevelopment = () => development;
