// @ts-check
/** What the suites of web tools share: the optional script, connected, and objects that stand for a browser's. */
import { readFileSync } from "node:fs";
import { built } from "./harness.js";

// A package without a type leaves it to its reader what a .js file is, and Node 20 takes it for a script.
const source = readFileSync(built("pagewarden-webtools.js"), "utf8");
let copies = 0;

/** What the copies of the script have told developers. @type {string[]} */
export const complaints = [];

/** A copy of the script of its own, with its complaints recorded. @returns {Promise<any>} */
export async function freshScript() {
  const { error } = console;
  console.error = (...args) => void complaints.push(args.map(String).join(" "));
  try {
    return await import(`data:text/javascript,${encodeURIComponent(source)}#${++copies}`);
  } finally {
    console.error = error;
  }
}

/** A copy that runs its tools in a runtime. @param {any} runtime */
export async function toolsOf(runtime) {
  const script = await freshScript();
  script.connect(runtime);
  return script;
}

/** The definition of clear_cart, with what the test changes. @param {any} [more] */
export const clearCart = (more) => ({ id: "clear_cart", description: "Remove every item from the cart.", execute: () => "The cart is empty.", ...more });

/** The one text of a result that is an error, read as a model would. @param {any} result */
export function errorOf(result) {
  if (result.isError !== true || result.content.length !== 1 || result.content[0].type !== "text") {
    throw new Error(`this is no error: ${JSON.stringify(result)}`);
  }
  return JSON.parse(result.content[0].text);
}

/** An object that lists tools, of each style. It remembers what it has. */
export class ModelContext {
  /** @type {Map<string, any>} */ tools = new Map();
  /** @type {{ resolve: () => void, reject: (error: any) => void }[]} */ waiting = [];
  /** @type {any} */ object = {};

  /** @param {"by-name" | "by-signal" | "whole-set"} style @param {{ promises?: boolean }} [options] */
  constructor(style, { promises = false } = {}) {
    if (style === "whole-set") {
      this.object.provideContext = ({ tools }) => {
        const bad = tools.find((/** @type {any} */ tool) => tool.name === "bad");
        if (bad) {
          throw new TypeError("bad tool");
        }
        this.tools = new Map(tools.map((/** @type {any} */ tool) => [tool.name, tool]));
      };
      this.object.clearContext = () => this.tools.clear();
      return;
    }
    this.object.registerTool = (/** @type {any} */ tool, /** @type {any} */ options) => {
      if (this.tools.has(tool.name)) {
        throw Object.assign(new Error(`the name ${tool.name} is taken`), { name: "InvalidStateError" });
      }
      const signal = style === "by-signal" ? options.signal : undefined;
      this.tools.set(tool.name, tool);
      const remove = () => this.tools.get(tool.name) === tool && this.tools.delete(tool.name);
      signal?.addEventListener("abort", remove);
      if (!promises) {
        return undefined;
      }
      return new Promise((resolve, reject) => {
        signal?.addEventListener("abort", () => reject(signal.reason));
        this.waiting.push({
          resolve: () => resolve(undefined),
          reject: (error) => {
            remove();
            reject(error);
          },
        });
      });
    };
    if (style === "by-name") {
      this.object.unregisterTool = (/** @type {string} */ name) => {
        if (!this.tools.delete(name)) {
          throw Object.assign(new Error("no such tool"), { name: "InvalidStateError" });
        }
      };
    }
  }

  get names() {
    return [...this.tools.keys()];
  }

  /** Calls a tool as a browser does. @param {string} name @param {any} [args] @param {any} [second] */
  call(name, args, second) {
    const tool = this.tools.get(name);
    return second === undefined ? tool.execute(args) : tool.execute(args, second);
  }
}

/** A promise that the test settles. */
export function gate() {
  /** @type {any} */
  const made = {};
  made.promise = new Promise((resolve, reject) => Object.assign(made, { open: resolve, fail: reject }));
  return made;
}
