// @ts-check
/** Loading: from bytes, a module, a response or a URL to a runtime. */
import {
  Bytes, NativeError, NativeTypeError, WasmInstance, WasmModule, apply, bufferLength, decode, fetchURL, getRandomValues, headerOf, isObject, isView,
  microtask, dateNow, instanceExports, moduleSections, pick, postTask, report, responseBytes, responseHeaders, responseStatus, responseURL, setTimer, clearTimer,
  stringSlice, urlText, wasmCompile, wasmCompileStreaming, wasmInstantiate,
} from "./intrinsics.js";
import { Authorities } from "./authorities.js";
import { Callbacks } from "./callbacks.js";
import { GoHost } from "./gojs.js";
import { Instance } from "./instance.js";
import { Memory } from "./memory.js";
import * as Answer from "./ops/answer.js";
import * as News from "./ops/news.js";
import * as Question from "./ops/question.js";
import * as Op from "./ops/op.js";
import { deferred, settled } from "./promises.js";
import { Registries } from "./registry.js";
import { createRuntime } from "./runtime.js";
import { Conformance } from "./conformance.js";
import { Toolsets } from "./toolsets.js";
import { WebMCP } from "./webmcp.js";

/** The id of the build that this script belongs to, put in by the bundler. */
// @ts-expect-error: the bundler defines the name
const BUILD = /** @type {string} */ (__BUILD_ID__);

/** @typedef {{ __proto__?: null, setTimeout: any, clearTimeout: any, now: any }} Timers */

/**
 * Loads the module and starts a runtime of its own.
 * @param {any} [options] { wasm, contract?, timers? }
 * @param {string} [pin] the contract of the script's tag, which no load can leave
 * @returns {Promise<any>}
 */
export const load = (options, pin) => new Loading().load(options, pin);

const NEEDS = "load needs { wasm }: a URL, a Response, bytes or a WebAssembly.Module";
const UNREADABLE = "is the server up, and may this page read from it (CORS, connect-src)?";
const FORBIDDEN = "; the page's Content-Security-Policy needs 'wasm-unsafe-eval'";

/** The smallest module there is, which tells whether a page may compile any. */
const SMALLEST = new Bytes([0, 97, 115, 109, 1, 0, 0, 0]);

/** One load: from what was given to a runtime, or to an error that names it. */
class Loading {
  #outcome = deferred();
  #name = "the given module";
  /** @type {Timers} */ #timers = /** @type {any} */ (null);
  /** @type {unknown} */ #contract;

  /** @param {any} options @param {unknown} pin */
  load(options, pin) {
    try {
      const wasm = isObject(options) ? pick(options, "wasm") : undefined;
      const address = is(urlText, wasm) ? urlText(wasm) : wasm;
      const name = is(responseURL, wasm) ? responseURL(wasm) : address;
      if (name && typeof name === "string") {
        this.#name = stringSlice(name, 0, 200);
      }
      const contract = isObject(options) ? pick(options, "contract") : undefined;
      if (pin !== undefined && contract !== undefined && contract !== pin) {
        throw new NativeTypeError("the script's tag pins another contract");
      }
      this.#contract = pin ?? contract;
      this.#timers = timersOf(isObject(options) ? pick(options, "timers") : undefined);
      this.#compile(address);
    } catch (error) {
      this.#fail(error);
    }
    return this.#outcome.promise;
  }

  /** @param {unknown} cause @param {string} [more] */
  #fail(cause, more = "") {
    let why = "unknown";
    try {
      why = `${pick(cause, "message") ?? cause}`;
    } catch {
      // A cause that cannot be read stays unknown.
    }
    this.#outcome.reject(new NativeError(`pagewarden: loading ${this.#name} failed: ${why}${more}`));
  }

  /** The next step, or the end. @param {Promise<any>} promise @param {(value: any) => void} next @param {() => string} [hint] what to add when it fails */
  #then(promise, next, hint) {
    settled(promise, (value) => {
      try {
        next(value);
      } catch (error) {
        this.#fail(error);
      }
    }, (error) => this.#fail(error, hint?.()));
  }

  /** @param {any} wasm an address, if it is a text */
  #compile(wasm) {
    if (typeof wasm === "string") {
      this.#then(fetchURL(wasm), (response) => this.#read(response), () => `; ${UNREADABLE}`);
    } else if (is(responseStatus, wasm)) {
      this.#read(wasm);
    } else if (isView(wasm) || is(bufferLength, wasm)) {
      this.#then(wasmCompile(wasm), (module) => this.#start(module), forbidden);
    } else {
      this.#start(wasm);
    }
  }

  /** @param {any} response */
  #read(response) {
    const status = responseStatus(response);
    if (status < 200 || status > 299) {
      this.#fail(status === 0 ? UNREADABLE : `the server answered ${status}`);
      return;
    }
    const type = headerOf(responseHeaders(response), "content-type") ?? "";
    const hint = () => ` (served as "${type}")${forbidden()}`;
    if (type === "application/wasm") {
      this.#then(wasmCompileStreaming(response), (module) => this.#start(module), hint);
      return;
    }
    this.#then(responseBytes(response), (bytes) => this.#then(wasmCompile(bytes), (module) => {
      report("warn", `pagewarden: serve the module as application/wasm and not as "${type}", so that it compiles while it comes`);
      this.#start(module);
    }, hint));
  }

  /** @param {any} module */
  #start(module) {
    const build = buildOf(module);
    if (build !== BUILD) {
      throw new NativeError(build === undefined ? NEEDS : `the script is of build ${BUILD} and the module of build ${build}: serve the two files of one build, and clear what a cache kept`);
    }
    const shared = new Shared(this.#timers, this.#contract);
    const imports = /** @type {any} */ (shared.imports());
    const begin = (/** @type {any} */ instance) => this.#outcome.resolve(shared.start(instance));
    let instance;
    try {
      instance = new WasmInstance(module, imports); // not what a promise gives, which asks prototypes of the page for a then
    } catch {
      this.#then(wasmInstantiate(module, imports), begin); // older browsers insist on it for large modules; what else is wrong it says
      return;
    }
    begin(instance);
  }
}

/** What to do when it is the page's policy that lets nothing be compiled. */
function forbidden() {
  try {
    new WasmModule(SMALLEST);
    return "";
  } catch {
    return FORBIDDEN;
  }
}

/** The build that a module says it is of, undefined when it is no module. @param {any} module @returns {string | undefined} */
function buildOf(module) {
  try {
    const sections = moduleSections(module, "pagewarden");
    return sections.length === 0 ? "none" : decode(new Bytes(/** @type {ArrayBuffer} */ (sections[0])));
  } catch {
    return undefined;
  }
}

/** Whether a getter takes a value for one of its own, of whatever realm. @param {(value: any) => unknown} getter @param {any} value */
function is(getter, value) {
  try {
    getter(value);
    return true;
  } catch {
    return false;
  }
}

/** @param {any} timers @returns {Timers} */
function timersOf(timers) {
  const own = timers === undefined;
  const set = own ? setTimer : pick(timers, "setTimeout");
  const clear = own ? clearTimer : pick(timers, "clearTimeout");
  const now = own ? dateNow : pick(timers, "now") ?? dateNow;
  if (typeof set !== "function" || typeof clear !== "function" || typeof now !== "function") {
    throw new NativeTypeError("load: timers must have setTimeout, clearTimeout and, if given, now");
  }
  // A browser's own refuse to be called as methods of another object.
  return {
    __proto__: null,
    setTimeout: (/** @type {any} */ run, /** @type {number} */ ms) => apply(set, timers, [run, ms]),
    clearTimeout: (/** @type {any} */ id) => apply(clear, timers, [id]),
    now: own ? dateNow : () => apply(now, timers, []),
  };
}

/** What one runtime consists of, and the functions that its module imports. */
class Shared {
  /** @type {Timers} */ #timers;
  /** @type {unknown} */ #contract;
  /** @type {GoHost} */ #go = new GoHost((code) => this.#exited(code));
  #callbacks = new Callbacks();
  /** @type {Instance} */ #instance = /** @type {any} */ (null);
  /** @type {Memory} */ #memory = /** @type {any} */ (null);
  /** @type {Registries} */ #registries = /** @type {any} */ (null);
  /** @type {WebMCP} */ #webmcp = /** @type {any} */ (null);
  /** @type {Conformance} */ #conformance = /** @type {any} */ (null);
  /** @type {any} */ #timer;
  /** Whether the timer keeps a process of Node alive. */ #holds = true;

  /** @param {Timers} timers @param {unknown} contract */
  constructor(timers, contract) {
    this.#timers = timers;
    this.#contract = contract;
  }

  /** The runtime. @param {any} wasmInstance */
  start(wasmInstance) {
    this.#memory = new Memory(instanceExports(wasmInstance).mem);
    this.#instance = new Instance(wasmInstance, this.#memory);
    this.#go.open(this.#memory, () => this.#instance.resume());
    try {
      return this.#begin();
    } catch (error) {
      this.#go.close();
      throw new NativeError(this.#instance.dead ?? /** @type {any} */ (error).message);
    }
  }

  #begin() {
    this.#instance.start();
    this.#callbacks.open(this.#instance);
    this.#callbacks.clockNow = () => this.#now();
    this.#registries = new Registries(this.#instance, this.#callbacks, new Authorities(this.#instance, this.#contract));
    this.#webmcp = new WebMCP(this.#instance, this.#registries);
    this.#conformance = new Conformance(this.#instance, this.#registries);
    this.#callbacks.answerAdapters((question, a, b, ticket, text) => question === Question.Subject
      ? this.#conformance.answer(a, b, ticket, text)
      : this.#webmcp.answer(question, a, b, ticket, text));
    const runtime = createRuntime(this.#instance, this.#callbacks, this.#registries, this.#webmcp, new Toolsets(this.#instance, this.#registries), this.#conformance);
    this.#instance.onDeath(() => this.#died());
    return runtime;
  }

  /** @param {number} code */
  #exited(code) {
    this.#instance.die(code === 0 ? "the program returned" : `the program ended with code ${code}`);
  }

  #died() {
    this.#go.close();
    this.#disarm();
    this.#registries.loseAll();
    this.#webmcp.loseAll();
    this.#conformance.loseAll();
    this.#callbacks.abortAll();
  }

  imports() {
    const go = this.#go.imports();
    return {
      __proto__: null,
      gojs: go,
      pagewarden: {
        __proto__: null,
        ask: (/** @type {number} */ question, /** @type {number} */ a, /** @type {number} */ b, /** @type {number} */ ticket, /** @type {number} */ address, /** @type {number} */ length) =>
          this.#ask(question, a, b, ticket, address, length),
        tell: (/** @type {number} */ news, /** @type {number} */ a, /** @type {number} */ b, /** @type {number} */ address, /** @type {number} */ length) =>
          this.#tell(news, a, b, address, length),
        now: () => this.#now(),
        random: (/** @type {number} */ address, /** @type {number} */ length) => getRandomValues(this.#memory.view(address >>> 0, length >>> 0)),
        arm: (/** @type {number} */ ms) => this.#arm(ms),
        post_task: () => postTask(() => this.#instance.send(Op.Tasks, 0, 0, "")),
        post_microtask: () => microtask(() => this.#instance.send(Op.Soon, 0, 0, "")),
      },
    };
  }

  /** @param {number} question @param {number} a @param {number} b @param {number} ticket @param {number} address @param {number} length */
  #ask(question, a, b, ticket, address, length) {
    if (this.#instance.dead !== null) {
      return Answer.Failed; // a dying program goes on for a while
    }
    try {
      const reply = this.#callbacks.ask(question, a, b, ticket, this.#memory.text(address, length));
      if (this.#instance.dead === null && reply.body !== "") {
        this.#memory.answer(reply.body);
      }
      return reply.answer;
    } catch {
      this.#instance.die("the script failed while the module called it");
      return Answer.Failed;
    }
  }

  /** @param {number} news @param {number} a @param {number} b @param {number} address @param {number} length */
  #tell(news, a, b, address, length) {
    if (this.#instance.dead !== null) {
      return;
    }
    try {
      this.#hear(news, a, b, this.#memory.text(address, length));
    } catch {
      this.#instance.die("the script failed while the module called it");
    }
  }

  /** @param {number} news @param {number} a @param {number} b @param {string} text */
  #hear(news, a, b, text) {
    switch (news) {
      case News.Result:
        return this.#registries.result(b, text);
      case News.Outcome:
        return this.#registries.outcome(b, text);
      case News.Event:
        return this.#registries.event(a, b, text);
      case News.Audit:
        return this.#registries.audit(a, b, text);
      case News.Abort:
        return this.#callbacks.abort(a, text);
      case News.Next:
        return this.#callbacks.settleNext(a, b === 0, text);
      case News.Freed:
        return this.#callbacks.free(a, b === 1);
      case News.Log:
        return report(b === 1 ? "debug" : "warn", `pagewarden: ${text}`);
      case News.ToolResult:
        return this.#webmcp.result(b, text);
      case News.HandlerDone:
        return this.#callbacks.done(a);
      case News.AdapterIdle:
        return this.#webmcp.idle(a, text);
      case News.Conformance:
        return this.#conformance.report(a, text);
      case News.Tools:
        return this.#registries.changed(a, b);
    }
  }

  #now() {
    try {
      const now = this.#timers.now();
      return typeof now === "number" ? now : dateNow();
    } catch {
      return dateNow();
    }
  }

  /** @param {number} ms */
  #arm(ms) {
    this.#disarm();
    if (this.#instance.dead !== null) {
      return;
    }
    try {
      this.#timer = this.#timers.setTimeout(() => this.#instance.send(Op.Timers, 0, 0, ""), ms);
      this.#holds = true;
      if (typeof pick(this.#timer, "unref") === "function") {
        this.#instance.afterEach(() => this.#hold());
      }
    } catch {
      // Without timers time limits do not end calls; the clock still decides whenever it is looked at.
    }
  }

  /** In Node a timer keeps the process alive, which it should while somebody waits for what it may bring. */
  #hold() {
    const wanted = this.#registries.waiting() + this.#webmcp.waiting() + this.#conformance.waiting() + this.#callbacks.guests.askAll("?") > 0;
    if (wanted !== this.#holds && this.#timer !== undefined) {
      this.#holds = wanted;
      try {
        wanted ? this.#timer.ref?.() : this.#timer.unref();
      } catch {
        // The operation has taken effect: a timer of the page's own cannot make it fail.
      }
    }
  }

  #disarm() {
    try {
      if (this.#timer !== undefined) {
        this.#timers.clearTimeout(this.#timer);
      }
    } catch {
      // as above
    }
    this.#timer = undefined;
  }
}
