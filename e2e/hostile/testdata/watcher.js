/**
 * Which objects of a realm a hostile script may come by, and which are the runtime's.
 *
 * The rule is a closed world, so that nothing has to be recognised as internal to count as such. A hostile script
 * may have what the realm held before the script of the runtime ran (its built-ins), what the page has made, and
 * what the runtime has handed to the page. Whatever else a patched function is given is the runtime's, whether it
 * is the memory or a plain array: the runtime had no business to give it away.
 *
 * What is handed to the page is looked through as well. Nothing reachable from it may be what the module was made
 * of (memory, buffer, views, instance, exports, imports), an object without a prototype, a table, or an object of a
 * class that neither the realm nor the page knows: no object of the API is one of these, and the runtime's records,
 * tables and private classes are nothing else.
 *
 * This module lives in the parent's realm, whose built-ins nobody patches. Reading descriptors runs no getter.
 */

const { ownKeys, getOwnPropertyDescriptor, getPrototypeOf, apply } = Reflect;
const getterOf = (prototype, name) => {
  const { get } = getOwnPropertyDescriptor(prototype, name);
  return (self) => apply(get, self, []);
};
const typedBuffer = getterOf(getPrototypeOf(Uint8Array.prototype), "buffer");
const viewBuffer = getterOf(DataView.prototype, "buffer");
const bufferLength = getterOf(ArrayBuffer.prototype, "byteLength");
const memoryBuffer = getterOf(WebAssembly.Memory.prototype, "buffer");
const instanceExports = getterOf(WebAssembly.Instance.prototype, "exports");
const mapSize = getterOf(Map.prototype, "size");
const setSize = getterOf(Set.prototype, "size");
const { forEach: eachOfMap } = Map.prototype;
const { forEach: eachOfSet } = Set.prototype;
const { has: weakMapHas } = WeakMap.prototype;

/** How many objects are looked at for one value that a patched function was given. */
const MOST = 4000;

export const isObject = (value) => (typeof value === "object" && value !== null) || typeof value === "function";

// The checks below throw often, and nobody reads these stacks; attackers.js raises the limit for its own.
Error.stackTraceLimit = 0;

/** Whether a method that checks what it is called on takes an object: what no prototype or name can fake. */
function takes(method, object) {
  try {
    method(object);
    return true;
  } catch {
    return false;
  }
}
const isMap = (object) => takes(mapSize, object);
const isSet = (object) => takes(setSize, object);
const isWeakMap = (object) => takes((self) => apply(weakMapHas, self, [self]), object);
const isBuffer = (object) => takes(bufferLength, object);

/** The buffer of a view, undefined for what is none. */
function bufferOf(object) {
  if (!ArrayBuffer.isView(object)) {
    return undefined;
  }
  return takes(viewBuffer, object) ? viewBuffer(object) : typedBuffer(object);
}

/** Calls add with what an object's properties and prototype are. */
function properties(object, add) {
  for (const key of ownKeys(object)) {
    const property = getOwnPropertyDescriptor(object, key);
    if (property !== undefined) {
      const step = `.${String(key)}`;
      add(property.value, step);
      add(property.get, step);
      add(property.set, step);
    }
  }
  add(getPrototypeOf(object), ".__proto__");
}

/** Calls add with the entries of a map or set. */
function entries(object, add) {
  if (isMap(object)) {
    apply(eachOfMap, object, [(value, key) => (add(value, ".entry"), add(key, ".key"))]);
  } else if (isSet(object)) {
    apply(eachOfSet, object, [(value) => add(value, ".entry")]);
  }
}

/** Adds what can be reached from a root to a set. */
function collect(root, set) {
  const waiting = [root];
  const add = (value) => void (isObject(value) && waiting.push(value));
  while (waiting.length > 0) {
    const object = waiting.pop();
    if (isObject(object) && !set.has(object)) {
      set.add(object);
      properties(object, add);
    }
  }
}

/** The objects of the suite's own realm, while there is no other. */
const suite = new WeakSet();
collect(globalThis, suite);

export class Watcher {
  /** What the realm had before the script ran, and what the suite put there. */
  #builtIns = new WeakSet();
  /** What the page made, or was given by the runtime. */
  #owned = new WeakSet();
  /** What the module was made of, by what it is. */
  #parts = new Map();
  #memories = [];
  #buffers = new Map();
  /** Prototypes of objects that have nothing but properties, which most have. */
  #plain;
  /** What is still to be looked through: of the page, or handed to it. @type {(() => void)[]} */
  #waiting = [];
  /**
   * Whether everything that is handed to the page is looked through at once. Otherwise that waits until something
   * patched is used, which it mostly is not.
   */
  eager = false;
  /** What was given away, as texts; each once. */
  leaks = new Set();

  /** @param {Window} realm a realm in which no script has run */
  constructor(realm) {
    this.#plain = new Set([realm, window].flatMap(({ Object, Array, Function }) => [Object.prototype, Array.prototype, Function.prototype]));
    const sample = realm.eval(`[
      [][Symbol.iterator](), new Map()[Symbol.iterator](), new Set()[Symbol.iterator](), ""[Symbol.iterator](), "".matchAll(/x/g),
      function* () {}, async () => {}, async function* () {}, new Intl.Segmenter().segment("")[Symbol.iterator](),
    ]`);
    const { document, crypto, performance, navigator, location, history, screen, customElements, caches, indexedDB } = realm;
    for (const root of [realm, sample, document, crypto, crypto.subtle, performance, navigator, location, history, screen, customElements, caches, indexedDB]) {
      collect(root, this.#builtIns);
    }
  }


  /**
   * Looks at everything that can be reached from a value by properties (accessors too, without calling them),
   * prototypes, and the entries of maps and sets. enter says whether to look into an object.
   * @param {unknown} value @param {string} path @param {(object: object, path: string) => boolean} enter
   */
  #explore(value, path, enter) {
    const waiting = [{ value, path }];
    const seen = new Set();
    while (waiting.length > 0 && seen.size < MOST) {
      const next = waiting.pop();
      if (!isObject(next.value) || seen.has(next.value)) {
        continue;
      }
      seen.add(next.value);
      if (enter(next.value, next.path)) {
        const add = (found, step) => void (isObject(found) && waiting.push({ value: found, path: next.path + step }));
        properties(next.value, add);
        if (!this.#plain.has(getPrototypeOf(next.value))) {
          entries(next.value, add);
        }
      }
    }
  }

  /** Whether a hostile script may have an object. */
  #mayHave(object) {
    return this.#builtIns.has(object) || this.#owned.has(object) || suite.has(object);
  }

  /** The suite's own functions and forged values. */
  allow(value) {
    this.#builtIns.add(value);
  }

  /** What the module is made of; called before the runtime sees the instance. */
  module(instance, imports) {
    this.#part(instance, "the WebAssembly instance");
    const exports = instanceExports(instance);
    this.#part(exports, "the exports");
    for (const name of ownKeys(exports)) {
      this.#part(exports[name], `the export ${name}`);
      if (takes(memoryBuffer, exports[name])) {
        this.#part(exports[name], "the WebAssembly memory");
        this.#memories.push(exports[name]);
      }
    }
    this.#imports(imports, "the imports");
  }

  #imports(table, name) {
    this.#part(table, name);
    for (const key of ownKeys(table)) {
      const value = table[key];
      if (typeof value === "function") {
        this.#part(value, `the import ${key}`);
      } else if (isObject(value)) {
        this.#imports(value, `${name}.${key}`);
      }
    }
  }

  #part(object, name) {
    this.#parts.set(object, name);
  }

  /** Buffers that the memory has or had: each growth makes a new one. */
  #lookAtMemory() {
    for (const memory of this.#memories) {
      this.#buffers.set(memoryBuffer(memory), "the buffer of the memory");
    }
  }

  /**
   * Marks what the page made, with everything in it.
   * @param {unknown} value
   */
  own(value) {
    this.#later(value, () => this.#explore(value, "", (object) => {
      if (this.#mayHave(object)) {
        return false;
      }
      this.#owned.add(object);
      return true;
    }));
  }

  /**
   * Marks what the runtime hands to the page, and notes what it should not have.
   * @param {unknown} value @param {string} where
   */
  handed(value, where) {
    this.#later(value, () => this.#explore(value, where, (object, path) => {
      if (this.#mayHave(object)) {
        return false;
      }
      const what = this.#internal(object);
      if (what !== undefined) {
        this.leaks.add(`${path} is ${what}`);
        return false;
      }
      this.#owned.add(object);
      return true;
    }));
  }

  /** Looks through a value now or when that matters, after those that came before it. @param {unknown} value @param {() => void} look */
  #later(value, look) {
    if (isObject(value)) {
      this.#waiting.push(look);
      if (this.eager) {
        this.#catchUp();
      }
    }
  }

  #catchUp() {
    this.#lookAtMemory();
    const looks = this.#waiting;
    this.#waiting = [];
    looks.forEach((look) => look());
  }

  /**
   * The same for the runtime itself, which is the one object that it hands out without a prototype, as a module's
   * namespace is.
   */
  namespace(value, where) {
    if (isObject(value) && getPrototypeOf(value) === null) {
      this.#owned.add(value);
      properties(value, (member) => this.handed(member, where));
    } else {
      this.handed(value, where);
    }
  }

  /**
   * Looks through what a patched function was given.
   * @param {unknown} value @param {string} where
   * @returns {boolean} whether it was something of the runtime's
   */
  received(value, where) {
    this.#catchUp();
    const before = this.leaks.size;
    this.#explore(value, where, (object, path) => {
      if (this.#mayHave(object)) {
        return false;
      }
      this.leaks.add(`${path} is ${this.#internal(object) ?? unknown(object)}`);
      return true;
    });
    return this.leaks.size > before;
  }

  /** What an object is if it can only be the runtime's, whoever holds it. */
  #internal(object) {
    const part = this.#parts.get(object) ?? this.#buffers.get(object);
    const prototype = getPrototypeOf(object);
    if (part !== undefined || this.#plain.has(prototype)) {
      return part;
    }
    if (prototype === null) {
      return `a record without a prototype { ${ownKeys(object).map(String).join(", ")} }`;
    }
    if (!this.#mayHave(prototype)) {
      return "an object of a class of the runtime's";
    }
    const buffer = bufferOf(object);
    if (buffer !== undefined) {
      return this.#buffers.has(buffer) ? "a view of the memory" : "a view of bytes of the runtime's";
    }
    if (isBuffer(object)) {
      return "a buffer of the runtime's";
    }
    if (isMap(object)) {
      return `a table (a map of ${mapSize(object)})`;
    }
    if (isSet(object) || isWeakMap(object)) {
      return "a table (a set or weak map)";
    }
    return undefined;
  }
}

/** What is the runtime's for no other reason than that the page never got it. */
function unknown(object) {
  if (typeof object === "function") {
    return `a function of the runtime's (${getOwnPropertyDescriptor(object, "name")?.value})`;
  }
  const kind = Array.isArray(object) ? "an array" : "an object";
  return `${kind} of the runtime's { ${ownKeys(object).slice(0, 12).map(String).join(", ")} }`;
}
