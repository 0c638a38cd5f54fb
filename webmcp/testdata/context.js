// A model context of each style, as a function body of `style` ("by-name", "by-signal", "by-promise" or "whole-set"). It
// refuses the name "view_refused__poke", and keeps every tool that it has ever had in `kept`.
const tools = new Map();
const kept = [];
const check = (tool) => {
  if (tool.name === "view_refused__poke") {
    throw new DOMException("that name is taken", "InvalidStateError");
  }
  kept.push(tool);
};
const register = (tool, options) => {
  check(tool);
  options?.signal.addEventListener("abort", () => tools.delete(tool.name));
  tools.set(tool.name, tool);
};
const context = {
  "by-name": () => ({ registerTool: (tool) => register(tool), unregisterTool: (name) => void tools.delete(name) }),
  "by-signal": () => ({ registerTool: (tool, options) => register(tool, options) }),
  "by-promise": () => ({ registerTool: async (tool, options) => register(tool, options) }),
  "whole-set": () => ({
    provideContext(set) {
      set.tools.forEach(check);
      tools.clear();
      set.tools.forEach((tool) => tools.set(tool.name, tool));
    },
    clearContext: () => tools.clear(),
  }),
}[style]();
globalThis.document ??= {};
Object.defineProperty(document, "modelContext", { configurable: true, value: context });
return {
  names: () => [...tools.keys()].sort().join(" "),
  signalled: () => kept.length,
  // Calls a tool as a browser does; the answer is `last`, as JSON.
  call(name, input, second) {
    this.last = undefined;
    (tools.get(name) ?? kept.find((tool) => tool.name === name)).execute(input, second).then(
      (result) => { this.last = JSON.stringify(result); },
      (error) => { this.last = `thrown: ${error}`; },
    );
  },
  // From now on registerTool throws that value.
  throwing(value) {
    context.registerTool = () => {
      throw value;
    };
  },
  cyclic() {
    const input = {};
    input.self = input;
    return input;
  },
  hostile: () => ({ get signal() { throw new Error("no"); }, get requestUserInteraction() { throw new Error("no"); } }),
};
