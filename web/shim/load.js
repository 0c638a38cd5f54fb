// @ts-check
/** Loading: from bytes, a module, a response or a URL to a runtime. */
import {
  Bytes, NativeError, NativeTypeError, apply, bufferLength, contentType, fetchURL, getRandomValues, isObject, isView, microtask,
  dateNow, instanceExports, pick, postTask, report, responseBytes, responseOk, responseStatus, responseURL, setTimer, clearTimer,
  urlText, wasmCompile, wasmCompileStreaming, wasmInstantiate, wasmModuleExports,
} from "./intrinsics.js";
import { Callbacks } from "./callbacks.js";
import { GoHost } from "./gojs.js";
import { Instance } from "./instance.js";
import { Memory } from "./memory.js";
import * as Answer from "./ops/answer.js";
import * as News from "./ops/news.js";
import * as Op from "./ops/op.js";
import { deferred, settled } from "./promises.js";
import { Registries } from "./registry.js";
import { createRuntime } from "./runtime.js";
import { WebMCP } from "./webmcp.js";

/** The id of the build that this script belongs to, put in by the bundler. */
// @ts-expect-error: the bundler defines the name
const BUILD = /** @type {string} */ (__BUILD_ID__);

/** @typedef {{ __proto__?: null, setTimeout: any, clearTimeout: any, now: any }} Timers */

/**
 * Loads the module and starts a runtime of its own.
 * @param {any} [options] { wasm, contract?, timers? }
 * @returns {Promise<any>}
 */
export function load(options) {
  const outcome = deferred();
  let name = "the given module";
  const fail = (/** @type {unknown} */ cause) => outcome.reject(loadError(name, cause));
  try {
    const wasm = pick(options, "wasm");
    name = nameOf(wasm);
    const timers = timersOf(pick(options, "timers"));
    compile(wasm, name, (module) => start(module, timers, outcome.resolve, fail), fail);
  } catch (error) {
    fail(error);
  }
  return outcome.promise;
}

/** @param {any} wasm */
function nameOf(wasm) {
  if (typeof wasm === "string") {
    return wasm;
  }
  const name = takes(urlText, wasm) ? urlText(wasm) : takes(responseURL, wasm) ? responseURL(wasm) : "";
  return name || (isObject(wasm) ? "the given module" : "nothing");
}

/** @param {string} name @param {any} cause */
function loadError(name, cause) {
  let why = "unknown";
  try {
    why = `${pick(cause, "message") ?? cause}`;
  } catch {
    // A cause that cannot be read stays unknown.
  }
  return new NativeError(`pagewarden: loading ${name} failed: ${why}`);
}

/**
 * @param {any} wasm
 * @param {string} name
 * @param {(module: any) => void} done
 * @param {(error: unknown) => void} fail
 */
function compile(wasm, name, done, fail) {
  if (typeof wasm === "string" || takes(urlText, wasm)) {
    settled(fetchURL(name), (response) => compileResponse(response, done, fail), fail);
  } else if (takes(responseStatus, wasm)) {
    compileResponse(wasm, done, fail);
  } else if (isView(wasm) || takes(bufferLength, wasm)) {
    settled(wasmCompile(wasm), done, fail);
  } else if (takes(wasmModuleExports, wasm)) {
    done(wasm);
  } else {
    fail(new NativeTypeError(`load needs { wasm }: a URL, a Response, bytes or a WebAssembly.Module, and got ${name}`));
  }
}

/** Whether a value is of the class that a method of the host's belongs to. @param {(value: any) => unknown} method @param {any} value */
function takes(method, value) {
  try {
    method(value);
    return true;
  } catch {
    return false;
  }
}

/** @param {any} response @param {(module: any) => void} done @param {(error: unknown) => void} fail */
function compileResponse(response, done, fail) {
  if (!responseOk(response)) {
    fail(new NativeError(`the server answered ${responseStatus(response)}`));
    return;
  }
  const type = contentType(response);
  if (type === "application/wasm") {
    settled(wasmCompileStreaming(response), done, fail);
    return;
  }
  report("warn", `pagewarden: the module is served as "${type}" and not as application/wasm, so it compiles later`);
  settled(responseBytes(response), (bytes) => {
    if (!startsAsWasm(bytes)) {
      fail(new NativeError(`what the server sent is not WebAssembly (${type || "no content type"})`));
      return;
    }
    settled(wasmCompile(bytes), done, fail);
  }, fail);
}

/** @param {ArrayBuffer} buffer */
function startsAsWasm(buffer) {
  const bytes = new Bytes(buffer);
  return bytes[0] === 0x00 && bytes[1] === 0x61 && bytes[2] === 0x73 && bytes[3] === 0x6d;
}

/** @param {any} timers @returns {Timers} */
function timersOf(timers) {
  if (timers === undefined) {
    // Not the functions themselves: a browser's refuse to be called as methods of another object.
    return {
      __proto__: null,
      setTimeout: (/** @type {any} */ run, /** @type {number} */ ms) => setTimer(run, ms),
      clearTimeout: (/** @type {any} */ id) => clearTimer(id),
      now: dateNow,
    };
  }
  const set = pick(timers, "setTimeout");
  const clear = pick(timers, "clearTimeout");
  const now = pick(timers, "now") ?? dateNow;
  if (typeof set !== "function" || typeof clear !== "function" || typeof now !== "function") {
    throw new NativeTypeError("load: timers must have setTimeout, clearTimeout and, if given, now");
  }
  return {
    __proto__: null,
    setTimeout: (/** @type {any} */ run, /** @type {number} */ ms) => apply(set, timers, [run, ms]),
    clearTimeout: (/** @type {any} */ id) => apply(clear, timers, [id]),
    now: () => apply(now, timers, []),
  };
}

/**
 * @param {any} module
 * @param {Timers} timers
 * @param {(runtime: any) => void} done
 * @param {(error: unknown) => void} fail
 */
function start(module, timers, done, fail) {
  const shared = new Shared(timers);
  settled(wasmInstantiate(module, /** @type {any} */ (shared.imports())), (instance) => {
    try {
      done(shared.start(instance));
    } catch (error) {
      fail(error);
    }
  }, fail);
}

/** What one runtime consists of, and the functions that its module imports. */
class Shared {
  /** @type {Timers} */ #timers;
  /** @type {GoHost} */ #go = new GoHost((code) => this.#exited(code));
  #callbacks = new Callbacks();
  /** @type {Instance} */ #instance = /** @type {any} */ (null);
  /** @type {Memory} */ #memory = /** @type {any} */ (null);
  /** @type {Registries} */ #registries = /** @type {any} */ (null);
  /** @type {WebMCP} */ #webmcp = /** @type {any} */ (null);
  /** @type {any} */ #timer;

  /** @param {Timers} timers */
  constructor(timers) {
    this.#timers = timers;
  }

  /** @param {any} wasmInstance */
  start(wasmInstance) {
    this.#memory = new Memory(instanceExports(wasmInstance).mem);
    this.#instance = new Instance(wasmInstance, this.#memory);
    this.#go.open(this.#memory, () => this.#instance.resume());
    this.#instance.start();
    const build = this.#instance.build();
    if (build !== BUILD) {
      throw new NativeError(`the script is of build ${BUILD} and the module of build ${build}: serve files of one build, and clear caches`);
    }
    this.#callbacks.open(this.#instance);
    this.#callbacks.clockNow = () => this.#now();
    this.#registries = new Registries(this.#instance, this.#callbacks);
    this.#webmcp = new WebMCP(this.#instance, this.#registries);
    this.#callbacks.answerAdapters((question, a, b, ticket, text) => this.#webmcp.answer(question, a, b, ticket, text));
    this.#instance.onDeath(() => this.#died());
    return createRuntime(this.#instance, this.#callbacks, this.#registries, this.#webmcp);
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
      if (this.#instance.dead === null && reply.text !== "") {
        this.#memory.answer(reply.text);
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
        return this.#registries.event(a, text);
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
    } catch {
      // Without timers time limits do not end calls; the clock still decides whenever it is looked at.
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
