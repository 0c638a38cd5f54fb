// @ts-check
/** An input as a list of its leaves, each with its path: rows[2].name. What is empty is a leaf too. */
import { execute, isArray, isObject, jsonStringify, objectKeys } from "./intrinsics.js";

/**
 * A leaf: a text, a number, a boolean, null, or an object or list without members.
 * @typedef {{ path: string, value: unknown }} Leaf
 */
/** A value whose members are being walked. @typedef {{ value: any, names: string[] | undefined, size: number, next: number, path: string, outer: Place | null }} Place */

const IDENTIFIER = /^[A-Za-z_$][A-Za-z0-9_$]{0,63}$/;

/** Walks an input in its own order, as far as it is asked for. */
export class Leaves {
  /** @type {Place | null} */ #place = null;
  /** @type {Leaf | null} */ #first = null;

  /** @param {unknown} input plain JSON */
  constructor(input) {
    const leaf = this.#enter(input, "");
    this.#first = leaf;
  }

  /** The next leaf, or null at the end. @returns {Leaf | null} */
  next() {
    if (this.#first !== null) {
      const leaf = this.#first;
      this.#first = null;
      return leaf;
    }
    for (let place = this.#place; place !== null; place = this.#place) {
      if (place.next === place.size) {
        this.#place = place.outer;
        continue;
      }
      const index = place.next++;
      const leaf = place.names === undefined
        ? this.#enter(place.value[index], `${place.path}[${index}]`)
        : this.#enter(place.value[/** @type {string} */ (place.names[index])], pathTo(place.path, /** @type {string} */ (place.names[index])));
      if (leaf !== null) {
        return leaf;
      }
    }
    return null;
  }

  /** Goes into a value with members; anything else is the leaf. @param {unknown} value @param {string} path @returns {Leaf | null} */
  #enter(value, path) {
    const names = isObject(value) && !isArray(value) ? objectKeys(value) : undefined;
    const size = isArray(value) ? value.length : names?.length ?? 0;
    if (size === 0) {
      return { path, value };
    }
    this.#place = { value, names, size, next: 0, path, outer: this.#place };
    return null;
  }
}

/** How many leaves an input has. @param {unknown} input */
export function countLeaves(input) {
  const leaves = new Leaves(input);
  let count = 0;
  while (leaves.next() !== null) {
    count++;
  }
  return count;
}

/** A name that could be read as something else is quoted, so that no name looks like a path. @param {string} path @param {string} name */
function pathTo(path, name) {
  if (execute(IDENTIFIER, name) === null) {
    return `${path}[${jsonStringify(name)}]`;
  }
  return path === "" ? name : `${path}.${name}`;
}
