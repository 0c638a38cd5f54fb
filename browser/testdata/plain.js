// A page that registers tools by hand, with nothing of this module.
const offers = new AbortController();

/**
 * @param {string} name
 * @param {(input: any) => unknown} execute
 * @param {object} [more]
 * @param {object} [options]
 */
function offer(name, execute, more, options) {
  const inputSchema = { type: "object", properties: { zulu: { type: "string" }, alpha: { type: "number" } } };
  (document.modelContext ?? navigator.modelContext)?.registerTool({ name, description: `About ${name}`, inputSchema, execute, ...more }, options);
}

offer("echo", (input) => input, { title: "Echo it", annotations: { readOnlyHint: true } });
offer("buy", () => "bought", { annotations: { consequentialHint: true, untrustedContentHint: true } });
offer("text", () => "plain text");
offer("null", () => null);
offer("zero", () => 0);
offer("false", () => false);
offer("nothing", () => undefined);
offer("throws", () => { throw new TypeError("no such order"); });
offer("rejects", async () => { throw new RangeError("out of range"); });
offer("throws_text", () => { throw "just text"; });
offer("never", () => new Promise(() => {}));
offer("asks", () => confirm("Delete everything?"));
offer("alerts", () => { alert("Look!"); return "seen"; });
offer("leaves", () => { location.href = "empty.html"; return new Promise(() => {}); });
offer("mcp", () => ({ content: [{ type: "text", text: "{\"n\":1}" }], structuredContent: { n: 1 } }));
offer("mcp_error", () => ({ content: [{ type: "text", text: "not allowed" }], isError: true }));
offer("removable", () => 1, {}, { signal: offers.signal });

let started = 0;
let aborted = 0;
offer("watched", (_, { signal }) => {
  started++;
  return new Promise(() => signal.addEventListener("abort", () => aborted++));
});

let count = 0;
offer("instant", () => ++count);

let trusted = null;
document.getElementById("button")?.addEventListener("click", (event) => { trusted = event.isTrusted; });
