// One document's tools through navigator.modelContextTesting, which Chromium has from 147 to 149, and polyfills with it.
({
  testing: navigator.modelContextTesting,

  /** What is there, and a promise of the next change: armed first, so that no change falls between the two. */
  list() {
    this.arm();
    return this.testing.listTools().map(({ name, description, inputSchema }) => ({ name, description, schema: inputSchema }));
  },

  arm() {
    this.next ??= new Promise((resolve) => {
      const changed = () => {
        this.next = undefined;
        resolve(true);
      };
      if (typeof this.testing.addEventListener === "function") {
        this.testing.addEventListener("toolchange", changed, { once: true });
      } else {
        this.testing.registerToolsChangedCallback(changed);
      }
    });
  },

  changed() {
    return this.next ?? true;
  },

  /** Starts a call; null when there is no such tool. */
  start(name, input) {
    if (!this.testing.listTools().some((tool) => tool.name === name)) {
      return null;
    }
    const controller = new AbortController();
    const outcome = this.testing.executeTool(name, input, { signal: controller.signal });
    return { controller, outcome: outcome.then((value) => ({ value }), ({ name, message }) => ({ error: { name, message } })) };
  },
})
