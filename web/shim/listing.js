// @ts-check
/** One tool at a page's object that lists tools: given once, and taken back when that loses no call. */
import { NativeAbortController, NativeMap, NativeWeakMap, abortSignalOf, jsonParse, mapDelete, mapForEach, mapSet, weakGet, weakSet } from "./builtins.js";
import { describe, giveTool, provide, takeTool } from "./contexts.js";
import { follow, settled } from "./promises.js";

/** The tools of each object that takes only whole sets. @type {WeakMap<object, Map<any, true>>} */
const sets = new NativeWeakMap();
const laterOf = globalThis.setTimeout;
/** @param {() => void} run */
const inATask = (run) => void laterOf(run, 0);

export class Listing {
  /** Whether the object has the tool. */ registered = false;

  /** @type {any} */ #tool;
  /** @type {import("./contexts.js").Lister} */ #lister = /** @type {any} */ (undefined);
  #controller = new NativeAbortController();
  /** Whether the object has not answered yet. */ #pending = false;
  /** Whether it answers by a promise. */ #promises = false;
  /** How many calls would be lost with the tool, in a browser that loses them (webmcp-drift.md, Chromium 152). */ #fragile = 0;
  #ended = false;

  /**
   * Gives the tool to an object.
   * @param {import("./contexts.js").Lister} lister @param {any} tool @param {(words: string) => void} answered told once, "" when the object has taken it
   */
  give(lister, tool, answered) {
    this.#lister = lister;
    this.#tool = tool;
    if (lister.style === "whole-set") {
      answered(this.#joinSet());
      return;
    }
    this.#pending = true;
    try {
      const options = { __proto__: null, signal: abortSignalOf(this.#controller) };
      follow(giveTool(lister, tool, options), () => this.#taken(answered), (error) => this.#refused(error, answered));
    } catch (error) {
      this.#refused(error, answered);
    }
    this.#promises = this.#pending;
  }

  /** The object has the tool. By name it could not be taken back while it had not answered. @param {(words: string) => void} answered */
  #taken(answered) {
    this.#pending = false;
    if (!this.#ended) {
      this.registered = true;
    } else if (this.#lister.style === "by-name") {
      this.registered = true;
      this.#take();
    }
    answered("");
  }

  /** @param {any} error @param {(words: string) => void} answered */
  #refused(error, answered) {
    this.#pending = false;
    answered(describe(error));
  }

  /** @returns {string} the object's words, "" when it has taken the tool */
  #joinSet() {
    const { object } = this.#lister;
    let set = weakGet(sets, object);
    if (set === undefined) {
      set = new NativeMap();
      weakSet(sets, object, set);
    }
    mapSet(set, this.#tool, true);
    try {
      provideAll(object, set);
      this.registered = true;
      if (this.#ended) { // the object has ended it while it took the tool
        this.#take();
      }
      return "";
    } catch (error) {
      mapDelete(set, this.#tool);
      const rest = set;
      quietly(() => provideAll(object, rest));
      return describe(error);
    }
  }

  /** A call of the tool has begun. @param {Promise<any>} promise of its result @param {any} second what the browser gave beside the input */
  called(promise, second) {
    if (this.#promises && second === undefined) {
      this.#fragile++;
      const over = () => inATask(() => this.#callIsOver());
      settled(promise, over, over);
    }
  }

  #callIsOver() {
    this.#fragile--;
    if (this.#ended && this.#fragile === 0) {
      this.#take();
    }
  }

  /** Takes the tool back, at once where that loses no call. */
  end() {
    if (!this.#ended) {
      this.#ended = true;
      if (this.#fragile === 0) {
        this.#take();
      }
    }
  }

  #take() {
    if (!this.registered && !this.#pending) {
      return;
    }
    this.registered = false;
    const set = weakGet(sets, this.#lister.object);
    if (set === undefined) {
      quietly(() => takeTool(this.#lister, this.#tool.name, this.#controller));
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
