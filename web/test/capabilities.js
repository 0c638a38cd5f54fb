// @ts-check
/** What the suites of capabilities share: the optional script, connected, and a device that can be renamed. */
import { readFileSync } from "node:fs";
import { built } from "./harness.js";

const source = readFileSync(built("pagewarden-predict.js"), "utf8");
let copies = 0;

/** What the copies of the script have told developers. @type {string[]} */
export const complaints = [];

/** A copy of the script of its own, with its complaints recorded. @returns {Promise<any>} */
export async function freshScript() {
  const { error } = console;
  console.error = (...args) => void complaints.push(args.map(String).join(" "));
  try {
    return await import(`data:text/javascript,${encodeURIComponent(source)}#${++copies}`);
  } finally {
    console.error = error;
  }
}

/** A copy that runs its capabilities in a runtime. @param {any} runtime */
export async function capabilitiesOf(runtime) {
  const script = await freshScript();
  script.connect(runtime);
  return script;
}

export const NAME = { type: "object", properties: { name: { type: "string", maxLength: 20 } }, required: ["name"], additionalProperties: false };
export const VERSION = { type: "object", properties: { version: { type: "string" } }, required: ["version"], additionalProperties: false };

/** The definition of device.rename, with what the test changes. @param {any} [more] */
export const rename = (more) => ({
  name: "device.rename", description: "Renames the device", input: NAME, output: VERSION, writes: ["device"], execute: () => ({ version: "v2" }), ...more,
});

/** With a prediction that lasts ten seconds. @param {any} [more] */
export const foreseen = (more) => rename({
  predict: (/** @type {any} */ { input, version, now }) => ({
    baseVersion: version, patch: [{ op: "replace", path: "/name", value: input.name }], expiresAt: now + 10_000,
  }),
  reconcile: (/** @type {any} */ { input, output }) => ({ state: { name: input.name }, version: output.version }),
  ...more,
});

/** The state that it is about. */
export const device = () => ({ state: { name: "old" }, version: "v1" });

/** A receipt in a line: its outcome, its code at a stage, and its evidence. @param {any} receipt */
export function brief(receipt) {
  const error = receipt.error === undefined ? "" : ` ${receipt.error.code}@${receipt.error.stage}`;
  return receipt.outcome + error + receipt.evidence.map((/** @type {any} */ e) => ` ${e.ok ? "+" : "-"}${e.stage}`).join("");
}
