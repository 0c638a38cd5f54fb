/** What happened in a run, as lines of text that are the same in every run that comes to the same verdicts. */
import { isObject } from "./watcher.js";

const { ownKeys, getOwnPropertyDescriptor } = Reflect;

/** What differs from run to run, and what stands for it. A word and a number: the first id of its kind is #1. */
const IDS = /\b(?:reg|cnf|inv|sfc|srf|surface)_[A-Za-z0-9_-]{6,}\b/g;
const TIMES = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z|\b1[6-9]\d{11}(?:\.\d+)?\b/g;
const DURATIONS = /"(durationMs|queueWaitMs|executionMs|retryAfterMs|expiresInMs)":\d+(?:\.\d+)?/g;

export class Transcript {
  lines = [];
  #ids = new Map();

  /** @param {string} label @param {unknown} value */
  note(label, value) {
    const text = write(value, 0)
      .replace(IDS, (id) => {
        if (!this.#ids.has(id)) {
          this.#ids.set(id, `${id.split("_")[0]}#${this.#ids.size + 1}`);
        }
        return this.#ids.get(id);
      })
      .replace(TIMES, "<time>")
      .replace(DURATIONS, '"$1":<ms>');
    this.lines.push(`${label}: ${text}`);
  }
}

/** The first line in which two runs differ, or undefined. */
export function difference(got, want) {
  const length = Math.max(got.length, want.length);
  for (let i = 0; i < length; i++) {
    if (got[i] !== want[i]) {
      return `${short(got[i])} instead of ${short(want[i])}`;
    }
  }
  return undefined;
}

const short = (line) => (line === undefined ? "nothing" : line.length > 160 ? `${line.slice(0, 160)}…` : line);

/** JSON of a value of a patched realm, without calling anything of it; what can be changed is marked with a !. */
function write(value, depth) {
  if (typeof value === "string") {
    return JSON.stringify(value);
  }
  if (!isObject(value)) {
    return typeof value === "symbol" ? "a symbol" : String(value);
  }
  if (typeof value === "function") {
    return "a function";
  }
  if (depth > 12) {
    return "…";
  }
  const open = Object.isFrozen(value) ? "" : "!";
  if (Array.isArray(value)) {
    const parts = [];
    for (let i = 0; i < value.length; i++) {
      parts.push(read(value, i, depth));
    }
    return `${open}[${parts.join(",")}]`;
  }
  const names = ownKeys(value).filter((name) => name !== "stack");
  return `${open}{${names.map((name) => `${JSON.stringify(String(name))}:${read(value, name, depth)}`).join(",")}}`;
}

function read(object, name, depth) {
  const property = getOwnPropertyDescriptor(object, name);
  return property === undefined ? "a hole" : "value" in property ? write(property.value, depth + 1) : "an accessor";
}
