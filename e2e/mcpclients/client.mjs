// A client of the official TypeScript SDK: what it sees of a server, as JSON on standard output.
//
//   node client.mjs http URL TOKEN | node client.mjs stdio PROGRAM
//
// It is copied beside the SDK's packages before it runs.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema, ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";

const [kind, target, token] = process.argv.slice(2);

function transport() {
  if (kind === "stdio") {
    return new StdioClientTransport({ command: target, env: { ...process.env }, stderr: "inherit" });
  }
  return new StreamableHTTPClientTransport(new URL(target), { requestInit: { headers: { Authorization: `Bearer ${token}` } } });
}

const client = new Client({ name: "a TypeScript agent", version: "1" }, { capabilities: { elicitation: {} } });
const forms = [];
client.setRequestHandler(ElicitRequestSchema, (request) => {
  forms.push(request.params.message);
  return { action: "accept", content: { approve: request.params.message.includes('"yes"') } };
});
let changed;
const change = new Promise((resolve) => { changed = resolve; });
client.setNotificationHandler(ToolListChangedNotificationSchema, () => changed());

await client.connect(transport());
const seen = { server: client.getServerVersion(), instructions: client.getInstructions() };
const list = async () => (await client.listTools()).tools.map((tool) => tool.name);
const call = async (name, args, options) =>
  client.callTool({ name: `view_garden__plant__${name}`, ...(args === undefined ? {} : { arguments: args }) }, undefined, options);
const text = (result) => JSON.parse(result.content[0].text);

seen.before = await list();
seen.said = (await call("say", { word: "hello" })).structuredContent;
seen.leaves = text(await call("leaves"));
seen.text = text(await call("text", { input: "{}" }));
const wrong = await call("say", { word: 7 });
seen.wrong = { isError: wrong.isError, structured: "structuredContent" in wrong, ...text(wrong) };
seen.approved = text(await call("prune", { word: "yes" }));
seen.denied = text(await call("prune", { word: "no" })).code;
seen.forms = forms.length;
seen.progress = [];
const abort = new AbortController();
const enough = (progress) => { // at once after the last report, a result would take the place of it
  seen.progress.push(progress);
  abort.abort("enough");
};
seen.aborted = await call("wait", {}, { signal: abort.signal, onprogress: enough }).then(() => "no", () => "yes");
await call("grow");
await change;
seen.after = await list();
await client.close();
process.stdout.write(JSON.stringify(seen));
