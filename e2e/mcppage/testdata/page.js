// A page with tools of its own and nothing of this module. Its tools do what the tests want of it.
const inputSchema = { type: "object", properties: { zulu: { type: "string" }, alpha: { type: "number" } } };

/**
 * @param {string} name
 * @param {(input: any, second?: any) => unknown} execute
 * @param {object} [more]
 * @param {object} [options]
 */
function offer(name, execute, more, options) {
  (document.modelContext ?? navigator.modelContext)?.registerTool({ name, description: `About ${name}`, inputSchema, execute, ...more }, options);
}

offer("echo", (input) => input, { title: "Echo it", annotations: { readOnlyHint: true } });
offer("orders.find", ({ zulu }) => ({ found: zulu }));
offer("total", () => 42, { annotations: { consequentialHint: true, untrustedContentHint: true } });
offer("text", ({ zulu }) => zulu);
offer("null", () => null);
offer("mcp", () => ({ content: [{ type: "text", text: "one" }, { type: "text", text: "two" }], structuredContent: { zulu: 1, alpha: 2 } }));
offer("refuses", () => ({ content: [{ type: "text", text: '{"code":"NOT_AUTHORIZED","message":"No.","retry":"no"}' }], isError: true }));
offer("throws", () => { throw new TypeError("no such order"); });
offer("union", () => "any", { inputSchema: { oneOf: [{ type: "object", properties: { a: { type: "string" } } }, { type: "object", properties: { b: { type: "string" } } }] } });
offer("asks", () => confirm("Delete everything?"));

/** Tells the test's server that something has happened. */
const tell = (what) => fetch(`/told/${what}`);

offer("waits", (_, second) => {
  tell("waiting");
  second?.signal?.addEventListener("abort", () => tell("aborted"));
  return new Promise(() => {});
});
let added;
offer("adds", ({ zulu }) => {
  added = new AbortController();
  offer(zulu, () => zulu, {}, { signal: added.signal });
  return "added";
});
offer("removes", () => { added.abort(); return "removed"; });
offer("reloads", () => { location.reload(); return new Promise(() => {}); });
offer("reloads_later", () => { setTimeout(() => location.reload(), 50); return "soon"; });
offer("goes", ({ zulu }) => { setTimeout(() => { location.href = zulu; }); return "soon"; });
