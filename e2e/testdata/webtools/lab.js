// A page for web tools: each test puts its own markup into it, defines tools and calls them.
import { load } from "/pagewarden.mjs";
import * as webtools from "/pagewarden-webtools.js";

const runtime = await load({ wasm: "/pagewarden.wasm" });
webtools.connect(runtime);
const stage = Symbol.for("pagewarden.stage");
const main = document.querySelector("main");

/** A definition that writes down what happens. */
const noted = (definition) => ({
  id: "clear_cart", title: "Clear cart", description: "Remove every item.",
  execute: (input, { unfilled, reasons }) => {
    lab.log.push("execute");
    return { input, unfilled, reasons };
  },
  ...definition,
});

const lab = {
  ...webtools,
  runtime,
  /** What happened, in order. */
  log: [],
  calls: [],

  /** Puts markup into the page. */
  show(html) {
    main.setHTMLUnsafe?.(html) ?? (main.innerHTML = html);
  },

  /** Adapts a tool; input is a list of parameters that may be anything, or a schema. */
  tool(definition = {}, options) {
    const { params, ...more } = definition;
    const input = params && { type: "object", properties: Object.fromEntries(params.map((name) => [name, {}])) };
    return webtools.toModelContextTool(webtools.defineWebTool(noted({ ...(input && { input }), ...more })), options);
  },

  /** What a call would touch: the ids of the control and of each field. */
  look(definition, args = {}) {
    const scene = lab.tool(definition)[stage].look(args);
    const fields = {};
    for (let i = 0; i < scene.fields.length; i++) {
      fields[scene.fields[i].name] = nameOf(scene.fields[i].element);
    }
    return { control: nameOf(scene.control), fields };
  },

  /** Calls a tool and gives what it answers: its value, or its error. */
  async call(definition, args = {}, options) {
    return answerOf(await lab.tool(definition).execute(args, options));
  },

  /** Begins a call. What comes of it goes to calls, in the place that this returns. */
  begin(definition, args = {}, { registry } = {}) {
    const one = { controller: new AbortController(), ended: null };
    lab.calls.push(one);
    const tool = typeof definition?.execute === "function" && "inputSchema" in definition ? definition : lab.tool(definition, { registry });
    tool.execute(args, { signal: one.controller.signal }).then(
      (result) => { one.ended = answerOf(result); },
      (error) => { one.ended = { error: error?.name ?? `${error}` }; },
    );
    return lab.calls.length - 1;
  },

  /** What the calls came to: "waits", "ok", or a code. */
  outcomes: () => lab.calls.map(({ ended }) => (ended === null ? "waits" : ended.error ?? "ok")),

  /** The ids of the elements that are marked, in shadow roots too. */
  marked: () => everywhere(document, "[data-pagewarden-confirm]").map(nameOf),

  /** Writes down what an element hears, as "type trusted". */
  listen(selector, ...types) {
    for (const type of types) {
      everywhere(document, selector).forEach((element) => element.addEventListener(type, (event) => lab.log.push(`${type}${event.isTrusted ? " trusted" : ""}`)));
    }
  },

  /** An open shadow root with markup, below an element. */
  shadow(selector, html, mode = "open") {
    const root = document.querySelector(selector).attachShadow({ mode });
    root.innerHTML = html;
    return root;
  },
};

const nameOf = (element) => (element == null ? null : element.id || element.localName);

function everywhere(root, selector) {
  const found = [...root.querySelectorAll(selector)];
  for (const element of root.querySelectorAll("*")) {
    if (element.shadowRoot) {
      found.push(...everywhere(element.shadowRoot, selector));
    }
  }
  return found;
}

/** What a result says: its value, or { error, message }. */
function answerOf(result) {
  const text = result.content[0]?.text;
  if (result.isError) {
    const { code, ...more } = JSON.parse(text);
    return { error: code, ...more };
  }
  return result.structuredContent ?? text ?? null;
}

globalThis.lab = lab;
