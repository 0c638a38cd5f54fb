// @ts-check
/** The optional script pagewarden-webtools.js: one tool beside one control of the page. */
import { arrival } from "./shim/arrival.js";
import { connect } from "./webtools/runtime.js";

export { connect };
export { createCallTracker } from "./webtools/tracker.js";
export { defineWebTool } from "./webtools/define.js";
export { registerWebTool } from "./webtools/register.js";
export { toModelContextTool } from "./webtools/adapt.js";
export { toToolResult, toolError } from "./webtools/results.js";
export { ConfirmationUnavailableError, WebToolError, WebToolInputError } from "./webtools/errors.js";

await arrival(connect);
