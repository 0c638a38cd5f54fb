// The page of the matrix: surfaces of every sort, made and taken away by the suite's behaviours one after another.
import { load } from "/pagewarden.mjs";
import { connect, defineWebTool, registerWebTool } from "/pagewarden-webtools.js";
import * as agent from "./agent.js";

const runtime = await load({ wasm: "/pagewarden.wasm" });
connect(runtime);
const context = document.modelContext ?? navigator.modelContext;

const schema = (document) => runtime.fromJsonSchema(document);
const object = (properties, required = Object.keys(properties)) =>
  schema({ type: "object", properties, required, additionalProperties: false });
const EMPTY = object({});
const TEXT = schema({ type: "string" });

/** An action that does something local. */
const action = (execute, more) => ({ description: "Do it.", effect: "local-state", input: EMPTY, execute, ...more });

/** Resolves in a task of its own. */
function task() {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = () => {
      port1.close();
      resolve(undefined);
    };
    port2.postMessage(null);
  });
}

// Surfaces.

/** The registries and adapters of the present behaviour. @type {{ registry: any, adapter: any }[]} */
let surfaces = [];
let consumers = 0;

/** What happened, in order. @type {string[]} */
let log = [];

/** A registry of its own with an adapter on it. */
function surface(options = {}) {
  const registry = runtime.createAgentSurfaceRegistry({ authority: runtime.createOpenAuthority(), environment: "test" });
  const given = globalThis.withClient === undefined ? {} : { modelContext: globalThis.withClient };
  const adapter = runtime.createWebMcpAdapter({ ...given, ...options });
  adapter.start({ registry, consumer: { id: `agent-${++consumers}`, kind: "webmcp" } });
  const one = { registry, adapter };
  surfaces.push(one);
  return one;
}

/** Takes everything away that the behaviour has left. */
async function reset() {
  for (const { registry, adapter } of surfaces) {
    adapter.stop();
    registry.dispose();
  }
  surfaces = [];
  log = [];
  await notes.remove();
  await task();
}

/** Starts an adapter on a page whose model context comes later, as with a polyfill; `come` brings it. */
function early() {
  const holders = [document, navigator];
  const own = holders.map((holder) => Object.getOwnPropertyDescriptor(holder, "modelContext"));
  holders.forEach((holder) => Object.defineProperty(holder, "modelContext", { configurable: true, value: undefined }));
  const { registry, adapter } = surface({ modelContext: undefined });
  registry.register({ type: "early.bird", description: "Early.", actions: { sing: action(() => "sung") } });
  const status = adapter.status();
  gate.come = () => {
    holders.forEach((holder, i) => {
      delete holder.modelContext;
      if (own[i] !== undefined) Object.defineProperty(holder, "modelContext", own[i]);
    });
    registry.invalidate();
  };
  return status;
}

// Web tools.

/** A form with two web tools beside its controls. The second one waits for a person. */
const notes = {
  /** @type {any[]} */
  offers: [],
  /** @type {string[]} */
  kept: [],

  mount() {
    document.body.innerHTML = `<form id="notes"><label>Note <input name="note"></label> <button type="button">Keep note</button> <button type="button" id="forget">Forget notes</button></form>`;
    const options = globalThis.withClient === undefined ? {} : { modelContext: globalThis.withClient };
    const input = { type: "object", properties: { note: { type: "string" } }, required: ["note"], additionalProperties: false };
    const keep = ({ note }) => ({ kept: notes.kept.push(note), shown: document.querySelector("[name=note]").value });
    const forget = () => ({ forgotten: notes.kept.splice(0).length });
    notes.offers = [
      { id: "keep_note", description: "Keep a note.", input, execute: keep },
      { id: "forget_notes", description: "Forget all notes.", destructive: true, requireConfirmation: true, execute: forget },
    ].map((definition) => registerWebTool(defineWebTool(definition), options));
  },

  /** What a script of the page can do to press the button. Resolves when what came of it has had its turn. */
  async press() {
    const button = document.querySelector("#forget");
    button.click();
    for (const type of ["pointerdown", "mousedown", "pointerup", "mouseup", "click"]) {
      button.dispatchEvent(new PointerEvent(type, { bubbles: true, composed: true }));
    }
    await task();
    return notes.kept.length;
  },

  async remove() {
    await Promise.all(notes.offers.map((offer) => offer.unregister()));
    notes.offers = [];
    notes.kept = [];
    document.querySelector("#notes")?.remove();
  },
};

// Kinds.

function kinds() {
  const { registry } = surface();
  registry.setProcedureExecutor({ execute: ({ path, input }) => ({ path, input }) });
  registry.register({
    type: "kinds.all", description: "One of each.",
    observations: {
      look: { title: "Look at it", description: "Look.", output: schema({ type: "array" }), untrustedContent: true, read: () => [1, "two", null] },
    },
    actions: {
      act: action(({ zulu, alpha }) => ({ done: zulu.repeat(alpha) }), {
        description: "Act.", input: object({ zulu: { type: "string" }, alpha: { type: "integer", minimum: 1 } }), output: object({ done: { type: "string" } }),
      }),
      go: action(() => {}, { description: "Go.", effect: "navigation" }),
    },
    procedures: [
      procedure("kinds.query", { effect: "server-query", description: "Query." }),
      procedure("kinds.change", { effect: "server-mutation", description: "Change." }, { bind: () => ({ tenant: "ours" }) }, ["tenant"]),
      procedure("kinds.erase", { effect: "destructive", description: "Erase." }),
    ],
  });
}

function procedure(path, ref, config = {}, boundKeys = []) {
  const properties = { item: { type: "string" } };
  for (const key of boundKeys) properties[key] = { type: "string" };
  const inputSchema = { type: "object", properties, required: Object.keys(properties), additionalProperties: false };
  return { kind: "procedure-binding", ref: { id: `domain:${path}`, path, inputSchema, ...ref }, config, boundKeys, lockedKeys: boundKeys };
}

/** What fails, in the page's words or as the page wants agents to know. */
function failures() {
  const { registry } = surface();
  const known = () => {
    throw new runtime.AgentSurfaceError({ code: "PRECONDITION_FAILED", message: "The shop opens at nine.", retry: "with-changes", details: { opens: "09:00" } });
  };
  registry.register({
    type: "shop.door", description: "A door.",
    actions: { enter: action(known), break: action(() => { throw new Error("a secret of the page"); }) },
  });
}

// Coming and going.

const gate = { open: false, handle: null, come: () => {} };

/** A gate that is shut: the page pushes whether one may enter, and is asked whether one may watch. */
function mountGate() {
  gate.open = false;
  const { registry } = surface();
  gate.handle = registry.register({
    type: "zoo.gate", description: "A gate.",
    actions: { enter: action(() => "in"), watch: action(() => "seen", { when: () => gate.open }), ring: action(() => "rung") },
  });
  openGate(false);
}

/** Pushes that one may enter, or not. */
function openGate(open) {
  gate.handle.update({ availability: { enter: { available: open } } });
}

/** Lets people watch, or not, and asks the adapter to look. */
function letWatch(open) {
  gate.open = open;
  gate.handle.invalidate();
}

const foreign = { controller: new AbortController() };

/** Other code of the page takes a name before the adapter does. Where a whole set is provided, it has a set of its own. */
async function takeName(name) {
  foreign.controller = new AbortController();
  const tool = { name, description: "Of other code.", inputSchema: { type: "object", properties: {} }, execute: () => 7 };
  if (context.registerTool === undefined) {
    context.provideContext({ tools: [tool] });
  } else {
    await context.registerTool(tool, { signal: foreign.controller.signal });
  }
}

function giveNameUp(name) {
  if (context.unregisterTool !== undefined) {
    context.unregisterTool(name);
  } else {
    foreign.controller.abort();
  }
}

/** Two surfaces with one component each. */
function two() {
  for (const name of ["first", "second"]) {
    surface().registry.register({ type: `two.${name}`, description: name, actions: { tell: action(() => name) } });
  }
}

/** Ten components for each hundred of tools. */
function many(count) {
  const { registry } = surface();
  const each = 10;
  const handles = [];
  for (let at = 0; at < count; at += each) {
    const actions = {};
    for (let i = at; i < at + each; i++) actions[`tell${i}`] = action(() => i);
    handles.push(registry.register({ type: `many.part${at}`, description: "One of many.", actions }));
  }
  gate.handle = handles;
}

/** How often the adapter and the browser spoke while `run` lasted and a task after it. */
async function counting(run) {
  const counted = { added: 0 };
  const { registerTool, provideContext } = context;
  const name = registerTool === undefined ? "provideContext" : "registerTool";
  const own = Object.getOwnPropertyDescriptor(context, name);
  Object.defineProperty(context, name, {
    configurable: true, writable: true,
    value(...args) {
      counted.added++;
      return Reflect.apply(registerTool ?? provideContext, context, args);
    },
  });
  try {
    await run();
    await task();
  } finally {
    delete context[name];
    if (own !== undefined) Object.defineProperty(context, name, own);
  }
  return counted;
}

/** 200 changes in one turn, and one more that opens the gate. */
function flutter() {
  return counting(() => {
    for (let i = 1; i <= 100; i++) {
      openGate(i % 2 === 1);
      letWatch(i % 2 === 1);
    }
    openGate(true);
  });
}

/** Changes turn after turn, faster than some browsers answer; the last one opens the gate. */
async function flicker() {
  for (let i = 1; i < 60; i++) {
    openGate(i % 2 === 0);
    await (i % 3 === 0 ? task() : undefined);
  }
  openGate(true);
  await task();
}

// Calls in flight.

const widget = { handle: null, finish: () => {}, runs: 0, signal: null, registry: null };

function mountWidget(more = {}) {
  widget.registry ??= surface(more.options).registry;
  widget.handle = widget.registry.register({
    type: "ui.widget", description: "A widget.",
    actions: {
      poke: action(() => "poked"),
      hold: action((input, { signal }) => {
        widget.runs++;
        widget.signal = signal;
        return new Promise((resolve) => { widget.finish = resolve; });
      }, { output: TEXT, concurrency: { mode: "instance", queueDepth: 4 } }),
    },
  });
}

function newWidget() {
  Object.assign(widget, { runs: 0, signal: null, registry: null, finish: () => {} });
  mountWidget();
}

/** Whether a call of hold is in flight. */
const held = () => widget.signal !== null;

/** Lets the page answer nobody, from the next task on. */
function beBusy(milliseconds) {
  setTimeout(() => {
    const end = performance.now() + milliseconds;
    while (performance.now() < end);
  });
}

/** Unmounts and mounts the widget in one turn. */
function remountWidget() {
  widget.handle.unregister();
  mountWidget();
}

/** A component whose action takes it away and answers. */
function mountLeaver() {
  const { registry } = surface();
  const leaver = registry.register({
    type: "ui.leaver", description: "Leaves.",
    actions: {
      leave: action(() => {
        leaver.unregister();
        return "gone, for good";
      }, { output: TEXT }),
    },
  });
}

// Values.

function mountValues() {
  const { registry } = surface();
  const bytes = (value) => new TextEncoder().encode(JSON.stringify(value)).length;
  /** An output of exactly that many bytes of JSON. */
  const sized = (size) => {
    const value = { text: "" };
    value.text = "x".repeat(size - bytes(value));
    return value;
  };
  registry.register({
    type: "values.big", description: "Large results.",
    actions: { fits: action(() => sized(32768)), exceeds: action(() => sized(32769)) },
  });
}

const STRANGE = "Grüße 漢字 🎈 \u00a0\u2028\ufeff „quoted“ \"\\";

function mountStrange() {
  const { registry } = surface();
  registry.register({
    type: "strange.text", description: `Texts: ${STRANGE}`,
    observations: { read: { title: `Titel ${STRANGE}`, description: `Lies ${STRANGE}`, output: schema({}), read: () => ({ [STRANGE]: [STRANGE] }) } },
    actions: {
      echo: action((input) => input, { description: `Wiederhole ${STRANGE}`, input: object({ größe: { type: "string", enum: [STRANGE, "klein"] }, 名前: { type: "string" } }) }),
      fail: action(() => {
        throw new runtime.AgentSurfaceError({ code: "PRECONDITION_FAILED", message: `Nein: ${STRANGE}`, retry: "with-changes" });
      }),
    },
  });
}

// Confirmation.

const desk = { registry: null, adapter: null, prompts: [], answer: () => {}, ran: 0 };

/** A surface whose only action asks a person; `how` is what the page's confirm hook does, if there is one. */
function mountDesk(how) {
  Object.assign(desk, { prompts: [], answer: () => {}, ran: 0 });
  const hooks = {
    answers: (pending) => {
      desk.prompts.push(pending);
      return new Promise((resolve) => { desk.answer = resolve; });
    },
    throws: () => { throw new Error("there is no room for a prompt"); },
  };
  Object.assign(desk, surface(how === undefined ? {} : { confirm: hooks[how] }));
  desk.registry.register({
    type: "shop.desk", description: "A desk.",
    actions: {
      sell: action(({ item }) => {
        desk.ran++;
        return `${item} sold`;
      }, {
        input: object({ item: { type: "string" } }), output: TEXT,
        policies: [runtime.requireConfirmation({ summary: ({ effectiveInput }) => `Sell ${effectiveInput.item}?` })],
      }),
    },
  });
}

/** What waits for the person. */
const pending = () => desk.registry.confirmations.pending().map(({ summary, input }) => ({ summary, input }));

/** The person's decision on the only call that waits. */
function decide(what) {
  const [{ confirmationId }] = desk.registry.confirmations.pending();
  return what === "expire" ? desk.registry.confirmations.forceExpire(confirmationId)
    : desk.registry.confirmations.resolve(confirmationId, { approved: what === "approve" });
}

// The page.

/** Shows it in an iframe, and resolves when its lab is there. */
function embed(address) {
  const frame = document.createElement("iframe");
  frame.src = address;
  document.body.append(frame);
  return new Promise((resolve) => {
    const look = () => (frame.contentWindow?.lab !== undefined ? resolve(true) : setTimeout(look, 20));
    look();
  });
}

/** Has an adapter of the page offer a gate through the object of an iframe. */
async function borrow(address) {
  await embed(address);
  const { contentWindow: inner } = document.querySelector("iframe");
  const { registry } = surface({ modelContext: inner.document.modelContext ?? inner.navigator.modelContext });
  gate.handle = registry.register({
    type: "zoo.gate", description: "A gate.", actions: { enter: action(() => "in"), ring: action(() => "rung") },
  });
}

const removeFrames = () => document.querySelectorAll("iframe").forEach((frame) => frame.remove());

/** Two adapters on an object that takes whole sets alone, whatever else the page's own can do. */
function twoOnOneSet() {
  const modelContext = { provideContext: (set) => context.provideContext(set), clearContext: () => context.clearContext() };
  for (const name of ["first", "second"]) {
    surface({ modelContext }).registry.register({ type: `two.${name}`, description: name, actions: { tell: action(() => name) } });
  }
}

globalThis.lab = {
  runtime, agent, context, surface, reset, task, notes, log: () => log, status: (at = 0) => surfaces[at].adapter.status(), surfaces: () => surfaces,
  kinds, failures, mountGate, openGate, letWatch, takeName, giveNameUp, two, many, removeMany: () => gate.handle.forEach((handle) => handle.unregister()),
  setGateEnabled: (enabled) => gate.handle.update({ enabled }), letWatchUntold: (open) => { gate.open = open; },
  flutter, flicker, early, come: () => gate.come(), widget, newWidget, held, remountWidget, beBusy, mountLeaver, mountValues, STRANGE, mountStrange, desk, mountDesk, pending, decide,
  twoOnOneSet, embed, borrow, removeFrames, calls: () => runtime.dev.tables().toolCalls, invalidate: () => surfaces[0].registry.invalidate(),
};

// A page that comes back, or that lives in an iframe, has its tools by itself.
if (new URLSearchParams(location.search).has("auto")) {
  newWidget();
}
