// @ts-check
/**
 * The page's side of the questions that the runtime asks (jsbridge/ops.go): what a page has handed in, by
 * number, and how each of it is called. Nothing here throws: an exception becomes an answer.
 */
import {
  NativeError, NativeMap, NativeWeakMap, apply, define, freeze, isArray, isObject,
  jsonParse, mapDelete, mapForEach, mapGet, mapSet, mapSize, pick, report, weakGet, weakSet,
} from "./intrinsics.js";
import { AgentSurfaceError, lost, thrown } from "./errors.js";
import { Capability, append, callLive, listWithRoom } from "./definitions.js";
import * as Answer from "./ops/answer.js";
import { Guests } from "./guests.js";
import * as Op from "./ops/op.js";
import * as Question from "./ops/question.js";
import { abort, newOpen, refusal, signalOf } from "./open.js";
import { deferred, follow } from "./promises.js";
import { NOTHING, failed, refused, replyText, replyWith } from "./replies.js";
import { say } from "./texts.js";
import { Lines, deepFreeze, fromText, plainNames, remembering, toText } from "./values.js";

/**
 * @typedef {import("./definitions.js").Kept} Kept
 * A policy's hooks as they were when it was registered; builtInText is what describes a built-in one, which has its functions here.
 * @typedef {{ __proto__?: null, name: unknown, builtInText: string, self: any, [name: string]: any }} Policy
 * @typedef {import("./replies.js").Reply} Reply
 * @typedef {import("./open.js").Open} Open
 * What a registry of the page has given: its options and its executor.
 * given is the context that evaluateDiscovery works on, for owner 0.
 * @typedef {{ number: number, disposed: boolean, listeners: Map<(event: any) => void, true>, watchers: Map<(pending: any) => void, true>, sink: any,
 *   options: any, kept: Kept, executor: any, developing: boolean, depth: number, inputBytes: number, outputBytes: number, given: any }} Owner
 */

/** The bounds of what a guest gives; the module has closer ones. */
const GUEST = freeze({ depth: 200, outputBytes: 8 << 20 });

export class Callbacks {
  /** @type {import("./instance.js").Instance} */ #instance = /** @type {any} */ (null);
  /** @type {Map<number, Kept>} */ #definitions = new NativeMap();
  /** @type {Map<number, Policy>} */ #policies = new NativeMap();
  /** @type {Map<number, any>} */ #parses = new NativeMap();
  /** @type {Map<number, Owner>} */ #owners = new NativeMap();
  /** @type {Map<number, Open>} */ #open = new NativeMap();
  /** @type {WeakMap<object, string>} */ #ownSchemas = new NativeWeakMap();
  /** @type {WeakMap<object, Policy>} */ #builtIns = new NativeWeakMap();
  /** How the page's objects are written down. @type {any} */ shapeTable = null;
  /** The runtime's clock. @type {() => number} */ clockNow = () => 0;
  guests = new Guests();
  /** @type {((question: number, a: number, b: number, ticket: number, text: string) => Reply) | null} */ #adapters = null;
  #last = 0;
  #consumerOf = remembering(fromText);
  #subjectOf = remembering(fromText);
  #idOf = remembering(same);
  #registrationOf = remembering(same);
  /** Where the component that is being registered comes from; empty outside development. */
  stack = "";

  /** @param {import("./instance.js").Instance} instance */
  open(instance) {
    this.#instance = instance;
  }

  /** @param {(question: number, a: number, b: number, ticket: number, text: string) => Reply} answer for questions about adapters */
  answerAdapters(answer) {
    this.#adapters = answer;
  }

  /** @param {object} schema one that the runtime checks itself @param {string} document its text */
  markSchema(schema, document) {
    weakSet(this.#ownSchemas, schema, `{"document":${document}}`);
  }

  /** How a schema of the runtime's own is written. @param {object} schema @returns {string | undefined} */
  schemaText(schema) {
    return weakGet(this.#ownSchemas, schema);
  }

  /** @param {any} schema */
  keepParse(schema) {
    mapSet(this.#parses, ++this.#last, schema);
    return this.#last;
  }

  /** @param {object} policy @param {Policy} kept what it stands for */
  keepBuiltIn(policy, kept) {
    weakSet(this.#builtIns, policy, kept);
  }

  /** @param {any} policy @param {(reason: string) => Error} blame */
  keepPolicy(policy, blame) {
    const number = ++this.#last;
    /** @type {Policy} */
    const kept = weakGet(this.#builtIns, policy) ?? {
      __proto__: null,
      name: pick(policy, "name"),
      builtInText: "",
      onDiscovery: hookOf(policy, "onDiscovery", blame),
      onAuthorize: hookOf(policy, "onAuthorize", blame),
      onInvoke: hookOf(policy, "onInvoke", blame),
      self: policy,
    };
    mapSet(this.#policies, number, kept);
    return number;
  }

  /** @param {number} number */
  policyOf(number) {
    return /** @type {Policy} */ (mapGet(this.#policies, number));
  }

  /** A number for a definition that is about to be registered. */
  reserve() {
    return ++this.#last;
  }

  /** @param {number} number @param {Kept} kept @param {number} owner */
  keepDefinition(number, kept, owner) {
    kept.owner = owner;
    mapSet(this.#definitions, number, kept);
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
    kept.seen = null;
    for (let parse = kept.parses; parse !== null; parse = parse.rest) {
      mapDelete(this.#parses, parse.number);
    }
    if (everything) {
      this.freePolicies(kept);
      mapDelete(this.#definitions, number);
    }
  }

  /** @param {Kept} kept */
  freePolicies(kept) {
    for (let policy = kept.policies; policy !== null; policy = policy.rest) {
      mapDelete(this.#policies, policy.number);
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

  /** @param {number} number of a definition @returns {Kept | undefined} */
  definition(number) {
    return mapGet(this.#definitions, number);
  }

  /** Sizes, for leak tests. */
  sizes() {
    return {
      definitions: mapSize(this.#definitions), policies: mapSize(this.#policies), parses: mapSize(this.#parses),
      owners: mapSize(this.#owners), open: mapSize(this.#open),
    };
  }

  /** The runtime is dead: whoever works for it is told, and no policy goes on waiting for next. */
  abortAll() {
    mapForEach(this.#open, (open, ticket) => {
      abort(open, say("ended"));
      open.next?.reject(lost());
      this.done(ticket);
    });
    this.guests.askAll("");
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
      reject(refusal === "" ? new NativeError(say("refused")) : new AgentSurfaceError(jsonParse(refusal)));
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
          return this.#handler(a, b, ticket, text, "execute");
        case Question.Prepare:
          return this.#handler(a, b, ticket, text, "prepare");
        case Question.Person:
          return this.#handler(a, b, ticket, text, "ask");
        case Question.Precondition:
          return this.#precondition(a, b, text);
        case Question.When:
          return replyText(callLive(this.#kept(a), b, "when", []) ? "true" : "false");
        case Question.Reason:
          return this.#plain(callLive(this.#kept(a), b, "unavailableReason", []));
        case Question.Bind:
          return this.#plain(callLive(this.#kept(a), b, "bind", []));
        case Question.Describe:
          return this.#plain(callLive(this.#kept(a), b, "describe", []));
        case Question.Discovery:
          return this.#hook(a, b, "onDiscovery", new Lines(text));
        case Question.Authorize:
          return this.#around("onAuthorize", a, b, ticket, text);
        case Question.Invoke:
          return this.#around("onInvoke", a, b, ticket, text);
        case Question.Policy:
          return this.#builtIn(a, b, new Lines(text));
        case Question.Executor:
          return this.#executor(a, ticket, text);
        case Question.Guard:
          return this.#plain(this.#option(a, "onRegister", [this.#candidate(text)]));
        case Question.Route:
          return this.#plain(this.#option(a, "route", []));
        case Question.Host:
          return replyText(pick(this.hostContext(a), text) ? "true" : "false");
        case Question.Parse:
          return this.#parse(a, text);
        case Question.Guest:
          return this.#guest(this.guests.byNumber(a), ticket, text);
        case Question.Now:
          return this.#plain(this.#option(a, "now", []));
      }
      return this.#adapters === null ? failed() : this.#adapters(question, a, b, ticket, text);
    } catch (error) {
      return thrown(error);
    }
  }

  /** What a guest gives is written here, as of any other script of the page. @param {any} guest @param {number} ticket 0 if it must answer at once @param {string} text @returns {Reply} */
  #guest(guest, ticket, text) {
    if (ticket === 0) {
      return this.#writtenAnswer(guest(text), GUEST.depth, GUEST.outputBytes);
    }
    const open = this.#openTicket(ticket);
    return this.#long(-1, ticket, () => "", false, () => guest(text, () => signalOf(open)));
  }

  /** @param {number} number */
  #kept(number) {
    const kept = mapGet(this.#definitions, number);
    if (kept === undefined || kept.source === null) {
      throw new NativeError(say("gone"));
    }
    return kept;
  }

  /** @param {number} owner @param {string} name @param {any[]} args */
  #option(owner, name, args) {
    const options = /** @type {Owner} */ (mapGet(this.#owners, owner)).options;
    return apply(pick(options, name), options, args);
  }

  /** What a registration guard judges; in development with where it came from. @param {string} text */
  #candidate(text) {
    const candidate = jsonParse(text);
    if (this.stack !== "") {
      define(candidate, "stack", this.stack);
    }
    return deepFreeze(candidate);
  }

  /** The application's context as it is now. @param {number} owner @returns {any} */
  hostContext(owner) {
    const options = mapGet(this.#owners, owner)?.options;
    try {
      const context = options === undefined ? undefined : pick(options, "context");
      return (typeof context === "function" ? apply(context, options, []) : undefined) ?? freeze({});
    } catch (error) {
      this.#develop(owner, say("context"), error);
      return freeze({});
    }
  }

  /** What developers see of a page's own failures, and agents do not. @param {number} owner @param {string} text @param {unknown} error */
  #develop(owner, text, error) {
    if (mapGet(this.#owners, owner)?.developing) {
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
    const text = toText(value, depth, length);
    if (typeof text === "string") {
      return replyText(text);
    }
    return replyWith(text.tooLong ? Answer.TooLong : Answer.NotJSON, `${text.path}${text.path === "" ? "" : " "}${text.message}`);
  }

  /** @param {number} definition @param {number} index @param {number} ticket @param {string} text @param {string} name what is not called for a read @returns {Reply} */
  #handler(definition, index, ticket, text, name) {
    const told = this.#told(new Lines(text));
    const kept = this.#kept(definition);
    const capability = new Capability(kept, index);
    const acts = capability.group !== "observations";
    const given = this.#arguments(kept.owner, told, ticket, acts);
    return this.#long(kept.owner, ticket, () => `${capability.group}.${capability.name}`, false, () =>
      callLive(kept, index, acts ? name : "read", acts ? [given.input, given.info] : [given.info]));
  }

  /**
   * What a handler gets: its input and the ctx of registry.md. signal is made when it is first looked at.
   * @param {number} owner @param {any} told @param {number} ticket @param {boolean} acts
   * @returns {{ input: any, info: any }}
   */
  #arguments(owner, told, ticket, acts) {
    const { capabilityId, registrationId, consumer, approval, input, invocationId } = told;
    const host = this.hostContext(owner);
    const open = this.#openTicket(ticket);
    if (!acts) {
      return { input, info: freeze({ capabilityId, registrationId, consumer, host }) };
    }
    const info = freeze({
      capabilityId,
      registrationId,
      consumer,
      host,
      invocationId,
      get signal() {
        return signalOf(open);
      },
      ...approval,
    });
    return { input: jsonParse(input), info };
  }

  /** @param {Lines} lines as callText of jsbridge/hooks.go has them */
  #told(lines) {
    const capabilityId = this.#idOf(lines.line());
    const registrationId = this.#registrationOf(lines.line());
    const consumer = this.#consumerOf(lines.line());
    const confirmation = lines.line();
    const approval = confirmation === "" ? undefined : { confirmation: fromText(confirmation) };
    return { capabilityId, registrationId, consumer, approval, input: lines.line(), invocationId: lines.rest };
  }

  /** @param {number} ticket @returns {Open} */
  #openTicket(ticket) {
    const open = newOpen();
    if (ticket !== 0) {
      mapSet(this.#open, ticket, open);
    }
    return open;
  }

  /**
   * Runs a page's function whose result may be a promise. What settles before it returns is the answer; what
   * settles later is sent. Of a policy's hook the value does not matter, and its ticket is kept for next; any other
   * ticket is let go of.
   * @param {number} owner @param {number} ticket @param {() => string} label @param {boolean} hook @param {() => unknown} run
   * @returns {Reply}
   */
  #long(owner, ticket, label, hook, run) {
    const limits = mapGet(this.#owners, owner) ?? GUEST;
    /** @type {Reply | null} */
    let reply = null;
    let sent = false;
    /** @param {Reply} answer */
    const settle = (answer) => {
      if (!hook) {
        mapDelete(this.#open, ticket);
      }
      if (sent) {
        this.#instance.send(Op.Settle, ticket, answer.answer, answer.body);
      } else {
        reply = answer;
      }
    };
    const onValue = (/** @type {unknown} */ value) => settle(hook ? NOTHING : this.#writtenAnswer(value, limits.depth, limits.outputBytes));
    const onError = (/** @type {unknown} */ error) => {
      this.#develop(owner, `${label()} failed`, error);
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
    return replyWith(Answer.Pending, "");
  }

  /** @param {number} definition @param {number} index @param {string} text @returns {Reply} */
  #precondition(definition, index, text) {
    const told = this.#told(new Lines(text));
    const kept = this.#kept(definition);
    const given = this.#arguments(kept.owner, told, 0, true);
    try {
      const refusal = callLive(kept, index, "precondition", [given.input, given.info]);
      return refusal === undefined || refusal === null ? NOTHING : refused(refusal);
    } catch (error) {
      const reply = thrown(error);
      if (reply.answer !== Answer.Thrown && isObject(error) && plainNames(error) !== undefined && typeof pick(error, "message") === "string") {
        return refused(error);
      }
      this.#develop(kept.owner, "a precondition failed", error);
      return reply;
    }
  }

  /** @param {number} number @param {number} owner @param {Lines} lines the function and its context */
  #builtIn(number, owner, lines) {
    return this.#hook(number, owner, lines.line(), lines);
  }

  /** @param {number} number @param {number} owner @param {string} name @param {Lines} lines @returns {Reply} */
  #hook(number, owner, name, lines) {
    const context = this.#policyContext(owner, lines);
    const policy = this.policyOf(number);
    try {
      return this.#plain(apply(policy[name], policy.self, [context]));
    } catch (error) {
      this.#develop(owner, `${name} of policy ${policy.name} failed`, error);
      return failed();
    }
  }

  /**
   * Runs an evaluation of policies, whose hooks get the context of the page that is given.
   * @template T @param {any} given @param {() => T} run @returns {T}
   */
  voting(given, run) {
    const outer = mapGet(this.#owners, 0);
    const options = { __proto__: null, context: () => pick(given, "host") };
    mapSet(this.#owners, 0, /** @type {any} */ ({ options, developing: false, given }));
    try {
      return run();
    } finally {
      mapDelete(this.#owners, 0);
      if (outer !== undefined) {
        mapSet(this.#owners, 0, outer);
      }
    }
  }

  /** @param {number} owner @param {Lines} lines as jsbridge/policies.go writes them */
  #policyContext(owner, lines) {
    const subject = this.#subjectOf(lines.line());
    const consumer = this.#consumerOf(lines.line());
    const input = lines.line();
    const { options, given } = /** @type {Owner} */ (mapGet(this.#owners, owner));
    return given !== undefined ? given : freeze({
      ...subject.about,
      consumer,
      ...(input === "" ? undefined : { invocationId: lines.rest, effectiveInput: fromText(input) }),
      host: this.hostContext(owner),
      internal: mapGet(this.#definitions, subject.definition)?.internal,
      now: () => {
        const now = pick(options, "now");
        return typeof now === "function" ? apply(now, options, []) : this.clockNow();
      },
    });
  }

  /** @param {"onAuthorize" | "onInvoke"} hook @param {number} number @param {number} owner @param {number} ticket @param {string} text @returns {Reply} */
  #around(hook, number, owner, ticket, text) {
    const context = this.#policyContext(owner, new Lines(text));
    const policy = this.policyOf(number);
    const open = this.#openTicket(ticket);
    const reply = this.#long(owner, ticket, () => `${hook} of policy ${policy.name}`, true, () =>
      apply(policy[hook], policy.self, [context, () => this.#next(open, ticket)]));
    open.returned = true;
    const nexts = open.nexts > 1 ? Answer.NextTwice : open.nexts === 1 ? Answer.Next : 0;
    return replyWith(reply.answer | nexts, reply.body);
  }

  /** @param {Open} open @param {number} ticket */
  #next(open, ticket) {
    if (open.over) {
      return refusal(say("late"));
    }
    open.nexts++;
    const first = open.nexts === 1;
    if (first) {
      open.next = deferred();
      follow(open.next.promise, () => {}, () => {}); // a refusal that the policy does not look at is not unhandled
    }
    if (open.returned) {
      this.#instance.send(Op.Next, ticket, 0, "");
    }
    return first ? /** @type {ReturnType<typeof deferred>} */ (open.next).promise : refusal(say("twice"));
  }

  /** @param {number} ticket a hook or handler that the runtime has no more use for */
  done(ticket) {
    const open = mapGet(this.#open, ticket);
    if (open !== undefined) {
      mapDelete(this.#open, ticket);
      open.over = true;
      open.next?.reject(new NativeError(say("late")));
    }
  }

  /** @param {number} owner @param {number} ticket @param {string} text @returns {Reply} */
  #executor(owner, ticket, text) {
    const lines = new Lines(text);
    const path = lines.line();
    const { consumer, approval, input, invocationId } = this.#told(lines);
    const executor = /** @type {Owner} */ (mapGet(this.#owners, owner)).executor;
    const open = this.#openTicket(ticket);
    const info = freeze({
      invocationId,
      consumer,
      get signal() {
        return signalOf(open);
      },
      ...approval,
    });
    const request = freeze({ path, input: jsonParse(input), info });
    return this.#long(owner, ticket, () => `the executor, for ${path},`, false, () => apply(pick(executor, "execute"), executor, [request]));
  }

  /** @param {number} number @param {string} text @returns {Reply} */
  #parse(number, text) {
    const schema = mapGet(this.#parses, number);
    try {
      const value = apply(pick(schema, "parse"), schema, [jsonParse(text)]);
      const parsed = this.#writtenAnswer(value, 64, 1 << 20);
      return parsed.answer === Answer.Value ? replyText(`{"value":${parsed.body || "null"}}`) : parsed;
    } catch (error) {
      const issues = pick(error, "issues");
      const list = isArray(issues) ? this.#writtenAnswer(issues, 8, 65536) : failed();
      return replyText(`{"issues":${list.answer === Answer.Value ? list.body : "[]"}}`);
    }
  }
}

/** @param {any} policy @param {string} name @param {(reason: string) => Error} blame */
function hookOf(policy, name, blame) {
  const hook = pick(policy, name);
  if (hook !== undefined && typeof hook !== "function") {
    throw blame(`${name} must be a function`);
  }
  return hook;
}

/** @param {string} line */
const same = (line) => line;
