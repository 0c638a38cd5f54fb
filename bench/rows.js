// @ts-check
/**
 * The operations of the performance targets, for Node and for a page. Times are compared in u: how long this engine
 * takes to parse one fixed document, measured right before and after each slice of an operation, since machines are
 * not equally fast all the time.
 *
 * @typedef {{ u: number, microseconds: number }} Round
 * @typedef {{ id: string, rounds?: Round[], missing?: string }} Row no rounds for what the runtime does not have
 * @typedef {{ rounds: number, milliseconds: number, sizes: number[] }} Plan milliseconds are what a round should take
 * @typedef {{ run: () => unknown, done?: () => void }} Operation
 */

/** The document whose parsing is the unit u. */
function unitDocument() {
  const rows = [];
  for (let i = 0; i < 400; i++) {
    rows.push({ id: `device_${i}`, name: `Device ${i}`, status: i % 2 ? "online" : "offline", tags: ["a", "b", "c"] });
  }
  return { rows };
}

const document = unitDocument();
const text = JSON.stringify(document);

/** @param {any} runtime @param {number | string} i */
function widget(runtime, i) {
  return {
    type: "bench.widget", instanceId: `w${i}`, description: "A widget",
    observations: {
      readState: {
        description: "Reads the state", output: runtime.fromJsonSchema({ type: "object", properties: { n: { type: "number" } }, required: ["n"] }),
        read: () => ({ n: 1 }),
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
function emptyRegistry(runtime, more) {
  return runtime.createAgentSurfaceRegistry({ authority: runtime.createOpenAuthority({ allowInProduction: true }), ...more });
}

/** @param {any} runtime @param {number} count @param {any} [more] */
function registryOf(runtime, count, more) {
  const registry = emptyRegistry(runtime, more);
  for (let i = 0; i < count; i++) {
    registry.register(widget(runtime, i));
  }
  return registry;
}

/** Registers count components and unregisters them. @param {any} runtime @param {number} count @returns {Operation} */
function registering(runtime, count) {
  const registry = emptyRegistry(runtime);
  const definitions = Array.from({ length: count }, (_, i) => widget(runtime, i));
  const run = () => {
    const handles = definitions.map((definition) => registry.register(definition));
    for (const handle of handles) {
      handle.unregister();
    }
  };
  return { run, done: () => registry.dispose() };
}

const poke = { capabilityId: "view:bench.widget.poke", input: { ids: ["a"] } };
const readState = { capabilityId: "view:bench.widget.readState" };

/** @param {any} runtime @param {any} request @param {any} [more] @returns {Operation} */
function invoking(runtime, request, more) {
  const registry = registryOf(runtime, 1, more);
  return { run: () => registry.invoke(request), done: () => registry.dispose() };
}

/** @param {any} runtime */
function twoPolicies(runtime) {
  return { policies: [runtime.authenticated(), runtime.hasPermission("devices", () => true)], context: () => ({ user: "u" }) };
}

/** The tools of a toolset made for this one look. @param {any} runtime @param {any} registry */
function freshTools(runtime, registry) {
  const toolset = runtime.createAgentToolset(registry, { consumer: { id: "bench", kind: "embedded" }, mode: "direct", topology: "embedded" });
  const tools = toolset.tools();
  toolset.dispose?.();
  return tools;
}

/** Each row of the targets; undefined for what the runtime cannot do yet. @type {[string, (runtime: any) => Operation | undefined][]} */
const rows = [
  ["register-100", (runtime) => registering(runtime, 100)],
  ["register-1000", (runtime) => registering(runtime, 1000)],
  ["snapshot-100", (runtime) => {
    const registry = registryOf(runtime, 100);
    return { run: () => registry.snapshot(), done: () => registry.dispose() };
  }],
  ["tools-300", (runtime) => {
    if (!runtime.createAgentToolset) {
      return undefined;
    }
    const registry = registryOf(runtime, 300);
    return { run: () => freshTools(runtime, registry), done: () => registry.dispose() };
  }],
  ["invoke", (runtime) => invoking(runtime, poke)],
  ["invoke-policies", (runtime) => invoking(runtime, poke, twoPolicies(runtime))],
  ["observe", (runtime) => invoking(runtime, readState)],
  ["digest", (runtime) => ({ run: () => runtime.digestJson(document) })],
];

/** How long one run takes, in microseconds. @param {() => unknown} run @param {number} times */
async function timed(run, times) {
  const start = performance.now();
  for (let i = 0; i < times; i++) {
    const result = run();
    if (result instanceof Promise) {
      await result;
    }
  }
  return ((performance.now() - start) * 1000) / times;
}

/** How long the unit takes, from as many parses as fit into some two milliseconds. */
const unit = () => timed(() => JSON.parse(text), 12);

/** At most how many slices make a round. */
const SLICES = 9;

/**
 * One round: slices with the unit measured around each, of which the one in the middle counts. On a machine that does
 * other work too, a slice of ten milliseconds is often left alone where a whole round is not.
 * @param {() => unknown} run
 * @param {number} slices
 * @param {number} times in a slice
 * @returns {Promise<Round>}
 */
async function oneRound(run, slices, times) {
  const measured = [];
  let before = await unit();
  for (let i = 0; i < slices; i++) {
    const microseconds = await timed(run, times);
    const after = await unit();
    measured.push({ u: (before + after) / 2, microseconds });
    before = after;
  }
  measured.sort((a, b) => a.microseconds / a.u - b.microseconds / b.u);
  return /** @type {Round} */ (measured[slices >> 1]);
}

/**
 * Measures one operation once it has run for three times as long as a round takes, so that the engine has optimised
 * it.
 * @param {() => unknown} run
 * @param {Plan} plan
 * @returns {Promise<Round[]>}
 */
async function measure(run, plan) {
  const start = performance.now();
  let ran = 0;
  do {
    await timed(run, 1);
    ran++;
  } while (performance.now() - start < 3 * plan.milliseconds);
  const fitting = (ran * plan.milliseconds) / (performance.now() - start); // runs in a round
  const slices = Math.min(SLICES, Math.max(1, Math.floor(fitting)));
  const rounds = [];
  for (let i = 0; i < plan.rounds; i++) {
    rounds.push(await oneRound(run, slices, Math.max(1, Math.round(fitting / slices))));
  }
  return rounds;
}

/** @param {any} runtime @param {Plan} plan @returns {Promise<Row[]>} */
async function runRows(runtime, plan) {
  const results = [];
  for (const [id, prepare] of rows) {
    const operation = prepare(runtime);
    if (operation === undefined) {
      results.push({ id, missing: "not built yet" });
      continue;
    }
    results.push({ id, rounds: await measure(operation.run, plan) });
    operation.done?.();
  }
  return results;
}

/** A host of WebMCP that says when it has heard a number of changes. */
class Host {
  #expected = 0;
  #heard = () => {};

  /** @param {number} changes */
  expect(changes) {
    this.#expected = changes;
    return new Promise((resolve) => (this.#heard = () => resolve(undefined)));
  }

  registerTool() {
    this.#one();
  }

  unregisterTool() {
    this.#one();
  }

  #one() {
    if (--this.#expected === 0) {
      this.#heard();
    }
  }
}

/** A component comes and goes, and the adapter adds its two tools and takes them away. @param {any} runtime @param {any} registry @returns {Operation} */
function reconciling(runtime, registry) {
  const host = new Host();
  const adapter = runtime.createWebMcpAdapter({ modelContext: host });
  adapter.start({ registry, consumer: { id: "bench", kind: "webmcp" } });
  const extra = widget(runtime, "extra");
  const run = async () => {
    const added = host.expect(2);
    const handle = registry.register(extra);
    await added;
    const removed = host.expect(2);
    handle.unregister();
    await removed;
  };
  return { run, done: () => adapter.stop() };
}

/**
 * What is measured while a registry grows.
 * @type {[string, (runtime: any, registry: any, size: number) => Operation | undefined][]}
 */
const curves = [
  ["register", (runtime, _registry, size) => registering(runtime, size)],
  ["snapshot", (_runtime, registry) => ({ run: () => registry.snapshot() })],
  ["snapshot-changed", (runtime, registry) => {
    const extra = widget(runtime, "extra");
    return {
      run() {
        const handle = registry.register(extra);
        registry.snapshot();
        handle.unregister();
        registry.snapshot();
      },
    };
  }],
  ["tools", (runtime, registry) => runtime.createAgentToolset && { run: () => freshTools(runtime, registry) }],
  ["invoke", (_runtime, registry) => {
    const { registrationId } = registry.snapshot().components[0];
    return { run: () => registry.invoke({ ...poke, registrationId }) };
  }],
  ["reconcile", reconciling],
];

/**
 * @param {any} runtime
 * @param {Plan} plan
 * @returns {Promise<{ id: string, points: { size: number, rounds?: Round[], missing?: string }[] }[]>}
 */
async function runCurves(runtime, plan) {
  const results = curves.map(([id]) => ({ id, points: /** @type {any[]} */ ([]) }));
  for (const size of plan.sizes) {
    const registry = registryOf(runtime, size);
    for (const [i, [, prepare]] of curves.entries()) {
      const operation = prepare(runtime, registry, size);
      results[i]?.points.push(operation ? { size, rounds: await measure(operation.run, plan) } : { size, missing: "not built yet" });
      operation?.done?.();
    }
    registry.dispose();
  }
  return results;
}

/**
 * Everything there is to measure in one engine.
 * @param {any} runtime a fresh one
 * @param {WebAssembly.Memory} memory its memory
 * @param {Plan} plan
 */
export async function runAll(runtime, memory, plan) {
  const registry = registryOf(runtime, 100);
  registry.snapshot();
  const bytes = memory.buffer.byteLength;
  registry.dispose();
  return { memory: bytes, rows: await runRows(runtime, plan), growth: await runCurves(runtime, plan) };
}

/** Notes the memory of every module that is instantiated from now on. @returns {WebAssembly.Memory[]} */
export function noteMemories() {
  /** @type {WebAssembly.Memory[]} */
  const memories = [];
  const { Instance } = WebAssembly;
  /** @param {WebAssembly.Module} module @param {WebAssembly.Imports} imports */
  function Noted(module, imports) {
    const instance = new Instance(module, imports);
    memories.push(/** @type {WebAssembly.Memory} */ (instance.exports["mem"]));
    return instance;
  }
  Noted.prototype = Instance.prototype;
  /** @type {any} */ (WebAssembly).Instance = Noted;
  return memories;
}
