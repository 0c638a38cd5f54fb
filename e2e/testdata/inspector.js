// A page with an inspector, over a registry of the runtime. Each test makes a new page.

// The panel's shadow root is closed to the page; the test looks into it all the same.
const roots = [];
const attachShadow = Element.prototype.attachShadow;
Element.prototype.attachShadow = function (options) {
  const root = attachShadow.call(this, options);
  roots.push([this, root]);
  return root;
};

const { load } = await import("/pagewarden.mjs");
const { mountConfirmationDialog } = await import("/pagewarden-dialog.js");
const { mountInspector, replayRecording } = await import("/pagewarden-inspector.js");

const agent = { id: "helper", kind: "webmcp" };

const ORDER = {
  type: "object", required: ["sku", "count"], additionalProperties: false,
  properties: {
    sku: { type: "string", description: "The article", maxLength: 40 },
    count: { type: "integer", minimum: 1, maximum: 99, default: 1 },
    size: { enum: ["small", "large"] },
    gift: { type: "boolean" },
    address: { type: "object", properties: { city: { type: "string" }, zip: { type: "string", pattern: "^[0-9]{5}$" } }, required: ["city"], additionalProperties: false },
    notes: { type: "array", items: { type: "string" } },
  },
};

/** The components of a small shop. */
function shop(runtime, ran) {
  const schema = (document) => runtime.fromJsonSchema(document);
  const anything = schema({ type: "object" });
  return [
    {
      type: "shop", description: "The shop as a whole", priority: 9,
      observations: { offers: { title: "Offers", description: "What is sold today", output: schema({ type: "array" }), read: () => [{ sku: "tea", price: 4 }, { sku: "mug", price: 9 }] } },
      actions: { open: { description: "Show a part of the shop", effect: "navigation", input: schema({ type: "object", properties: { part: { enum: ["tea", "mugs"] } }, required: ["part"] }), execute: () => undefined } },
    },
    {
      type: "shop.cart", description: "The shopping cart", parent: { type: "shop" }, policies: [runtime.requireConfirmation({ if: ({ effectiveInput }) => effectiveInput?.count > 9 })],
      observations: { content: { description: "What is in the cart", untrustedContent: true, output: schema({}), read: () => ({ rows: [{ sku: "tea", count: 2 }], note: lab.note }) } },
      actions: {
        add: { title: "Add to the cart", description: "Put an article into the cart", effect: "local-state", input: schema(ORDER), output: schema({}), execute: (input) => (ran.push(input), { rows: ran.length }) },
        clear: { title: "Clear the cart", description: "Remove every article", effect: "local-state", confirmation: "required", input: anything, execute: () => void ran.push("clear") },
        pay: { description: "Go to the payment", effect: "navigation", input: anything, when: () => lab.full, unavailableReason: "The cart is empty", execute: () => undefined },
        wait: { description: "Does nothing for a while", effect: "local-state", input: anything, execute: () => new Promise((done) => lab.waiting.push(done)) },
      },
      procedures: [{
        kind: "procedure-binding",
        ref: { id: "domain:orders.cancel", path: "orders.cancel", description: "Cancel an order for good", inputSchema: { type: "object", properties: { order: { type: "string" }, tenant: { type: "string" } }, required: ["order", "tenant"] }, effect: "destructive" },
        config: { bind: () => ({ tenant: "north" }) }, boundKeys: ["tenant"], lockedKeys: ["tenant"],
      }],
    },
    {
      type: "shop.admin", description: "For those who keep the shop", parent: { type: "shop" }, policies: [runtime.authenticated(), { name: "office-hours", onDiscovery: () => ({ decision: "disable", reason: "The office is closed" }) }],
      actions: { discount: { description: "Set a discount", effect: "local-state", input: anything, execute: () => undefined } },
    },
  ];
}

const lab = {
  roots, waiting: [], ran: [], full: false, note: "for a friend",

  /** Makes the surface and mounts the panel, and a dialog if asked. */
  async open({ dialog = false, options = {}, components = shop } = {}) {
    const runtime = (lab.runtime = await load({ wasm: "/pagewarden.wasm" }));
    const registry = (lab.registry = runtime.createAgentSurfaceRegistry({
      authority: runtime.createOpenAuthority(), environment: "test", audit: { record() {} }, context: () => ({ user: lab.user }),
    }));
    registry.setProcedureExecutor({ execute: ({ input }) => (lab.ran.push(input), { cancelled: input.order }) });
    lab.handles = components(runtime, lab.ran).map((component) => registry.register(component));
    const adapter = runtime.createWebMcpAdapter({ modelContext: lab.host });
    adapter.start({ registry, consumer: agent });
    if (dialog) mountConfirmationDialog(registry);
    lab.inspector = mountInspector(registry, { runtime, adapters: [adapter], ...options });
    return true;
  },

  /** The browser's side of WebMCP: it refuses one tool. */
  host: {
    registerTool(tool) {
      if (tool.name.includes("open")) throw new Error("This browser wants no tool of that name");
    },
    unregisterTool() {},
  },

  call: (capabilityId, input, consumer = agent) => lab.registry.invoke({ capabilityId, input }, { consumer }),

  /** A day in the shop: calls of every kind. */
  async day() {
    await lab.call("view:shop.offers");
    await lab.call("view:shop.cart.add", { sku: "tea", count: 2, size: "large" });
    await lab.call("view:shop.cart.add", { sku: "tea", count: 200 });
    await lab.call("view:shop.cart.content", undefined, { id: "anonymous", kind: "embedded" });
    await lab.call("view:shop.cart.pay", {});
    await lab.call("view:shop.cart.discount", {});
    await lab.call("view:shop.cart.add", { sku: "<img src=x onerror=alert(1)>\u202e", count: 12 });
    await lab.call("domain:orders.cancel", { order: "A-17" });
    lab.call("view:shop.cart.wait", {});
    return true;
  },

  many: (count) => (runtime) => Array.from({ length: count / 10 }, (_, i) => ({
    type: `part${i}.list`, description: `Part ${i}`,
    actions: Object.fromEntries(Array.from({ length: 10 }, (_, j) => [`do${"abcdefghij"[j]}`, {
      description: "Does it", effect: "local-state", input: runtime.emptyObjectSchema, concurrency: { mode: "parallel", max: 64 }, execute: () => undefined,
    }])),
  })),

  async calls(count, capabilityId) {
    for (let i = 0; i < count; i++) {
      await lab.call(capabilityId, {});
      if (i % 100 === 0) await new Promise((done) => setTimeout(done)); // the browser draws in between
    }
    return true;
  },

  /** The root of the panel that was mounted last. */
  get root() {
    return roots.filter(([host]) => host.dataset.pagewarden === "inspector").at(-1)[1];
  },
  nodes: () => lab.root.querySelectorAll("*").length,
  rows: () => [...lab.root.querySelectorAll(".page:not([hidden]) .row")].sort((a, b) => a.getBoundingClientRect().y - b.getBoundingClientRect().y).map((row) => row.getAttribute("aria-label")),
  text: (selector) => lab.root.querySelector(`.page:not([hidden]) ${selector}`)?.textContent ?? "",

  /** Resolves after a frame has been drawn, with how long frames took while run worked. */
  async frames(run) {
    const times = [];
    let last = performance.now();
    let going = true;
    const frame = (now) => {
      times.push(now - last);
      last = now;
      if (going) requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
    await run();
    going = false;
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    return { frames: times.length, longest: Math.round(Math.max(...times)) };
  },
  replayRecording, mountInspector,
};
globalThis.lab = lab;
