// What a revision of WebMCP does, without anything of ours: each fact is a few words, for the tables of docs/webmcp.md.
import { call, names } from "./agent.js";

const context = document.modelContext ?? navigator.modelContext;
const testing = navigator.modelContextTesting;
const SCHEMA = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };

const task = () => new Promise((resolve) => setTimeout(resolve));

/** Waits until something is so; gives up after a second. */
async function soon(condition) {
  for (let i = 0; i < 200 && !condition(); i++) await new Promise((resolve) => setTimeout(resolve, 5));
  return condition();
}

let tools = 0;
const fresh = () => `fact_${++tools}`;

/** Registers a tool; `remove` takes it away as the revision has it. */
function offer(name, execute, more = {}) {
  const controller = new AbortController();
  const result = context.registerTool({ name, description: "A fact.", execute, ...more }, { signal: controller.signal });
  const remove = () => (context.unregisterTool !== undefined ? context.unregisterTool(name) : controller.abort());
  return { name, result, remove };
}

/** What came of a try, in a word or two. */
async function attempt(run) {
  let result;
  try {
    result = run();
  } catch (error) {
    return `throws ${error.name}`;
  }
  try {
    await result;
    return "taken";
  } catch (error) {
    return `rejects ${error.name}`;
  }
}

/** Tries a tool of another shape, and takes it away again. */
async function tryTool(more, name = fresh()) {
  let offered;
  const said = await attempt(() => {
    offered = offer(name, () => 1, more);
    return offered.result;
  });
  const there = (await names()).includes(name);
  if (there) offered.remove();
  return said === "taken" && !there ? "silently dropped" : said;
}

/** Runs with a tool that is taken away afterwards. */
async function withTool(execute, run, more = {}) {
  const tool = offer(fresh(), execute, more);
  await tool.result;
  try {
    return await run(tool);
  } finally {
    if ((await names()).includes(tool.name)) tool.remove();
  }
}

/** The result of a call, as text, or what it rejects with. */
const ended = (promise) => promise.then((value) => String(value), (error) => error?.name ?? String(error));

const cyclic = () => {
  const cycle = {};
  cycle.self = cycle;
  return cycle;
};

/** What the old polyfill's shim makes of a plain value: the result of MCP. */
const plain = (text) => {
  try {
    const { content } = JSON.parse(text);
    return content?.length === 1 ? content[0].text : text;
  } catch {
    return text;
  }
};

const object = {
  "`modelContext` is at": () => {
    const at = [document, navigator].map((holder) => holder.modelContext);
    return at[0] === undefined ? "navigator" : at[1] === undefined ? "document" : at[0] === at[1] ? "both, the same" : "both, two";
  },
  "methods": () => ["registerTool", "unregisterTool", "provideContext", "clearContext", "getTools", "executeTool"]
    .filter((name) => typeof context[name] === "function").join(" "),
  "event handlers": () => ["ontoolchange", "ontoolactivated", "ontoolcancel"].filter((name) => name in context).join(" ") || "–",
  "`registerTool` gives": () => withTool(() => 1, ({ result }) => (result === undefined ? "nothing" : result instanceof Promise ? "a promise" : String(result))),
  "the page calls with": async () => {
    if (typeof context.executeTool !== "function") return testing === undefined ? "–" : "`modelContextTesting`";
    return withTool((input) => typeof input, async ({ name }) => {
      const tool = (await context.getTools()).find((one) => one.name === name);
      const text = await attempt(() => context.executeTool(tool, "{}"));
      return text === "taken" ? "`executeTool`, text" : "`executeTool`, object";
    });
  },
};

const registering = {
  "a taken name": async () => withTool(() => 1, ({ name }) => attempt(() => offer(name, () => 2).result)),
  "an empty description": () => tryTool({ description: "" }),
  "the name `view:a.b`": () => tryTool({}, "view:a.b"),
  "a name of 129 letters": () => tryTool({}, "n".repeat(129)),
  "a schema as text": () => tryTool({ inputSchema: JSON.stringify(SCHEMA) }),
  "a cyclic schema": () => tryTool({ inputSchema: cyclic() }),
  "the schema `{ type: \"objekt\" }`": () => tryTool({ inputSchema: { type: "objekt" } }),
  "unknown annotations": () => tryTool({ annotations: { readOnlyHint: true, oddHint: true } }),
  "a signal that is aborted already": async () => {
    const name = fresh();
    const said = await attempt(() => context.registerTool({ name, description: "d", execute: () => 1 }, { signal: AbortSignal.abort() }));
    const there = (await names()).includes(name);
    if (there && context.unregisterTool !== undefined) context.unregisterTool(name);
    return said === "taken" && !there ? "silently dropped" : said;
  },
  "aborting the signal later": async () => {
    const name = fresh();
    const controller = new AbortController();
    await context.registerTool({ name, description: "d", execute: () => 1 }, { signal: controller.signal });
    controller.abort();
    const there = (await names()).includes(name);
    if (there) context.unregisterTool(name);
    return there ? "ignored" : "removes it";
  },
  "`unregisterTool` of an unknown name": () => (context.unregisterTool === undefined ? "–" : attempt(() => context.unregisterTool("no_such_tool")).then((said) => (said === "taken" ? "silent" : said))),
  "removed and registered in one turn": async () => {
    const first = offer(fresh(), () => 1);
    Promise.resolve(first.result).catch(() => {});
    first.remove();
    const second = await attempt(() => offer(first.name, () => "second").result);
    const value = plain(await ended(call(first.name, {})));
    if (context.unregisterTool !== undefined) context.unregisterTool(first.name);
    return second === "taken" && value === "second" ? "works" : `${second}, ${value}`;
  },
  "a registration that is removed at once": async () => {
    const tool = offer(fresh(), () => 1);
    tool.remove();
    const said = await attempt(() => tool.result);
    return said === "taken" ? (tool.result === undefined ? "–" : "resolves") : said;
  },
  "`inputSchema` comes back as": () => withTool(() => 1, async ({ name }) => {
    const list = testing?.listTools() ?? (await context.getTools());
    const back = list.find((tool) => tool.name === name).inputSchema;
    return typeof back === "string" ? "text" : typeof back;
  }, { inputSchema: SCHEMA }),
  "`title` comes back": () => withTool(() => 1, async ({ name }) => {
    const list = testing?.listTools() ?? (await context.getTools());
    return list.find((tool) => tool.name === name).title === "A title" ? "yes" : "no";
  }, { title: "A title" }),
  "annotations that come back": () => withTool(() => 1, async ({ name }) => {
    const list = testing?.listTools() ?? (await context.getTools());
    const hints = list.find((tool) => tool.name === name).annotations ?? {};
    const set = ["readOnlyHint", "consequentialHint", "untrustedContentHint"].filter((hint) => hints[hint] === true);
    return set.map((hint) => hint.replace("Hint", "")).join(" ") || "none";
  }, { annotations: { readOnlyHint: true, consequentialHint: true, untrustedContentHint: true } }),
};

/** A tool that waits, what it saw, and its call. */
function waiting(run) {
  const seen = { aborted: false, reason: "", started: 0, finish: () => {} };
  const execute = (_, second) => {
    seen.started++;
    second?.signal?.addEventListener("abort", () => {
      seen.aborted = true;
      seen.reason = second.signal.reason?.name ?? String(second.signal.reason);
    });
    return new Promise((resolve) => { seen.finish = resolve; });
  };
  return withTool(execute, (tool) => run(tool, seen));
}

const calling = {
  "`execute`'s second argument": () => withTool((_, second) => (second === undefined ? "none"
    : [second.signal && "`signal`", second.requestUserInteraction && "a client"].filter(Boolean).join(", ") || typeof second),
  async ({ name }) => plain(await call(name, {}))),
  "an input that the schema forbids": () => withTool(() => "reaches the tool", async ({ name }) => plain(await ended(call(name, { n: "text", more: 1 }))), { inputSchema: SCHEMA }),
  "the result `\"a\"`": () => withTool(() => "a", async ({ name }) => plain(await ended(call(name, {})))),
  "the result `undefined`": () => withTool(() => undefined, async ({ name }) => plain(await ended(call(name, {})))),
  "the result `\"\"`": () => withTool(() => "", async ({ name }) => plain(await ended(call(name, {}))) || "empty"),
  "the result `{ n: 1 }`": () => withTool(() => ({ n: 1 }), async ({ name }) => plain(await ended(call(name, {})))),
  "a result with `isError`": () => withTool(() => ({ content: [{ type: "text", text: "no" }], isError: true }),
    async ({ name }) => call(name, {}).then((text) => (JSON.parse(text).isError ? "whole" : text), (error) => (/\bno\b/.test(error.message) ? "rejects with its text" : error.name))),
  "a tool that throws": () => withTool(() => { throw new RangeError("of the tool"); },
    async ({ name }) => call(name, {}).then(String, (error) => `${error.name}${error.message.includes("of the tool") ? " with its message" : ""}`)),
  "removed while it runs": () => waiting(async ({ name, remove }, seen) => {
    const result = ended(call(name, {}));
    await soon(() => seen.started > 0);
    remove();
    await task();
    seen.finish("completes");
    return plain(await result);
  }),
  "removed in a microtask after it": () => withTool(() => "unused", async () => {
    let tool;
    const execute = () => {
      const result = Promise.resolve("completes");
      result.then(() => queueMicrotask(() => queueMicrotask(tool.remove)));
      return result;
    };
    tool = offer(fresh(), execute);
    await tool.result;
    return plain(await ended(call(tool.name, {})));
  }),
  "removed a task after it": () => withTool(() => "unused", async () => {
    let tool;
    const { port1, port2 } = new MessageChannel();
    const execute = () => {
      const result = Promise.resolve("completes");
      port1.onmessage = () => { tool.remove(); port1.close(); };
      result.then(() => port2.postMessage(null));
      return result;
    };
    tool = offer(fresh(), execute);
    await tool.result;
    return plain(await ended(call(tool.name, {})));
  }),
  "the caller aborts": () => waiting(async ({ name }, seen) => {
    const controller = new AbortController();
    const result = ended(call(name, {}, controller.signal));
    await soon(() => seen.started > 0);
    controller.abort(new RangeError("of the caller"));
    const got = await result;
    seen.finish("late");
    return got === "RangeError" ? "its reason" : got;
  }),
  "the tool's signal then": () => waiting(async ({ name }, seen) => {
    const controller = new AbortController();
    const result = ended(call(name, {}, controller.signal));
    await soon(() => seen.started > 0);
    controller.abort(new RangeError("of the caller"));
    await result;
    const saw = await soon(() => seen.aborted);
    seen.finish("late");
    return saw ? `aborts, ${seen.reason}` : "none";
  }),
  "the caller's signal is aborted already": () => waiting(async ({ name }, seen) => {
    const stop = (event) => event.preventDefault(); // some report it as an unhandled rejection besides
    addEventListener("unhandledrejection", stop);
    const got = await ended(call(name, {}, AbortSignal.abort(new RangeError("of the caller"))));
    await task();
    removeEventListener("unhandledrejection", stop);
    return `${got === "RangeError" ? "its reason" : got}${seen.started > 0 ? ", but the tool starts" : ""}`;
  }),
};

/** Measures a group of facts: { label: value }. */
async function measure(group) {
  const facts = {};
  for (const [label, fact] of Object.entries(group)) {
    facts[label] = await fact();
  }
  return facts;
}

globalThis.facts = {
  object: () => measure(object),
  registering: () => measure(registering),
  calling: () => measure(calling),
  offer: (name, kind) => {
    const seen = { started: 0, aborted: "", events: [] };
    for (const event of ["toolactivated", "toolcancel"]) {
      context.addEventListener?.(event, () => seen.events.push(event));
    }
    const executes = {
      echo: (input) => input,
      cyclic,
      waits: (_, second) => {
        seen.started++;
        second?.signal?.addEventListener("abort", () => { seen.aborted = second.signal.reason?.name; });
        return new Promise(() => {});
      },
    };
    globalThis.seen = seen;
    offer(name, executes[kind]);
  },
  call: (name) => ended(call(name, {})),
  /** Registers a tool with the object of an iframe, removes the iframe and aborts the tool's signal. */
  orphan: async () => {
    const frame = document.createElement("iframe");
    frame.src = location.href;
    document.body.append(frame);
    await soon(() => frame.contentWindow.facts !== undefined);
    const { modelContext } = frame.contentDocument.modelContext === undefined ? frame.contentWindow.navigator : frame.contentDocument;
    const controller = new AbortController();
    await modelContext.registerTool({ name: "orphan", description: "d", execute: () => 1 }, { signal: controller.signal });
    frame.remove();
    await task();
    controller.abort();
    await task();
    return "nothing happens";
  },
  register: () => attempt(() => context.registerTool({ name: fresh(), description: "d", execute: () => 1 })),
};
