// @ts-check
/**
 * One running wasm instance: the one way in, the one way out, and its death.
 *
 * A dead Go instance goes on answering calls with random numbers, so death is latched here: set by the exit
 * import, which Go calls synchronously, and by any exception that leaves an export or the code around one; and
 * looked at after every crossing before what came back is used, and before every entry.
 */
import { NativeTypeError, instanceExports, jsonParse, microtask, report } from "./intrinsics.js";
import { AgentSurfaceDefinitionError, AgentSurfaceError, disposedError, failedPayload, lost } from "./errors.js";
import * as Status from "./ops/status.js";
import { deferred, settled } from "./promises.js";

/** @typedef {import("./memory.js").Memory} Memory */

const ABANDONED = "an exception left the module";

export class Instance {
  /** @type {Memory} */ #memory;
  /** @type {any} */ #exports;
  /** @type {((reason: string) => void) | null} */ #onDeath = null;
  /** @type {(() => void) | null} */ #after = null;
  /** @type {string | null} */ #dead = null;
  #death = deferred();
  #buried = false;

  /** @param {object} wasmInstance @param {Memory} memory */
  constructor(wasmInstance, memory) {
    this.#exports = instanceExports(wasmInstance);
    this.#memory = memory;
    settled(this.#death.promise, () => this.#bury(), () => {});
  }

  /** @param {(reason: string) => void} onDeath told once, in a microtask */
  onDeath(onDeath) {
    this.#onDeath = onDeath;
  }

  /** @param {() => void} after told after each operation that the runtime has survived */
  afterEach(after) {
    this.#after = after;
  }

  get dead() {
    return this.#dead;
  }

  /**
   * Latches the death. What it means to others is done in a microtask: where it is noticed the stack may be
   * full, and the module may still be on it.
   * @param {string} reason
   */
  die(reason) {
    this.#dead ??= reason;
    this.#death.resolve(undefined);
  }

  #bury() {
    if (this.#buried) {
      return;
    }
    this.#buried = true;
    const reason = `${this.#dead}`;
    if (this.#onDeath !== null) { // otherwise it was never ready, and load says why
      report("error", `pagewarden: the runtime has ended: ${reason}. Every call fails from now on; reload the page.`);
      this.#onDeath(reason);
    }
  }

  /** Starts the program, which returns here when it waits for calls. */
  start() {
    this.#guard(() => {
      this.#exports.run(0, 0);
      this.#memory.open((n) => this.#enter(() => this.#exports.pw_reserve(n)), this.#exports.pw_mail());
    });
  }

  /** Lets Go's own scheduler run; nothing of ours needs it. */
  resume() {
    if (this.#dead === null) {
      this.#guard(() => this.#exports.resume());
    }
  }

  /**
   * One operation. What a page did wrong is thrown; so is the death of the runtime, before or during the call.
   * @param {number} op
   * @param {number} a
   * @param {number} b
   * @param {string} text
   * @returns {string} what comes back
   */
  call(op, a, b, text) {
    if (this.#dead !== null) {
      if (!this.#buried) {
        microtask(() => this.#bury()); // when it happened there was not even room for the promise
      }
      throw lost();
    }
    let status = 0;
    let back = "";
    try {
      status = this.#exports.pw_do(op, a, b, this.#memory.put(text));
      if (this.#dead === null) {
        back = this.#memory.back();
      }
    } catch {
      this.#dead ??= ABANDONED; // by hand: a full stack has no room for a call of ours
      this.#death.resolve(undefined);
    }
    if (this.#dead !== null) {
      throw lost();
    }
    if (this.#after !== null) {
      this.#after();
    }
    return accept(status, back);
  }

  /**
   * An operation that a callback of the host's asks for, where nobody could catch anything.
   * @param {number} op
   * @param {number} a
   * @param {number} b
   * @param {string} text
   */
  send(op, a, b, text) {
    try {
      this.call(op, a, b, text);
    } catch {
      // The runtime has ended, or the operation came too late: there is nobody to tell.
    }
  }

  /** @param {() => void} enter */
  #guard(enter) {
    this.#enter(enter);
    if (this.#dead !== null) {
      throw lost();
    }
  }

  /**
   * @template T
   * @param {() => T} enter
   * @returns {T}
   */
  #enter(enter) {
    try {
      return enter();
    } catch {
      this.#dead ??= ABANDONED; // as above
      this.#death.resolve(undefined);
      throw lost();
    }
  }
}

/** @param {number} status @param {string} back */
function accept(status, back) {
  switch (status) {
    case Status.OK:
      return back;
    case Status.Definition: {
      const { code, message } = jsonParse(back);
      throw new AgentSurfaceDefinitionError(code, message);
    }
    case Status.Type:
      throw new NativeTypeError(back);
    case Status.Disposed:
      throw disposedError();
  }
  throw new AgentSurfaceError(failedPayload("internal"));
}
