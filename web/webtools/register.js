// @ts-check
/** registerWebTool: offers a tool to the browser's agent, by the rules of the WebMCP adapter. */
import { addListener, freeze, pageDocument, pick, removeListener, signalAborted } from "../shim/builtins.js";
import { isSignal, modelContextOfPage, styleOf } from "../shim/contexts.js";
import { homeOf } from "../shim/frames.js";
import { Listing } from "../shim/listing.js";
import { deferred, resolvePlain, settled } from "../shim/promises.js";
import { adapt, optionsOf } from "./adapt.js";
import { keptOf } from "./define.js";
import { atDeath } from "./ends.js";
import { messageOf } from "./errors.js";
import { leave } from "./membership.js";
import { createCallTracker } from "./tracker.js";

const OPTIONS = /** @type {any} */ ({ __proto__: null, context: "function", registry: "object", signal: "object", modelContext: "object" });

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

  /** @type {any} */ #options;
  /** @type {import("./define.js").Kept} */ #kept;
  /** @type {any} */ #tool;
  /** @type {import("./membership.js").Membership | undefined} */ #member;
  #tracker = createCallTracker();
  #listing = new Listing();
  #forget = () => {};
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

  get registered() {
    return this.#listing.registered;
  }

  /** A tool that the browser or the page has kept answers nothing any more. @param {any} tool @param {any} args @param {any} second */
  #execute(tool, args, second) {
    if (this.#end !== undefined) {
      const outcome = deferred();
      try {
        resolvePlain(outcome, { ...this.#kept.connection.gone(), then: undefined });
      } catch (error) {
        outcome.reject(error); // the runtime has ended too
      }
      return outcome.promise;
    }
    const promise = tool.execute(args, second);
    this.#listing.called(promise, second);
    return promise;
  }

  start() {
    const { signal } = this.#options;
    if (isSignal(signal) && this.#tool !== undefined) {
      if (signalAborted(signal)) {
        this.unregister();
        return;
      }
      addListener(signal, "abort", this.#aborted);
    }
    if (this.#tool !== undefined) {
      this.#forget = atDeath(() => void this.unregister());
    }
    this.#look();
    if (!this.supported && pageDocument !== undefined) {
      addListener(pageDocument, "DOMContentLoaded", this.#look);
      addListener(pageDocument, "visibilitychange", this.#look);
      addListener(globalThis, "load", this.#look);
    }
  }

  /** Anybody can dispatch an event; only the signal says whether it has aborted. */
  #aborted = () => {
    if (signalAborted(this.#options.signal)) {
      this.unregister();
    }
  };

  /** Gives the tool to the page's object, if there is one by now. */
  #look = () => {
    const over = this.supported || this.#end !== undefined || this.#tool === undefined;
    const context = over ? undefined : this.#options.modelContext ?? modelContextOfPage();
    const style = styleOf(context);
    if (style !== undefined) {
      this.supported = true;
      this.#stopLooking();
      this.#listing.give({ __proto__: null, object: context, style, home: homeOf(context) }, this.#tool, (words) => {
        if (words !== "" && this.#end === undefined) { // else it is the abort of our own
          this.error = words;
        }
      });
    }
  };

  #stopLooking() {
    if (pageDocument !== undefined) {
      removeListener(pageDocument, "DOMContentLoaded", this.#look);
      removeListener(pageDocument, "visibilitychange", this.#look);
      removeListener(globalThis, "load", this.#look);
    }
  }

  /** Takes the tool away, at once where that loses no call, and resolves when the calls in progress have ended. */
  unregister() {
    if (this.#end === undefined) {
      this.#stopLooking();
      if (isSignal(this.#options.signal)) {
        removeListener(this.#options.signal, "abort", this.#aborted);
      }
      this.#forget();
      this.#end = this.#tracker.idle();
      settled(this.#end, () => this.#member && leave(this.#member), () => {});
      this.#listing.end();
    }
    return this.#end;
  }
}
