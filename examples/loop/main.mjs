// node examples/loop/main.mjs: an agent's loop over the demo's components, first embedded in the page, then remote.
import { converse } from "./agent.mjs";
import { startModel } from "./model.mjs";
import { openPage, runtime } from "./page.mjs";
import { asking, waiting } from "./script.mjs";

const log = console.log;

/** The loop is in the page: a call that a person must confirm waits for them. */
async function embedded() {
  log("=== embedded: the loop runs in the page, and calls wait for the person");
  const { registry, writes, close } = await openPage();
  const toolset = runtime.createAgentToolset(registry, { consumer: { id: "copilot-panel", kind: "embedded" }, topology: "embedded" });
  const stop = registry.confirmations.subscribe((/** @type {any[]} */ pending) => approve(registry, pending));
  const model = await startModel(waiting);
  await converse({ url: model.url, toolset, stateOf: runtime.capabilityState, messages: [], log, transport: direct }, "Disable what is offline in Oslo.");
  log(`The server was written to ${writes.count} time(s).\n`);
  stop();
  await end(model, toolset, close);
}

/** The loop is far away: calls come back at once, answers can be lost, and the host keeps the evidence. */
async function remote() {
  log("=== remote: the loop runs elsewhere; a call that needs the person ends with a question");
  const { registry, writes, close } = await openPage();
  const toolset = runtime.createAgentToolset(registry, { consumer: { id: "remote-agent", kind: "other" }, topology: "remote" });
  const model = await startModel(asking);
  const session = { url: model.url, toolset, stateOf: runtime.capabilityState, messages: [], log, transport: losing(withEvidence(direct)) };
  await converse(session, "Disable the rain gauge.");
  approve(registry, registry.confirmations.pending());
  await converse(session, "I have decided.");
  log(`The server was written to ${writes.count} time(s), although the answer of that call was lost once.`);
  await end(model, toolset, close);
}

/** @type {import("./agent.mjs").Transport} */
const direct = (tool, input, call) => tool.execute(input, call);

/**
 * Keeps the confirmationId of a call that needs the person, and passes it with the next one that is the same: the model
 * never sees it as an argument.
 * @param {import("./agent.mjs").Transport} next
 * @returns {import("./agent.mjs").Transport}
 */
function withEvidence(next) {
  /** @type {Map<string, string>} */
  const evidence = new Map();
  return async (tool, input, call) => {
    const key = `${tool.name} ${JSON.stringify(input)}`;
    const confirmationId = evidence.get(key);
    const result = await next(tool, input, { ...call, ...(confirmationId && { confirmationId }) });
    if (result.error?.code === "CONFIRMATION_REQUIRED") evidence.set(key, result.error.details.confirmationId);
    return result;
  };
}

/**
 * Loses the answer of the first call that changes something on the server, as a connection does that breaks too late.
 * @param {import("./agent.mjs").Transport} next
 * @returns {import("./agent.mjs").Transport}
 */
function losing(next) {
  let lost = false;
  return async (tool, input, call) => {
    const result = await next(tool, input, call);
    if (lost || result.status !== "ok" || !tool.name.startsWith("domain_")) return result;
    lost = true;
    throw new Error("connection reset");
  };
}

/** The person, who says yes to what they are shown. @param {any} registry @param {any[]} pending */
function approve(registry, pending) {
  for (const { confirmationId, summary, input } of pending) {
    log(`  the person is asked: ${summary} ${JSON.stringify(input)}\n  the person approves`);
    registry.confirmations.resolve(confirmationId, { approved: true });
  }
}

/** @param {{ stop: () => Promise<unknown> }} model @param {any} toolset @param {() => void} close */
async function end(model, toolset, close) {
  toolset.dispose();
  close();
  await model.stop();
}

await embedded();
await remote();
