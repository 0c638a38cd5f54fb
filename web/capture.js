// @ts-check
/**
 * How the optional scripts keep a built-in of the browser as it was when they loaded, without failing where there is no
 * browser: what is missing says so when it is called.
 */
const scope = /** @type {any} */ (globalThis);
const NativeTypeError = TypeError;

/** uncurry(f)(self, ...args) calls f with self as this, without looking anything up. @type {(f: any) => (self: any, ...args: any[]) => any} */
export const uncurry = Function.prototype.bind.bind(/** @type {any} */ (Function.prototype.call));

/** @param {string} name @returns {() => never} */
export const missing = (name) => () => {
  throw new NativeTypeError(`pagewarden: this host has no ${name}`);
};

/** A method of a class, called with its object first. @param {string} owner @param {string} name */
export function method(owner, name) {
  const found = scope[owner]?.prototype?.[name];
  return found === undefined ? missing(`${owner}.${name}`) : uncurry(found);
}

/** @param {any} object @param {string} name @param {"get" | "set"} side */
export function accessor(object, name, side) {
  const found = object && Object.getOwnPropertyDescriptor(object, name)?.[side];
  return found === undefined ? missing(name) : uncurry(found);
}

/** @param {string} owner @param {string} name @returns {(self: any) => any} */
export const getter = (owner, name) => accessor(scope[owner]?.prototype, name, "get");

/** @param {string} owner @param {string} name @returns {(self: any, value: any) => void} */
export const setter = (owner, name) => accessor(scope[owner]?.prototype, name, "set");
