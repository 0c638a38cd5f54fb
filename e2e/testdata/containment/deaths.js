// A runtime of the build with faults in the middle of everything, and a sound one beside it.
import { load } from "/faults/pagewarden.mjs";
import * as faults from "/web-test/faults.js";
import { offer, surface } from "/loading/use.js";
import { withRoom } from "./stack.js";

const AGENT = { id: "agent", kind: "webmcp" };
const uncaught = [];
addEventListener("error", (event) => uncaught.push(`error ${event.message}`));
addEventListener("unhandledrejection", () => uncaught.push("rejection"));

const other = surface(await load({ wasm: "/faults/pagewarden.wasm" }));
offer(other);

/** What the handlers of the page have seen. */
const seen = { waiting: 0, aborted: [] };

function definition(runtime) {
  const input = runtime.fromJsonSchema({ type: "object" });
  const act = (execute, more) => ({ description: "Act.", effect: "local-state", input, concurrency: { mode: "parallel", max: 8 }, execute, ...more });
  return {
    type: "page.life", description: "A life.",
    actions: {
      wait: act((_, { signal }) => {
        seen.waiting++;
        signal.addEventListener("abort", () => seen.aborted.push(signal.reason.message));
        return new Promise(() => {});
      }, { timeoutMs: 600_000 }),
      ask: act(() => "asked", { confirmation: "required" }),
      echo: act(() => "alive"),
      // Breaks the runtime from inside its own call, by a fault of the build's or by something that the page does.
      break: act(({ fault }) => harm[fault](), { output: runtime.fromJsonSchema({}) }),
    },
  };
}

/** Ways in which a page can bring a runtime down, by name. */
const harm = Object.fromEntries(Object.entries(faults).map(([name, number]) => [name, () => world.runtime.dev.fault(number, 0)]));

/** Calls the runtime with ever less of the stack left, until there is none. */
harm.STACK = () => {
  (function down() {
    try {
      down();
    } catch {
      // at the end of the stack, and a little further up with each return
    }
    world.registry.snapshot();
    world.registry.invoke({ capabilityId: "view:page.life.echo", input: {} });
  })();
};

/** The runtime that the tests break. */
let world;

/** Starts a runtime, with a call of the page's own and a confirmation pending. */
async function begin() {
  const runtime = await load({ wasm: "/faults/pagewarden.wasm" });
  const registry = runtime.createAgentSurfaceRegistry({ authority: runtime.createOpenAuthority(), environment: "test" });
  registry.register(definition(runtime));
  const adapter = runtime.createWebMcpAdapter();
  adapter.start({ registry, consumer: AGENT });
  const asked = await registry.invoke({ capabilityId: "view:page.life.ask", input: {} });
  told.length = 0;
  Object.assign(seen, { waiting: 0, aborted: [] });
  world = { runtime, registry, adapter };
  world.pending = {
    call: registry.invoke({ capabilityId: "view:page.life.wait", input: {} }),
    confirmation: registry.confirmations.waitFor(asked.error.details.confirmationId),
  };
}

/** What a synchronous call throws. */
function thrownBy(run) {
  try {
    return { value: run() };
  } catch (error) {
    return { code: error.payload?.code, reason: error.payload?.details?.reason, message: error.message };
  }
}

/** The state of things after a death. */
async function after() {
  const reason = ({ error }) => `${error?.code} ${error?.details?.reason}`;
  return {
    call: reason(await world.pending.call),
    confirmation: await world.pending.confirmation,
    later: reason(await world.registry.invoke({ capabilityId: "view:page.life.echo", input: {} })),
    snapshot: thrownBy(() => world.registry.snapshot()),
    status: thrownBy(() => world.adapter.status()),
    aborted: seen.aborted,
    told: told.filter((line) => line.startsWith("error")),
    uncaught,
    other: (await other.registry.invoke({ capabilityId: "view:page.text.echo", input: { text: "other" } })).output,
  };
}

/** One call of the page's with little room on the stack: whether it was done, refused, or the end. */
function tight(name, room) {
  const { registry, runtime } = world;
  const calls = {
    invoke: () => registry.invoke({ capabilityId: "view:page.life.echo", input: {} }),
    register: () => registry.register({ ...definition(runtime), type: "page.more", instanceId: `i${room}` }),
    snapshot: () => registry.snapshot(),
    resolve: () => registry.confirmations.resolve("cnf_unknown", { approved: true }),
  };
  return withRoom(room, calls[name]).kind;
}

globalThis.deaths = {
  tight,
  begin, after, seen,
  echo: async () => (await world.registry.invoke({ capabilityId: "view:page.life.echo", input: {} })).output,
  fault: (name) => thrownBy(harm[name]),
  dead: () => thrownBy(() => world.registry.getVersion()).reason === "runtime-lost",
  end: () => world.registry.dispose(),
};
