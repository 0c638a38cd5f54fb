// @ts-check
/** registerWebMcpTools: offers capabilities to the browser's agent, by the rules of the WebMCP adapter. */
import {
  NativeError, NativeMap, NativeTypeError, NativeWeakMap, addListener, charCode, deepFreeze, isArray, jsonParse, jsonStringify, mapDelete, mapGet, mapSet, mapSize, pick,
  removeListener, signalAborted, stringSlice, weakGet, weakSet,
} from "../shim/builtins.js";
import { isSignal, modelContextOfPage, styleOf } from "../shim/contexts.js";
import { homeOf } from "../shim/frames.js";
import { Listing } from "../shim/listing.js";
import { deferred, resolvePlain } from "../shim/promises.js";
import { atDeath } from "../webtools/ends.js";
import { messageOf } from "../webtools/errors.js";
import { keptOf } from "./define.js";
import { optionsOf } from "./options.js";
import { OPTIONS, webMcpTool } from "./tool.js";

const REGISTRATION = /** @type {any} */ ({ __proto__: null, ...OPTIONS, signal: "object" });

/** The names that are registered, or about to be, with each object. @type {WeakMap<object, Map<string, true>>} */
const taken = new NativeWeakMap();

/** The most characters of a failure's error. */
const MOST_TEXT = 256;

/** pagewarden-predict.d.ts has its contract. @param {any} capabilities @param {any} [target] @param {any} [options] */
export function registerWebMcpTools(capabilities, target, options) {
  const outcome = deferred();
  try {
    const given = optionsOf(options, "registerWebMcpTools", REGISTRATION);
    new Registration(listed(capabilities, "registerWebMcpTools"), contextOf(target), given, outcome).start();
  } catch (error) {
    outcome.reject(error);
  }
  return outcome.promise;
}

/** The capabilities of a list, each read once. @param {any} capabilities @param {string} where @returns {Map<number, any>} */
export function listed(capabilities, where) {
  if (!isArray(capabilities)) {
    throw new NativeTypeError(`${where} needs an array of capabilities`);
  }
  const list = new NativeMap();
  for (let i = 0; i < capabilities.length; i++) {
    const capability = capabilities[i];
    keptOf(capability, where);
    mapSet(list, i, capability);
  }
  return list;
}

/** The object that lists tools: target itself, or its modelContext; undefined where there is none. @param {any} target */
function contextOf(target) {
  if (target === undefined) {
    return modelContextOfPage();
  }
  try {
    const context = styleOf(target) === undefined ? pick(target, "modelContext") : target;
    return styleOf(context) && context;
  } catch {
    return undefined;
  }
}

/** Whether a name is free with an object. @param {any} target @param {string} name */
export function isFree(target, name) {
  const context = contextOf(target);
  return context === undefined || mapGet(namesAt(context), name) === undefined;
}

/** @param {object} context */
function namesAt(context) {
  let names = weakGet(taken, context);
  if (names === undefined) {
    names = new NativeMap();
    weakSet(taken, context, names);
  }
  return names;
}

/** A capability on its way to the browser. error is undefined until the browser has answered, "" when it has it. */
class Offer {
  /** @type {any} */ capability;
  /** @type {string} */ name;
  /** @type {string | undefined} */ error;
  /** @type {Listing | undefined} */ listing;
  close = () => {};

  /** @param {any} capability */
  constructor(capability) {
    this.capability = capability;
    this.name = capability.tool.name;
  }
}

/** One call of registerWebMcpTools. */
class Registration {
  /** @type {Map<number, Offer>} */ #offers = new NativeMap();
  /** @type {any} */ #context;
  /** @type {any} */ #options;
  /** @type {any} */ #signal;
  /** @type {ReturnType<typeof deferred>} */ #outcome;
  /** How many the browser has not answered for, and one more until all have been offered. */ #open;
  #over = false;
  #withdrawn = false;
  #forget = () => {};

  /** @param {Map<number, any>} capabilities @param {any} context @param {any} options @param {ReturnType<typeof deferred>} outcome */
  constructor(capabilities, context, { signal, ...options }, outcome) {
    if (signal !== undefined && !isSignal(signal)) {
      throw new NativeTypeError("registerWebMcpTools: options.signal must be an AbortSignal");
    }
    this.#context = context;
    this.#options = options;
    this.#signal = signal;
    this.#outcome = outcome;
    for (let i = 0; i < mapSize(capabilities); i++) {
      mapSet(this.#offers, i, new Offer(mapGet(capabilities, i)));
    }
    this.#open = mapSize(this.#offers) + 1;
  }

  start() {
    if (this.#context === undefined) {
      resolvePlain(this.#outcome, { supported: false, registered: listOf(""), failed: listOf(""), cleanup: () => {}, then: undefined });
      return;
    }
    if (this.#signal !== undefined) {
      addListener(this.#signal, "abort", this.#aborted);
    }
    this.#forget = atDeath(() => this.#withdraw("the runtime has ended"));
    this.#aborted();
    const home = homeOf(this.#context);
    for (let i = 0; i < mapSize(this.#offers); i++) {
      const offer = this.#offer(i);
      if (offer.error === undefined) { // it may have been withdrawn while the browser took those before
        this.#begin(offer, home);
      }
    }
    this.#settled();
  }

  /** @param {number} i */
  #offer(i) {
    return /** @type {Offer} */ (mapGet(this.#offers, i));
  }

  /** Takes the name before the browser is asked. @param {Offer} offer @param {Document | undefined} home */
  #begin(offer, home) {
    const names = namesAt(this.#context);
    if (mapGet(names, offer.name) !== undefined) {
      this.#answered(offer, "a tool with this name is registered already, or about to be");
      return;
    }
    mapSet(names, offer.name, true);
    const listing = new Listing();
    offer.listing = listing;
    try {
      const { tool, close } = webMcpTool(offer.capability, this.#options, "registerWebMcpTools", (promise, second) => listing.called(promise, second));
      offer.close = close;
      const style = styleOf(this.#context);
      if (style === undefined) {
        throw new NativeError("the object does not list tools any more");
      }
      listing.give({ __proto__: null, object: this.#context, style, home }, tool, (words) => this.#answered(offer, words));
    } catch (error) {
      this.#answered(offer, messageOf(error) || "it could not be registered");
    }
  }

  /** The first answer counts. @param {Offer} offer @param {string} words */
  #answered(offer, words) {
    if (offer.error !== undefined) {
      return;
    }
    offer.error = words;
    if (words !== "") {
      this.#drop(offer);
    }
    this.#settled();
  }

  /** Lets go of a tool that is not with the browser, or not any more. @param {Offer} offer */
  #drop(offer) {
    if (offer.listing === undefined) {
      return; // the name is another's
    }
    offer.listing.end();
    offer.listing = undefined;
    mapDelete(namesAt(this.#context), offer.name);
    try {
      offer.close();
    } catch {
      // The runtime has ended, and the tool with it.
    }
  }

  #aborted = () => {
    if (this.#signal !== undefined && signalAborted(this.#signal)) {
      this.#withdraw("the browser has not answered: the registration was withdrawn");
    }
  };

  /** Withdraws everything, what the browser has not answered for too. @param {string} words what is said of that */
  #withdraw(words) {
    this.#withdrawn = true;
    for (let i = mapSize(this.#offers) - 1; i >= 0; i--) {
      this.#answered(this.#offer(i), words);
    }
    if (this.#over) {
      this.#cleanup();
    }
  }

  #settled() {
    if (--this.#open === 0) {
      this.#report();
    }
  }

  #report() {
    this.#over = true;
    let registered = "";
    let failed = "";
    for (let i = 0; i < mapSize(this.#offers); i++) {
      const { name, error } = this.#offer(i);
      if (error === "") {
        registered += `${registered && ","}${jsonStringify(name)}`;
      } else {
        failed += `${failed && ","}{"name":${jsonStringify(name)},"error":${jsonStringify(cut(`${error}`))}}`;
      }
    }
    const cleanup = () => this.#cleanup();
    resolvePlain(this.#outcome, { supported: true, registered: listOf(registered), failed: listOf(failed), cleanup, then: undefined });
    if (this.#withdrawn || registered === "") {
      this.#cleanup();
    }
  }

  /** Removes what has been registered, the last first. */
  #cleanup() {
    this.#forget();
    if (this.#signal !== undefined) {
      removeListener(this.#signal, "abort", this.#aborted);
    }
    for (let i = mapSize(this.#offers) - 1; i >= 0; i--) {
      this.#drop(this.#offer(i));
    }
  }
}

/** A frozen list of what is written with commas between. @param {string} text */
const listOf = (text) => deepFreeze(jsonParse(`[${text}]`));

/** @param {string} text */
function cut(text) {
  if (text.length <= MOST_TEXT) {
    return text;
  }
  const last = charCode(text, MOST_TEXT - 1);
  return stringSlice(text, 0, last >= 0xd800 && last < 0xdc00 ? MOST_TEXT - 1 : MOST_TEXT);
}
