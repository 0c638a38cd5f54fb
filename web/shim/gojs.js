// @ts-check
/**
 * What a Go program for js/wasm imports of its host, in place of Go's wasm_exec.js, which looks its built-ins
 * up at call time and leaves names on the page's global. Go sees a private object as its global, so none of
 * the page's objects can come in this way.
 *
 * Arguments lie at sp + 8 in slots of 8 bytes; a js.Value is a float64 that is the number itself, or a NaN
 * whose low word is a number in the value table.
 */
import {
  NativeMap, NativeTypeError, apply, bytesSet, construct, dateNow, encodeInto, getRandomValues, isNotANumber, mapDelete, mapGet,
  mapSet, monotonicNow, report, setTimer, clearTimer, Bytes, typedArrayLength, floor, stringSlice,
} from "./intrinsics.js";

const NAN_HEAD = 0x7ff80000;
const FIRST_FREE = 7;

/** What Go's packages look for on their global when they start; nothing in it does anything. */
function privateGlobal() {
  const unsupported = () => {
    throw new NativeTypeError("not supported");
  };
  const constants = { __proto__: null, O_WRONLY: -1, O_RDWR: -1, O_CREAT: -1, O_TRUNC: -1, O_APPEND: -1, O_EXCL: -1, O_DIRECTORY: -1 };
  return {
    __proto__: null,
    Object: function Empty() {},
    Array: function Empty() {},
    Uint8Array: Bytes,
    fs: { __proto__: null, constants },
    path: { __proto__: null, resolve: unsupported },
    process: { __proto__: null, pid: -1, ppid: -1, umask: unsupported, cwd: unsupported, chdir: unsupported },
  };
}

/** The imports of one instance and what they share. */
export class GoHost {
  /** @type {import("./memory.js").Memory} */ #memory = /** @type {any} */ (null);
  /** @type {() => void} */ #resume = () => {};
  /** @type {(code: number) => void} */ #exit;
  /** @type {Map<number, any>} */ #values = new NativeMap();
  /** @type {Map<any, number>} */ #ids = new NativeMap();
  /** @type {Map<number, number>} */ #counts = new NativeMap();
  #lastID = FIRST_FREE - 1;
  #lastTimer = 0;
  /** @type {Map<number, any>} */ #timers = new NativeMap();
  #line = "";

  /** @param {(code: number) => void} exit called synchronously when the program ends, for whatever reason */
  constructor(exit) {
    this.#exit = exit;
    const fixed = [NaN, 0, null, true, false, privateGlobal(), { __proto__: null }];
    for (let id = 0; id < FIRST_FREE; id++) {
      mapSet(this.#values, id, fixed[id]);
      mapSet(this.#ids, fixed[id], id);
    }
  }

  /** @param {import("./memory.js").Memory} memory @param {() => void} resume */
  open(memory, resume) {
    this.#memory = memory;
    this.#resume = resume;
  }

  /** Stops the timers that the program has set. */
  close() {
    this.#resume = () => {};
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

  /** @param {number} address @returns {any} */
  #load(address) {
    const number = this.#memory.doubles[address >> 3];
    if (number === 0) {
      return undefined;
    }
    return isNotANumber(number) ? mapGet(this.#values, this.#word(address) >>> 0) : number;
  }

  /** @param {number} address @param {any} value */
  #store(address, value) {
    if (typeof value === "number" && value !== 0 && !isNotANumber(value)) {
      this.#memory.doubles[address >> 3] = value;
      return;
    }
    if (value === undefined) {
      this.#memory.doubles[address >> 3] = 0;
      return;
    }
    const id = this.#idOf(value);
    const words = this.#memory.words;
    words[address >> 2] = id;
    words[(address >> 2) + 1] = NAN_HEAD | typeFlag(value);
  }

  /** @param {any} value */
  #idOf(value) {
    let id = mapGet(this.#ids, value);
    if (id === undefined) {
      id = ++this.#lastID;
      mapSet(this.#values, id, value);
      mapSet(this.#ids, value, id);
    }
    mapSet(this.#counts, id, (mapGet(this.#counts, id) ?? 0) + 1);
    return id;
  }

  /** @param {number} address of a slice or string: pointer and length @returns {Uint8Array<ArrayBuffer>} */
  #slice(address) {
    return this.#memory.view(this.#word(address) >>> 0, this.#word(address + 8) >>> 0);
  }

  /** @param {number} address @returns {string} */
  #string(address) {
    return this.#memory.text(this.#word(address), this.#word(address + 8));
  }

  /** @param {number} address @returns {any[]} the js.Values of a slice */
  #list(address) {
    const start = this.#word(address);
    const length = this.#word(address + 8);
    return listOf(length, (i) => this.#load(start + i * 8));
  }

  /**
   * Runs a call whose exception is a value to Go: the result at address, and at ok whether it went well.
   * @param {number} address
   * @param {number} ok
   * @param {() => any} run
   */
  #attempt(address, ok, run) {
    let value;
    let good = 1;
    try {
      value = run();
    } catch (error) {
      value = error;
      good = 0;
    }
    this.#store(address, value);
    this.#memory.bytes[ok] = good;
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
        const timer = mapGet(this.#timers, id);
        mapDelete(this.#timers, id);
        try {
          clearTimer(timer);
        } catch {
          // as in #schedule
        }
      },
      "runtime.getRandomData": (/** @type {number} */ sp) => getRandomValues(this.#slice(sp + 8)),
      "syscall/js.finalizeRef": (/** @type {number} */ sp) => this.#release(this.#word(sp + 8) >>> 0),
      "syscall/js.stringVal": (/** @type {number} */ sp) => this.#store(sp + 24, this.#string(sp + 8)),
      "syscall/js.valueGet": (/** @type {number} */ sp) => this.#store(sp + 32, this.#load(sp + 8)[this.#string(sp + 16)]),
      "syscall/js.valueSet": (/** @type {number} */ sp) => {
        this.#load(sp + 8)[this.#string(sp + 16)] = this.#load(sp + 32);
      },
      "syscall/js.valueIndex": (/** @type {number} */ sp) => this.#store(sp + 24, this.#load(sp + 8)[this.#word(sp + 16)]),
      "syscall/js.valueSetIndex": (/** @type {number} */ sp) => {
        this.#load(sp + 8)[this.#word(sp + 16)] = this.#load(sp + 24);
      },
      "syscall/js.valueLength": (/** @type {number} */ sp) => this.#setLong(sp + 16, this.#load(sp + 8).length),
      "syscall/js.valueCall": (/** @type {number} */ sp) => this.#attempt(sp + 56, sp + 64, () => {
        const self = this.#load(sp + 8);
        return apply(self[this.#string(sp + 16)], self, this.#list(sp + 32));
      }),
      "syscall/js.valueNew": (/** @type {number} */ sp) => this.#attempt(sp + 40, sp + 48, () => construct(this.#load(sp + 8), this.#list(sp + 16))),
      "syscall/js.valuePrepareString": (/** @type {number} */ sp) => {
        const value = this.#load(sp + 8);
        const text = typeof value === "string" ? value : "";
        const bytes = new Bytes(text.length * 3);
        const { written } = encodeInto(text, bytes);
        this.#store(sp + 16, new Bytes(bytes.buffer, 0, written));
        this.#setLong(sp + 24, written);
      },
      "syscall/js.valueLoadString": (/** @type {number} */ sp) => bytesSet(this.#slice(sp + 16), this.#load(sp + 8)),
      "syscall/js.copyBytesToGo": (/** @type {number} */ sp) => this.#copy(sp + 40, sp + 48, this.#slice(sp + 8), this.#load(sp + 32)),
      "syscall/js.copyBytesToJS": (/** @type {number} */ sp) => this.#copy(sp + 40, sp + 48, this.#load(sp + 8), this.#slice(sp + 16)),
    });
  }

  /** @param {number} address @param {number} ok @param {Uint8Array} to @param {Uint8Array} from */
  #copy(address, ok, to, from) {
    const length = typedArrayLength(to) < typedArrayLength(from) ? typedArrayLength(to) : typedArrayLength(from);
    for (let i = 0; i < length; i++) {
      to[i] = /** @type {number} */ (from[i]);
    }
    this.#setLong(address, length);
    this.#memory.bytes[ok] = 1;
  }

  /** @param {number} id */
  #release(id) {
    const count = (mapGet(this.#counts, id) ?? 0) - 1;
    mapSet(this.#counts, id, count);
    if (count <= 0 && id >= FIRST_FREE) {
      mapDelete(this.#ids, mapGet(this.#values, id));
      mapDelete(this.#values, id);
      mapDelete(this.#counts, id);
    }
  }
}

/** @param {any} value */
function typeFlag(value) {
  switch (typeof value) {
    case "object":
      return value === null ? 0 : 1;
    case "string":
      return 2;
    case "symbol":
      return 3;
    case "function":
      return 4;
  }
  return 0;
}

/**
 * An array whose elements are its own from the start: writing to a new index would run a setter that a page
 * may have put on Array.prototype.
 * @param {number} length
 * @param {(index: number) => any} element
 * @returns {any[]}
 */
function listOf(length, element) {
  switch (length) {
    case 0:
      return [];
    case 1:
      return [element(0)];
    case 2:
      return [element(0), element(1)];
  }
  return [element(0), element(1), element(2)];
}
