// @ts-check
/**
 * The benchmark rows of the performance targets, for Node and for a page. Times are given in u: how long this
 * engine takes to parse one fixed document, so that runs on different machines can be compared.
 *
 * @typedef {{ name: string, microseconds: number }} Row
 */

/** The document whose parsing is the unit u. */
export function unitDocument() {
  const rows = [];
  for (let i = 0; i < 400; i++) {
    rows.push({ id: `device_${i}`, name: `Device ${i}`, status: i % 2 ? "online" : "offline", tags: ["a", "b", "c"] });
  }
  return { rows };
}

/** @param {number[]} values */
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/**
 * Runs one operation in five rounds and gives the median of their means, in microseconds.
 * @param {number} times a round
 * @param {() => unknown} run
 */
async function measure(times, run) {
  for (let i = 0; i < Math.ceil(times / 4); i++) {
    await run();
  }
  const rounds = [];
  for (let round = 0; round < 5; round++) {
    const start = performance.now();
    for (let i = 0; i < times; i++) {
      const result = run();
      if (result instanceof Promise) {
        await result;
      }
    }
    rounds.push(((performance.now() - start) * 1000) / times);
  }
  return median(rounds);
}

/** @param {any} runtime @param {number} i */
function widget(runtime, i) {
  return {
    type: "bench.widget", instanceId: `w${i}`, description: "A widget",
    observations: {
      readState: {
        description: "Reads the state", output: runtime.fromJsonSchema({ type: "object", properties: { n: { type: "number" } }, required: ["n"] }),
        read: () => ({ n: i }),
      },
    },
    actions: {
      poke: {
        description: "Pokes the widget", effect: "local-state",
        input: runtime.fromJsonSchema({ type: "object", properties: { ids: { type: "array", items: { type: "string" } } }, required: ["ids"] }),
        execute() {},
      },
    },
  };
}

/** @param {any} runtime @param {any} [more] */
function registryOf(runtime, more) {
  return runtime.createAgentSurfaceRegistry({ authority: runtime.createOpenAuthority({ allowInProduction: true }), ...more });
}

/** @param {any} runtime @param {number} count */
async function registering(runtime, count) {
  const registry = registryOf(runtime);
  const definitions = Array.from({ length: count }, (_, i) => widget(runtime, i));
  const time = await measure(count > 500 ? 4 : 20, () => {
    const handles = definitions.map((definition) => registry.register(definition));
    for (const handle of handles) {
      handle.unregister();
    }
  });
  registry.dispose();
  return time;
}

/** @param {any} runtime @param {number} count */
async function snapshots(runtime, count) {
  const registry = registryOf(runtime);
  for (let i = 0; i < count; i++) {
    registry.register(widget(runtime, i));
  }
  const time = await measure(100, () => registry.snapshot());
  registry.dispose();
  return time;
}

/** @param {any} runtime @param {"poke" | "readState"} name @param {any} [more] */
async function invoking(runtime, name, more) {
  const registry = registryOf(runtime, more);
  registry.register(widget(runtime, 0));
  const request = name === "poke" ? { capabilityId: "view:bench.widget.poke", input: { ids: ["a"] } } : { capabilityId: "view:bench.widget.readState" };
  const time = await measure(2000, () => registry.invoke(request));
  registry.dispose();
  return time;
}

/** @param {any} runtime */
function twoPolicies(runtime) {
  return { policies: [runtime.authenticated(), runtime.hasPermission("devices", () => true)], context: () => ({ user: "u" }) };
}

/**
 * @param {any} runtime
 * @returns {Promise<{ unit: number, rows: Row[] }>} unit in microseconds
 */
export async function runRows(runtime) {
  const document = unitDocument();
  const text = JSON.stringify(document);
  const unit = await measure(200, () => JSON.parse(text));
  /** @type {Row[]} */
  const rows = [];
  const row = (/** @type {string} */ name, /** @type {number} */ microseconds) => rows.push({ name, microseconds });
  row("register and unregister 100 components", await registering(runtime, 100));
  row("register and unregister 1000", await registering(runtime, 1000));
  row("snapshot of 100 components, warm", await snapshots(runtime, 100));
  row("action invoke, no-op handler", await invoking(runtime, "poke"));
  if (runtime.authenticated) {
    row("action invoke, two built-in policies", await invoking(runtime, "poke", twoPolicies(runtime)));
  }
  row("observation invoke", await invoking(runtime, "readState"));
  if (runtime.digestJson) {
    row("digestJson of a 32 kB value", await measure(50, () => runtime.digestJson(document)));
  }
  return { unit, rows };
}
