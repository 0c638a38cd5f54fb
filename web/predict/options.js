// @ts-check
/** What a page gives beside its capabilities, each member read once. */
import { NativeTypeError, isObject, objectKeys, pick } from "../shim/builtins.js";

/**
 * The options by name, without a prototype. kinds says of each what it is: data is for the runtime to judge.
 * @param {any} options @param {string} where @param {any} kinds @returns {any}
 */
export function optionsOf(options, where, kinds) {
  /** @type {any} */
  const read = { __proto__: null };
  if (options === undefined || options === null) {
    return read;
  }
  if (!isObject(options)) {
    throw new NativeTypeError(`${where}: options must be an object`);
  }
  refuseOthers(options, where, kinds);
  const names = objectKeys(kinds);
  for (let i = 0; i < names.length; i++) {
    const name = /** @type {string} */ (names[i]);
    const value = pick(options, name);
    if (value !== undefined && kinds[name] !== "data" && !(kinds[name] === "object" ? isObject(value) : typeof value === kinds[name])) {
      throw new NativeTypeError(`${where}: options.${name} must be ${kinds[name] === "function" ? "a function" : "an object"}`);
    }
    read[name] = value;
  }
  return read;
}

/** @param {object} options @param {string} where @param {any} kinds */
function refuseOthers(options, where, kinds) {
  const given = objectKeys(options);
  for (let i = 0; i < given.length; i++) {
    const name = /** @type {string} */ (given[i]);
    if (kinds[name] === undefined) {
      throw new NativeTypeError(`${where}: options.${name} is no option`);
    }
  }
}
