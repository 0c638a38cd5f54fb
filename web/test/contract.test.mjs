// @ts-check
/** Contracts in JavaScript: declaring, binding, authority, pin and gateway. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { built, registryOf, script, thrownBy, told, toldCount } from "./harness.js";
import { ENTRIES, IDS, declarations, sealed } from "./manifest.js";

const { load, module } = await script();
const pagewarden = await import(built("pagewarden.mjs").href);
const runtime = await load({ wasm: module });
const { table, disable, weather } = declarations(pagewarden);
const manifest = sealed(ENTRIES);

const policies = [runtime.authenticated({ key: "user" })];

/** What carries the table out. @param {any} [more] */
const bindings = (more) => ({
  policies, observations: { selection: { read: () => ["a"] } }, actions: { select: { execute: (/** @type {any} */ { ids }) => ids.length } }, ...more,
});

/** @param {any} [options] @param {any} [from] */
const surface = (options, from = runtime) => from.createAgentSurfaceRegistry({
  authority: from.createCapabilityAuthority(manifest), environment: "test", context: () => ({ user: "ada" }), audit: { record() {} }, ...options,
});

test("what is declared and bound is registered under its contract", async () => {
  const registry = surface();
  assert.equal(registry.authorityMode, "contract");
  const procedures = [disable.bind({ bind: () => ({ ids: ["x"] }) })];
  const handle = registry.register(table.bind(bindings({ procedures })));
  registry.setProcedureExecutor({ execute: ({ path, input }) => ({ path, input }) });
  assert.equal(handle.status, "active");
  const snapshot = registry.snapshot();
  assert.deepEqual(snapshot.components[0].observations.map((/** @type {any} */ { capabilityId, title, description }) => [capabilityId, title, description]),
    [["view:devices.table.selection", "Selection", "What is selected"]]);
  assert.deepEqual(snapshot.procedures[0].boundFields, [{ path: "ids", locked: true, source: "ui-state" }]);
  assert.equal((await registry.invoke({ capabilityId: "view:devices.table.select", input: { ids: ["a", "b"] } })).output, 2);
  assert.deepEqual((await registry.invoke({ capabilityId: "view:devices.table.selection" })).output, ["a"]);
  assert.deepEqual((await registry.invoke({ capabilityId: "domain:devices.disable", input: {} })).output, { path: "devices.disable", input: { ids: ["x"] } });
  assert.equal(runtime.dev.explainSurface(registry).authorityMode, "contract");
  registry.dispose();
});

test("the trail says under which kind of authority", () => {
  const sink = runtime.memoryAuditSink();
  const registry = surface({ audit: sink });
  registry.register(table.bind(bindings()));
  assert.deepEqual(sink.events().map((/** @type {any} */ event) => [event.type, event.authorityMode]), [["registration", "contract"]]);
  registry.dispose();
});

test("the same component is mounted again and again", () => {
  const registry = surface();
  for (const instanceId of ["a", "b", "c"]) {
    assert.equal(registry.register(table.bind(bindings({ instanceId }))).status, "active");
  }
  assert.deepEqual(registry.snapshot().components.map((/** @type {any} */ { instanceId }) => instanceId), ["a", "b", "c"]);
  registry.dispose();
});

test("handlers are looked up on the bound definition, which the page may change", async () => {
  const registry = surface();
  const definition = table.bind(bindings());
  registry.register(definition);
  definition.actions.select.execute = () => "swapped";
  definition.actions.select.description = "Delete everything";
  assert.equal((await registry.invoke({ capabilityId: "view:devices.table.select", input: { ids: [] } })).output, "swapped");
  assert.equal(registry.snapshot().components[0].actions[0].description, "Select rows");
  registry.dispose();
});

test("capabilities keep the order of their declarations", () => {
  const any = pagewarden.fromJsonSchema({});
  const contract = pagewarden.defineAgentComponentContract({
    type: "a.b", description: "B", observations: { zeta: { description: "Z", output: any }, alpha: { description: "A", output: any } },
  });
  const registry = registryOf(runtime);
  registry.register(contract.bind({ observations: { alpha: { read: () => 1 }, zeta: { read: () => 2 } } }));
  assert.deepEqual(registry.snapshot().components[0].observations.map((/** @type {any} */ { name }) => name), ["zeta", "alpha"]);
  registry.dispose();
});

test("a runtime declares with the same functions as the module", () => {
  for (const name of ["defineAgentComponentContract", "defineAgentProcedureContract", "defineExternalAgentToolContract", "observationContract", "actionContract"]) {
    assert.equal(runtime[name], pagewarden[name], name);
  }
  const own = declarations(runtime); // whose schemas have been checked already
  const registry = surface();
  assert.equal(registry.register(own.table.bind(bindings({ procedures: [own.disable.bind({ bind: () => ({ ids: [] }) })] }))).status, "active");
  registry.dispose();
});

test("a binding may give a schema once more, to parse", async () => {
  const registry = surface();
  const input = { jsonSchema: IDS, parse: () => ({ ids: ["parsed"] }) };
  registry.register(table.bind(bindings({ actions: { select: { input, execute: (/** @type {any} */ { ids }) => ids } } })));
  assert.deepEqual((await registry.invoke({ capabilityId: "view:devices.table.select", input: { ids: [] } })).output, ["parsed"]);
  const other = table.bind(bindings({ instanceId: "x", actions: { select: { input: { jsonSchema: {} }, execute() {} } } }));
  assert.match(thrownBy(() => registry.register(other)).message, /^\[INVALID_DEFINITION\] view:devices\.table\.select, inputSchema: /);
  registry.dispose();
});

test("bind says what is missing, what is too much and what is said twice", () => {
  const good = bindings();
  for (const [binding, message] of /** @type {[any, string][]} */ ([
    [{ ...good, observations: undefined }, "observations.selection: is declared and has no binding"],
    [{ ...good, actions: {} }, "actions.select: is declared and has no binding"],
    [{ ...good, actions: { select: undefined } }, "actions.select: is declared and has no binding"],
    [{ ...good, actions: { select: 7 } }, "actions.select: must be an object"],
    [{ ...good, actions: { ...good.actions, drop: { execute() {} } } }, "actions.drop: is not declared"],
    [{ ...good, actions: [] }, "actions: must be an object"],
    [{ ...good, type: "other" }, "type: is declared in the contract"],
    [{ ...good, actions: { select: { execute() {}, description: "Other" } } }, "actions.select.description: is declared in the contract"],
    [{ ...good, actions: { select: { execute() {}, confirmation: "never" } } }, "actions.select.confirmation: is declared in the contract"],
    [undefined, "must be an object"],
  ])) {
    const error = thrownBy(() => table.bind(binding));
    assert.equal(error.name, "AgentSurfaceDefinitionError");
    assert.ok(error.message.startsWith(`[INVALID_DEFINITION] ${message}`), error.message);
  }
  for (const wrong of [undefined, null, 7, [], "x"]) {
    assert.throws(() => pagewarden.defineAgentComponentContract(wrong), /INVALID_DEFINITION.*must be an object/);
    assert.throws(() => pagewarden.defineAgentProcedureContract(wrong), /INVALID_DEFINITION.*must be an object/);
    assert.throws(() => pagewarden.defineExternalAgentToolContract(wrong), /INVALID_DEFINITION.*must be an object/);
  }
  assert.throws(() => pagewarden.defineAgentComponentContract({ type: "a", observations: { one: 7 } }), /observations\.one: must be an object/);
});

test("what a declaration or a binding has too much is refused when it is registered", () => {
  const registry = registryOf(runtime);
  const any = pagewarden.fromJsonSchema({});
  const declaration = { type: "a.b", description: "B", observations: { one: { description: "One", output: any } } };
  const one = { observations: { one: { read: () => 1 } } };
  for (const [definition, message] of /** @type {[() => any, RegExp][]} */ ([
    [() => pagewarden.defineAgentComponentContract({ ...declaration, colour: 1 }).bind(one), /unknown field "colour"/],
    [() => pagewarden.defineAgentComponentContract(declaration).bind({ ...one, colour: 1 }), /unknown field "colour"/],
    [() => pagewarden.defineAgentComponentContract(declaration).bind({ observations: { one: { read: () => 1, colour: 1 } } }), /observations\.one: unknown field "colour"/],
    [() => ({ type: "a.b", description: "B", procedures: [pagewarden.defineAgentProcedureContract({ id: "domain:a", description: "A", effect: "server-query", input: any, colour: 1 }).bind()] }), /unknown field "colour"/],
  ])) {
    assert.match(thrownBy(() => registry.register(definition())).message, message);
  }
  registry.dispose();
});

test("a declared procedure binds exactly its fields", async () => {
  const registry = surface({ environment: "development" });
  let supplied = /** @type {any} */ ({});
  registry.register(table.bind(bindings({ procedures: [disable.bind({ bind: () => supplied })] })));
  registry.setProcedureExecutor({ execute: ({ input }) => input.ids.length });
  const call = async (/** @type {any} */ input) => registry.invoke({ capabilityId: "domain:devices.disable", input });
  for (const wrong of [{}, { ids: ["x"], more: 1 }, { other: [] }]) {
    supplied = wrong;
    assert.equal((await call({})).error.details.reason, "binding-failed", JSON.stringify(wrong));
  }
  supplied = { ids: ["x"] };
  assert.equal((await call({})).output, 1);
  assert.deepEqual((await call({ ids: ["y"] })).error.details.lockedFields, ["ids"]);
  registry.dispose();
});

test("bound fields are declared in place of keys", () => {
  const registry = registryOf(runtime);
  const good = disable.bind({ bind: () => ({ ids: [] }) });
  const free = pagewarden.defineAgentProcedureContract({ id: "domain:free", description: "Free", effect: "server-query", input: pagewarden.emptyObjectSchema });
  for (const [procedure, message] of /** @type {[any, RegExp][]} */ ([
    [disable.bind({}), /config\.bind: bound keys need a bind function/],
    [disable.bind(), /config\.bind: bound keys need a bind function/],
    [free.bind({ bind: () => ({}) }), /config\.bind: is for the declared bound fields, of which there are none/],
    [{ ...good, boundKeys: ["ids"] }, /boundFields: takes the place of boundKeys/],
    [{ ...good, lockedKeys: [] }, /boundFields: takes the place of boundKeys/],
    [{ ...good, config: { ...good.config, overridableFields: ["ids"] } }, /boundFields: takes the place of boundKeys/],
    [{ ...good, boundFields: {} }, /boundFields: must be an array/],
    [{ ...good, boundFields: [7] }, /boundFields\[0\]: must be \{ path, locked \}/],
    [{ ...good, boundFields: [{ path: "ids", more: 1 }] }, /boundFields\[0\]: unknown field "more"/],
    [{ ...good, boundFields: [{ path: 7 }] }, /path must be a string/],
  ])) {
    assert.match(thrownBy(() => registry.register({ type: "a.b", description: "B", procedures: [procedure] })).message, message);
  }
  assert.equal(registry.register({ type: "a.b", description: "B", procedures: [free.bind()] }).status, "active");
  registry.dispose();
});

test("what is not in the contract is refused by name, and says what to run", () => {
  const registry = surface();
  for (const [definition, message] of /** @type {[any, string][]} */ ([
    [{ ...table.bind(bindings()), type: "devices.other" }, "view:devices.other.selection: is not in the contract"],
    [{ ...table.bind(bindings()), actions: undefined }, "view:devices.table.select: the contract declares it, and this component leaves it out"],
    [{ ...table.bind(bindings()), policies: [] }, "view:devices.table.select, policies[0]: the contract asks for the policy authenticated in phase authorize"],
    [{ ...table.bind(bindings()), policies: [{ name: "authenticated", onDiscovery() {} }] }, "view:devices.table.select, policies[0]: the contract asks for the policy authenticated in phase authorize"],
  ])) {
    const error = thrownBy(() => registry.register(definition));
    assert.equal(error.code, "INVALID_DEFINITION");
    assert.ok(error.message.startsWith(`[INVALID_DEFINITION] ${message}`), error.message);
    assert.match(error.message, /run "pagewarden contract snapshot"/);
  }
  assert.equal(registry.getVersion(), "0");
  registry.dispose();
});

test("createCapabilityAuthority takes the reviewed manifest and nothing else", () => {
  const authority = runtime.createCapabilityAuthority(manifest);
  assert.deepEqual({ ...authority }, { mode: "contract", hash: manifest.hash });
  assert.ok(Object.isFrozen(authority));
  for (const [given, message] of /** @type {[any, RegExp][]} */ ([
    [undefined, /manifest must be JSON/], [null, /must be an object/], [JSON.stringify(manifest), /must be an object, not its text; give what JSON.parse makes of it/], [{}, /formatVersion: is absent/],
    [{ ...manifest, formatVersion: 2 }, /formatVersion: is 2.*reads only 1/], [{ ...manifest, hash: "0".repeat(64) }, /hash: does not fit the manifest/],
  ])) {
    const error = thrownBy(() => runtime.createCapabilityAuthority(given));
    assert.equal(error.name, "TypeError");
    assert.match(error.message, message);
  }
});

test("a registry needs an authority of this runtime", async () => {
  const other = await load({ wasm: module });
  const foreign = other.createCapabilityAuthority(manifest);
  const authority = runtime.createCapabilityAuthority(manifest);
  assert.match(thrownBy(() => runtime.createAgentSurfaceRegistry({})).message, /an authority is required/);
  for (const forged of [foreign, { ...authority }, Object.create(authority), new Proxy(authority, {}), JSON.parse(JSON.stringify(authority)), "contract", 1, true, null]) {
    assert.throws(() => runtime.createAgentSurfaceRegistry({ authority: forged, environment: "test" }), /authority must come from/);
    assert.throws(() => runtime.createAgentExposureGateway(forged, { environment: "test" }), /authority must come from/);
  }
});

test("authorities of one manifest are one in the runtime, however often it is given", async () => {
  const own = await load({ wasm: module });
  for (let i = 0; i < 200; i++) {
    own.createCapabilityAuthority(manifest);
    own.createOpenAuthority();
  }
  for (let i = 0; i < 62; i++) {
    own.createCapabilityAuthority(sealed([], { compiler: `pagewarden/${i}` }));
  }
  assert.throws(() => own.createCapabilityAuthority(sealed([], { compiler: "pagewarden/x" })), /at most 64 authorities/);
  assert.equal(own.createCapabilityAuthority(manifest).hash, manifest.hash);
});

test("a pinned runtime makes one authority", async () => {
  const pinned = await load({ wasm: module, contract: `sha256-${manifest.hash}` });
  const before = told.length;
  surface({ environment: "production" }, pinned).dispose();
  const forged = sealed([...ENTRIES, { ...ENTRIES[3], capabilityId: "external:other" }]);
  assert.match(thrownBy(() => pinned.createCapabilityAuthority(forged)).message, new RegExp(`hash: is ${forged.hash}, and this runtime is pinned to ${manifest.hash}`));
  assert.match(thrownBy(() => pinned.createOpenAuthority({ allowInProduction: true })).message, /pinned to a contract/);
  assert.equal(told.length, before);
});

test("a pin of another form does not load", async () => {
  for (const contract of ["", manifest.hash, `sha256-${manifest.hash.toUpperCase()}`, `sha256-${manifest.hash}0`, "sha512-1", null, 7, {}, { toString: () => `sha256-${manifest.hash}` }]) {
    await assert.rejects(load({ wasm: module, contract }), /pagewarden: loading the given module failed: .*(pinning the contract|the pin of a contract).*sha256-/);
  }
});

test("a tag that pins pins every load of its script", async () => {
  const pin = `sha256-${manifest.hash}`;
  const tag = { getAttribute: (/** @type {string} */ name) => (name === "data-contract" ? pin : null) };
  Object.defineProperty(globalThis, "document", { value: { currentScript: tag }, configurable: true });
  (0, eval)(readFileSync(built("pagewarden.js"), "utf8"));
  delete /** @type {any} */ (globalThis).document;
  const tagged = /** @type {any} */ (globalThis).PageWarden;
  await assert.rejects(tagged.load({ wasm: module, contract: `sha256-${"0".repeat(64)}` }), /the script's tag pins another contract/);
  for (const options of [{ wasm: module }, { wasm: module, contract: pin }]) {
    const own = await tagged.load(options);
    assert.throws(() => own.createCapabilityAuthority(sealed([])), /is pinned to/);
    assert.equal(own.createCapabilityAuthority(manifest).hash, manifest.hash);
  }
});

test("without a pin the first contract of production is the only one, and the console says so", async () => {
  const own = await load({ wasm: module });
  const forged = sealed([...ENTRIES, { ...ENTRIES[3], capabilityId: "external:other" }]);
  const create = (/** @type {any} */ authority, environment = "production") => own.createAgentSurfaceRegistry({ authority, environment, audit: { record() {} } }).dispose();
  create(own.createCapabilityAuthority(forged), "test");
  create(own.createCapabilityAuthority(manifest));
  assert.equal(toldCount(`warn pagewarden: nothing pins the contract: give the script tag data-contract="sha256-${manifest.hash}"`), 1);
  create(own.createCapabilityAuthority(manifest), undefined);
  assert.match(thrownBy(() => create(own.createCapabilityAuthority(forged))).message, new RegExp(`hash: is ${forged.hash}, and production uses the contract ${manifest.hash}`));
  assert.match(thrownBy(() => create(own.createOpenAuthority({ allowInProduction: true }))).message, /refused in production beside a contract/);
  assert.match(thrownBy(() => own.createAgentExposureGateway(own.createCapabilityAuthority(forged))).message, /production uses the contract/);
  assert.equal(toldCount("nothing pins the contract"), 1);
});

test("an open authority says so", () => {
  const before = toldCount("an open authority admits every capability");
  assert.equal(runtime.createOpenAuthority().mode, "open");
  assert.equal(toldCount("an open authority admits every capability"), before + 1);
  assert.throws(() => runtime.createAgentSurfaceRegistry({ authority: runtime.createOpenAuthority() }), /refused in production/);
});

test("a gateway exposes what is declared, in order, and the same tools", async () => {
  const gateway = runtime.createAgentExposureGateway(runtime.createCapabilityAuthority(manifest), { environment: "test" });
  const today = weather.bind({ execute: async (/** @type {any} */ input) => ({ sunny: input.where }) });
  assert.deepEqual(Object.keys(today), ["name", "description", "inputSchema", "execute"]);
  assert.deepEqual([today.name, today.description, today.inputSchema], ["external_weather__today", "The weather of today", { type: "object" }]);
  assert.ok(Object.isFrozen(today) && Object.isFrozen(today.inputSchema));
  const exposed = gateway.expose([today]);
  assert.ok(Array.isArray(exposed) && Object.isFrozen(exposed));
  assert.equal(exposed[0], today);
  assert.deepEqual(await exposed[0].execute({ where: "here" }), { sunny: "here" });
  assert.deepEqual(gateway.expose([]), []);
});

test("one tool that is not admitted refuses the call", () => {
  const gateway = runtime.createAgentExposureGateway(runtime.createCapabilityAuthority(manifest), { environment: "test" });
  const declare = (/** @type {any} */ more) => pagewarden.defineExternalAgentToolContract({
    id: "external:weather.today", description: "The weather of today", effect: "server-query", input: pagewarden.fromJsonSchema({ type: "object" }), ...more,
  }).bind({ execute() {} });
  const today = declare({});
  assert.equal(gateway.expose([today]).length, 1); // whoever bound it
  for (const [tool, message] of /** @type {[any, RegExp][]} */ ([
    [declare({ id: "external:other" }), /external:other: is not in the contract/],
    [declare({ id: "external:other", description: "Forecast" }), /external:other: is not in the contract/],
    [declare({ id: "view:a.b" }), /capabilityId: want external:/],
    [declare({ id: 7 }), /tool\.id must be a string/],
    [declare({ colour: 1 }), /unknown field "colour"/],
    [{ ...today }, /tool 1 was not made by the bind/],
    [Object.create(today), /tool 1 was not made by the bind/],
    [undefined, /tool 1 was not made by the bind/],
    [today, /external_weather__today is the name of another one/],
  ])) {
    assert.match(thrownBy(() => gateway.expose([today, tool])).message, message);
  }
  for (const [more, field] of /** @type {[any, string][]} */ ([
    [{ description: "The weather of tomorrow" }, "description"], [{ title: "Weather" }, "title"], [{ effect: "destructive" }, "effect"],
    [{ input: pagewarden.fromJsonSchema({}) }, "inputSchema"], [{ output: pagewarden.fromJsonSchema({}) }, "outputSchema"], [{ untrustedContent: true }, "untrustedContent"],
  ])) {
    const error = thrownBy(() => gateway.expose([declare(more)]));
    assert.equal(error.code, "INVALID_DEFINITION");
    assert.match(error.message, new RegExp(`external:weather\\.today, ${field}: the contract says`));
  }
  assert.equal(gateway.expose([declare({ confirmation: "required" })]).length, 1, "stronger passes");
  assert.throws(() => gateway.expose({ 0: today, length: 1 }), /want an array/);
  assert.throws(() => weather.bind({}), /execute: must be a function/);
});

test("a gateway is production's unless it says otherwise", async () => {
  assert.throws(() => runtime.createAgentExposureGateway(runtime.createOpenAuthority()), /refused in production/);
  assert.throws(() => runtime.createAgentExposureGateway(runtime.createOpenAuthority(), { environment: "staging" }), /refused in production/);
  assert.throws(() => runtime.createAgentExposureGateway(runtime.createOpenAuthority(), { env: "test" }), /env is not an option/);
  const open = runtime.createAgentExposureGateway(runtime.createOpenAuthority(), { environment: "development" });
  assert.equal(open.expose([weather.bind({ execute() {} })]).length, 1);
});

test("nothing of it keeps anything", async () => {
  const registry = surface();
  const before = { ...runtime.dev.tables() };
  for (let i = 0; i < 50; i++) {
    registry.register(table.bind(bindings({ instanceId: `i${i}` }))).unregister();
    assert.throws(() => registry.register({ ...table.bind(bindings()), description: "Other" }), /componentDescription/);
  }
  const { definitions, policies: kept, ...rest } = runtime.dev.tables();
  const { definitions: definitionsBefore, policies: keptBefore, ...restBefore } = before;
  assert.deepEqual(rest, restBefore);
  assert.ok(definitions - definitionsBefore <= 50 && kept - keptBefore <= 200, `${definitions}, ${kept}`); // what tombstones still hold
  registry.dispose();
});
