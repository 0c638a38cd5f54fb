// @ts-check
/** mountInspector: what a page calls. */
import { Feed } from "./feed.js";
import { Panel } from "./panel.js";

const OPTIONS = ["root", "runtime", "adapters", "contract", "consumers"];

/** pagewarden-inspector.d.ts has its contract. @param {any} registry @param {any} [options] */
export function mountInspector(registry, options = {}) {
  if (typeof document === "undefined") {
    throw new TypeError("mountInspector needs a page with a document");
  }
  for (const name of ["invoke", "snapshot", "subscribe"]) {
    if (typeof registry?.[name] !== "function") {
      throw new TypeError("mountInspector needs a registry of the runtime");
    }
  }
  const { root, runtime, adapters, contract, consumers } = checked(options);
  const feed = new Feed(registry, contract, consumers);
  const panel = new Panel(feed, adapters, root);
  const unmount = () => {
    panel.remove();
    feed.stop();
  };
  try {
    feed.start(runtime);
  } catch (error) { // a runtime that has ended
    unmount();
    throw error;
  }
  return Object.freeze({ unmount });
}

/** @param {any} options */
function checked(options) {
  if (typeof options !== "object" || options === null) {
    throw new TypeError("options must be an object");
  }
  for (const name of Object.keys(options)) {
    if (!OPTIONS.includes(name)) {
      throw new TypeError(`options.${name} is no option: there are ${OPTIONS.join(", ")}`);
    }
  }
  const { root, contract } = options;
  if (root !== undefined && !(root instanceof Element || root instanceof ShadowRoot)) {
    throw new TypeError("options.root must be an element or a shadow root of this page");
  }
  const runtime = options.runtime ?? globalThis.PageWarden?.ready;
  if (runtime === undefined) {
    throw new TypeError("options.runtime must be the runtime that made the registry: this page has no PageWarden");
  }
  const adapters = list(options, "adapters", (one) => typeof one?.status === "function", "adapters");
  const consumers = list(options, "consumers", (one) => typeof one?.id === "string" && typeof one.kind === "string", "consumers: { id, kind }");
  return { root, runtime, adapters, contract, consumers };
}

/** @param {any} options @param {string} name @param {(one: any) => boolean} fits @param {string} of @returns {any[]} */
function list(options, name, fits, of) {
  const given = options[name] ?? [];
  if (!Array.isArray(given) || !given.every(fits)) {
    throw new TypeError(`options.${name} must be a list of ${of}`);
  }
  return given.slice();
}
