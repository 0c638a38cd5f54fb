// Takes note of the tools that the browser refuses in this document, from its start. It changes nothing for the page,
// except that a rejection that nobody handles is not reported to it.
(() => {
  const prototype = globalThis.ModelContext?.prototype;
  const register = prototype?.registerTool;
  if (typeof register !== "function") {
    return;
  }
  const refused = new Map();
  let attempts = 0;
  const nameOf = (tool) => {
    try {
      return String(tool.name);
    } catch {
      return "";
    }
  };
  const refuse = (name, attempt, error) => {
    // A registration that the page itself took back is none that was refused.
    if (error?.name !== "AbortError") {
      refused.set(name, { attempt, text: `${error?.name}: ${error?.message}` });
    }
  };
  const take = (name, attempt) => {
    if (refused.get(name)?.attempt < attempt) {
      refused.delete(name);
    }
  };
  prototype.registerTool = {
    registerTool(tool, ...rest) {
      const name = nameOf(tool);
      const attempt = ++attempts;
      try {
        const result = Reflect.apply(register, this, [tool, ...rest]);
        Promise.resolve(result).then(() => take(name, attempt), (error) => refuse(name, attempt, error));
        return result;
      } catch (error) {
        refuse(name, attempt, error);
        throw error;
      }
    },
  }.registerTool;
  Object.defineProperty(globalThis, Symbol.for("pagewarden.refused"), { value: refused });
})();
