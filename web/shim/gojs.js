// @ts-check
/**
 * What a Go program for js/wasm imports of its host, in place of Go's wasm_exec.js, which looks its built-ins
 * up at call time and leaves names on the page's global. No object of the page can come in this way: there is none.
 *
 * Arguments lie at sp + 8 in slots of 8 bytes; a js.Value is a float64 that is the number itself, or a NaN
 * whose low word is a number by which Go asks for more. Of syscall/js the program only reads properties, while its
 * packages start; the rest has to be there but is never called, and would end the runtime if it were.
 */
import {
  NativeMap, NativeTypeError, dateNow, getRandomValues, mapClear, mapDelete, mapForEach, mapGet, mapSet, monotonicNow,
  report, setTimer, clearTimer, floor, stringSlice,
} from "./intrinsics.js";

const OBJECT_HEAD = 0x7ff80001;
const OBJECT = 7; // those below are Go's own
const MINUS_ONE_HEAD = 0xbff00000;

const unsupported = () => {
  throw new NativeTypeError("not supported");
};

/** The imports of one instance and what they share. */
export class GoHost {
  /** @type {import("./memory.js").Memory} */ #memory = /** @type {any} */ (null);
  /** @type {() => void} */ #resume = () => {};
  /** @type {(code: number) => void} */ #exit;
  #lastTimer = 0;
  /** @type {Map<number, any>} */ #timers = new NativeMap();
  #line = "";

  /** @param {(code: number) => void} exit called synchronously when the program ends, for whatever reason */
  constructor(exit) {
    this.#exit = exit;
  }

  /** @param {import("./memory.js").Memory} memory @param {() => void} resume */
  open(memory, resume) {
    this.#memory = memory;
    this.#resume = resume;
  }

  /** Stops the timers that the program has set. */
  close() {
    this.#resume = () => {};
    mapForEach(this.#timers, (timer) => this.#cancel(timer));
    mapClear(this.#timers);
  }

  /** @param {any} timer */
  #cancel(timer) {
    try {
      clearTimer(timer);
    } catch {
      // as in #schedule
    }
  }

  /** @param {number} address @returns {number} */
  #word(address) {
    return /** @type {number} */ (this.#memory.words[address >> 2]);
  }

  /** @param {number} address @param {number} value below 2^53 */
  #setLong(address, value) {
    const words = this.#memory.words;
    words[address >> 2] = value | 0;
    words[(address >> 2) + 1] = floor(value / 4294967296);
  }

  /** The js.Value of a property that Go reads: it insists that fs and its constants are objects, and these numbers. @param {number} sp */
  #get(sp) {
    const name = this.#memory.text(this.#word(sp + 16), this.#word(sp + 24));
    const known = name === "fs" || name === "constants";
    const words = this.#memory.words;
    words[(sp + 32) >> 2] = known ? OBJECT : 0;
    words[(sp + 36) >> 2] = known ? OBJECT_HEAD : MINUS_ONE_HEAD;
  }

  /** @param {number} fd @param {string} text */
  #write(fd, text) {
    this.#line += text;
    for (let i = 0; i < this.#line.length; i++) {
      if (this.#line[i] === "\n") {
        report(fd === 2 ? "error" : "debug", `pagewarden: ${stringSlice(this.#line, 0, i)}`);
        this.#line = stringSlice(this.#line, i + 1);
        i = -1;
      }
    }
  }

  /** @param {number} sp */
  #schedule(sp) {
    const id = ++this.#lastTimer;
    try {
      mapSet(this.#timers, id, setTimer(() => {
        mapDelete(this.#timers, id);
        this.#resume();
      }, this.#word(sp + 8)));
    } catch {
      // Go's own timers only tidy up; a page without timers goes without.
    }
    this.#memory.words[(sp + 16) >> 2] = id;
  }

  /**
   * The import object's "gojs" part, by Go's names.
   * @returns {Record<string, (sp: number) => void>}
   */
  imports() {
    return /** @type {any} */ ({
      __proto__: null,
      "runtime.wasmExit": (/** @type {number} */ sp) => this.#exit(this.#word(sp + 8)),
      "runtime.wasmWrite": (/** @type {number} */ sp) => this.#write(this.#word(sp + 8), this.#memory.text(this.#word(sp + 16), this.#word(sp + 24))),
      "runtime.resetMemoryDataView": () => {},
      "runtime.nanotime1": (/** @type {number} */ sp) => this.#setLong(sp + 8, floor(monotonicNow() * 1e6)),
      "runtime.walltime": (/** @type {number} */ sp) => {
        const now = dateNow();
        this.#setLong(sp + 8, floor(now / 1000));
        this.#memory.words[(sp + 16) >> 2] = (now % 1000) * 1e6;
      },
      "runtime.scheduleTimeoutEvent": (/** @type {number} */ sp) => this.#schedule(sp),
      "runtime.clearTimeoutEvent": (/** @type {number} */ sp) => {
        const id = this.#word(sp + 8);
        this.#cancel(mapGet(this.#timers, id));
        mapDelete(this.#timers, id);
      },
      "runtime.getRandomData": (/** @type {number} */ sp) => getRandomValues(this.#memory.view(this.#word(sp + 8) >>> 0, this.#word(sp + 16) >>> 0)),
      "syscall/js.valueGet": (/** @type {number} */ sp) => this.#get(sp),
      "syscall/js.finalizeRef": () => {},
      "syscall/js.stringVal": unsupported,
      "syscall/js.valueSet": unsupported,
      "syscall/js.valueIndex": unsupported,
      "syscall/js.valueSetIndex": unsupported,
      "syscall/js.valueLength": unsupported,
      "syscall/js.valueCall": unsupported,
      "syscall/js.valueNew": unsupported,
      "syscall/js.valuePrepareString": unsupported,
      "syscall/js.valueLoadString": unsupported,
      "syscall/js.copyBytesToGo": unsupported,
      "syscall/js.copyBytesToJS": unsupported,
    });
  }
}
