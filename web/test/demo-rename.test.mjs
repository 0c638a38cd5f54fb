// @ts-check
/** The demo's names that are shown before the server has them, over a runtime that may end. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { createModel } from "../demo/app/model.js";
import { capabilitiesOf } from "./capabilities.js";
import { FATAL } from "./faults.js";
import { script, thrownBy } from "./harness.js";
import { gate } from "./tools.js";

const { load, module } = await script("faults/");
const source = readFileSync(new URL("../demo/agent/rename.js", import.meta.url), "utf8");

/** The application with one device, whose server answers when the test says so. */
async function world() {
  const runtime = await load({ wasm: module });
  const { createPredictionStore } = await capabilitiesOf(runtime);
  /** @type {any} */ (globalThis).storesOfTheTest = createPredictionStore;
  const code = source.replace(/^import .*$/m, "const createPredictionStore = globalThis.storesOfTheTest;");
  const { predictRenames } = await import(`data:text/javascript,${encodeURIComponent(code)}#${Math.random()}`);
  const device = { id: "d1", name: "old", status: "online", city: "Ulm", firmware: "1", lastSeen: "", enabled: true, version: 1 };
  const { promise, open, fail } = gate();
  const app = createModel(/** @type {any} */ ({ list: async () => [device], rename: () => promise }));
  await app.load();
  predictRenames(app);
  const kill = () => assert.equal(thrownBy(() => runtime.dev.fault(FATAL, 0)).payload.details.reason, "runtime-lost");
  return { app, kill, fail, answer: (/** @type {string} */ name) => open({ ...device, name, version: 2 }), name: () => app.device("d1")?.name };
}

test("a name is shown at once, and then the server's", async () => {
  const { app, answer, name } = await world();
  const renaming = app.rename("d1", " new", 1);
  assert.equal(name(), " new");
  answer("new");
  assert.equal((await renaming).version, 2);
  assert.equal(name(), "new");
});

test("a device is renamed all the same when the runtime ends before or meanwhile", async () => {
  for (const when of ["before", "meanwhile"]) {
    const { app, kill, answer, name } = await world();
    if (when === "before") {
      kill();
    }
    const renaming = app.rename("d1", "new", 1);
    assert.equal(name(), when === "before" ? "old" : "new");
    if (when === "meanwhile") {
      kill();
    }
    answer("as the server has it");
    assert.equal((await renaming).version, 2, when);
    assert.equal(name(), "as the server has it");
  }
});

test("what the server refuses is refused in its words, whatever the store makes of it", async () => {
  const lone = await world();
  const renaming = lone.app.rename("d1", "\ud800", 1);
  assert.equal(lone.name(), "old", "a name that is no text is not shown");
  lone.fail(new Error("no such name"));
  await assert.rejects(renaming, { message: "no such name" });
  const { app, kill, fail, name } = await world();
  const late = app.rename("d1", "new", 1);
  kill();
  fail(new Error("in use"));
  await assert.rejects(late, { message: "in use" });
  assert.equal(name(), "old");
});

test("an answer that comes late brings nothing older back", async () => {
  const device = { id: "d1", name: "old", status: "online", city: "Ulm", firmware: "1", lastSeen: "", enabled: false, version: 1 };
  const rename = gate();
  const app = createModel(/** @type {any} */ ({
    list: async () => [device], rename: () => rename.promise, enable: async () => [{ ...device, name: "new", enabled: true, version: 3 }],
  }));
  await app.load();
  const renaming = app.rename("d1", "new", 1);
  await app.enable(["d1"]);
  rename.open({ ...device, name: "new", version: 2 });
  await renaming;
  assert.deepEqual([app.device("d1")?.enabled, app.device("d1")?.version], [true, 3]);
});
