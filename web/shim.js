// @ts-check
/** The page's script: loads the runtime. classic.js and module.js are the two ways to get at it. */
export { load } from "./shim/load.js";
