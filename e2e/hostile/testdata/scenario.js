/**
 * What is played in every realm, attacked or not: the page of an application that uses the runtime.
 *
 * A classic script, in sloppy mode as most of a page's are. It captures what it needs before any attack and looks
 * nothing up on a prototype, so that whatever goes differently in an attacked realm is the runtime's doing. It must
 * not call any built-in by its name: then every call of a patched function comes from the runtime. h is what
 * realm.js offers; a generator yields what is to be waited for.
 */
var scenario = (() => {
  const NativePromise = Promise;
  const NativeProxy = Proxy;
  const NativeController = AbortController;
  const uncurry = Function.prototype.call.bind(Function.prototype.bind, Function.prototype.call);
  const abort = uncurry(AbortController.prototype.abort);
  const getter = (prototype, name) => uncurry(Object.getOwnPropertyDescriptor(prototype, name).get);
  const signalOf = getter(AbortController.prototype, "signal");
  const aborted = getter(AbortSignal.prototype, "aborted");
  const reason = getter(AbortSignal.prototype, "reason");
  const listen = uncurry(EventTarget.prototype.addEventListener);

  /** A function of the page. */
  function page(h, run, bags) {
    const handler = function (first, second) {
      if (bags !== undefined) {
        h.own(second);
        bags(first);
      }
      h.entered(arguments, handler);
      const result = run(first, second);
      h.own(result);
      return result;
    };
    h.own(handler);
    return handler;
  }

  /** A function of the browser. Its tools and options come without a prototype, so that nothing on Object.prototype is of theirs. */
  const browser = (h, run) => {
    const tool = (given) => {
      h.own(given);
      h.own(given.annotations);
    };
    return page(h, run, (first) => {
      tool(first);
      for (let i = 0; i < (first.tools?.length ?? 0); i++) {
        tool(first.tools[i]);
      }
    });
  };

  /** A promise of the realm that settles as another does, after run. */
  const after = (h, promise, run) => new NativePromise((resolve, reject) => h.hear(promise, (value) => {
    try {
      resolve(run(value));
    } catch (error) {
      reject(error);
    }
  }, reject));

  /** A promise of the realm and its resolve. */
  function open() {
    let settle;
    const promise = new NativePromise((resolve) => (settle = resolve));
    return { promise, resolve: settle };
  }

  const EXACT = {
    type: "object",
    properties: { n: { type: "integer", minimum: 0 }, name: { type: "string", pattern: "^[a-z]+$" }, tags: { type: "array", items: { enum: ["a", "b"] } } },
    required: ["n"],
    additionalProperties: false,
  };
  const agent = { id: "agent", kind: "test", grants: ["save"] };
  const other = { id: "other", kind: "test" };

  /** A registry with the settings that the scenario means. */
  const registryOf = (h, runtime, more) =>
    h.call(runtime, "createAgentSurfaceRegistry", { authority: h.call(runtime, "createOpenAuthority"), environment: "test", audit: { record() {} }, ...more });

  /** A component with one action, save, of an exact input. */
  const form = (h, runtime, execute, action, component) => ({
    type: "app.form",
    description: "A form",
    actions: {
      save: { description: "Saves", effect: "local-state", input: h.call(runtime, "fromJsonSchema", EXACT), execute: page(h, execute), ...action },
    },
    ...component,
  });

  const SAVE = "view:app.form.save";
  const save = (h, registry, more, consumer) => h.call(registry, "invoke", { capabilityId: SAVE, input: { n: 1 }, ...more }, { consumer: consumer ?? agent });

  return {
    optionsOf: (wasm) => ({ wasm }),
    page, browser, after, open, abort, signalOf, aborted, reason, listen, NativePromise, NativeProxy, NativeController,
    EXACT, agent, other, registryOf, form, SAVE, save,
    much: "x".repeat(2 ** 20),
    parts: {},
  };
})();

Object.assign(scenario.parts, {
  /** Once in a realm, so much that the module's memory has to grow. */
  *growing(h, runtime) {
    if (scenario.much !== "") {
      h.call(runtime, "canonicalJson", scenario.much);
      scenario.much = "";
    }
  },

  *registering(h, runtime) {
    const { page, registryOf, form, agent } = scenario;
    h.note("in production", h.call(runtime, "createAgentSurfaceRegistry", { authority: h.call(runtime, "createOpenAuthority") }));
    h.note("a forged authority", h.call(runtime, "createAgentSurfaceRegistry", { authority: { mode: "open", allowInProduction: true } }));
    h.note("no authority", h.call(runtime, "createAgentSurfaceRegistry", { environment: "test" }));
    const registry = registryOf(h, runtime, {
      environment: "development",
      onRegister: page(h, (candidate) => (h.note("candidate", candidate.capabilityIds), candidate.type === "app.bad" ? "reject" : "accept")),
      route: page(h, () => ({ path: "/forms" })),
    });
    h.note("mode", registry.authorityMode);
    const handle = h.call(registry, "register", form(h, runtime, () => "saved"));
    h.note("handle", handle);
    h.note("status", handle.status);
    h.note("duplicate", h.call(registry, "register", form(h, runtime, () => "saved")));
    h.note("guarded", h.call(registry, "register", form(h, runtime, () => "saved", {}, { type: "app.bad" })));
    h.note("unknown field", h.call(registry, "register", form(h, runtime, () => "saved", {}, { colour: "red" })));
    h.note("no handler", h.call(registry, "register", form(h, runtime, () => "saved", { execute: 5 }, { type: "app.two" })));
    h.note("effect", h.call(registry, "register", form(h, runtime, () => "saved", { effect: "destructive" }, { type: "app.two" })));
    h.note("type", h.call(runtime, "validateComponentDefinition", form(h, runtime, () => "saved", {}, { type: "App" })));
    h.call(registry, "register", form(h, runtime, () => "saved", { when: page(h, () => false), unavailableReason: page(h, () => "Closed") }, {
      type: "other.form", instanceId: "two", meta: { level: 2 }, parent: { type: "app.form" }, priority: -1,
      observations: { state: { description: "Reads", output: h.call(runtime, "fromJsonSchema", { type: "string" }), read: page(h, () => "idle") } },
    }));
    h.note("snapshot", h.call(registry, "snapshot", { consumer: agent }));
    h.note("scope", h.call(registry, "snapshot", { consumer: agent, scope: ["other"], includeUnavailable: false }));
    h.note("budget", h.call(registry, "snapshot", { budget: { maxComponents: 1 } }));
    h.note("wrong context", h.call(registry, "snapshot", { consumer: { id: "" } }));
    h.call(handle, "update", { enabled: false });
    h.note("disabled", h.call(registry, "snapshot").components);
    h.call(handle, "update", { enabled: true, availability: { save: { available: false, reason: "Full" } } });
    h.note("explained", h.call(runtime.dev, "explainSurface", registry, { consumer: agent }));
    h.note("unavailable", yield scenario.save(h, registry));
    h.call(handle, "invalidate");
    h.note("version", h.call(registry, "getVersion"));
    h.call(handle, "unregister");
    h.note("gone", [handle.status, yield scenario.save(h, registry)]);
    h.note("text", h.call(runtime, "serializeSurfaceSnapshot", h.call(registry, "snapshot")));
    h.call(registry, "dispose");
    h.note("disposed", [h.call(registry, "snapshot"), handle.status, yield scenario.save(h, registry)]);
  },

  *invoking(h, runtime) {
    const { page, registryOf, form, save, NativePromise, NativeProxy } = scenario;
    const registry = registryOf(h, runtime);
    let answer = (input) => input;
    h.call(registry, "register", form(h, runtime, (input, info) => answer(input, info), { output: h.call(runtime, "fromJsonSchema", {}) }));
    for (let i = 0; i < 6; i++) {
      const input = [{ n: 1, name: "tea", tags: ["a", "b"] }, { n: -1 }, { n: 1, name: "TEA" }, { n: 1, tags: ["c"] }, { n: 1, approved: true }, "text"][i];
      h.note(`input ${i}`, yield save(h, registry, { input }));
    }
    h.note("no input", yield save(h, registry, { input: undefined }));
    h.note("no such capability", yield save(h, registry, { capabilityId: "view:app.form.delete" }));
    h.note("no request", yield h.call(registry, "invoke"));
    let reads = 0;
    h.note("a getter", yield save(h, registry, { input: { get n() { return reads++; } } }));
    const liar = new NativeProxy({ n: 1 }, { __proto__: null, get: (target, name) => (name === "n" ? reads++ : target[name]) });
    h.note("a proxy", yield save(h, registry, { input: liar }));
    h.note("a function", yield save(h, registry, { input: { n() {} } }));
    h.note("a throwing getter", yield save(h, registry, { input: { get n() { return scenario.fail(); } } }));
    const outputs = [
      () => ({ status: "error", list: [1, [2], { three: 3 }] }), () => "text", () => undefined, () => [],
      async () => "later", () => new NativePromise((resolve) => resolve(7)), () => ({ then: page(h, (resolve) => resolve({ thenable: true })) }),
      () => { throw "secret"; }, async () => { throw "secret"; }, () => ({ then: page(h, (_, reject) => reject("secret")) }), () => () => 1, () => ({ bad: 1n }),
      () => { throw new runtime.AgentSurfaceError({ code: "PRECONDITION_FAILED", message: "Not yet.", retry: "with-changes", details: { a: [1] } }); },
      () => { throw { transient: true, retryAfterMs: 5 }; },
      (_, info) => ({ aborted: scenario.aborted(info.signal), id: info.capabilityId, who: info.consumer, host: info.host }),
    ];
    for (let i = 0; i < outputs.length; i++) {
      answer = outputs[i];
      h.note(`output ${i}`, yield save(h, registry));
    }
    answer = () => ({ inner: h.call(registry, "snapshot").components.length, version: h.call(registry, "getVersion") });
    h.note("nested", yield save(h, registry));
    h.call(registry, "dispose");
  },

  *availability(h, runtime) {
    const { page, registryOf, form, save, open, abort, signalOf, listen, agent } = scenario;
    const registry = registryOf(h, runtime);
    let gate = open();
    let started = 0;
    h.call(registry, "register", form(h, runtime, (_, { signal }) => {
      started++;
      listen(signal, "abort", () => h.note("the signal", scenario.reason(signal)));
      return gate.promise;
    }, { concurrency: { mode: "capability", queueDepth: 1 }, timeoutMs: 60000 }));
    const calls = [save(h, registry), save(h, registry), save(h, registry)];
    h.note("beyond the queue", yield calls[2]);
    gate.resolve("one");
    h.note("first", yield calls[0]);
    h.note("second", yield calls[1]);
    h.note("started", started);
    gate = open();
    const controller = new scenario.NativeController();
    const cancelled = h.call(registry, "invoke", { capabilityId: scenario.SAVE, input: { n: 1 } }, { consumer: agent, signal: signalOf(controller) });
    abort(controller);
    h.note("cancelled", yield cancelled);
    h.note("no signal", yield h.call(registry, "invoke", { capabilityId: scenario.SAVE, input: { n: 1 } }, { signal: {} }));
    h.note("timed out", yield h.call(registry, "invoke", { capabilityId: scenario.SAVE, input: { n: 1 } }, { consumer: agent, timeoutMs: 1 }));
    gate.resolve("late");
    yield h.TURN;

    let state = "open";
    h.call(registry, "register", form(h, runtime, () => "done", {
      precondition: page(h, ({ n }) => (state === "throws" ? scenario.fail() : n > 5 ? { message: "Too many.", details: { limit: 5 } } : undefined)),
      when: page(h, () => state !== "closed"), unavailableReason: "Closed",
    }, { type: "app.door" }));
    const enter = (n) => h.call(registry, "invoke", { capabilityId: "view:app.door.save", input: { n } });
    h.note("precondition holds", yield enter(1));
    h.note("precondition fails", yield enter(9));
    state = "throws";
    h.note("precondition throws", yield enter(1));
    state = "closed";
    h.note("not now", yield enter(1));
    const hanging = open();
    h.call(registry, "register", form(h, runtime, () => hanging.promise, {}, { type: "app.hanging" }));
    const left = h.call(registry, "invoke", { capabilityId: "view:app.hanging.save", input: { n: 1 } });
    h.call(registry, "dispose");
    h.note("left behind", yield left);
  },

  *identity(h, runtime) {
    const { registryOf, form, save, agent, other } = scenario;
    const registry = registryOf(h, runtime);
    let runs = 0;
    const first = h.call(registry, "register", form(h, runtime, () => ++runs, {}, { instanceId: "a" }));
    const version = h.call(registry, "getVersion");
    h.note("once", yield save(h, registry, { invocationId: "same" }));
    h.note("again", yield save(h, registry, { invocationId: "same" }));
    h.note("other input", yield save(h, registry, { invocationId: "same", input: { n: 2 } }));
    h.note("other caller", yield save(h, registry, { invocationId: "same" }, other));
    h.note("runs", runs);
    h.call(registry, "register", form(h, runtime, () => "b", {}, { instanceId: "b" }));
    h.note("ambiguous", yield save(h, registry));
    h.note("instance", yield save(h, registry, { instanceId: "b" }));
    h.note("no such instance", yield save(h, registry, { instanceId: "c" }));
    h.note("registration", yield save(h, registry, { registrationId: first.registrationId, surfaceVersion: version }));
    h.call(first, "unregister");
    h.note("stale", yield save(h, registry, { registrationId: first.registrationId, surfaceVersion: version }));
    h.note("names that are none", yield h.call(registry, "invoke", { capabilityId: 5, input: {} }, { consumer: agent }));
    h.note("no consumer", yield save(h, registry, { instanceId: "b" }, { id: "", kind: "test" }));
    h.call(registry, "dispose");
  },
});

/** A function of the page that fails. */
scenario.fail = () => {
  throw "secret";
};
