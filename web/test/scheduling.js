// @ts-check
/**
 * The scheduling suite (boundary.md, Scheduling), for Node and for a page. Timers are dead: setTimeout throws
 * from before the script loads, and time limits go to an injected timer that never fires. So whatever is not
 * settled by the page's own calls and microtasks is never settled.
 *
 * @typedef {{ calls?: number, gcPercent?: number, load: (options: any) => Promise<any>, wasm: any, fault: boolean }} Setup
 */

/** The injected timers: nothing ever fires. */
export const deadTimers = { setTimeout: () => 0, clearTimeout: () => {}, now: () => Date.now() };

/** A macrotask counter that needs no timer. */
function macrotasks() {
  const { port1, port2 } = new MessageChannel();
  let count = 0;
  port1.onmessage = () => {
    count++;
    port2.postMessage(null);
  };
  port2.postMessage(null);
  return { count: () => count, close: () => port1.close() };
}

/** @param {unknown} condition @param {string} text */
function check(condition, text) {
  if (!condition) {
    throw new Error(text);
  }
}

const INPUT = { type: "object", properties: { depth: { type: "integer" } }, required: ["depth"], additionalProperties: false };

/**
 * Runs every way of calling and gives one line for each; throws at the first that is wrong.
 * @param {Setup} setup
 * @returns {Promise<string[]>}
 */
export async function runScheduling(setup) {
  const runtime = await setup.load({ wasm: setup.wasm, timers: deadTimers });
  if (setup.gcPercent !== undefined) {
    runtime.dev.fault(8, setup.gcPercent);
  }
  const before = runtime.dev.tables();
  const lines = [];
  for (const kind of ["sync", "async", "thenable"]) {
    for (const nested of [false, true]) {
      lines.push(await callsInARow(runtime, kind, nested, setup.calls ?? 100_000));
    }
  }
  for (const where of ["handler", "policy", "when"]) {
    lines.push(await callsThatReenter(runtime, where, Math.min(setup.calls ?? 100_000, 10_000)));
  }
  const after = runtime.dev.tables();
  for (const name of Object.keys(before)) {
    const most = name === "goroutines" ? before[name] + 16 : before[name];
    check(after[name] <= most, `table ${name}: ${after[name]} afterwards, ${before[name]} before`);
  }
  return lines;
}

/** What a handler of each kind returns. @param {string} kind @param {any} value */
function answer(kind, value) {
  switch (kind) {
    case "async":
      return Promise.resolve().then(() => value);
    case "thenable":
      return { then: (/** @type {(v: any) => void} */ resolve) => resolve(value) };
  }
  return value;
}

/** @param {any} runtime @param {any} [more] */
function registryOf(runtime, more) {
  return runtime.createAgentSurfaceRegistry({
    authority: runtime.createOpenAuthority(), environment: "test", audit: { record() {} }, ...more,
  });
}

/**
 * @param {any} runtime @param {string} kind @param {boolean} nested @param {number} calls
 */
async function callsInARow(runtime, kind, nested, calls) {
  const registry = registryOf(runtime);
  const deepest = nested ? 3 : 1;
  /** @type {any[]} */
  let inner = [];
  registry.register({
    type: "bench.widget", description: "A widget",
    actions: {
      poke: {
        description: "Calls itself until it is deep enough", effect: "local-state", concurrency: { mode: "parallel", max: 8 },
        input: runtime.fromJsonSchema(INPUT),
        execute(/** @type {{ depth: number }} */ { depth }) {
          if (depth < deepest) {
            inner.push(registry.invoke({ capabilityId: "view:bench.widget.poke", input: { depth: depth + 1 } }));
          }
          return answer(kind, { depth });
        },
      },
    },
  });
  let settled = 0;
  registry.subscribe((/** @type {any} */ event) => {
    settled += event.type === "invocation-settled" ? 1 : 0;
  });
  const tasks = macrotasks();
  for (let i = 0; i < calls; i++) {
    const started = tasks.count();
    inner = [];
    settled = 0;
    const outcome = registry.invoke({ capabilityId: "view:bench.widget.poke", input: { depth: 1 } });
    if (kind !== "async") {
      check(settled === deepest, `${kind}: ${settled} of ${deepest} had settled when invoke returned (call ${i})`);
    }
    const result = await outcome;
    check(result.status === "ok" && result.output.depth === 1, `${kind}: call ${i} gave ${JSON.stringify(result)}`);
    for (const promise of inner) {
      const innerResult = await promise;
      check(innerResult.status === "ok", `${kind}: a nested call gave ${JSON.stringify(innerResult)}`);
    }
    check(settled === deepest, `${kind}: ${settled} of ${deepest} settled (call ${i})`);
    check(tasks.count() === started, `${kind}: call ${i} took a macrotask`);
  }
  tasks.close();
  registry.dispose();
  return `${calls} calls, ${kind}${nested ? ", nested three deep" : ""}`;
}

/**
 * Calls whose handler, policy or when calls snapshot, register and confirmations.resolve.
 * @param {any} runtime @param {string} where @param {number} calls
 */
async function callsThatReenter(runtime, where, calls) {
  let busy = false;
  let done = 0;
  const reenter = (/** @type {string} */ place) => {
    if (place !== where || busy) {
      return;
    }
    busy = true;
    check(registry.snapshot().components.length >= 1, "the snapshot lost the component");
    const handle = registry.register({
      type: "bench.other", description: "Another",
      observations: { readState: { description: "Reads", output: runtime.fromJsonSchema({ type: "integer" }), read: () => 1 } },
    });
    check(handle.status === "active", "register failed inside a " + where);
    for (const pending of registry.confirmations.pending()) {
      registry.confirmations.resolve(pending.confirmationId, { approved: true });
    }
    handle.unregister();
    done++;
    busy = false;
  };
  const policy = {
    name: "reenters",
    onDiscovery: () => undefined,
    onAuthorize(/** @type {any} */ _, /** @type {() => Promise<void>} */ next) {
      reenter("policy");
      return next();
    },
    async onInvoke(/** @type {any} */ _, /** @type {() => Promise<void>} */ next) {
      await next();
    },
  };
  const registry = registryOf(runtime, { policies: [policy] });
  registry.register({
    type: "bench.widget", description: "A widget",
    actions: {
      poke: {
        description: "Pokes", effect: "local-state", input: runtime.fromJsonSchema(INPUT),
        when() {
          reenter("when");
          return true;
        },
        execute() {
          reenter("handler");
        },
      },
      ask: {
        description: "Needs a person", effect: "local-state", confirmation: "required", input: runtime.fromJsonSchema(INPUT),
        execute: () => "done",
      },
    },
  });
  const tasks = macrotasks();
  for (let i = 0; i < calls; i++) {
    const started = tasks.count();
    const asked = await registry.invoke({ capabilityId: "view:bench.widget.ask", input: { depth: i }, invocationId: `ask${i}` });
    check(asked.error?.code === "CONFIRMATION_REQUIRED", `ask gave ${JSON.stringify(asked)}`);
    const waited = registry.confirmations.waitFor(asked.error.details.confirmationId);
    const result = await registry.invoke({ capabilityId: "view:bench.widget.poke", input: { depth: i } });
    check(result.status === "ok", `poke gave ${JSON.stringify(result)}`);
    check((await waited) === "approved", "the confirmation was not approved from inside a " + where);
    const retried = await registry.invoke({
      capabilityId: "view:bench.widget.ask", input: { depth: i }, invocationId: `ask${i}`, confirmationId: asked.error.details.confirmationId,
    });
    check(retried.status === "ok" && retried.output === "done", `the retry gave ${JSON.stringify(retried)}`);
    check(tasks.count() === started, `call ${i} took a macrotask`);
  }
  tasks.close();
  check(done >= calls, `only ${done} of ${calls} re-entered`);
  registry.dispose();
  return `${calls} calls with snapshot, register and resolve inside a ${where}`;
}
