// @ts-check
/** registerWebTool: offers a tool to the browser's agent, by the rules of the WebMCP adapter. */
import {
  NativeAbortController, NativeMap, NativeWeakMap, abortSignalOf, addListener, freeze, jsonParse, mapDelete, mapForEach, mapSet, pageDocument, pick, removeListener,
  signalAborted, weakGet, weakSet,
} from "../shim/builtins.js";
import { describe, giveTool, isSignal, modelContextOfPage, provide, styleOf, takeTool } from "../shim/contexts.js";
import { homeOf } from "../shim/frames.js";
import { deferred, follow, resolvePlain, settled } from "../shim/promises.js";
import { adapt, optionsOf } from "./adapt.js";
import { keptOf } from "./define.js";
import { setTimer } from "./dom.js";
import { messageOf } from "./errors.js";
import { leave } from "./membership.js";
import { createCallTracker } from "./tracker.js";

const OPTIONS = /** @type {any} */ ({ __proto__: null, context: "function", registry: "object", signal: "object", modelContext: "object" });

/** The tools of each object that takes only whole sets. @type {WeakMap<object, Map<any, true>>} */
const sets = new NativeWeakMap();

/** pagewarden-webtools.d.ts has its contract. @param {any} tool @param {any} [options] */
export function registerWebTool(tool, options) {
  const given = optionsOf(options, "registerWebTool", OPTIONS);
  const offer = new Offer(keptOf(tool, "registerWebTool"), given);
  offer.start();
  return freeze({
    get supported() {
      return offer.supported;
    },
    get registered() {
      return offer.registered;
    },
    get error() {
      return offer.error;
    },
    unregister: () => offer.unregister(),
  });
}

/** One tool that the browser's agent is offered. */
class Offer {
  /** Why the browser, or the page's registry, did not take it. @type {string | undefined} */ error;
  supported = false;
  registered = false;

  /** @type {any} */ #options;
  /** @type {import("./define.js").Kept} */ #kept;
  /** @type {any} */ #tool;
  /** @type {import("./membership.js").Membership | undefined} */ #member;
  #tracker = createCallTracker();
  /** What was given the tool. @type {import("../shim/contexts.js").Lister} */ #lister = /** @type {any} */ (undefined);
  #controller = new NativeAbortController();
  /** Whether the object has not answered yet. */ #pending = false;
  /** Whether it answers by a promise. */ #promises = false;
  /** How many calls would be lost with the tool, in a browser that loses them (webmcp-drift.md, Chromium 152). */ #fragile = 0;
  /** @type {Promise<void> | undefined} */ #end;

  /** @param {import("./define.js").Kept} kept @param {any} options */
  constructor(kept, options) {
    this.#kept = kept;
    this.#options = options;
    try {
      const { tool, member } = adapt(kept, { __proto__: null, context: options.context, registry: options.registry, calls: this.#tracker });
      this.#member = member;
      const execute = (/** @type {any} */ args, /** @type {any} */ second) => this.#execute(tool, args, second);
      this.#tool = freeze({ ...tool, execute });
    } catch (error) {
      if (pick(error, "refused") !== true) {
        throw error;
      }
      this.error = messageOf(error);
    }
  }

  /** A tool that the browser or the page has kept answers nothing any more. @param {any} tool @param {any} args @param {any} second */
  #execute(tool, args, second) {
    if (this.#end !== undefined) {
      const outcome = deferred();
      resolvePlain(outcome, { ...this.#kept.connection.gone(), then: undefined });
      return outcome.promise;
    }
    const promise = tool.execute(args, second);
    if (this.#promises && second === undefined) {
      this.#fragile++;
      const over = () => setTimer(() => this.#callIsOver(), 0);
      settled(promise, over, over);
    }
    return promise;
  }

  #callIsOver() {
    this.#fragile--;
    if (this.#end !== undefined && this.#fragile === 0) {
      this.#take();
    }
  }

  start() {
    const { signal } = this.#options;
    if (isSignal(signal) && this.#tool !== undefined) {
      if (signalAborted(signal)) {
        this.unregister();
        return;
      }
      addListener(signal, "abort", () => void this.unregister());
    }
    this.#look();
    if (!this.supported && pageDocument !== undefined) {
      addListener(pageDocument, "DOMContentLoaded", this.#look);
      addListener(pageDocument, "visibilitychange", this.#look);
      addListener(globalThis, "load", this.#look);
    }
  }

  /** Gives the tool to the page's object, if there is one by now. */
  #look = () => {
    const over = this.supported || this.#end !== undefined || this.#tool === undefined;
    const context = over ? undefined : this.#options.modelContext ?? modelContextOfPage();
    const style = styleOf(context);
    if (style !== undefined) {
      this.supported = true;
      this.#lister = { __proto__: null, object: context, style, home: homeOf(context) };
      this.#stopLooking();
      if (style === "whole-set") {
        this.#joinSet();
      } else {
        this.#give();
      }
    }
  };

  #stopLooking() {
    if (pageDocument !== undefined) {
      removeListener(pageDocument, "DOMContentLoaded", this.#look);
      removeListener(pageDocument, "visibilitychange", this.#look);
      removeListener(globalThis, "load", this.#look);
    }
  }

  #give() {
    this.#pending = true;
    try {
      const options = { __proto__: null, signal: abortSignalOf(this.#controller) };
      follow(giveTool(this.#lister, this.#tool, options), () => this.#taken(), (error) => this.#refused(error));
    } catch (error) {
      this.#refused(error);
    }
    this.#promises = this.#pending;
  }

  /** The object has the tool. By name it could not be taken back while it had not answered. */
  #taken() {
    this.#pending = false;
    if (this.#end === undefined) {
      this.registered = true;
    } else if (this.#lister.style === "by-name") {
      this.registered = true;
      this.#take();
    }
  }

  /** @param {any} error */
  #refused(error) {
    this.#pending = false;
    if (this.#end === undefined) { // else it is the abort of our own
      this.error = describe(error);
    }
  }

  #joinSet() {
    let set = weakGet(sets, this.#lister.object);
    if (set === undefined) {
      set = new NativeMap();
      weakSet(sets, this.#lister.object, set);
    }
    mapSet(set, this.#tool, true);
    try {
      provideAll(this.#lister.object, set);
      this.registered = true;
    } catch (error) {
      this.#refused(error);
      mapDelete(set, this.#tool);
      quietly(() => provideAll(this.#lister.object, set));
    }
  }

  /** Takes the tool away, at once where that loses no call, and resolves when the calls in progress have ended. */
  unregister() {
    if (this.#end === undefined) {
      this.#stopLooking();
      this.#end = this.#tracker.idle();
      settled(this.#end, () => this.#member && leave(this.#member), () => {});
      if (this.#fragile === 0) {
        this.#take();
      }
    }
    return this.#end;
  }

  #take() {
    if (!this.registered && !this.#pending) {
      return;
    }
    this.registered = false;
    const set = weakGet(sets, this.#lister.object);
    if (set === undefined) {
      quietly(() => takeTool(this.#lister, this.#kept.id, this.#controller));
    } else if (mapDelete(set, this.#tool)) {
      quietly(() => provideAll(this.#lister.object, set));
    }
  }
}

/** @param {any} context @param {Map<any, true>} set */
function provideAll(context, set) {
  let text = "";
  mapForEach(set, () => (text += text === "" ? "0" : ",0"));
  const tools = jsonParse(`[${text}]`); // an array whose elements are there, so that none is set through a prototype
  let i = 0;
  mapForEach(set, (_, tool) => (tools[i++] = tool));
  provide(context, tools);
}

/** @param {() => void} run what may throw, which nobody here can help */
function quietly(run) {
  try {
    run();
  } catch {
    // The browser's object is as it is.
  }
}
