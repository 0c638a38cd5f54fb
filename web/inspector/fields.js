// @ts-check
/** What a form asks for, of a JSON Schema, and the input that comes of what was entered. */

/**
 * A part of a form. What it cannot ask for in its own way is entered as JSON.
 * @typedef {object} Field
 * @property {"text" | "number" | "boolean" | "choice" | "object" | "json"} kind
 * @property {string} hint what the schema says of it, in short
 * @property {readonly unknown[]} choices
 * @property {readonly { name: string, required: boolean, field: Field }[]} members of an object
 * @property {string} initial what is entered at first
 */
/** What was entered: text, and an object's members by name. @typedef {string | { readonly [name: string]: Entered }} Entered */
/** @typedef {{ value: unknown, issues: string[] }} Made value is undefined for what was left out */

const DEEPEST = 4;
const MOST_MEMBERS = 60;
const MOST_CHOICES = 200;

/** A form: what its references are resolved in, and how many members more it may ask for. @typedef {{ root: any, left: number }} Form */

/** @param {any} schema @param {Form} [form] @param {number} [depth] @returns {Field} */
export function fieldOf(schema, form = { root: schema, left: 300 }, depth = 0) {
  const at = resolved(schema, form.root);
  /** @type {(kind: Field["kind"], more?: Partial<Field>) => Field} */
  const field = (kind, more) => ({ kind, hint: hintOf(at), choices: [], members: [], initial: initialOf(at, kind), ...more });
  const choices = at?.const !== undefined ? [at.const] : at?.enum;
  if (Array.isArray(choices) && choices.length <= MOST_CHOICES) {
    const first = choices.findIndex((choice) => JSON.stringify(choice) === JSON.stringify(at.default));
    return field("choice", { choices, initial: choices.length === 1 ? "0" : first < 0 ? "" : `${first}` });
  }
  switch (at?.type) {
    case "string":
      return field("text");
    case "number":
    case "integer":
      return field("number");
    case "boolean":
      return field("boolean");
    case "object":
      return isForm(at, form, depth) ? field("object", { members: membersOf(at, form, depth) }) : field("json");
  }
  return field("json");
}

/** @param {any} schema @param {Form} form @param {number} depth */
function isForm(schema, form, depth) {
  const names = Object.keys(schema.properties ?? {});
  return depth < DEEPEST && names.length <= Math.min(MOST_MEMBERS, form.left) && (names.length > 0 || schema.additionalProperties === false);
}

/** @param {any} schema @param {Form} form @param {number} depth @returns {Field["members"]} */
function membersOf(schema, form, depth) {
  const required = Array.isArray(schema.required) ? schema.required : [];
  const names = Object.keys(schema.properties ?? {});
  form.left -= names.length;
  return names.map((name) => ({ name, required: required.includes(name), field: fieldOf(schema.properties[name], form, depth + 1) }));
}

/** Follows references into the same document. @param {any} schema @param {any} root */
function resolved(schema, root) {
  let at = schema;
  for (let steps = 0; typeof at?.$ref === "string" && steps < 10; steps++) {
    at = at.$ref.startsWith("#") ? pointed(root, at.$ref.slice(1)) : undefined;
  }
  return at;
}

/** @param {any} root @param {string} fragment a JSON Pointer as it stands in a URI @returns {any} undefined for what points nowhere */
function pointed(root, fragment) {
  let at = root;
  for (const part of decoded(fragment).split("/").slice(1)) {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
    at = Object.hasOwn(at ?? {}, name) ? at[name] : undefined;
  }
  return at;
}

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const BOUNDS = /** @type {const} */ ([
  ["minimum", "≥"], ["maximum", "≤"], ["minLength", "length ≥"], ["maxLength", "length ≤"], ["minItems", "items ≥"], ["maxItems", "items ≤"], ["pattern", "like"],
]);

/** @param {any} schema */
function hintOf(schema) {
  const parts = typeof schema?.type === "string" ? [schema.type] : [];
  for (const [name, words] of BOUNDS) {
    if (schema?.[name] !== undefined) {
      parts.push(`${words} ${schema[name]}`);
    }
  }
  return [parts.join(", "), schema?.description].filter((part) => typeof part === "string" && part !== "").join(" · ");
}

/** @param {any} schema @param {Field["kind"]} kind */
function initialOf(schema, kind) {
  const given = schema?.default;
  if (given === undefined || kind === "object") {
    return "";
  }
  return kind === "text" && typeof given === "string" ? given : JSON.stringify(given);
}

/**
 * The input of what was entered. What is empty is left out, but for a text that is required.
 * @param {Field} field @param {Entered} entered @param {boolean} [required] @param {string} [path] @returns {Made}
 */
export function inputOf(field, entered, required = true, path = "") {
  if (field.kind === "object") {
    return objectOf(field, typeof entered === "string" ? {} : entered, required, path);
  }
  const text = typeof entered === "string" ? entered : "";
  if (field.kind === "text") {
    return { value: text === "" && !required ? undefined : text, issues: [] };
  }
  if (text.trim() === "") {
    return { value: undefined, issues: required && path !== "" ? [`${path} is missing`] : [] };
  }
  if (field.kind === "choice") {
    return { value: field.choices[Number(text)], issues: [] };
  }
  return parsed(text, field.kind, path === "" ? "the input" : path);
}

/** @param {string} text @param {Field["kind"]} kind @param {string} path @returns {Made} */
function parsed(text, kind, path) {
  try {
    const value = JSON.parse(text);
    return kind === "number" && typeof value !== "number" ? { value: undefined, issues: [`${path} is not a number`] } : { value, issues: [] };
  } catch (error) {
    const why = kind === "number" ? "is not a number" : `is not JSON: ${/** @type {Error} */ (error).message}`;
    return { value: undefined, issues: [`${path} ${why}`] };
  }
}

/** @param {Field} field @param {{ readonly [name: string]: Entered }} entered @param {boolean} required @param {string} path @returns {Made} */
function objectOf(field, entered, required, path) {
  /** @type {[string, unknown][]} */
  const members = [];
  /** @type {string[]} */
  const issues = [];
  const empty = !required && isEmpty(entered);
  for (const member of empty ? [] : field.members) {
    const made = inputOf(member.field, entered[member.name] ?? "", member.required, path === "" ? member.name : `${path}.${member.name}`);
    issues.push(...made.issues);
    if (made.value !== undefined) {
      members.push([member.name, made.value]);
    }
  }
  return { value: empty ? undefined : Object.fromEntries(members), issues };
}

/** @param {Entered} entered @returns {boolean} */
function isEmpty(entered) {
  return typeof entered === "string" ? entered === "" : Object.values(entered).every(isEmpty);
}
