// A stand-in for a model's server: real HTTP, the wire format of a Messages API, and a script where the model would be.
// It checks each request as such an API does, and answers what is wrong with 400.
import { createServer } from "node:http";

const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/**
 * Starts the server. Each turn of the script is asked in order: it gets the request and gives the content blocks of the
 * model's answer.
 * @param {((request: any) => object[])[]} turns
 */
export async function startModel(turns) {
  let next = 0;
  const server = createServer(async (request, response) => {
    const { status, body } = answer(await read(request), () => turns[next++]);
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(body));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return { url: `http://127.0.0.1:${port}/v1/messages`, stop: () => new Promise((done) => server.close(done)) };
}

/**
 * @param {string} text
 * @param {() => ((request: any) => object[]) | undefined} take the next turn
 */
function answer(text, take) {
  let request;
  try {
    request = JSON.parse(text);
    check(request);
  } catch (error) {
    return { status: 400, body: { type: "error", error: { type: "invalid_request_error", message: /** @type {Error} */ (error).message } } };
  }
  const turn = take();
  if (turn === undefined) return { status: 529, body: { type: "error", error: { type: "overloaded_error", message: "the script has ended" } } };
  const content = turn(request);
  const asks = content.some((block) => /** @type {any} */ (block).type === "tool_use");
  return { status: 200, body: { type: "message", role: "assistant", content, stop_reason: asks ? "tool_use" : "end_turn" } };
}

/** @param {any} request */
function check({ messages, tools }) {
  for (const { name, description, input_schema, ...rest } of tools) {
    demand(TOOL_NAME.test(name), `tools: the name ${JSON.stringify(name)} is not allowed`);
    demand(typeof description === "string" && input_schema?.type === "object", `tools: ${name} needs a description and the schema of an object`);
    demand(Object.keys(rest).length === 0, `tools: ${name} has unknown members`);
  }
  demand(messages[0]?.role === "user", "messages: the first must be the user's");
  messages.forEach((/** @type {any} */ message, /** @type {number} */ at) => {
    const asked = blocks(message, "tool_use").map((block) => block.id);
    const told = blocks(messages[at + 1], "tool_result").map((block) => block.tool_use_id);
    demand(asked.join() === told.join(), `messages: each tool_use of message ${at} needs its tool_result in the next`);
  });
}

/** @param {any} message @param {string} type @returns {any[]} */
const blocks = (message, type) => (Array.isArray(message?.content) ? message.content.filter((/** @type {any} */ block) => block.type === type) : []);

/** @param {boolean} good @param {string} message */
function demand(good, message) {
  if (!good) throw new Error(message);
}

/** @param {import("node:http").IncomingMessage} request */
async function read(request) {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += chunk;
  return text;
}
