/** The scenario, third part: what is around a registry. scenario.js says what it must keep to. */
Object.assign(scenario.parts, {
  *news(h, runtime) {
    const { page, registryOf, form, save } = scenario;
    const sink = h.call(runtime, "memoryAuditSink", { capacity: 3 });
    const registry = registryOf(h, runtime, { audit: sink });
    const stop = h.call(registry, "subscribe", page(h, (event) => h.note("event", event)));
    h.call(registry, "subscribe", page(h, scenario.fail));
    const handle = h.call(registry, "register", form(h, runtime, () => 1, { audit: "full" }));
    const unwatch = h.call(runtime.dev, "watchCalls", registry, page(h, (step) => h.note("step", step)));
    h.call(runtime.dev, "watchCalls", registry, page(h, scenario.fail));
    yield save(h, registry);
    unwatch();
    h.call(handle, "unregister");
    stop();
    h.call(registry, "invalidate");
    h.note("the sink", h.call(sink, "events"));
    h.call(registry, "dispose");
    const failing = registryOf(h, runtime, { audit: page(h, scenario.fail) });
    h.call(failing, "register", form(h, runtime, () => 2));
    h.note("a failing sink", yield save(h, failing));
    h.call(failing, "dispose");
    const logged = registryOf(h, runtime, { audit: h.call(runtime, "consoleAuditSink") });
    h.call(logged, "dispose");
    h.note("wrong listener", h.call(registry, "subscribe", 5));
    h.note("wrong sink", h.call(runtime, "memoryAuditSink", { capacity: "5" }));
  },

  *schemas(h, runtime) {
    const { page, registryOf, form, save, EXACT, NativePromise } = scenario;
    h.note("documents", [
      h.call(runtime, "validateJsonSchemaDocument", EXACT), h.call(runtime, "validateJsonSchemaDocument", { type: "string", format: "email" }),
      h.call(runtime, "validateJsonSchemaDocument", { oneOf: [] }), h.call(runtime, "validateJsonSchemaDocument", { type: "string", pattern: "(" }),
      h.call(runtime, "fromJsonSchema", { $ref: "https://example.org" }), h.call(runtime, "fromJsonSchema"),
    ]);
    const schema = h.call(runtime, "fromJsonSchema", EXACT);
    h.note("document", schema.jsonSchema);
    h.note("parsed", [h.call(schema, "parse", { n: 1 }), h.call(schema, "parse", { n: "1" }), h.call(schema, "parse", () => 1)]);
    h.note("issues", h.call(runtime, "validateValueAgainstSchema", { n: 1.5, tags: ["x"] }, EXACT, EXACT, "input"));
    h.note("empty", [h.call(runtime.emptyObjectSchema, "parse", {}), h.call(runtime.emptyObjectSchema, "parse", { a: 1 })]);
    const standard = (validate) => h.call(runtime, "fromStandardSchema", { "~standard": { version: 1, vendor: "suite", validate: page(h, validate) } }, { jsonSchema: { type: "object" } });
    const schemas = [
      (value) => ({ value: { n: value.n + 1 } }), () => ({ issues: [{ message: "No.", path: ["a", { key: 0 }, "b"] }] }), () => ({ issues: {} }),
      () => new NativePromise((resolve) => resolve(1)), () => undefined, scenario.fail,
    ];
    const registry = registryOf(h, runtime);
    for (let i = 0; i < schemas.length; i++) {
      const input = standard(schemas[i]);
      h.note(`standard ${i}`, h.call(input, "parse", { n: 1 }));
      h.call(registry, "register", form(h, runtime, (given) => given, { input }, { type: `app.schema${i}` }));
      h.note(`call ${i}`, yield h.call(registry, "invoke", { capabilityId: `view:app.schema${i}.save`, input: { n: 1 } }));
    }
    const own = { jsonSchema: { type: "object" }, parse: page(h, (value) => (value.n > 1 ? scenario.fail() : { doubled: value.n * 2 })) };
    h.call(registry, "register", form(h, runtime, (given) => given, { input: own }));
    h.note("own parse", [yield save(h, registry), yield save(h, registry, { input: { n: 2 } })]);
    h.note("no standard", h.call(runtime, "fromStandardSchema", {}, { jsonSchema: {} }));
    h.call(registry, "dispose");
  },

  *functions(h, runtime) {
    const entries = [{ id: "view:a.b.c" }, { id: "view:a.b.c", instanceId: "two" }, { id: "domain:x.y" }];
    const calls = [
      ["parseCapabilityId", "view:a.b.c"], ["parseCapabilityId", "nothing"], ["formatViewCapabilityId", "a.b", "c"], ["formatViewCapabilityId", "A", "c"],
      ["formatDomainCapabilityId", "x.y"], ["isValidComponentType", "a.b"], ["isValidComponentType", "A"], ["isValidCapabilityName", "save"], ["isValidInstanceId", "x y"],
      ["encodeWireName", "view:a.b.c"], ["encodeWireNameForInstance", "view:a.b.c", "two", 1], ["assignWireNames", entries], ["decodeWireName", "view_a__b__c"],
      ["jsonDeepEqual", { a: 1, b: [2] }, { b: [2], a: 1 }], ["jsonDeepEqual", { a: 1 }, { a: 2 }], ["canonicalJson", { b: 1, a: [1.5, "é", null] }],
      ["canonicalJson", { a: 1n }], ["digestJson", { b: 1, a: [1.5, "é", null] }], ["digestJson", "\ud800"], ["isAgentSurfaceError", { name: "AgentSurfaceError" }],
    ];
    for (let i = 0; i < calls.length; i++) {
      h.note(calls[i][0], h.callAs(runtime, calls[i]));
    }
    h.note("constants", [runtime.MAX_ID_LENGTH, runtime.MAX_WIRE_NAME_LENGTH, runtime.AGENT_CAPABILITY_ERROR_CODES, runtime.DEFAULT_LIMITS]);
    h.note("scope", [h.call(runtime.dev, "matchesScope", "a.b", ["a"]), h.call(runtime.dev, "matchesScope", "ab", ["a"])]);
    const error = new runtime.AgentSurfaceError({ code: "CANCELLED", message: "Stopped.", retry: "yes" });
    h.own(error);
    h.note("errors", [h.call(runtime, "isAgentSurfaceError", error), error.payload, error.name]);
  },

  *testing(h, runtime) {
    const { form } = scenario;
    const surface = h.call(runtime, "createTestSurface", { host: { user: "ada" } });
    h.call(surface.registry, "register", form(h, runtime, (input) => input, { confirmation: "required" }, {
      policies: [h.call(runtime, "authenticated")],
      observations: {
        state: { description: "Reads", output: h.call(runtime, "fromJsonSchema", {}), read: scenario.page(h, () => ({ state: "on" })) },
        list: { description: "Reads", output: h.call(runtime, "fromJsonSchema", {}), read: scenario.page(h, () => [1, 2]) },
      },
    }));
    h.note("observed", [yield h.call(surface, "observe", "view:app.form.state"), yield h.call(surface, "observe", "view:app.form.list")]);
    h.note("not observed", yield h.call(surface, "observe", "view:app.form.none"));
    const request = { capabilityId: scenario.SAVE, input: { n: 1 } };
    h.note("asked", yield h.call(surface, "invoke", request));
    h.call(surface.confirmations, "approve");
    h.note("approve again", h.call(surface.confirmations, "approve"));
    h.note("reference", h.call(surface, "captureRef", scenario.SAVE));
    const nobody = h.call(surface, "as", {});
    h.note("nobody", [h.call(nobody, "snapshot").components, yield h.call(nobody, "invoke", request)]);
    h.note("trail", [h.call(surface, "auditLog"), h.call(surface, "events")]);
    h.call(surface, "dispose");
  },

  *toolsets(h, runtime) {
    const { page, registryOf, form } = scenario;
    const registry = registryOf(h, runtime);
    const handle = h.call(registry, "register", form(h, runtime, (input) => input));
    h.call(registry, "register", form(h, runtime, (input) => input, { confirmation: "required" }, { type: "app.asking" }));
    const options = { consumer: { id: "copilot", kind: "embedded" }, topology: "embedded" };
    const toolset = h.call(runtime, "createAgentToolset", registry, options);
    const stop = h.call(toolset, "subscribe", page(h, () => h.note("changed", "")));
    const tools = h.call(toolset, "tools");
    const save = tools[1];
    h.note("tools", [tools.length, tools[0].name, save.name, save.description, save.inputSchema, save.state, h.call(runtime, "capabilityState", tools)]);
    h.note("called", yield h.call(save, "execute", { n: 1 }, { toolCallId: "one" }));
    h.note("again", yield h.call(save, "execute", { n: 1 }, { toolCallId: "one" }));
    h.note("not so", [
      yield h.call(save, "execute", { n: 2 }, { invocationId: "one" }), yield h.call(save, "execute", { n: "1" }), yield h.call(save, "execute", () => 1),
      yield h.call(save, "execute", { n: 1 }, { toolCallId: 5 }), yield h.call(save, "execute"),
    ]);
    const waiting = h.call(tools[0], "execute", { n: 1 });
    const pending = h.call(registry.confirmations, "pending");
    h.note("waiting", pending);
    h.call(registry.confirmations, "resolve", pending[0].confirmationId, { approved: true });
    h.note("waited", yield waiting);
    h.call(handle, "update", { enabled: false });
    yield h.TURN;
    const later = h.call(toolset, "tools");
    h.note("later", [later[1].state, h.call(runtime, "capabilityState", later), yield h.call(save, "execute", { n: 1 })]);
    stop();
    const meta = h.call(runtime, "createAgentToolset", registry, { ...options, consumer: { id: "meta", kind: "embedded" }, mode: "meta", confirmations: "two-phase" });
    const verbs = h.call(meta, "tools");
    h.note("verbs", [verbs[0].name, verbs[2].inputSchema, yield h.call(verbs[0], "execute", { scope: ["app.asking"] }), yield h.call(verbs[2], "execute", { capabilityId: "view:app.asking.save", input: { n: 1 } })]);
    h.note("wrong options", [h.call(runtime, "createAgentToolset", registry, {}), h.call(runtime, "createAgentToolset", {}, options), h.call(runtime, "capabilityState", {})]);
    h.call(toolset, "dispose");
    h.note("disposed", [h.call(toolset, "tools"), yield h.call(save, "execute", { n: 1 })]);
    h.call(registry, "dispose");
    h.note("gone", yield h.call(verbs[0], "execute", {}));
    h.note("a subject", h.call(runtime, "runAdapterConformance", {}));
  },

  *adapters(h, runtime) {
    const { page, browser, registryOf, form } = scenario;
    for (let style = 0; style < 3; style++) {
      const registry = registryOf(h, runtime);
      h.call(registry, "register", form(h, runtime, (input) => input, {}, {}));
      h.call(registry, "register", form(h, runtime, (input) => input, { confirmation: "required" }, { type: "app.asking" }));
      const tools = { __proto__: null };
      const keep = browser(h, (tool, options) => {
        h.note("tool", tool);
        h.note("its options", options);
        h.note("its hints", [tool.title, tool.annotations.readOnlyHint, tool.annotations.consequentialHint]);
        tools[tool.name] = tool;
      });
      const drop = page(h, (name) => {
        h.note("withdrawn", name);
        tools[name] = undefined;
      });
      const whole = browser(h, (set) => {
        h.note("whole set", set.tools.length);
        for (let i = 0; i < set.tools.length; i++) {
          tools[set.tools[i].name] = set.tools[i];
        }
      });
      const modelContext = [{ registerTool: keep, unregisterTool: drop }, { registerTool: keep }, { provideContext: whole, clearContext: page(h, () => h.note("cleared", "")) }][style];
      const adapter = h.call(runtime, "createWebMcpAdapter", {
        modelContext, confirmWithoutClient: style === 1,
        confirm: page(h, (pending) => (h.note("confirm", pending), style === 1)),
        exposeCapability: page(h, (capability) => (capability.capabilityId === "view:app.hidden.save" ? null : { description: "Curated" })),
      });
      h.note("start", h.call(adapter, "start", { registry, consumer: { id: "browser", kind: "webmcp" } }));
      h.note("status", h.call(adapter, "status"));
      const offered = tools.view_app__form__save;
      h.note("called", [yield h.call(offered, "execute", { n: 1 }), yield h.call(offered, "execute", "text")]);
      const client = { requestUserInteraction: page(h, (ask) => ask()) };
      h.note("asked", yield h.call(tools.view_app__asking__save, "execute", { n: 2 }, client));
      const waiting = h.call(tools.view_app__asking__save, "execute", { n: 1 });
      const pending = h.call(registry.confirmations, "pending");
      h.note("waiting", pending);
      if (pending.length > 0) {
        h.call(registry.confirmations, "resolve", pending[0].confirmationId, { approved: true });
      }
      h.note("waited", yield waiting);
      h.call(adapter, "stop");
      yield h.TURN;
      h.note("stopped", [yield h.call(offered, "execute", { n: 1 }), h.call(adapter, "status")]);
      h.call(registry, "dispose");
    }
    const nobody = registryOf(h, runtime);
    const idle = h.call(runtime, "createWebMcpAdapter");
    h.note("no model context", [h.call(idle, "start", { registry: nobody }), h.call(idle, "status"), h.call(idle, "stop"), h.call(nobody, "dispose")]);
    yield h.TURN;
    h.note("wrong options", [h.call(runtime, "createWebMcpAdapter", { confirmation: true }), h.call(h.call(runtime, "createWebMcpAdapter"), "start", { registry: {} })]);
    h.note("tables", h.call(runtime.dev, "tables"));
  },
});
