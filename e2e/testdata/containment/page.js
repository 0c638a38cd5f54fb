// Functions of the page that throw, in every place in which the runtime calls one.
import { load } from "/pagewarden.mjs";
import { places } from "./places.js";
import { thrown } from "./thrown.js";

const runtime = await load({ wasm: "/pagewarden.wasm" });

/** What nobody caught. */
const uncaught = [];
addEventListener("error", (event) => uncaught.push(`error ${event.message}`));
addEventListener("unhandledrejection", (event) => {
  event.preventDefault();
  uncaught.push("rejection");
});

/** Whether a call of the runtime's works. */
async function works() {
  const registry = runtime.createAgentSurfaceRegistry({ authority: runtime.createOpenAuthority(), environment: "test", audit: () => {} });
  registry.register({ type: "page.sound", description: "Sound.", actions: { act: { description: "Act.", effect: "local-state", input: runtime.emptyObjectSchema, execute: () => "sound" } } });
  const result = await registry.invoke({ capabilityId: "view:page.sound.act", input: {} });
  registry.dispose();
  return result.output === "sound";
}

/** What each value leads to in one place: { [outcome]: names of values }. */
async function tryPlace(place, environment) {
  const outcomes = {};
  for (const name of Object.keys(thrown)) {
    let failed = 0;
    const fail = () => {
      failed++;
      throw thrown[name];
    };
    let outcome;
    try {
      outcome = await places[place]({ runtime, environment, fail });
    } catch (error) {
      outcome = `an exception: ${Object.is(error, thrown[name]) ? "the page's own" : error}`;
    }
    if (failed === 0) {
      outcome = `not asked: ${outcome}`;
    }
    (outcomes[outcome] ??= []).push(name);
  }
  if (!(await works())) {
    outcomes["nothing works after that"] = [];
  }
  return outcomes;
}

globalThis.containment = { runtime, places: Object.keys(places), values: Object.keys(thrown).length, uncaught, tryPlace, tables: () => runtime.dev.tables() };
