/** The scenario, last part: declarations, authorities, the gateway. scenario.js says what it must keep to. */
Object.assign(scenario.parts, {
  *contracts(h, runtime) {
    const { page, EXACT } = scenario;
    const digest = (value) => h.call(runtime, "digestJson", value);
    const entry = (more, seen) => {
      const whole = { declaration: "page.js#declared", ...seen, ...more, admission: digest(seen) };
      return { ...whole, origin: "first-party", hash: digest(whole) };
    };
    const sealed = (capabilities) => {
      const whole = { formatVersion: 1, compiler: "pagewarden/test", targets: ["web"], capabilities, external: [], completeness: { status: "proven" } };
      return { ...whole, hash: digest(whole) };
    };
    const save = { capabilityId: "view:app.declared.save", kind: "action", description: "Saves", componentDescription: "A declared form", effect: "local-state", inputSchema: EXACT, audit: "metadata" };
    const ask = {
      capabilityId: "domain:desk.ask", kind: "procedure", description: "Asks", effect: "server-query", inputSchema: EXACT, audit: "metadata",
      boundFields: [{ path: "n", locked: true }],
    };
    const tell = { capabilityId: "external:tell", kind: "external", description: "Tells", effect: "read", inputSchema: EXACT };
    const list = [entry({ confirmation: "optional", policies: [{ name: "rule", phase: "authorize" }] }, save), entry({ confirmation: "never" }, ask), entry({ confirmation: "never" }, tell)];
    const manifest = sealed(list);
    const authority = h.call(runtime, "createCapabilityAuthority", manifest);
    h.note("authority", authority);
    h.note("edited by hand", [
      h.call(runtime, "createCapabilityAuthority", { ...manifest, capabilities: [list[0], list[1]] }),
      h.call(runtime, "createCapabilityAuthority", { ...manifest, capabilities: [{ ...list[0], effect: "navigation" }, list[1], list[2]] }),
      h.call(runtime, "createCapabilityAuthority", { ...manifest, formatVersion: 2 }), h.call(runtime, "createCapabilityAuthority", {}),
    ]);
    h.note("forged", h.call(runtime, "createAgentSurfaceRegistry", { authority: { ...authority }, environment: "test" }));
    const registry = h.call(runtime, "createAgentSurfaceRegistry", { authority, environment: "test", audit: { record() {} } });
    h.note("mode", registry.authorityMode);
    const input = h.call(runtime, "fromJsonSchema", EXACT);
    const contract = h.call(runtime, "defineAgentComponentContract", {
      type: "app.declared", description: "A declared form", policies: [{ name: "rule", phase: "authorize" }],
      actions: { save: { description: "Saves", effect: "local-state", confirmation: "optional", input } },
    });
    const asking = h.call(runtime, "defineAgentProcedureContract", {
      id: "domain:desk.ask", description: "Asks", effect: "server-query", input, boundFields: [{ path: "n", locked: true }],
    });
    let supplied = { n: 4 };
    const rule = { name: "rule", onAuthorize: page(h, (_, next) => next()) };
    const binding = (more) => ({
      policies: [rule], actions: { save: { execute: page(h, ({ n }) => n + 1) } }, procedures: [h.call(asking, "bind", { bind: page(h, () => supplied) })], ...more,
    });
    const definition = h.call(contract, "bind", binding());
    h.note("bound", h.call(registry, "register", definition).status);
    h.note("again", h.call(registry, "register", h.call(contract, "bind", binding({ instanceId: "two" }))).status);
    h.call(registry, "setProcedureExecutor", { execute: page(h, (call) => call.input.n) });
    h.note("saved", yield h.call(registry, "invoke", { capabilityId: "view:app.declared.save", instanceId: "two", input: { n: 1 } }));
    h.note("asked", yield h.call(registry, "invoke", { capabilityId: "domain:desk.ask", instanceId: "two", input: {} }));
    supplied = { n: 4, name: "more" };
    h.note("too much", yield h.call(registry, "invoke", { capabilityId: "domain:desk.ask", instanceId: "two", input: {} }));
    let reads = 0;
    const others = [
      { description: "Another form" }, { policies: [] }, { policies: [{ name: "rule", onInvoke: rule.onAuthorize }] }, { actions: {} }, { type: "app.other" },
      { actions: { save: { ...definition.actions.save, confirmation: "never" } } }, { actions: { save: { ...definition.actions.save, title: "Saves" } } },
      { actions: { save: { ...definition.actions.save, get description() { return reads++ > 0 ? "Deletes" : "Saves"; } } } },
      { actions: { save: { ...definition.actions.save, get description() { return reads++ > 1 ? "Saves" : "Deletes"; } } } },
      { admission: list[0].admission }, { procedures: [{ ...definition.procedures[0], boundFields: [{ path: "n", locked: false }] }] },
    ];
    for (let i = 0; i < others.length; i++) {
      h.note(`other ${i}`, h.call(registry, "register", { ...definition, instanceId: `other${i}`, ...others[i] }));
    }
    h.note("bind refuses", [h.call(contract, "bind", {}), h.call(contract, "bind", binding({ type: "app.other" })), h.call(contract, "bind", binding({ actions: { save: {}, drop: {} } }))]);
    h.note("snapshot", h.call(registry, "snapshot"));
    h.call(registry, "dispose");

    const declare = (more) => h.call(runtime, "defineExternalAgentToolContract", { id: "external:tell", description: "Tells", effect: "read", input, ...more });
    const told = h.call(declare({}), "bind", { execute: page(h, () => "told") });
    h.note("in production", h.call(runtime, "createAgentExposureGateway", h.call(runtime, "createOpenAuthority")));
    const gateway = h.call(runtime, "createAgentExposureGateway", authority, { environment: "test" });
    const exposed = h.call(gateway, "expose", [told]);
    h.note("exposed", [exposed.length, exposed[0] === told, exposed[0].name, exposed[0].description, exposed[0].inputSchema]);
    h.note("not exposed", [
      h.call(gateway, "expose", [{ ...told }]), h.call(gateway, "expose", [told, told]), h.call(gateway, "expose", {}),
      h.call(gateway, "expose", [h.call(declare({ description: "Sells" }), "bind", { execute: page(h, () => "sold") })]), h.call(declare({}), "bind", {}),
    ]);
  },
});
