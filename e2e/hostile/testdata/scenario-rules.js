/** The scenario, second part: policies, confirmations, procedures. scenario.js says what it must keep to. */
Object.assign(scenario.parts, {
  *policies(h, runtime) {
    const { page, after, registryOf, form, save, agent, other } = scenario;
    let user = null;
    let rule;
    const hook = (name) => page(h, (context, next) => {
      const run = rule[name];
      return run === undefined ? (next === undefined ? undefined : next()) : run(context, next);
    });
    const ruleOf = (given) => ({ __proto__: null, ...given });
    const registry = registryOf(h, runtime, { context: page(h, () => ({ user })), policies: [{ name: "outer", onDiscovery: hook("onDiscovery") }] });
    rule = ruleOf();
    h.call(registry, "register", form(h, runtime, () => "saved", {}, { policies: [{ name: "rule", onAuthorize: hook("onAuthorize"), onInvoke: hook("onInvoke") }] }));
    const payload = { code: "NOT_AUTHORIZED", message: "Not you.", retry: "no" };
    const rules = [
      {}, { onDiscovery: () => ({ decision: "hide" }) }, { onDiscovery: () => ({ decision: "disable", reason: "Not now" }) }, { onDiscovery: () => ({}) },
      { onDiscovery: scenario.fail }, { onAuthorize: () => undefined }, { onAuthorize: () => true }, { onAuthorize: scenario.fail },
      { onAuthorize: (_, next) => after(h, next(), () => "after") }, { onAuthorize: () => { throw new runtime.AgentSurfaceError(payload); } },
      { onInvoke: () => "forged" }, { onInvoke: (_, next) => (next(), h.hear(next(), () => {}, () => {}), undefined) },
      { onInvoke: (context, next) => (context.effectiveInput.n === 1 ? scenario.fail() : next()) },
      { onInvoke: (_, next) => after(h, next(), scenario.fail) }, { onInvoke: (_, next) => ({ then: page(h, (resolve) => h.hear(next(), resolve, resolve)) }) },
    ];
    for (let i = 0; i < rules.length; i++) {
      rule = ruleOf(rules[i]);
      h.note(`rule ${i}`, [yield save(h, registry), h.call(registry, "snapshot", { consumer: agent }).components.length]);
    }
    rule = ruleOf();
    h.call(registry, "dispose");

    const governed = registryOf(h, runtime, { context: page(h, () => ({ user })) });
    const limit = h.call(runtime, "rateLimit", { limit: 2, windowMs: 3600000 });
    const trail = h.call(runtime, "memoryAuditSink");
    const builtIn = [
      [h.call(runtime, "authenticated")], [h.call(runtime, "hasPermission", "save")],
      [h.call(runtime, "hasPermission", "x", page(h, ({ host }) => host.user === "ada"))],
      [h.call(runtime, "tenantBoundary", { current: page(h, ({ host }) => host.user), expected: page(h, () => "ada") })],
      [h.call(runtime, "environment", ["production"])], [limit], [h.call(runtime, "audit", trail, "full")],
    ];
    for (let i = 0; i < builtIn.length; i++) {
      h.call(governed, "register", form(h, runtime, () => i, { policies: builtIn[i] }, { type: `app.rule${i}` }));
    }
    const people = [null, "ada", "bob"];
    for (let p = 0; p < people.length; p++) {
      user = people[p];
      h.note(`seen by ${user}`, p === 1
        ? h.call(runtime.dev, "explainSurface", governed, { consumer: agent }).capabilities
        : h.call(governed, "snapshot", { consumer: p === 0 ? other : agent }).components.length);
      for (let i = 0; i < builtIn.length; i++) {
        h.note(`${user} ${i}`, yield h.call(governed, "invoke", { capabilityId: `view:app.rule${i}.save`, input: { n: i } }, { consumer: p === 0 ? other : agent }));
      }
    }
    h.note("beyond the limit", yield h.call(governed, "invoke", { capabilityId: "view:app.rule5.save", input: { n: 5 } }, { consumer: agent }));
    h.note("the trail", h.call(trail, "events"));
    h.note("votes", [
      h.call(runtime, "evaluateDiscovery", [h.call(runtime, "authenticated")], { capabilityId: scenario.SAVE, consumer: agent, host: {} }),
      h.call(runtime, "evaluateDiscovery", [{ name: "no", onDiscovery: page(h, () => ({ decision: "hide" })) }], { capabilityId: scenario.SAVE, consumer: agent }),
    ]);
    const policy = h.call(runtime, "authenticated");
    h.note("a copy", [policy.name, h.call(governed, "register", form(h, runtime, () => 1, { policies: [{ ...policy }] }, { type: "app.copy" })).status]);
    h.note("the copy's call", yield h.call(governed, "invoke", { capabilityId: "view:app.copy.save", input: { n: 1 } }));
    h.note("wrong options", [h.call(runtime, "rateLimit", { limit: 0, windowMs: 1 }), h.call(runtime, "authenticated", { keys: "x" }), h.call(runtime, "environment", [])]);
    h.call(governed, "dispose");
  },

  *confirmations(h, runtime) {
    const { page, registryOf, form, save, open, abort, signalOf, other, NativeController } = scenario;
    const registry = registryOf(h, runtime);
    const summary = page(h, ({ effectiveInput }) => `Save ${effectiveInput.n}?`);
    let approval;
    h.call(registry, "register", form(h, runtime, (input, info) => (approval = h.member(info, "confirmation"), input.n), {
      policies: [h.call(runtime, "requireConfirmation", { if: page(h, ({ effectiveInput }) => effectiveInput.n > 0), summary })],
    }));
    const { confirmations } = registry;
    const stop = h.call(confirmations, "subscribe", page(h, (pending) => h.note("pending", pending)));
    const ask = (n) => save(h, registry, { input: { n } });
    const idOf = (refused) => (h.note("asked", refused), refused.error.details.confirmationId);
    h.note("not needed", yield save(h, registry, { input: { n: 0 } }));
    const id = idOf(yield ask(1));
    h.note("not decided", yield save(h, registry, { confirmationId: id }));
    const wait = h.call(confirmations, "waitFor", id);
    h.note("approved", [h.call(confirmations, "resolve", id, { approved: true }), h.call(confirmations, "resolve", id, { approved: true })]);
    h.note("waited", yield wait);
    h.note("other input", yield save(h, registry, { confirmationId: id, input: { n: 2 } }));
    h.note("other caller", yield save(h, registry, { confirmationId: id }, other));
    h.note("no such record", yield save(h, registry, { confirmationId: "cnf_AAAAAAAAAAAAAAAAAAAAAAAA" }));
    h.note("done", [yield save(h, registry, { confirmationId: id }), approval]);
    h.note("consumed", yield save(h, registry, { confirmationId: id }));
    stop();
    const decisions = [{}, true, { approved: "true" }, { Approved: true }];
    for (let i = 0; i < decisions.length; i++) {
      const one = idOf(yield ask(10 + i));
      h.note(`decision ${i}`, [h.call(confirmations, "resolve", one, decisions[i]), yield save(h, registry, { input: { n: 10 + i }, confirmationId: one })]);
    }
    const gone = idOf(yield ask(30));
    h.note("expired", [h.call(confirmations, "forceExpire", gone), yield save(h, registry, { input: { n: 30 }, confirmationId: gone })]);
    const withdrawn = idOf(yield ask(40));
    const controller = new NativeController();
    const given = h.call(confirmations, "waitFor", withdrawn, { signal: signalOf(controller) });
    abort(controller);
    h.note("withdrawn", [yield given, h.call(confirmations, "pending").length]);
    h.note("no id", [h.call(confirmations, "resolve", 5, { approved: true }), yield h.call(confirmations, "waitFor", 5)]);

    // What was confirmed is what runs: a getter and a mutated input cannot change it.
    let reads = 0;
    const shifty = { get n() { return ++reads; } };
    const bound = (yield save(h, registry, { input: shifty })).error.details.confirmationId;
    h.call(confirmations, "resolve", bound, { approved: true });
    h.note("read again", yield save(h, registry, { input: shifty, confirmationId: bound }));
    const gate = open();
    h.call(registry, "register", form(h, runtime, (input) => input.n, {
      confirmation: "required", policies: [{ name: "slow", onInvoke: page(h, (_, next) => scenario.after(h, gate.promise, () => h.hear(next(), () => {}, () => {}))) }],
    }, { type: "app.slow" }));
    const mutable = { n: 50 };
    const slow = h.call(registry, "invoke", { capabilityId: "view:app.slow.save", input: mutable });
    mutable.n = 51;
    gate.resolve("go");
    h.note("mutated", yield slow);
    h.call(registry, "dispose");
    h.note("after dispose", [h.call(confirmations, "pending"), h.call(confirmations, "resolve", id, { approved: true })]);
  },

  *procedures(h, runtime) {
    const { page, registryOf, agent } = scenario;
    const registry = registryOf(h, runtime);
    let customer = "ada";
    const binding = (path, config, more) => ({
      kind: "procedure-binding",
      ref: {
        id: `domain:${path}`, path, description: "Asks the desk", effect: "server-query",
        inputSchema: {
          type: "object", properties: { customer: { type: "string" }, question: { type: "string" } }, required: ["customer", "question"], additionalProperties: false,
        },
        ...more,
      },
      config: { bind: page(h, () => ({ customer })), describe: page(h, () => `For ${customer}`), ...config },
      boundKeys: ["customer"],
      lockedKeys: ["customer"],
    });
    h.note("procedures", h.call(registry, "register", {
      type: "app.support", description: "Support", procedures: [binding("support.ask"), binding("support.close", { confirmation: "required" }, { effect: "destructive" })],
    }));
    const ask = (path, input, more) => h.call(registry, "invoke", { capabilityId: `domain:${path}`, input, ...more }, { consumer: agent });
    h.note("no executor", yield ask("support.ask", { question: "Where?" }));
    h.note("no executor at all", h.call(registry, "setProcedureExecutor", { run() {} }));
    let answer = (request) => ({ path: request.path, input: request.input, confirmed: h.member(request.info, "confirmation") !== undefined, aborted: scenario.aborted(request.info.signal) });
    h.call(registry, "setProcedureExecutor", { execute: page(h, (request) => answer(request)) });
    h.note("seen", h.call(registry, "snapshot", { consumer: agent }).procedures);
    h.note("asked", yield ask("support.ask", { question: "Where?" }));
    h.note("locked", yield ask("support.ask", { question: "Where?", customer: "bob" }));
    h.note("missing", yield ask("support.ask", {}));
    const refused = yield ask("support.close", { question: "Close" });
    h.note("destructive", refused);
    const { confirmationId } = refused.error.details;
    h.call(registry.confirmations, "resolve", confirmationId, { approved: true });
    customer = "bob";
    h.note("bound to another", yield ask("support.close", { question: "Close" }, { confirmationId }));
    customer = "ada";
    h.note("closed", yield ask("support.close", { question: "Close" }, { confirmationId }));
    answer = scenario.fail;
    h.note("failing", yield ask("support.ask", { question: "Where?" }));
    answer = () => ({ then: page(h, (_, reject) => reject({ transient: true })) });
    h.note("transient", yield ask("support.ask", { question: "Where?" }));
    h.call(registry, "setProcedureExecutor", null);
    h.note("taken away", yield ask("support.ask", { question: "Where?" }));
    h.call(registry, "dispose");
  },
});
