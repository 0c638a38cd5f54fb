/**
 * Plays the scenario in attacked realms and compares what happens with a realm that nobody attacked.
 *
 * There are two ways: in the first the attack comes when the runtime has loaded; realms are used again, until one
 * was found to differ. In the second it comes after the script has run and before load is called, so that each case
 * has a realm of its own.
 */
import { ATTACKERS, Attack } from "./attackers.js";
import { Realm } from "./realm.js";
import { patch, targetsOf } from "./targets.js";
import { difference } from "./transcript.js";

/** Where the module is: once as it should be served, and once as what compiles only when all of it is there. */
const ADDRESSES = { address: "/pagewarden.wasm", plain: "/plain.wasm" };

/** How often a realm is used. */
const USES = 50;

const text = async (address) => (await fetch(address)).text();

/** What every realm of a build needs. */
class Build {
  script;
  scenario;
  module;
  /** What happens in a realm that nobody attacks, by the way of loading. */
  expected = { module: [], address: [], plain: [] };
  /** The same without loading. */
  played = [];
  leaks = [];
  again = "";

  /** @param {string} script its address @returns {Promise<Build>} */
  static async open(script) {
    const build = new Build();
    build.script = await text(script);
    build.scenario = await Promise.all(["scenario.js", "scenario-rules.js", "scenario-around.js"].map(text));
    build.module = await WebAssembly.compileStreaming(fetch("/pagewarden.wasm"));
    for (const how of ["address", "plain", "module"]) {
      await build.#stayCalm(how);
    }
    return build;
  }

  async #stayCalm(how) {
    const calm = this.realm();
    await this.load(calm, how);
    const loaded = calm.take();
    this.played = await calm.play();
    this.expected[how] = [...loaded, ...this.played];
    this.again ||= difference(await calm.play(), this.played) ?? "";
    this.leaks.push(...calm.watcher.leaks);
    calm.close();
  }

  realm() {
    const realm = new Realm();
    realm.runScripts(this.script, this.scenario);
    return realm;
  }

  /** @param {Realm} realm @param {string} how "module", or a way of loading it from an address */
  load(realm, how) {
    return realm.load(ADDRESSES[how] ?? this.module);
  }
}

let build;
let targets = [];

/**
 * Prepares a build. Returns what was wrong without an attack: what was handed to the page and should not have been,
 * and how a second run differed from the first.
 * @param {{ script: string, options: string[], reads: string[] }} setup
 */
export async function open({ script, options, reads }) {
  targets = targetsOf(options, reads);
  build = await Build.open(script);
  const { leaks, again, played } = build;
  return { leaks, again, lines: played.length, targets: targets.map(({ name }) => name), attackers: ATTACKERS };
}

/**
 * Runs cases. Returns a row a case: what was found, nothing if the attack came to nothing.
 * @param {{ target: string, attacker: string, how: string }[]} cases how the module is loaded once the attack has
 *   begun; nothing if the runtime is there before it begins
 */
export async function run(cases) {
  const rows = [];
  let shared;
  for (const one of cases) {
    const target = targets.find(({ name }) => name === one.target);
    if (target === undefined) {
      throw new Error(`there is no target ${one.target}`);
    }
    if (one.how !== "") {
      rows.push(await runBefore(target, one.attacker, one.how));
      continue;
    }
    shared ??= await loaded();
    const row = await runAfter(shared.realm, target, one.attacker);
    rows.push(row);
    if (row.found.length > 0 || --shared.uses === 0) {
      shared.realm.close();
      shared = undefined;
    }
  }
  shared?.realm.close();
  return rows;
}

async function loaded() {
  const realm = build.realm();
  await build.load(realm, "module");
  realm.take();
  return { realm, uses: USES };
}

async function runAfter(realm, target, attacker) {
  const attack = new Attack(realm.watcher, attacker);
  let lines;
  try {
    patch(attack, target, realm.window);
    realm.readsStacks = attack.readsStacks;
    lines = await realm.play();
  } finally {
    attack.end();
  }
  return verdict(target, attacker, attack, realm, lines, build.played);
}

async function runBefore(target, attacker, how) {
  const realm = build.realm();
  const attack = new Attack(realm.watcher, attacker);
  const lines = [];
  try {
    patch(attack, target, realm.window);
    realm.readsStacks = attack.readsStacks;
    const there = await build.load(realm, how);
    lines.push(...realm.take(), ...(there ? await realm.play() : []));
  } finally {
    attack.end();
    realm.close();
  }
  return verdict(target, attacker, attack, realm, lines, build.expected[how]);
}

/** The row of a case. */
function verdict(target, attacker, attack, realm, lines, expected) {
  const found = [];
  for (const leak of realm.watcher.leaks) {
    found.push(`leaked: ${leak}`);
  }
  const differs = difference(lines, expected);
  if (differs !== undefined) {
    found.push(`differs: ${differs}`);
  }
  if (attack.calls > 0) {
    found.push(`used ${attack.calls} times: ${attack.origin}`);
  }
  return { target: target.name, attacker, found };
}
