// Stands in for other revisions of WebMCP: ?as=testing and ?as=string have what their ways need, and nothing else.
const as = new URLSearchParams(location.search).get("as");

class Fake extends EventTarget {
  #tools = new Map();
  #callback = () => {};

  registerTool(tool, { signal } = {}) {
    this.#tools.set(tool.name, tool);
    signal?.addEventListener("abort", () => {
      this.#tools.delete(tool.name);
      this.#changed();
    });
    this.#changed();
  }

  async getTools() {
    return this.list().map((tool) => ({ ...tool, window, origin: location.origin }));
  }

  executeTool(tool, text, options) {
    if (typeof text !== "string") throw new Error("this revision takes a text");
    return this.run(tool.name, text, options);
  }

  list() {
    return [...this.#tools.values()].map(({ name, title, description, inputSchema, annotations }) => ({
      name, title, description, annotations, inputSchema: inputSchema && JSON.stringify(inputSchema),
    }));
  }

  async run(name, text, { signal } = {}) {
    signal?.throwIfAborted();
    const tool = this.#tools.get(name);
    if (tool === undefined) throw new DOMException("no such tool", "UnknownError");
    const stopped = new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
    let value;
    try {
      value = await Promise.race([tool.execute(JSON.parse(text), { signal }), stopped]);
    } catch {
      throw new DOMException("the tool failed", "UnknownError");
    }
    return typeof value === "string" ? value : String(JSON.stringify(value));
  }

  onChange(callback) {
    this.#callback = callback;
  }

  #changed() {
    this.dispatchEvent(new Event("toolchange"));
    this.#callback();
  }
}

if (as !== null) {
  const fake = new Fake();
  const define = (holder, name, value) => Object.defineProperty(holder, name, { configurable: true, value });
  define(document, "modelContext", as === "string" ? fake : undefined);
  if (as === "testing") {
    define(navigator, "modelContext", { registerTool: (...args) => fake.registerTool(...args) });
    define(navigator, "modelContextTesting", {
      listTools: () => fake.list(),
      executeTool: (...args) => fake.run(...args),
      registerToolsChangedCallback: (callback) => fake.onChange(callback),
    });
  }
}
