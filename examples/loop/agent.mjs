// The agent's loop: it sends the conversation and the tools, runs what the model asks for, and goes on until the model has
// nothing more to ask. It knows nothing of devices.

/**
 * @typedef {{ name: string, description: string, inputSchema: object, state: object, execute: (input: any, call?: object) => Promise<any> }} Tool
 * @typedef {{ tools: () => readonly Tool[] }} Toolset
 * @typedef {(tool: Tool, input: any, call: { invocationId: string, confirmationId?: string }) => Promise<any>} Transport
 * @typedef {{ url: string, toolset: Toolset, stateOf: (tools: readonly Tool[]) => string, transport: Transport, log: (line: string) => void, messages: any[] }} Session
 */

/**
 * Runs one request of the user's to its end.
 * @param {Session} session
 * @param {string} request
 */
export async function converse(session, request) {
  session.log(`user: ${request}`);
  session.messages.push({ role: "user", content: request });
  for (;;) {
    const tools = session.toolset.tools(); // again each turn: what the page offers moves
    const content = await complete(session, tools);
    session.messages.push({ role: "assistant", content });
    for (const block of content) if (block.type === "text") session.log(`model: ${block.text}`);
    const asked = content.filter((/** @type {any} */ block) => block.type === "tool_use");
    if (asked.length === 0) return;
    const results = [];
    for (const block of asked) results.push(await run(session, tools, block));
    session.messages.push({ role: "user", content: results });
  }
}

/**
 * Asks the model. The definitions stay the same from turn to turn, so that a provider can keep the prompt's beginning;
 * what changes comes last.
 * @param {Session} session
 * @param {readonly Tool[]} tools
 */
async function complete({ url, messages, stateOf }, tools) {
  const state = stateOf(tools);
  const last = messages[messages.length - 1];
  const block = { type: "text", text: state };
  const content = typeof last.content === "string" ? [{ type: "text", text: last.content }] : last.content;
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      model: "stand-in", max_tokens: 1024,
      tools: tools.map(({ name, description, inputSchema }) => ({ name, description, input_schema: inputSchema })),
      messages: state === "" ? messages : [...messages.slice(0, -1), { ...last, content: [...content, block] }],
    }),
  });
  const body = /** @type {any} */ (await response.json());
  if (!response.ok) throw new Error(`the model's server: ${response.status} ${body.error.message}`);
  return body.content;
}

/**
 * Runs one tool call. Its result goes back whole, errors too: the code and the retry advice are what a model recovers by.
 * @param {Session} session
 * @param {readonly Tool[]} tools
 * @param {{ id: string, name: string, input: any }} block
 */
async function run(session, tools, block) {
  session.log(`model calls ${block.name} ${JSON.stringify(block.input)}`);
  const tool = tools.find(({ name }) => name === block.name);
  const result = tool === undefined
    ? { status: "error", error: { code: "CAPABILITY_NOT_FOUND", message: "There is no such tool." } }
    : await send(session, tool, block);
  const text = JSON.stringify(result.status === "ok" ? result.output ?? null : result.error);
  session.log(`  ${result.status === "ok" ? "→" : "✗"} ${text}`);
  return { type: "tool_result", tool_use_id: block.id, content: text, ...(result.status !== "ok" && { is_error: true }) };
}

/**
 * Sends a call until there is an answer. The invocation id stays the same, so that a call whose answer was lost is not run
 * twice: the second time the registry gives the first time's result.
 * @param {Session} session
 * @param {Tool} tool
 * @param {{ id: string, input: any }} block
 */
async function send({ transport, log }, tool, block) {
  const call = { invocationId: `loop-${block.id}` };
  for (;;) {
    try {
      return await transport(tool, block.input, call);
    } catch (error) {
      log(`  the answer was lost (${/** @type {Error} */ (error).message}); the same call again`);
    }
  }
}
