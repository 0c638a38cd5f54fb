// Shapes that the modules of this folder share.

/** @typedef {import("../app/model.js").Model} Model */

/**
 * The loaded PageWarden runtime; pagewarden.d.ts has its whole shape.
 * @typedef {Record<string, any>} Runtime
 */

/**
 * A registry made by the runtime.
 * @typedef {Record<string, any>} Registry
 */

export {};
