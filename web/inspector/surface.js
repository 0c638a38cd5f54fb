// @ts-check
/** The surface as a tree, and the rows of it that are open. */

/** @typedef {import("../pagewarden.js").SurfaceExplanation} Explanation */
/** @typedef {import("../pagewarden.js").SurfaceSnapshot} Snapshot */
/** @typedef {Explanation["capabilities"][number]["policies"][number]} PolicyVote */
/**
 * A capability as a consumer finds it: all that is known of it, hidden or not.
 * @typedef {object} Capability
 * @property {string} key
 * @property {string} capabilityId
 * @property {string} registrationId
 * @property {string} instanceId
 * @property {string} name
 * @property {string} kind
 * @property {string} effect
 * @property {string} confirmation
 * @property {"available" | "unavailable" | "disabled" | "hidden"} state
 * @property {string | undefined} reason
 * @property {readonly PolicyVote[]} policies
 * @property {any} view what the snapshot has of it, undefined for what is hidden
 * @property {any} entry what the contract has of it
 */
/** @typedef {{ key: string, type: string, instanceId: string, description: string, parent: string | undefined, capabilities: Capability[] }} Component */
/** @typedef {Pick<Row, "level" | "position" | "siblings">} Place */
/**
 * A row of the tree that is not inside anything closed.
 * @typedef {object} Row
 * @property {string} key
 * @property {number} level from 1
 * @property {number} position among its siblings, from 1
 * @property {number} siblings
 * @property {boolean | undefined} open undefined for what has nothing in it
 * @property {Component} component
 * @property {Capability} [capability]
 * @property {PolicyVote} [policy]
 */

/**
 * The components of a surface, in its order.
 * @param {Explanation} report @param {Snapshot} snapshot for the same consumer @param {any} [manifest] the contract
 * @returns {Component[]}
 */
export function surfaceOf(report, snapshot, manifest) {
  const views = viewsOf(snapshot);
  const entries = new Map((Array.isArray(manifest?.capabilities) ? manifest.capabilities : []).map((/** @type {any} */ one) => [one.capabilityId, one]));
  /** @type {Map<string, Component>} */
  const components = new Map();
  for (const one of report.capabilities) {
    const component = componentFor(components, one, views);
    const key = `${one.registrationId} ${one.capabilityId}`;
    component.capabilities.push({
      key, capabilityId: one.capabilityId, registrationId: one.registrationId, instanceId: one.component.instanceId, name: nameOf(one.capabilityId), kind: one.kind,
      effect: one.effect, confirmation: one.confirmation, ...stateOf(one), policies: one.policies, view: views.get(key), entry: entries.get(one.capabilityId),
    });
  }
  return [...components.values()];
}

/** @param {Map<string, Component>} components @param {Explanation["capabilities"][number]} one @param {Map<string, any>} views */
function componentFor(components, { registrationId, component: { type, instanceId } }, views) {
  const known = components.get(registrationId);
  if (known !== undefined) {
    return known;
  }
  const view = views.get(registrationId);
  const parent = view?.parent === undefined ? undefined : `${view.parent.type} ${view.parent.instanceId}`;
  /** @type {Component} */
  const made = { key: registrationId, type, instanceId, description: view?.description ?? "", parent, capabilities: [] };
  components.set(registrationId, made);
  return made;
}

/** Components by their registration, capabilities by that and their id. @param {Snapshot} snapshot */
function viewsOf(snapshot) {
  /** @type {Map<string, any>} */
  const views = new Map();
  for (const component of snapshot.components) {
    views.set(component.registrationId, component);
    for (const view of [...component.observations, ...component.actions]) {
      views.set(`${component.registrationId} ${view.capabilityId}`, view);
    }
  }
  for (const view of snapshot.procedures) {
    views.set(`${view.registrationId} ${view.procedureId}`, view);
  }
  return views;
}

/** What follows the last dot of a view's id; the path of a procedure. @param {string} id */
const nameOf = (id) => (id.startsWith("view:") ? id.slice(id.lastIndexOf(".") + 1) : id.slice(id.indexOf(":") + 1));

/**
 * Authority hides, policy disables, state makes unavailable: the first that applies.
 * @param {Explanation["capabilities"][number]} one
 * @returns {Pick<Capability, "state" | "reason">}
 */
function stateOf(one) {
  if (one.outcome !== "expose") {
    return { state: one.outcome === "hide" ? "hidden" : "disabled", reason: one.reason };
  }
  return one.available ? { state: "available", reason: undefined } : { state: "unavailable", reason: one.unavailableReason };
}

/** Which rows are open: all components of a small surface, and what the person opened or closed. */
export class Openness {
  /** @type {Set<string>} */ #turned = new Set();

  /** @param {string} key @param {boolean} byDefault */
  isOpen(key, byDefault) {
    return this.#turned.has(key) !== byDefault;
  }

  /** @param {string} key */
  turn(key) {
    if (!this.#turned.delete(key)) {
      this.#turned.add(key);
    }
  }
}

/** From how many capabilities on a surface begins closed. */
const SMALL = 200;

/**
 * The rows that are in sight, in order. With a text, what has it, and what it is in.
 * @param {Component[]} components @param {Openness} openness @param {string} [text]
 * @returns {Row[]}
 */
export function rowsOf(components, openness, text = "") {
  const wanted = text.trim().toLowerCase();
  const shown = components.map((component) => narrowed(component, wanted)).filter((component) => component !== undefined);
  const small = wanted !== "" || shown.reduce((sum, { capabilities }) => sum + capabilities.length, 0) <= SMALL;
  const children = childrenOf(shown);
  /** @type {Row[]} */
  const rows = [];
  /** @param {Component} component @param {Place} place */
  const add = (component, place) => {
    const open = openness.isOpen(component.key, small);
    rows.push({ key: component.key, ...place, open, component });
    if (open) {
      const inner = children.get(idOf(component)) ?? [];
      const own = component.capabilities;
      const within = (/** @type {number} */ i) => ({ level: place.level + 1, position: i + 1, siblings: own.length + inner.length });
      own.forEach((capability, i) => addCapability(rows, component, capability, openness, within(i)));
      inner.forEach((child, i) => add(child, within(own.length + i)));
    }
  };
  const top = children.get("") ?? [];
  top.forEach((component, i) => add(component, { level: 1, position: i + 1, siblings: top.length }));
  return rows;
}

/** @param {Component} component */
const idOf = ({ type, instanceId }) => `${type} ${instanceId}`;

/** The components in each, those at the top under "". @param {Component[]} components */
function childrenOf(components) {
  const byId = new Map(components.map((component) => [idOf(component), component]));
  /** @type {Map<string, Component[]>} */
  const children = new Map();
  for (const component of components) {
    const parent = isRooted(component, byId) && byId.has(component.parent ?? "") ? /** @type {string} */ (component.parent) : "";
    children.set(parent, [...(children.get(parent) ?? []), component]);
  }
  return children;
}

/** Whether its parents come to an end: two may call each other their parent. @param {Component} component @param {Map<string, Component>} byId */
function isRooted(component, byId) {
  let at = byId.get(component.parent ?? "");
  for (let steps = 0; at !== undefined && steps < 50; steps++) {
    at = byId.get(at.parent ?? "");
  }
  return at === undefined;
}

/** @param {Row[]} rows @param {Component} component @param {Capability} capability @param {Openness} openness @param {Place} place */
function addCapability(rows, component, capability, openness, place) {
  const { policies, key } = capability;
  const open = policies.length === 0 ? undefined : openness.isOpen(key, false);
  rows.push({ key, ...place, open, component, capability });
  if (open) {
    policies.forEach((policy, i) => {
      rows.push({ key: `${key} ${i}`, level: place.level + 1, position: i + 1, siblings: policies.length, open: undefined, component, capability, policy });
    });
  }
}

/** A component with the capabilities that have a text, undefined when nothing of it has. @param {Component} component @param {string} text @returns {Component | undefined} */
function narrowed(component, text) {
  if (text === "" || `${component.type} ${component.instanceId} ${component.description}`.toLowerCase().includes(text)) {
    return component;
  }
  const capabilities = component.capabilities.filter(({ capabilityId, state, effect, reason, view }) =>
    `${capabilityId} ${state} ${effect} ${reason ?? ""} ${view?.title ?? ""}`.toLowerCase().includes(text));
  return capabilities.length === 0 ? undefined : { ...component, capabilities };
}
