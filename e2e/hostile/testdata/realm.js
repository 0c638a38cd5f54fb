/**
 * A realm of its own (a frame of the same origin) with the runtime's script and the scenario in it. The suite stays
 * in the parent's realm, so that attacks on the frame's built-ins cannot hit it. What the suite does with objects of
 * the frame asks nothing that the frame could answer: no iteration, no then, no method of theirs.
 */
import { FORGED } from "./attackers.js";
import { Transcript } from "./transcript.js";
import { Watcher, isObject } from "./watcher.js";

const { apply, defineProperty, deleteProperty, get, getOwnPropertyDescriptor, getPrototypeOf } = Reflect;
const promiseThen = Promise.prototype.then;
const noSpecies = { value: undefined, configurable: true };

/** What a scenario yields to let the events run that wait. */
const TURN = Symbol("turn");

/** How long a step may take: a realm whose promises never settle must not hold up the suite. */
const PATIENCE = 4000;

/** Hears a promise of a patched realm, which is asked for neither then nor its constructor. */
function hear(promise, onValue, onError) {
  defineProperty(promise, "constructor", noSpecies);
  apply(promiseThen, promise, [onValue, onError]);
  deleteProperty(promise, "constructor");
}

/** How a promise settles, within PATIENCE: { kind: "value" | "error" | "hung", value }. */
function outcomeOf(promise) {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve({ kind: "hung" }), PATIENCE);
    const answer = (kind) => (value) => {
      clearTimeout(timer);
      resolve({ kind, value });
    };
    hear(promise, answer("value"), answer("error"));
  });
}

/** What a function of sloppy mode tells of the call that it is in: an accessor of its own, or one that all share. */
function legacy(realm, name) {
  const shared = getOwnPropertyDescriptor(realm.Function.prototype, name)?.get;
  return (f) => {
    try {
      return getOwnPropertyDescriptor(f, name)?.value ?? apply(shared, f, []);
    } catch {
      return undefined; // functions of strict mode tell nothing
    }
  };
}

export class Realm {
  /** @type {any} */ window;
  watcher;
  transcript = new Transcript();
  /** The runtime, once it is loaded. */
  runtime;
  /** Whether the page reads the stack of every error; the engine then looks at more of the error. */
  readsStacks = false;
  #frame = document.createElement("iframe");
  #next;
  #promisePrototype;
  #callerOf;
  #argumentsOf;
  #errorNames;
  #copy;

  constructor() {
    document.body.append(this.#frame);
    this.window = this.#frame.contentWindow;
    this.watcher = new Watcher(this.window);
    this.watcher.allow(FORGED);
    this.#next = this.window.eval("Object.getPrototypeOf(function* () {}).prototype.next");
    this.#promisePrototype = this.window.Promise.prototype;
    this.#callerOf = legacy(this.window, "caller");
    this.#argumentsOf = legacy(this.window, "arguments");
    this.#errorNames = new Map(["Error", "TypeError", "RangeError"].map((name) => [this.window[name].prototype, name]));
    const { structuredClone } = this.window;
    this.#copy = (module) => apply(structuredClone, this.window, [module]);
    this.#listen();
  }

  close() {
    this.#frame.remove();
  }

  /** The realm's console, and what nobody caught, become part of the transcript. */
  #listen() {
    for (const level of ["error", "warn", "debug", "log", "info"]) {
      this.#provide(this.window.console, level, (...args) => this.transcript.note(`console.${level}`, args.map((arg) => (isObject(arg) ? "(an object)" : arg))));
    }
    this.window.addEventListener("error", (event) => this.transcript.note("uncaught", event.message));
    this.window.addEventListener("unhandledrejection", (event) => this.transcript.note("unhandled", this.#textOf(event.reason)));
  }

  /** Replaces a function of the realm by the suite's. */
  #provide(holder, name, value) {
    holder[name] = value;
    this.watcher.allow(value);
  }

  /**
   * Runs the runtime's script, and the scenario's after it.
   * @param {string} script @param {string[]} scenario
   */
  runScripts(script, scenario) {
    this.#watchInstances();
    this.#run(script);
    this.watcher.handed(this.window.PageWarden, "PageWarden");
    scenario.forEach((part) => this.#run(part));
    this.watcher.own(this.window.scenario);
  }

  #run(source) {
    const element = this.window.document.createElement("script");
    element.textContent = source;
    this.window.document.head.append(element);
  }

  /** The script captures these functions, so that its instances are known before it gets them. */
  #watchInstances() {
    const { WebAssembly } = this.window;
    const { Instance, instantiate } = WebAssembly;
    const known = (instance, imports) => {
      this.watcher.module(instance, imports);
      this.window.stockInstance = instance; // only the build with Go's own loader looks for it
      return instance;
    };
    this.#provide(WebAssembly, "instantiate", (module, imports) => {
      const made = instantiate(module, imports);
      hear(made, (instance) => known(instance, imports), () => {});
      return made;
    });
    function Watched(module, imports) {
      return known(new Instance(module, imports), imports);
    }
    Watched.prototype = Instance.prototype;
    this.#provide(WebAssembly, "Instance", Watched);
  }

  /**
   * Loads the runtime.
   * @param {WebAssembly.Module | string} wasm the module, which the realm gets a copy of, or its address
   * @returns {Promise<boolean>} whether the runtime is there
   */
  async load(wasm) {
    const given = this.window.scenario.optionsOf(typeof wasm === "string" ? wasm : this.#copy(wasm));
    this.watcher.own(given);
    const { kind, value } = await outcomeOf(this.window.PageWarden.load(given));
    this.transcript.note("load", kind === "error" ? this.#textOf(value) : kind);
    this.runtime = value;
    this.window.runtime = value; // as pages do
    this.watcher.namespace(value, "the runtime");
    return kind === "value";
  }

  /** Plays the scenario. @returns {Promise<string[]>} what happened */
  async play() {
    const { parts } = this.window.scenario;
    const names = Object.keys(parts);
    for (const name of names) {
      await this.#drive(name, parts[name](this.#helper(), this.runtime));
    }
    return this.take();
  }

  /** What happened since it was asked last. */
  take() {
    const { lines } = this.transcript;
    this.transcript = new Transcript();
    return lines;
  }

  /** Runs a generator of the realm; promises that it yields are waited for. */
  async #drive(name, steps) {
    let value;
    for (;;) {
      let step;
      try {
        step = apply(this.#next, steps, [value]);
      } catch (error) {
        this.transcript.note(`${name} broke off`, this.#textOf(error));
        return;
      }
      value = step.value;
      if (step.done) {
        return;
      }
      if (value === TURN) {
        await new Promise((resolve) => setTimeout(resolve));
      } else if (isObject(value) && getPrototypeOf(value) === this.#promisePrototype) {
        const outcome = await outcomeOf(value);
        if (outcome.kind === "hung") {
          this.transcript.note(`${name} hung`, "");
          return;
        }
        this.watcher.handed(outcome.value, `what ${name} waited for`);
        value = outcome.kind === "value" ? outcome.value : this.#textOf(outcome.value);
      }
    }
  }

  /** What the scenario uses of the suite. */
  #helper() {
    const { watcher } = this;
    const call = (object, name, ...args) => {
      args.forEach((arg) => watcher.own(arg));
      let result;
      try {
        result = apply(get(object, name), object, args);
      } catch (error) {
        watcher.handed(error, `what ${name} threw`);
        return this.#textOf(error);
      }
      watcher.handed(result, `what ${name} gave`);
      return result;
    };
    return {
      TURN,
      hear,
      note: (label, value) => this.transcript.note(label, value),
      /** Calls a method as a page does. A promise is given as it is, an exception as text. */
      call,
      /** The same with an array of the realm: the method's name and what it is given. */
      callAs: (object, given) => call(object, ...Array.from({ length: given.length }, (_, i) => given[i])),
      own: (value) => watcher.own(value),
      /** A member of an object that may lack it, which is not looked for on a prototype. */
      member: (object, name) => getOwnPropertyDescriptor(object, name)?.value,
      /** A function of the page was called: with these, and perhaps by functions of sloppy mode. */
      entered: (args, called) => {
        watcher.handed(args, "what the page's function was called with");
        for (let f = this.#callerOf(called), depth = 0; isObject(f) && depth < 10; f = this.#callerOf(f), depth++) {
          watcher.received(f, "a caller on the stack");
          watcher.received(this.#argumentsOf(f), "the arguments of a caller on the stack");
        }
      },
    };
  }

  /** The text of an error of the realm. */
  #textOf(error) {
    if (!isObject(error)) {
      return String(error);
    }
    if (this.readsStacks) {
      try {
        get(error, "stack");
      } catch {
        // An attack on stacks may throw.
      }
    }
    const own = (name) => getOwnPropertyDescriptor(error, name)?.value;
    return `${own("name") ?? this.#errorNames.get(getPrototypeOf(error))}: ${own("message")}`;
  }
}
