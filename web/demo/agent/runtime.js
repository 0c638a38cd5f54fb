// The loaded runtime. Modules that declare capabilities wait for it here; if it is absent or broken, none of them runs,
// and the application is not affected.

/** @type {import("./types.js").Runtime} */
export const runtime = await /** @type {any} */ (globalThis).PageWarden.ready;
