// @ts-check
/**
 * Values across the boundary. A page's value becomes JSON text by one bounded walk that reads each property
 * once; what comes back is parsed and frozen.
 */
import {
  freeze, getPrototypeOf, hasOwn, isArray, isFiniteNumber, jsonParse, jsonStringify, objectKeys, objectPrototype, charCode,
  stringIndexOf, stringSlice,
} from "./intrinsics.js";

/**
 * What is wrong with a value: the path is written as the runtime writes it (rows[2].name).
 * @typedef {{ __proto__?: null, path: string, message: string, tooLong?: boolean }} Issue
 */

/**
 * One open array or object. names is null for an array.
 * @typedef {{ __proto__?: null, source: any, names: string[] | null, length: number, index: number, outer: Frame | null }} Frame
 */

/** @typedef {{ __proto__?: null, depth: number, length: number }} Limits */

/** How deep and how long a text may become. */
export const MESSAGE_LIMITS = freeze({ __proto__: null, depth: 200, length: 8 << 20 });

/**
 * The JSON text of a value, or what is wrong with it.
 * @param {unknown} root
 * @param {Limits} limits
 * @returns {string | Issue}
 */
export function toText(root, limits) {
  /** @type {{ __proto__?: null, frame: Frame | null }} */
  const at = { __proto__: null, frame: null };
  try {
    return walk(root, limits, at);
  } catch {
    return issue(at.frame, "could not be read: a getter or a proxy of the page threw");
  }
}

/**
 * @param {unknown} root
 * @param {Limits} limits
 * @param {{ __proto__?: null, frame: Frame | null }} at
 * @returns {string | Issue}
 */
function walk(root, limits, at) {
  let text = "";
  let depth = 0;
  let value = root;
  for (;;) {
    const scalar = scalarText(value);
    if (scalar !== undefined) {
      if (hasLoneSurrogate(value, scalar)) {
        return issue(at.frame, "must not contain a lone surrogate");
      }
      text += scalar;
    } else if (typeof value !== "object" || value === null) {
      return issue(at.frame, `must be JSON, and is ${kindOf(value)}`);
    } else {
      if (++depth > limits.depth) {
        return issue(at.frame, `must be nested at most ${limits.depth} levels deep`);
      }
      const names = isArray(value) ? null : plainNames(value);
      if (names === undefined) {
        return issue(at.frame, "must be a plain object or an array, and is neither");
      }
      const length = names === null ? /** @type {any[]} */ (value).length : names.length;
      at.frame = { __proto__: null, source: value, names, length, index: -1, outer: at.frame };
      text += names === null ? "[" : "{";
    }
    if (text.length > limits.length) {
      return { __proto__: null, path: "", message: `must be at most ${limits.length} bytes of JSON`, tooLong: true };
    }
    for (;;) {
      const frame = at.frame;
      if (frame === null) {
        return text;
      }
      if (++frame.index < frame.length) {
        if (frame.names === null) {
          text += frame.index > 0 ? "," : "";
          value = frame.source[frame.index];
          break;
        }
        const name = /** @type {string} */ (frame.names[frame.index]);
        value = frame.source[name];
        if (value === undefined) {
          continue; // as JSON has no such member
        }
        const quoted = jsonStringify(name);
        if (hasLoneSurrogate(name, quoted)) {
          return issue(frame, "has a name with a lone surrogate");
        }
        text += endsWithBrace(text) ? `${quoted}:` : `,${quoted}:`;
        break;
      }
      text += frame.names === null ? "]" : "}";
      at.frame = frame.outer;
      depth--;
    }
  }
}

/** @param {string} text */
const endsWithBrace = (text) => text[text.length - 1] === "{";

/** @param {unknown} value @returns {string | undefined} */
function scalarText(value) {
  switch (typeof value) {
    case "string":
      return jsonStringify(value);
    case "number":
      return isFiniteNumber(value) ? `${value}` : undefined;
    case "boolean":
      return value ? "true" : "false";
  }
  return value === null ? "null" : undefined;
}

/**
 * Whether a text is one that UTF-8 cannot write. JSON escapes exactly those surrogates, so most texts are not
 * looked at.
 * @param {unknown} value
 * @param {string} quoted its JSON
 */
function hasLoneSurrogate(value, quoted) {
  if (typeof value !== "string" || stringIndexOf(quoted, "\\ud") < 0) {
    return false;
  }
  for (let i = 0; i < value.length; i++) {
    const unit = charCode(value, i) & 0xfc00;
    if (unit === 0xd800 && (charCode(value, i + 1) & 0xfc00) === 0xdc00) {
      i++;
    } else if (unit === 0xd800 || unit === 0xdc00) {
      return true;
    }
  }
  return false;
}

/** @param {unknown} value */
function kindOf(value) {
  if (typeof value === "number") {
    return "not a finite number";
  }
  return value === undefined ? "undefined" : `a ${typeof value}`;
}

/**
 * The names of a plain object, undefined for anything else. An object of another frame counts as plain when
 * its prototype is that frame's Object.prototype.
 * @param {object} value
 * @returns {string[] | undefined}
 */
function plainNames(value) {
  const prototype = getPrototypeOf(value);
  if (prototype === objectPrototype || prototype === null) {
    return objectKeys(value);
  }
  return getPrototypeOf(prototype) === null && hasOwn(prototype, "isPrototypeOf") ? objectKeys(value) : undefined;
}

/** @param {Frame | null} frame @param {string} message @returns {Issue} */
function issue(frame, message) {
  let path = "";
  for (let f = frame; f !== null; f = f.outer) {
    if (f.names === null) {
      path = `[${f.index < 0 ? 0 : f.index}]${path}`;
    } else if (f.index >= 0) {
      const name = /** @type {string} */ (f.names[f.index]);
      path = isIdentifier(name) ? `.${name}${path}` : `[${jsonStringify(stringSlice(name, 0, 64))}]${path}`;
    }
  }
  // Not path[0], which an empty text does not have and Object.prototype may.
  return { __proto__: null, path: stringIndexOf(path, ".") === 0 ? stringSlice(path, 1) : path, message };
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
  return value === "" ? text : `${text}${text === "" ? "" : ","}${jsonStringify(name)}:${value}`;
}

/** @param {string} text @returns {any} plain data, frozen all the way down */
export const fromText = (text) => deepFreeze(jsonParse(text));

/**
 * @param {any} value parsed JSON, so without cycles and of bounded depth
 * @returns {any}
 */
export function deepFreeze(value) {
  if (typeof value !== "object" || value === null) {
    return value;
  }
  const names = objectKeys(value);
  for (let i = 0; i < names.length; i++) {
    deepFreeze(value[/** @type {string} */ (names[i])]);
  }
  return freeze(value);
}
