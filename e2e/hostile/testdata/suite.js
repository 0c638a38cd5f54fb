/**
 * Plays the scenario in attacked realms and compares what happens with a realm that nobody attacked.
 *
 * An attack begins when the runtime has loaded, or when the script has run and load is about to be called. In the
 * first case a realm is used again, until something was found in it.
 */
import { ATTACKERS, Attack } from "./attackers.js";
import { Realm } from "./realm.js";
import { patch, targetsOf } from "./targets.js";
import { difference } from "./transcript.js";

/** Ways of loading, once an attack has begun, by where the module is: here, or at an address that serves it as wasm or not. */
const BEFORE = { module: undefined, address: "/pagewarden.wasm", plain: "/plain.wasm" };

const text = async (address) => (await fetch(address)).text();

/** What every realm of a build needs, and what happens in one that nobody attacks. */
class Build {
  script;
  scenario;
  module;
  /** The transcript from the start, by the way of loading. */
  loaded = {};
  /** The transcript of a runtime that has loaded. */
  played = [];
  /** What was handed to the page and should not have been. */
  leaks = new Set();
  /** How a second play in one realm differed from the first. */
  again = "";

  /** @param {string} script its address @returns {Promise<Build>} */
  static async open(script) {
    const build = new Build();
    build.script = await text(script);
    build.scenario = await Promise.all(["scenario.js", "scenario-rules.js", "scenario-around.js", "scenario-contracts.js"].map(text));
    build.module = await WebAssembly.compileStreaming(fetch("/pagewarden.wasm"));
    for (const how of Object.keys(BEFORE)) {
      await build.#stayCalm(how);
    }
    return build;
  }

  /** A realm with its scripts. */
  realm() {
    const realm = new Realm();
    realm.runScripts(this.script, this.scenario);
    return realm;
  }

  /** @param {Realm} realm @param {string} how one of BEFORE */
  load(realm, how) {
    return realm.load(BEFORE[how] ?? this.module);
  }

  async #stayCalm(how) {
    const realm = this.realm();
    realm.readsStacks = true;
    realm.watcher.eager = true;
    await this.load(realm, how);
    const first = realm.take();
    this.played = await realm.play();
    this.loaded[how] = [...first, ...this.played];
    this.again ||= difference(await realm.play(), this.played) ?? "";
    realm.watcher.leaks.forEach((leak) => this.leaks.add(leak));
    realm.close();
  }
}

let build;
let targets = [];

/**
 * Prepares a build. Returns the targets with the attackers and the times of attack that each has, and what happened
 * without an attack: leaks, how a second play differed, how many lines a transcript has.
 * @param {{ script: string, options: string[], reads: string[] }} setup
 */
export async function open({ script, options, reads }) {
  targets = targetsOf(options, reads);
  build = await Build.open(script);
  const { leaks, again, played } = build;
  return { targets: targets.map(({ name, times, attackers = ATTACKERS }) => ({ name, times, attackers })), leaks: [...leaks], again, lines: played.length };
}

/**
 * Runs cases. Returns what was found in each, nothing if the attack came to nothing.
 * @param {{ target: string, attacker: string, time: string }[]} cases time is "after", "fresh" (after, in a realm that
 *   no other case had) or one of BEFORE
 * @returns {Promise<string[][]>}
 */
export async function run(cases) {
  const found = [];
  let shared;
  const drop = () => {
    shared?.close();
    shared = undefined;
  };
  for (const { target: name, attacker, time } of cases) {
    const target = targets.find((one) => one.name === name);
    if (time in BEFORE) {
      found.push(await attackBefore(target, attacker, time));
      continue;
    }
    if (time === "fresh") {
      drop();
    }
    shared ??= await loadedRealm();
    const here = await attackAfter(shared, target, attacker);
    found.push(here);
    if (here.length > 0 || time === "fresh") {
      drop();
    }
  }
  drop();
  return found;
}

async function loadedRealm() {
  const realm = build.realm();
  await build.load(realm, "module");
  realm.take();
  return realm;
}

function attackAfter(realm, target, attacker) {
  return attack(realm, target, attacker, build.played, () => realm.play());
}

async function attackBefore(target, attacker, how) {
  const realm = build.realm();
  const found = await attack(realm, target, attacker, build.loaded[how], async () => {
    const there = await build.load(realm, how);
    return [...realm.take(), ...(there ? await realm.play() : [])];
  });
  realm.close();
  return found;
}

/** @returns {Promise<string[]>} what was given away, what went differently, and what was used of what was patched */
async function attack(realm, target, attacker, expected, play) {
  const running = new Attack(realm.watcher, attacker);
  let lines;
  try {
    patch(running, target, realm.window);
    realm.readsStacks = running.readsStacks;
    lines = await play();
  } finally {
    running.end();
  }
  const found = [...realm.watcher.leaks].map((leak) => `leaks: ${leak}`);
  const differs = difference(lines, expected);
  if (differs !== undefined) {
    found.push(`differs: ${differs}`);
  }
  if (running.calls > 0) {
    found.push(`uses: ${running.calls} times, first ${running.origin}`);
  }
  return found;
}
