// @ts-check
/** What the suites share: the built script with its console recorded, timers by hand, and a surface to call. */
import { readFileSync } from "node:fs";

/** A build: "" is what is shipped, "faults/" the crash suite's. @param {string} name @param {"" | "faults/"} [variant] */
export const built = (name, variant = "") => new URL(`../../dist/${variant}${name}`, import.meta.url);

/** What the script has written to the console, as "level text". @type {string[]} */
export const told = [];

/** How many messages hold text. @param {string} text */
export const toldCount = (text) => told.filter((line) => line.includes(text)).length;

/**
 * Imports the script while the console is one that records: the script keeps the functions that it finds.
 * @param {"" | "faults/"} [variant]
 * @returns {Promise<{ load: (options?: any) => Promise<any>, bytes: Uint8Array, module: WebAssembly.Module }>}
 */
export async function script(variant = "") {
  const { error, warn, debug } = console;
  for (const level of /** @type {const} */ (["error", "warn", "debug"])) {
    console[level] = (...args) => void told.push(`${level} ${args.map(String).join(" ")}`);
  }
  const { load } = await import(built("pagewarden.mjs", variant).href);
  Object.assign(console, { error, warn, debug });
  const bytes = readFileSync(built("pagewarden.wasm", variant));
  return { load, bytes, module: await WebAssembly.compile(bytes) };
}

/** Timers that only advance moves. */
export class Clock {
  time = 1_800_000_000_000;
  #last = 0;
  /** @type {Map<number, { at: number, run: () => void }>} */
  #timers = new Map();

  /** What load takes. */
  get timers() {
    return {
      now: () => this.time,
      setTimeout: (/** @type {() => void} */ run, /** @type {number} */ ms) => {
        this.#timers.set(++this.#last, { at: this.time + ms, run });
        return this.#last;
      },
      clearTimeout: (/** @type {number} */ id) => void this.#timers.delete(id),
    };
  }

  /** How many timers are set. */
  get armed() {
    return this.#timers.size;
  }

  /** Moves the clock and fires what is due, in order. @param {number} ms */
  advance(ms) {
    const end = this.time + ms;
    for (;;) {
      const due = [...this.#timers].filter(([, timer]) => timer.at <= end).sort(([, a], [, b]) => a.at - b.at)[0];
      if (due === undefined) {
        break;
      }
      this.#timers.delete(due[0]);
      this.time = Math.max(this.time, due[1].at);
      due[1].run();
    }
    this.time = end;
  }
}

/**
 * A registry with the settings that tests mean: an open authority and a sink that keeps nothing.
 * @param {any} runtime @param {any} [options]
 */
export function registryOf(runtime, options) {
  return runtime.createAgentSurfaceRegistry({
    authority: runtime.createOpenAuthority(), environment: "test", audit: { record() {} }, ...options,
  });
}

/** A schema object of the runtime's own. @param {any} runtime @param {object} [document] */
export const schema = (runtime, document = {}) => runtime.fromJsonSchema(document);

/**
 * A component "app.form" with one action "save" of any input, and what the test adds.
 * @param {any} runtime @param {any} execute @param {any} [more]
 */
export function saving(runtime, execute, more) {
  return {
    type: "app.form", description: "A form",
    actions: { save: { description: "Saves", effect: "local-state", input: schema(runtime), execute, ...more } },
  };
}

export const SAVE = "view:app.form.save";

/** Registers a component with that one action and calls it. @param {any} runtime @param {any} execute @param {any} [input] @param {any} [more] */
export async function callOnce(runtime, execute, input, more) {
  const registry = registryOf(runtime);
  registry.register(saving(runtime, execute, more));
  const result = await registry.invoke({ capabilityId: SAVE, input });
  registry.dispose();
  return result;
}

/** Waits for a condition, looking once a macrotask. @param {() => unknown} condition @param {string} what */
export async function until(condition, what) {
  for (let turn = 0; !condition(); turn++) {
    if (turn > 10_000) {
      throw new Error(`waited in vain: ${what}`);
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** The end of the present macrotask and one more. */
export const turn = () => new Promise((resolve) => setImmediate(resolve));

/** What a call threw; a test fails when it does not throw. @param {() => unknown} run @returns {any} */
export function thrownBy(run) {
  try {
    run();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}

/** Fails unless a value is frozen plain data all the way down. @param {any} value @param {string} [at] */
export function mustBeFrozenData(value, at = "value") {
  if (typeof value !== "object" || value === null) {
    if (typeof value === "function" || value === undefined) {
      throw new Error(`${at} is ${typeof value}`);
    }
    return;
  }
  const prototype = Object.getPrototypeOf(value);
  if (!Object.isFrozen(value) || (prototype !== Object.prototype && prototype !== Array.prototype)) {
    throw new Error(`${at} is not frozen plain data`);
  }
  for (const name of Object.keys(value)) {
    mustBeFrozenData(value[name], `${at}.${name}`);
  }
}
