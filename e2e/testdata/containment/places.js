// Every place in which the runtime calls a function of the page, with what fails there and how the outcome is read. A
// place is given { runtime, fail, more } and resolves to a text: what a consumer sees of it.

const AGENT = { id: "agent", kind: "webmcp" };

/** A registry, one component in it, and one call. The handler that must not run counts. */
async function call({ runtime, environment }, { options, component, action, input = {}, id = "view:page.place.act", ran = () => "ran" } = {}) {
  const registry = runtime.createAgentSurfaceRegistry({ authority: runtime.createOpenAuthority(), environment, audit: () => {}, ...options });
  const handle = registry.register({
    type: "page.place", description: "A place.",
    actions: { act: { description: "Act.", effect: "local-state", input: runtime.fromJsonSchema({ type: "object" }), execute: ran, ...action } },
    ...component,
  });
  const result = await registry.invoke({ capabilityId: id, input });
  registry.snapshot();
  const { status } = handle;
  registry.dispose();
  return { result, status };
}

/** A result in words: its output, or the code with its reason or origin. */
function outcome(result) {
  const { status, output, error, invocationId } = result;
  if (typeof invocationId !== "string" || invocationId === "") {
    return "it has no invocation id";
  }
  if (JSON.stringify(result).includes("secret")) {
    return `it leaks: ${JSON.stringify(result)}`;
  }
  if (status === "ok") {
    return `ok ${JSON.stringify(output)}`;
  }
  return [error.code, error.details?.reason ?? error.details?.origin].filter(Boolean).join(" ");
}

/** Resolves in a task of its own. */
function task() {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}

const throwing = (fail) => () => fail();
const rejecting = (fail) => async () => fail();
const thenable = (fail) => () => ({ then: (_, reject) => {
  try {
    fail();
  } catch (error) {
    reject(error);
  }
} });
const badThen = (fail) => () => ({ get then() { return fail(); } });

/** A place where a function runs around the call of one action. */
const action = (name, how = throwing) => async (page) => outcome((await call(page, { action: { [name]: how(page.fail) } })).result);
const policy = (hook, how = throwing) => async (page) => outcome((await call(page, { component: { policies: [{ name: "fails", [hook]: how(page.fail) }] } })).result);
const option = (name) => async (page) => {
  const { result, status } = await call(page, { options: { [name]: throwing(page.fail) } });
  return `${outcome(result)}, ${status}`;
};

function procedure(page, { config, executor = () => "ran" }) {
  const registry = page.runtime.createAgentSurfaceRegistry({ authority: page.runtime.createOpenAuthority(), environment: page.environment, audit: () => {} });
  registry.setProcedureExecutor({ execute: executor });
  registry.register({
    type: "page.procedure", description: "A procedure.",
    procedures: [{
      kind: "procedure-binding", boundKeys: [], lockedKeys: [], config,
      ref: { id: "domain:page.do", path: "page.do", description: "Do.", effect: "server-query", inputSchema: { type: "object", properties: {}, additionalProperties: false } },
    }],
  });
  return registry;
}

async function viaProcedure(page, parts) {
  const registry = procedure(page, parts);
  const note = registry.snapshot().procedures[0]?.contextualNote;
  const result = await registry.invoke({ capabilityId: "domain:page.do", input: {} });
  registry.dispose();
  return `${outcome(result)}${note === undefined ? "" : `, ${note}`}`;
}

/** A host of tools that is the page's own. */
class Host {
  tools = new Map();

  constructor(fail, failing) {
    Object.assign(this, failing(fail));
  }

  registerTool(tool) {
    this.tools.set(tool.name, tool);
  }

  unregisterTool(name) {
    this.tools.delete(name);
  }
}

/** What an adapter offers and answers whose options or host fail. */
async function viaAdapter(page, { options, failing = () => ({}), confirmation = "never" }) {
  const { runtime, environment, fail } = page;
  const host = new Host(fail, failing);
  const registry = runtime.createAgentSurfaceRegistry({ authority: runtime.createOpenAuthority(), environment, audit: () => {} });
  registry.confirmations.subscribe(async ([pending]) => {
    await task(); // after the adapter's own question
    if (pending !== undefined) registry.confirmations.resolve(pending.confirmationId, { approved: true });
  });
  registry.register({
    type: "page.place", description: "A place.",
    actions: { act: { description: "Act.", effect: "local-state", input: runtime.emptyObjectSchema, confirmation, execute: () => "ran" } },
  });
  const adapter = runtime.createWebMcpAdapter({ modelContext: host, ...options?.(fail) });
  adapter.start({ registry, consumer: AGENT });
  await task();
  const { registered, refused } = adapter.status();
  const tool = host.tools.values().next().value;
  const answer = tool && await tool.execute({});
  await task();
  adapter.stop();
  await task();
  registry.dispose();
  const text = answer === undefined ? "" : `, ${answer.isError ? JSON.parse(answer.content[0].text).code : answer.content[0].text}`;
  return `${registered.length} registered, ${refused.length} refused${text}`;
}

export const places = {
  "execute": action("execute"),
  "execute, rejecting": action("execute", rejecting),
  "execute, a thenable": action("execute", thenable),
  "execute, a then that throws": action("execute", badThen),
  "when": action("when"),
  "unavailableReason": async (page) => outcome((await call(page, { action: { when: () => false, unavailableReason: throwing(page.fail) } })).result),
  "precondition": action("precondition"),
  "parse": async (page) => outcome((await call(page, { action: { input: { jsonSchema: { type: "object" }, parse: throwing(page.fail) } } })).result),
  "a Standard Schema": async (page) => {
    const standard = { "~standard": { version: 1, vendor: "page", validate: throwing(page.fail) } };
    const input = page.runtime.fromStandardSchema(standard, { jsonSchema: { type: "object" } });
    return outcome((await call(page, { action: { input } })).result);
  },
  "read": async (page) => {
    const observations = { see: { description: "See.", output: page.runtime.fromJsonSchema({}), read: throwing(page.fail) } };
    return outcome((await call(page, { component: { observations }, id: "view:page.place.see" })).result);
  },
  "read, rejecting": async (page) => {
    const observations = { see: { description: "See.", output: page.runtime.fromJsonSchema({}), read: rejecting(page.fail) } };
    return outcome((await call(page, { component: { observations }, id: "view:page.place.see" })).result);
  },
  "onDiscovery": policy("onDiscovery"),
  "onAuthorize": policy("onAuthorize"),
  "onAuthorize, rejecting": policy("onAuthorize", rejecting),
  "onAuthorize, after next": policy("onAuthorize", (fail) => async (_, next) => {
    await next();
    fail();
  }),
  "onInvoke": policy("onInvoke"),
  "onInvoke, rejecting": policy("onInvoke", rejecting),
  "onInvoke, a thenable": policy("onInvoke", thenable),
  "hasPermission": async (page) => outcome((await call(page, { component: { policies: [page.runtime.hasPermission("act", throwing(page.fail))] } })).result),
  "tenantBoundary": async (page) => outcome((await call(page, { component: { policies: [page.runtime.tenantBoundary({ current: throwing(page.fail), expected: () => "a" })] } })).result),
  "requireConfirmation, if": async (page) => outcome((await call(page, { component: { policies: [page.runtime.requireConfirmation({ if: throwing(page.fail) })] } })).result),
  "requireConfirmation, summary": async (page) => outcome((await call(page, { component: { policies: [page.runtime.requireConfirmation({ summary: throwing(page.fail) })] } })).result),
  "bind": (page) => viaProcedure(page, { config: { bind: throwing(page.fail) } }),
  "describe": (page) => viaProcedure(page, { config: { describe: throwing(page.fail) } }),
  "the executor": (page) => viaProcedure(page, { config: {}, executor: throwing(page.fail) }),
  "the executor, rejecting": (page) => viaProcedure(page, { config: {}, executor: rejecting(page.fail) }),
  "context": option("context"),
  "route": option("route"),
  "now": option("now"),
  "audit": option("audit"),
  "onRegister": option("onRegister"),
  "a listener": async (page) => {
    const registry = page.runtime.createAgentSurfaceRegistry({ authority: page.runtime.createOpenAuthority(), environment: page.environment, audit: () => {} });
    let others = 0;
    registry.subscribe(throwing(page.fail));
    registry.subscribe(() => others++);
    registry.register({ type: "page.place", description: "A place.", observations: { see: { description: "See.", output: page.runtime.fromJsonSchema({}), read: () => 1 } } });
    const result = await registry.invoke({ capabilityId: "view:page.place.see" });
    registry.dispose();
    return `${outcome(result)}, ${others > 0 ? "others are told" : "others are not told"}`;
  },
  "a listener of confirmations": async (page) => {
    const registry = page.runtime.createAgentSurfaceRegistry({ authority: page.runtime.createOpenAuthority(), environment: page.environment, audit: () => {} });
    let others = 0;
    registry.confirmations.subscribe(throwing(page.fail));
    registry.confirmations.subscribe(() => others++);
    const execute = () => "ran";
    registry.register({ type: "page.place", description: "A place.", actions: { act: { description: "Act.", effect: "local-state", confirmation: "required", input: page.runtime.emptyObjectSchema, execute } } });
    const result = await registry.invoke({ capabilityId: "view:page.place.act", input: {} });
    registry.dispose();
    return `${outcome(result)}, ${others > 0 ? "others are told" : "others are not told"}`;
  },
  "exposeCapability": (page) => viaAdapter(page, { options: (fail) => ({ exposeCapability: throwing(fail) }) }),
  "confirm": (page) => viaAdapter(page, { confirmation: "required", options: (fail) => ({ confirmWithoutClient: true, confirm: throwing(fail) }) }),
  "registerTool": (page) => viaAdapter(page, { failing: (fail) => ({ registerTool: throwing(fail) }) }),
  "registerTool, rejecting": (page) => viaAdapter(page, { failing: (fail) => ({ registerTool: rejecting(fail) }) }),
  "unregisterTool": (page) => viaAdapter(page, { failing: (fail) => ({ unregisterTool: throwing(fail) }) }),
};
