// @ts-check
/** The optional script pagewarden-predict.js: capabilities that predict, their receipts, and MCP. */
import { arrival } from "./shim/arrival.js";
import { connect } from "./predict/runtime.js";

export { connect };
export { createPredictionStore } from "./predict/store.js";
export { defineAgentCapability } from "./predict/define.js";
export { executePredicted } from "./predict/execute.js";
export { registerWebMcpTools } from "./predict/register.js";
export { runAgentSurfaceConformance } from "./predict/conformance.js";
export { toMcpTool } from "./predict/mcp.js";
export { toWebMcpTool } from "./predict/tool.js";

await arrival(connect);
