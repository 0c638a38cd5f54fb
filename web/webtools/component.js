// @ts-check
/** A tool as a registry takes it: a component that holds nothing but the tool's procedure. */

/**
 * The definition to register. instanceId tells the registrations of a page apart; functions are execute, prepare and ask.
 * @param {import("./define.js").Kept} kept @param {string} instanceId @param {{ execute?: any, prepare?: any, ask?: any }} functions
 */
export function componentOf(kept, instanceId, functions) {
  const nothing = () => undefined;
  const { execute = nothing, prepare = nothing, ask = nothing } = functions;
  return {
    type: "web-tool",
    instanceId,
    description: "A tool beside a control of this page",
    procedures: [{
      kind: "procedure-binding",
      ref: { id: `domain:${kept.id}`, path: kept.id, title: kept.title, description: kept.description, effect: kept.effect, untrustedContent: kept.untrusted },
      config: { input: kept.schema, timeoutMs: kept.timeoutMs, execute, prepare, ask: kept.asks ? ask : undefined },
      boundKeys: [],
      lockedKeys: [],
    }],
  };
}
