// @ts-check
/** The script as an ES module: import { load } from "pagewarden.mjs". */
export { load } from "./shim.js";
