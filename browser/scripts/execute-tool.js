// One document's tools through modelContext.executeTool, which Chromium has from 152 on. AS_OBJECT says in which form
// it takes the input.
({
  context: document.modelContext ?? navigator.modelContext,

  /** What is there, and a promise of the next change: armed first, so that no change falls between the two. */
  async list() {
    this.arm();
    return (await this.own()).map(({ name, title, description, inputSchema, annotations }) => ({
      name, title, description, annotations,
      schema: typeof inputSchema === "object" ? JSON.stringify(inputSchema) : inputSchema,
    }));
  },

  /** Those of this document: a page is given those of its iframes too. */
  async own() {
    return (await this.context.getTools()).filter((tool) => tool.window === window);
  },

  arm() {
    this.next ??= new Promise((resolve) => {
      this.context.addEventListener("toolchange", () => {
        this.next = undefined;
        resolve(true);
      }, { once: true });
    });
  },

  changed() {
    return this.next ?? true;
  },

  /** Starts a call; null when there is no such tool. */
  async start(name, input) {
    const tool = (await this.own()).find((tool) => tool.name === name);
    if (tool === undefined) {
      return null;
    }
    const controller = new AbortController();
    const outcome = this.context.executeTool(tool, AS_OBJECT ? JSON.parse(input) : input, { signal: controller.signal });
    return { controller, outcome: outcome.then((value) => ({ value }), ({ name, message }) => ({ error: { name, message } })) };
  },
})
