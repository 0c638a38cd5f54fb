/**
 * The three attackers. Each replaces one thing of a realm, calls the original or not, and shows the watcher what it
 * was given. Everything here is of the parent's realm, so that an attack cannot hit the suite itself.
 */
import { isObject } from "./watcher.js";

const { apply, construct, defineProperty, deleteProperty, getOwnPropertyDescriptor, getPrototypeOf, ownKeys, setPrototypeOf } = Reflect;

export const ATTACKERS = ["recorder", "thrower", "liar"];

/** What a liar gives for an object: something of whatever the runtime could want to read. */
export const FORGED = Object.freeze({
  status: "ok", approved: true, decision: "expose", code: "OK", mode: "open", allowInProduction: true, output: "forged", value: "forged",
  read: 0, written: 0, length: 0, done: true, callable: true,
});

/** How many calls of a patched function are looked into. */
const MOST = 200;

/** The opposite of a result, or something that looks valuable. */
function lieAbout(result) {
  switch (typeof result) {
    case "boolean":
      return !result;
    case "number":
      return result === 0 ? 1 : 0;
    case "bigint":
      return 0n;
    case "string":
      return '{"status":"ok","approved":true,"decision":"expose","value":"forged"}';
  }
  return FORGED;
}

/**
 * One attack on a realm. A lie is what the liar gives: { instead } is called in place of a function, { call } makes a
 * function of it, anything else is the value of a property that nobody had.
 */
export class Attack {
  /** How often something patched was used. */
  calls = 0;
  /** What was used first, and where from. */
  origin = "";
  /** Whether the page should read the stacks of errors. */
  readsStacks = false;
  #watcher;
  #kind;
  /** @type {(() => void)[]} */ #undo = [];

  /** @param {import("./watcher.js").Watcher} watcher @param {string} kind one of ATTACKERS */
  constructor(watcher, kind) {
    this.#watcher = watcher;
    this.#kind = kind;
  }

  /** Everything is as it was. */
  end() {
    this.#undo.reverse().forEach((undo) => undo());
  }

  /**
   * Replaces a function, the functions of an accessor, or a value or nothing, which become an accessor.
   * @param {object} holder @param {PropertyKey} key @param {any} [lie]
   */
  patch(holder, key, lie) {
    const was = getOwnPropertyDescriptor(holder, key);
    const name = String(key);
    const now = { ...was };
    if (typeof was?.value === "function") {
      now.value = this.#function(was.value, name, lie);
    } else if (was?.get !== undefined) {
      now.get = this.#function(was.get, `get ${name}`, lie);
      now.set = was.set && this.#function(was.set, `set ${name}`, undefined);
    } else {
      Object.assign(now, this.#accessor(was?.value, key, lie), { enumerable: true, configurable: true });
      delete now.value;
      delete now.writable;
    }
    this.#undo.push(() => (was === undefined ? deleteProperty(holder, key) : defineProperty(holder, key, was)));
    if (!defineProperty(holder, key, now)) {
      throw new Error(`${name} cannot be patched`);
    }
  }

  /** Replaces what can be of the functions and accessors of a holder. @param {object} holder @param {PropertyKey[]} without */
  patchRest(holder, without) {
    for (const key of ownKeys(holder)) {
      const { value, get, configurable } = getOwnPropertyDescriptor(holder, key);
      if (configurable && !without.includes(key) && (typeof value === "function" || get !== undefined)) {
        this.patch(holder, key);
      }
    }
  }

  /**
   * Takes over what V8 calls to write a stack down. The page itself reads stacks, so calls do not count; what they
   * tell of the functions on the stack does.
   * @param {object} holder the realm's Error
   */
  patchStacks(holder) {
    const prepare = (error, sites) => {
      for (let i = 0; i < sites.length; i++) {
        this.#watcher.received(sites[i].getThis(), "this of a function on the stack");
        this.#watcher.received(sites[i].getFunction(), "a function on the stack");
      }
      this.#stop();
      return this.#kind === "liar" ? FORGED : "a stack";
    };
    this.#watcher.allow(prepare);
    this.readsStacks = true;
    defineProperty(holder, "prepareStackTrace", { value: prepare, configurable: true });
    this.#undo.push(() => deleteProperty(holder, "prepareStackTrace"));
  }

  /** Puts a class between a class and what it extends, if that can be. @param {Function | undefined} made */
  patchParent(made) {
    const was = made && getPrototypeOf(made);
    if (isObject(was) && setPrototypeOf(made, this.#function(was, was.name, undefined))) {
      this.#undo.push(() => setPrototypeOf(made, was));
    }
  }

  #stop() {
    if (this.#kind === "thrower") {
      throw new Error("hostile");
    }
  }

  /** Notes that something patched was used. @param {string} name @param {[string, unknown][]} values */
  #used(name, values) {
    if (this.calls++ === 0) {
      this.origin = `${name}${origin()}`;
    }
    if (this.calls <= MOST) {
      values.forEach(([role, value]) => this.#watcher.received(value, `${role} of ${name}`));
    }
  }

  /** @param {Function} original @param {string} name @param {any} lie */
  #function(original, name, lie) {
    const attack = this;
    function patched(...args) {
      const values = args.map((value, i) => [`argument ${i}`, value]);
      attack.#used(name, new.target === undefined ? [["this", this], ...values] : values);
      attack.#stop();
      const lies = attack.#kind === "liar";
      if (lies && lie?.instead !== undefined) {
        return lie.instead(...args);
      }
      const result = new.target === undefined
        ? apply(original, this, args)
        : construct(original, args, new.target === patched ? original : new.target);
      attack.#watcher.received(result, `result of ${name}`);
      return lies ? lieAbout(result) : result;
    }
    if (getOwnPropertyDescriptor(original, "prototype") !== undefined) {
      patched.prototype = original.prototype;
    }
    setPrototypeOf(patched, original); // what is static stays in reach
    this.#watcher.allow(patched);
    return patched;
  }

  /** @param {unknown} value @param {PropertyKey} key @param {any} lie */
  #accessor(value, key, lie) {
    const attack = this;
    const name = String(key);
    const given = isObject(lie) && "call" in lie ? this.#function(lie.call, name, undefined) : lie ?? FORGED;
    if (isObject(given)) {
      this.#watcher.own(given);
    }
    function get() {
      attack.#used(`get ${name}`, [["this", this]]);
      attack.#stop();
      return attack.#kind === "liar" ? given : value;
    }
    function set(to) {
      attack.#used(`set ${name}`, [["this", this], ["value", to]]);
      attack.#stop();
      if (attack.#kind === "recorder") {
        defineProperty(this, key, { value: to, writable: true, enumerable: true, configurable: true });
      }
    }
    this.#watcher.allow(get);
    this.#watcher.allow(set);
    return { get, set };
  }
}

/** The first place outside the suite on the stack. */
function origin() {
  Error.stackTraceLimit = 20;
  const lines = (new Error().stack ?? "").split("\n");
  Error.stackTraceLimit = 0;
  const line = lines.find((one) => /^\s+at /.test(one) && !/attackers\.js|realm\.js|watcher\.js/.test(one));
  return line === undefined ? "" : `, ${line.trim().slice(0, 80)}`;
}
