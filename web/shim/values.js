// @ts-check
/**
 * Values across the boundary. A page's value becomes JSON text by one bounded walk that reads each property
 * once; what comes back is parsed and frozen.
 */
import {
  deepFreeze, getPrototypeOf, hasOwn, isArray, isFiniteNumber, jsonParse, jsonStringify, objectKeys, objectPrototype, charCode,
  stringIndexOf, stringSlice,
} from "./intrinsics.js";
import { say } from "./texts.js";

export { deepFreeze };

/**
 * What is wrong with a value: the path is written as the runtime writes it (rows[2].name).
 * @typedef {{ path: string, message: string, tooLong: boolean }} Issue
 */

/** Whether the text that toText gave last has the members of each object in order, and so is canonical. */
export let inOrder = false;

/** One open array or object. */
class Frame {
  /** @type {any} */ source;
  /** null for an array @type {string[] | null} */ members;
  /** @type {number} */ length;
  /** @type {Frame | null} */ outer;
  index = -1;
  /** The name that was written last @type {string | undefined} */ last;

  /** @param {any} source @param {string[] | null} members @param {Frame | null} outer */
  constructor(source, members, outer) {
    this.source = source;
    this.members = members;
    this.length = (members ?? source).length;
    this.outer = outer;
  }
}

/**
 * The JSON text of a value, or what is wrong with it. depth and length are how deep and how long it may become.
 * @param {unknown} root
 * @param {number} [depth]
 * @param {number} [length]
 * @returns {string | Issue}
 */
export function toText(root, depth = 200, length = 8 << 20) {
  /** @type {{ frame: Frame | null }} */
  const at = { frame: null };
  try {
    return walk(root, depth, length, at);
  } catch {
    return issue(at.frame, say("threw"));
  }
}

/**
 * @param {unknown} root
 * @param {number} deepest
 * @param {number} longest
 * @param {{ frame: Frame | null }} at where the walk is, for whoever has to say it
 * @returns {string | Issue}
 */
function walk(root, deepest, longest, at) {
  let text = "";
  let depth = 0;
  let sorted = true;
  let value = root;
  for (;;) {
    const scalar = scalarText(value);
    if (scalar !== undefined) {
      text += scalar;
    } else if (typeof value !== "object") {
      return issue(at.frame, `must be JSON, and is ${value === undefined ? value : typeof value === "number" ? "not a finite number" : `a ${typeof value}`}`);
    } else {
      if (++depth > deepest) {
        return issue(at.frame, `must be nested at most ${deepest} levels deep`);
      }
      const members = isArray(value) ? null : plainNames(/** @type {object} */ (value));
      if (members === undefined) {
        return issue(at.frame, say("neither"));
      }
      at.frame = new Frame(value, members, at.frame);
      text += members === null ? "[" : "{";
    }
    if (text.length > longest) {
      return issue(null, `must be at most ${longest} bytes of JSON`, true);
    }
    for (;;) {
      const frame = at.frame;
      if (frame === null) {
        inOrder = sorted;
        return text;
      }
      const members = frame.members;
      if (++frame.index < frame.length) {
        if (members === null) {
          text += frame.index > 0 ? "," : "";
          value = frame.source[frame.index];
          break;
        }
        const name = /** @type {string} */ (members[frame.index]);
        value = frame.source[name];
        if (value === undefined) {
          continue; // as JSON has no such member
        }
        const quoted = quote(name);
        const last = frame.last;
        sorted &&= last === undefined || last < name;
        text += last === undefined ? `${quoted}:` : `,${quoted}:`;
        frame.last = name;
        break;
      }
      text += members === null ? "]" : "}";
      at.frame = frame.outer;
      depth--;
    }
  }
}

/** @param {unknown} value @returns {string | undefined} undefined for what is no scalar of JSON */
function scalarText(value) {
  switch (typeof value) {
    case "string":
      return quote(value);
    case "number":
      return isFiniteNumber(value) ? `${value}` : undefined;
    case "boolean":
      return value ? "true" : "false";
  }
  return value === null ? "null" : undefined;
}

/**
 * A string as JSON. Most are short and need no escape, which is found out faster than JSON.stringify answers. A lone
 * surrogate is escaped, and refused by whoever reads the text in the module.
 * @param {string} value
 */
export function quote(value) {
  for (let i = 0; i < value.length; i++) {
    const unit = charCode(value, i);
    if (i > 99 || unit < 32 || unit > 126 || unit === 34 || unit === 92) {
      return jsonStringify(value);
    }
  }
  return `"${value}"`;
}

/**
 * The names of a plain object, undefined for anything else. An object of another frame counts as plain when
 * its prototype is that frame's Object.prototype.
 * @param {object} value
 * @returns {string[] | undefined}
 */
export function plainNames(value) {
  const prototype = getPrototypeOf(value);
  if (prototype === objectPrototype || prototype === null) {
    return objectKeys(value);
  }
  return getPrototypeOf(prototype) === null && hasOwn(prototype, "isPrototypeOf") ? objectKeys(value) : undefined;
}

/** @param {Frame | null} frame @param {string} message @param {boolean} tooLong @returns {Issue} */
function issue(frame, message, tooLong = false) {
  let path = "";
  for (let f = frame; f !== null; f = f.outer) {
    if (f.members === null) {
      path = `[${f.index < 0 ? 0 : f.index}]${path}`;
    } else if (f.index >= 0) {
      const name = /** @type {string} */ (f.members[f.index]);
      path = isIdentifier(name) ? `.${name}${path}` : `[${jsonStringify(stringSlice(name, 0, 64))}]${path}`;
    }
  }
  // Not path[0], which an empty text does not have and Object.prototype may.
  return { path: stringIndexOf(path, ".") === 0 ? stringSlice(path, 1) : path, message, tooLong };
}

/** @param {string} name */
function isIdentifier(name) {
  for (let i = 0; i < name.length; i++) {
    const c = /** @type {string} */ (name[i]);
    const letter = (c >= "a" && c <= "z") || (c >= "A" && c <= "Z") || c === "_" || c === "$";
    if (!letter && !(i > 0 && c >= "0" && c <= "9")) {
      return false;
    }
  }
  return name.length > 0 && name.length <= 64;
}

/**
 * A member of a JSON object text; a value that is absent gives nothing.
 * @param {string} text the members so far, without braces
 * @param {string} name
 * @param {string} value
 */
export function member(text, name, value) {
  return value === "" ? text : `${text}${text === "" ? "" : ","}${quote(name)}:${value}`;
}

/** A text of the module that is read line by line; the end of it may have line feeds. */
export class Lines {
  /** What has not been read. */ rest;

  /** @param {string} text */
  constructor(text) {
    this.rest = text;
  }

  line() {
    const end = stringIndexOf(this.rest, "\n");
    const line = stringSlice(this.rest, 0, end);
    this.rest = stringSlice(this.rest, end + 1);
    return line;
  }
}

/** @param {string} text @returns {any} plain data, frozen all the way down */
export const fromText = (text) => deepFreeze(jsonParse(text));

/**
 * Reads lines of which an empty one means the same as the last (jsbridge/memo.go). Each line has to be read.
 * @template T @param {(line: string) => T} read @returns {(line: string) => T}
 */
export function remembering(read) {
  /** @type {any} */
  let value;
  return (line) => line === "" ? value : (value = read(line));
}
