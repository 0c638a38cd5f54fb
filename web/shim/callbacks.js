// @ts-check
/**
 * The page's side of the questions that the runtime asks (jsbridge/ops.go): what a page has handed in, by
 * number, and how each of it is called. Nothing here throws: an exception becomes an answer.
 */
import {
  NativeAbortController, NativeError, NativeMap, NativePromise, NativeTypeError, NativeWeakMap, abortController, abortSignalOf, apply, dateNow, define, freeze, isArray, isObject,
  jsonParse, mapDelete, mapForEach, mapGet, mapSet, mapSize, pick, report, weakGet, weakSet,
} from "./intrinsics.js";
import { AgentSurfaceError, thrown } from "./errors.js";
import { append, callLive, listWithRoom } from "./definitions.js";
import { Answer, Op, Question } from "./ops.js";
import { deferred, follow } from "./promises.js";
import { deepFreeze, toText } from "./values.js";

/**
 * @typedef {import("./definitions.js").Kept} Kept
 * @typedef {{ __proto__?: null, name: unknown, onDiscovery: any, onAuthorize: any, onInvoke: any, self: object }} Policy
 * @typedef {{ __proto__?: null, answer: number, text: string }} Reply
 * What a registry of the page has given: its options and its executor.
 * @typedef {{ __proto__?: null, options: any, kept: Kept, executor: any, development: boolean, depth: number, outputBytes: number }} Owner
 * A handler or policy hook that has not settled.
 * @typedef {{ __proto__?: null, controller: AbortController | null, aborted: Error | null, nexts: number, next: ReturnType<typeof deferred> | null, returned: boolean }} Open
 */

const NOTHING = freeze({ __proto__: null, answer: Answer.Value, text: "" });

export class Callbacks {
  /** @type {import("./instance.js").Instance} */ #instance = /** @type {any} */ (null);
  /** @type {Map<number, Kept & { owner: number }>} */ #definitions = new NativeMap();
  /** @type {Map<number, Policy>} */ #policies = new NativeMap();
  /** @type {Map<number, any>} */ #parses = new NativeMap();
  /** @type {Map<number, Owner>} */ #owners = new NativeMap();
  /** @type {Map<number, Open>} */ #open = new NativeMap();
  /** @type {WeakMap<object, true>} */ #ownSchemas = new NativeWeakMap();
  /** @type {((question: number, a: number, b: number, ticket: number, text: string) => Reply) | null} */ #adapters = null;
  #last = 0;

  /** @param {import("./instance.js").Instance} instance */
  open(instance) {
    this.#instance = instance;
  }

  /** @param {(question: number, a: number, b: number, ticket: number, text: string) => Reply} answer for questions about adapters */
  answerAdapters(answer) {
    this.#adapters = answer;
  }

  /** @param {object} schema one whose document says everything, so that the runtime checks it itself */
  markSchema(schema) {
    weakSet(this.#ownSchemas, schema, true);
  }

  /** @param {object} schema */
  validates(schema) {
    return weakGet(this.#ownSchemas, schema) === true;
  }

  /** @param {any} schema */
  keepParse(schema) {
    mapSet(this.#parses, ++this.#last, schema);
    return this.#last;
  }

  /** @param {any} policy */
  keepPolicy(policy) {
    const number = ++this.#last;
    mapSet(this.#policies, number, {
      __proto__: null,
      name: pick(policy, "name"),
      onDiscovery: hookOf(policy, "onDiscovery"),
      onAuthorize: hookOf(policy, "onAuthorize"),
      onInvoke: hookOf(policy, "onInvoke"),
      self: policy,
    });
    return number;
  }

  /** @param {number} number */
  policy(number) {
    return /** @type {Policy} */ (mapGet(this.#policies, number));
  }

  /** A number for a definition that is about to be registered. */
  reserve() {
    return ++this.#last;
  }

  /** @param {number} number @param {Kept} kept @param {number} owner */
  keepDefinition(number, kept, owner) {
    /** @type {any} */ (kept).owner = owner;
    mapSet(this.#definitions, number, /** @type {any} */ (kept));
  }

  /** @param {number} number @param {Owner} owner */
  keepOwner(number, owner) {
    mapSet(this.#owners, number, owner);
  }

  /** @param {number} number @returns {Owner | undefined} */
  owner(number) {
    return mapGet(this.#owners, number);
  }

  /**
   * Lets go of a definition: its handlers when its component is gone, everything when nothing can ask for it.
   * @param {number} number
   * @param {boolean} everything
   */
  free(number, everything) {
    const kept = mapGet(this.#definitions, number);
    if (kept === undefined) {
      return;
    }
    kept.source = null;
    for (let i = 0; i < kept.parses.length; i++) {
      mapDelete(this.#parses, /** @type {number} */ (kept.parses[i]));
    }
    if (everything) {
      this.freePolicies(kept);
      mapDelete(this.#definitions, number);
    }
  }

  /** @param {Kept} kept */
  freePolicies(kept) {
    for (let i = 0; i < kept.policies.length; i++) {
      mapDelete(this.#policies, /** @type {number} */ (kept.policies[i]));
    }
  }

  /** @param {number} owner a registry that has been disposed of */
  freeOwner(owner) {
    const gone = listWithRoom();
    mapForEach(this.#definitions, (kept, number) => {
      if (kept.owner === owner) {
        append(gone, number);
      }
    });
    for (let i = 0; i < gone.length; i++) {
      this.free(gone[i], true);
    }
    const options = mapGet(this.#owners, owner);
    if (options !== undefined) {
      this.freePolicies(options.kept);
      mapDelete(this.#owners, owner);
    }
  }

  /** Sizes, for leak tests. */
  sizes() {
    return {
      definitions: mapSize(this.#definitions), policies: mapSize(this.#policies), parses: mapSize(this.#parses),
      owners: mapSize(this.#owners), open: mapSize(this.#open),
    };
  }

  /** The runtime is dead: whoever works for it is told. */
  abortAll() {
    mapForEach(this.#open, (open) => abort(open, "the runtime has ended"));
  }

  /** @param {number} ticket @param {string} reason */
  abort(ticket, reason) {
    const open = mapGet(this.#open, ticket);
    if (open !== undefined) {
      abort(open, reason);
    }
  }

  /** @param {number} ticket @param {boolean} agreed @param {string} refusal */
  settleNext(ticket, agreed, refusal) {
    const open = mapGet(this.#open, ticket);
    if (open === undefined || open.next === null) {
      return;
    }
    const { resolve, reject } = open.next;
    if (agreed) {
      resolve(undefined);
    } else {
      reject(refusal === "" ? new NativeError("an inner policy refused") : new AgentSurfaceError(jsonParse(refusal)));
    }
  }

  /**
   * Answers one question.
   * @param {number} question @param {number} a @param {number} b @param {number} ticket @param {string} text
   * @returns {Reply}
   */
  ask(question, a, b, ticket, text) {
    try {
      switch (question) {
        case Question.Handler:
          return this.#handler(a, b, ticket, text);
        case Question.Precondition:
          return this.#precondition(a, b, text);
        case Question.When:
          return { __proto__: null, answer: Answer.Value, text: callLive(this.#kept(a), b, "when", []) ? "true" : "false" };
        case Question.Reason:
          return this.#plain(callLive(this.#kept(a), b, "unavailableReason", []));
        case Question.Bind:
          return this.#plain(callLive(this.#kept(a), b, "bind", []));
        case Question.Describe:
          return this.#plain(callLive(this.#kept(a), b, "describe", []));
        case Question.Discovery:
          return this.#discovery(a, b, text);
        case Question.Authorize:
          return this.#around("onAuthorize", a, b, ticket, text);
        case Question.Invoke:
          return this.#around("onInvoke", a, b, ticket, text);
        case Question.Executor:
          return this.#executor(a, ticket, text);
        case Question.Guard:
          return this.#plain(this.#option(a, "onRegister", [fromParsed(text)]));
        case Question.Route:
          return this.#plain(this.#option(a, "route", []));
        case Question.Host:
          return { __proto__: null, answer: Answer.Value, text: pick(this.hostContext(a), text) ? "true" : "false" };
        case Question.Parse:
          return this.#parse(a, text);
        case Question.Now:
          return this.#plain(this.#option(a, "now", []));
      }
      return this.#adapters === null ? failed() : this.#adapters(question, a, b, ticket, text);
    } catch (error) {
      return thrown(error);
    }
  }

  /** @param {number} number */
  #kept(number) {
    const kept = mapGet(this.#definitions, number);
    if (kept === undefined || kept.source === null) {
      throw new NativeError("the component is gone");
    }
    return kept;
  }

  /** @param {number} owner @param {string} name @param {any[]} args */
  #option(owner, name, args) {
    const options = /** @type {Owner} */ (mapGet(this.#owners, owner)).options;
    return apply(pick(options, name), options, args);
  }

  /** The application's context as it is now. @param {number} owner @returns {any} */
  hostContext(owner) {
    const options = mapGet(this.#owners, owner)?.options;
    const context = options === undefined ? undefined : pick(options, "context");
    if (typeof context !== "function") {
      return freeze({});
    }
    try {
      return apply(context, options, []) ?? freeze({});
    } catch (error) {
      this.#develop(owner, "context() failed, so policies and handlers see an empty one", error);
      return freeze({});
    }
  }

  /** What developers see of a page's own failures, and agents do not. @param {number} owner @param {string} text @param {unknown} error */
  #develop(owner, text, error) {
    if (mapGet(this.#owners, owner)?.development) {
      report("error", `pagewarden: ${text}`, error);
    }
  }

  /** An answer that must be there at once. @param {unknown} value @returns {Reply} */
  #plain(value) {
    return value === undefined ? NOTHING : this.#writtenAnswer(value, 64, 65536);
  }

  /** @param {unknown} value @param {number} depth @param {number} length @returns {Reply} */
  #writtenAnswer(value, depth, length) {
    if (value === undefined) {
      return NOTHING;
    }
    const text = toText(value, { __proto__: null, depth, length });
    if (typeof text === "string") {
      return { __proto__: null, answer: Answer.Value, text };
    }
    return { __proto__: null, answer: Answer.NotJSON, text: text.path === "" ? text.message : `${text.path} ${text.message}` };
  }

  /** @param {number} definition @param {number} index @param {number} ticket @param {string} text @returns {Reply} */
  #handler(definition, index, ticket, text) {
    const kept = this.#kept(definition);
    const capability = /** @type {import("./definitions.js").Capability} */ (kept.capabilities[index]);
    const acts = capability.group === "actions";
    const given = this.#arguments(kept.owner, text, ticket, acts);
    return this.#long(kept.owner, ticket, `${capability.group}.${capability.name}`, false, () => acts
      ? callLive(kept, index, "execute", [given.input, given.info])
      : callLive(kept, index, "read", [given.info]));
  }

  /**
   * What a handler gets: its input and the ctx of registry.md. signal is made when it is first looked at.
   * @param {number} owner @param {string} text @param {number} ticket @param {boolean} acts
   * @returns {{ __proto__?: null, input: any, info: object }}
   */
  #arguments(owner, text, ticket, acts) {
    const parts = jsonParse(text);
    const open = this.#openTicket(ticket);
    const consumer = deepFreeze(parts[2]);
    const confirmation = deepFreeze(parts[3]);
    const base = { capabilityId: parts[4], registrationId: parts[5], consumer, host: this.hostContext(owner) };
    if (!acts) {
      return { __proto__: null, input: parts[0], info: freeze(base) };
    }
    const info = {
      capabilityId: base.capabilityId,
      registrationId: base.registrationId,
      consumer,
      host: base.host,
      invocationId: parts[1],
      get signal() {
        return signalOf(open);
      },
    };
    return { __proto__: null, input: parts[0], info: freeze(confirmation === null ? info : withConfirmation(info, confirmation)) };
  }

  /** @param {number} ticket @returns {Open} */
  #openTicket(ticket) {
    /** @type {Open} */
    const open = { __proto__: null, controller: null, aborted: null, nexts: 0, next: null, returned: false };
    if (ticket !== 0) {
      mapSet(this.#open, ticket, open);
    }
    return open;
  }

  /**
   * Runs a page's function whose result may be a promise. What settles before it returns is the answer; what
   * settles later is sent. The ticket is let go of then, unless it is kept for a policy's next.
   * @param {number} owner @param {number} ticket @param {string} label @param {boolean} keep @param {() => unknown} run
   * @returns {Reply}
   */
  #long(owner, ticket, label, keep, run) {
    const limits = /** @type {Owner} */ (mapGet(this.#owners, owner));
    /** @type {Reply | null} */
    let reply = null;
    let sent = false;
    /** @param {Reply} answer */
    const settle = (answer) => {
      if (!keep) {
        mapDelete(this.#open, ticket);
      }
      if (sent) {
        this.#instance.send(Op.Settle, ticket, answer.answer, answer.text);
      } else {
        reply = answer;
      }
    };
    const onValue = (/** @type {unknown} */ value) => settle(this.#writtenAnswer(value, limits.depth, limits.outputBytes));
    const onError = (/** @type {unknown} */ error) => {
      this.#develop(owner, `${label} failed`, error);
      settle(thrown(error));
    };
    try {
      follow(run(), onValue, onError);
    } catch (error) {
      onError(error);
    }
    if (reply !== null) {
      return reply;
    }
    sent = true;
    return { __proto__: null, answer: Answer.Pending, text: "" };
  }

  /** @param {number} definition @param {number} index @param {string} text @returns {Reply} */
  #precondition(definition, index, text) {
    const kept = this.#kept(definition);
    const given = this.#arguments(kept.owner, text, 0, true);
    try {
      const refusal = callLive(kept, index, "precondition", [given.input, given.info]);
      return refusal === undefined || refusal === null ? NOTHING : refused(refusal);
    } catch (error) {
      const reply = thrown(error);
      if (reply.answer !== Answer.Thrown && isObject(error) && typeof pick(error, "message") === "string" && !isErrorObject(error)) {
        return refused(error);
      }
      this.#develop(kept.owner, "a precondition failed", error);
      return reply;
    }
  }

  /** @param {number} number @param {number} owner @param {string} text @returns {Reply} */
  #discovery(number, owner, text) {
    const policy = this.policy(number);
    try {
      return this.#plain(apply(policy.onDiscovery, policy.self, [this.#policyContext(owner, text)]));
    } catch (error) {
      this.#develop(owner, `onDiscovery of policy ${policy.name} failed`, error);
      return failed();
    }
  }

  /** @param {number} owner @param {string} text */
  #policyContext(owner, text) {
    const context = jsonParse(text);
    const options = /** @type {Owner} */ (mapGet(this.#owners, owner)).options;
    const internal = mapGet(this.#definitions, context.definition)?.internal;
    delete context.definition;
    deepFreeze(context.consumer);
    deepFreeze(context.meta);
    deepFreeze(pick(context, "effectiveInput"));
    define(context, "host", this.hostContext(owner));
    define(context, "internal", internal);
    define(context, "now", () => {
      const now = pick(options, "now");
      return typeof now === "function" ? apply(now, options, []) : dateNow();
    });
    return freeze(context);
  }

  /** @param {"onAuthorize" | "onInvoke"} hook @param {number} number @param {number} owner @param {number} ticket @param {string} text @returns {Reply} */
  #around(hook, number, owner, ticket, text) {
    const policy = this.policy(number);
    const open = this.#openTicket(ticket);
    const context = this.#policyContext(owner, text);
    const reply = this.#long(owner, ticket, `${hook} of policy ${policy.name}`, true, () => {
      const result = apply(policy[hook], policy.self, [context, () => this.#next(open, ticket)]);
      return ignoreValue(result);
    });
    open.returned = true;
    const nexts = open.nexts > 1 ? Answer.NextTwice : open.nexts === 1 ? Answer.Next : 0;
    return { __proto__: null, answer: reply.answer | nexts, text: reply.text };
  }

  /** @param {Open} open @param {number} ticket */
  #next(open, ticket) {
    open.nexts++;
    if (open.nexts > 1) {
      if (open.returned) {
        this.#instance.send(Op.Next, ticket, 0, "");
      }
      const again = new NativePromise((_, reject) => reject(new NativeError("next was called twice")));
      follow(again, () => {}, () => {});
      return again;
    }
    open.next = deferred();
    follow(open.next.promise, () => {}, () => {}); // a refusal that the policy does not look at is not unhandled
    if (open.returned) {
      this.#instance.send(Op.Next, ticket, 0, "");
    }
    return open.next.promise;
  }

  /** @param {number} ticket a hook or handler that the runtime has no more use for */
  done(ticket) {
    mapDelete(this.#open, ticket);
  }

  /** @param {number} owner @param {number} ticket @param {string} text @returns {Reply} */
  #executor(owner, ticket, text) {
    const executor = /** @type {Owner} */ (mapGet(this.#owners, owner)).executor;
    const asked = jsonParse(text);
    const path = asked[0];
    const parts = asked[1];
    const open = this.#openTicket(ticket);
    const info = {
      invocationId: parts[1],
      consumer: deepFreeze(parts[2]),
      get signal() {
        return signalOf(open);
      },
    };
    const request = freeze({ path, input: parts[0], info: freeze(parts[3] === null ? info : withConfirmation(info, deepFreeze(parts[3]))) });
    return this.#long(owner, ticket, `the executor, for ${path},`, false, () => apply(pick(executor, "execute"), executor, [request]));
  }

  /** @param {number} number @param {string} text @returns {Reply} */
  #parse(number, text) {
    const schema = mapGet(this.#parses, number);
    try {
      const value = apply(pick(schema, "parse"), schema, [jsonParse(text)]);
      const parsed = this.#writtenAnswer(value, 64, 1 << 20);
      return parsed.answer === Answer.Value ? { __proto__: null, answer: Answer.Value, text: `{"value":${parsed.text || "null"}}` } : parsed;
    } catch (error) {
      const issues = isObject(error) ? pick(error, "issues") : undefined;
      const list = isArray(issues) ? this.#writtenAnswer(issues, 8, 65536) : failed();
      return { __proto__: null, answer: Answer.Value, text: `{"issues":${list.answer === Answer.Value ? list.text : "[]"}}` };
    }
  }
}

/** @param {any} policy @param {string} name */
function hookOf(policy, name) {
  const hook = pick(policy, name);
  if (hook !== undefined && typeof hook !== "function") {
    throw new NativeTypeError(`a policy's ${name} must be a function`);
  }
  return hook;
}

/** @param {Open} open @returns {AbortSignal} */
function signalOf(open) {
  if (open.controller === null) {
    open.controller = new NativeAbortController();
    if (open.aborted !== null) {
      abortController(open.controller, open.aborted);
    }
  }
  return abortSignalOf(open.controller);
}

/** @param {Open} open @param {string} reason */
function abort(open, reason) {
  if (open.aborted === null) {
    open.aborted = new NativeError(reason);
    if (open.controller !== null) {
      abortController(open.controller, open.aborted);
    }
  }
}

/** @param {any} refusal { message, details? } @returns {Reply} */
function refused(refusal) {
  const details = pick(refusal, "details");
  const text = toText({ __proto__: null, message: `${pick(refusal, "message") ?? ""}`, details }, { __proto__: null, depth: 64, length: 4096 });
  return { __proto__: null, answer: Answer.Value, text: typeof text === "string" ? text : `{"message":""}` };
}

/** @param {object} error */
function isErrorObject(error) {
  return typeof pick(error, "stack") === "string";
}

/** @returns {Reply} */
const failed = () => ({ __proto__: null, answer: Answer.Failed, text: "" });

/** @param {string} text */
const fromParsed = (text) => deepFreeze(jsonParse(text));

/** @param {any} info @param {any} confirmation */
function withConfirmation(info, confirmation) {
  info.confirmation = confirmation;
  return info;
}

/** What a policy hook returns is only waited for. @param {any} result */
function ignoreValue(result) {
  const done = deferred();
  let later = true;
  let now = false;
  follow(result, () => {
    now = true;
    done.resolve(undefined);
  }, (error) => {
    later = false;
    done.reject(error);
  });
  return now && later ? undefined : done.promise;
}
