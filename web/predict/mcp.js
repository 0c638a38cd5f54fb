// @ts-check
/** toMcpTool: a capability in the shape that registerTool of the official TypeScript SDK takes. */
import { freeze, jsonParse, jsonStringify } from "../shim/builtins.js";
import { keptOf } from "./define.js";
import { optionsOf } from "./options.js";
import { lostText } from "./pending.js";
import { whenLost } from "./loss.js";
import { OPTIONS, Projection, peek, textIn } from "./tool.js";

/** pagewarden-predict.d.ts has its contract. @param {any} tool of a capability, or the capability @param {any} [options] */
export function toMcpTool(tool, options) {
  const kept = keptOf(tool, "toMcpTool");
  const projection = new Projection(kept, optionsOf(options, "toMcpTool", OPTIONS), true, "toMcpTool");
  const handler = (/** @type {any} */ args, /** @type {any} */ extra) => {
    const meta = peek(extra, "_meta");
    return projection.call(args, {
      __proto__: null, signal: peek(extra, "signal"), invocationId: textIn(meta, "pagewarden/invocationId"), confirmationId: textIn(meta, "pagewarden/confirmationId"),
    }, lostResult);
  };
  whenLost(handler, projection.release);
  return freeze({ ...projection.mcp, handler });
}

/** The result of a call that the runtime did not live to answer. */
function lostResult() {
  const receipt = lostText();
  return jsonParse(`{"content":[{"type":"text","text":${jsonStringify(receipt)}}],"isError":true,"_meta":{"pagewarden/receipt":${receipt}}}`);
}
