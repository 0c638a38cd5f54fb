// @ts-check
/** All that is known of a component or a capability, as elements. */
import { code, facts, label, make, section, table, told } from "./elements.js";
import { pretty } from "./words.js";

/** @typedef {import("./surface.js").Capability} Capability */
/** @typedef {import("./surface.js").Component} Component */

/** The state with its sign. @param {Capability} capability */
function stateBadge({ state }) {
  const badge = make("span", `badge ${state}`, label("dot", ""), label("", state));
  return badge;
}

/** @param {Component} component @returns {Node[]} */
export function componentDetails(component) {
  const states = new Map();
  for (const { state } of component.capabilities) {
    states.set(state, (states.get(state) ?? 0) + 1);
  }
  return [
    heading(component.type, component.instanceId === "default" ? undefined : component.instanceId),
    ...(component.description === "" ? [] : [told("lead", component.description, 600)]),
    facts([
      ["Instance", told("mono", component.instanceId)],
      ["Registration", told("mono", component.key)],
      ["In", component.parent === undefined ? undefined : told("mono", component.parent)],
      ["Capabilities", label("", [...states].map(([state, count]) => `${count} ${state}`).join(", ") || "none")],
    ]),
  ];
}

/** @param {string} title @param {string | undefined} more */
function heading(title, more) {
  const made = make("h2", "", told("mono", title));
  if (more !== undefined) {
    made.append(told("quiet", ` ${more}`));
  }
  return made;
}

/** What a capability is and how it stands with it. @param {Capability} capability @returns {Node[]} */
export function aboutCapability(capability) {
  const { view } = capability;
  return [
    heading(capability.capabilityId, capability.instanceId === "default" ? undefined : capability.instanceId),
    ...(view?.description === undefined ? [] : [told("lead", view.description, 600)]),
    facts([
      ["State", stateWithReason(capability)],
      ["Kind", label("", capability.kind)],
      ["Effect", label(`effect ${capability.effect}`, capability.effect)],
      ["Confirmation", label("", confirmationText(capability))],
      ["Calls", view?.idempotent === undefined ? undefined : label("", `${view.idempotent ? "idempotent" : "not idempotent"}, ${view.reversible ? "reversible" : "not reversible"}`)],
      ["Note", view?.contextualNote === undefined ? undefined : told("", view.contextualNote, 600)],
      ["Bound by the page", boundFields(view)],
      ["Registration", told("mono", capability.registrationId)],
    ]),
  ];
}

/** What decides that. @param {Capability} capability @returns {Node[]} */
export function moreOfCapability(capability) {
  const { view, policies } = capability;
  return [
    section("Policies", policies.length === 0 ? label("quiet", "None applies.") : policyTable(policies)),
    contractPart(capability),
    ...schemaParts(view),
  ];
}

/** @param {Capability} capability */
function stateWithReason(capability) {
  const made = make("span", "", stateBadge(capability));
  if (capability.reason !== undefined) {
    made.append(told("reason", capability.reason, 400));
  }
  return made;
}

/** @param {Capability} capability */
function confirmationText({ confirmation, policies }) {
  const raising = policies.filter(({ raisesConfirmation }) => raisesConfirmation).map(({ name }) => name);
  return raising.length === 0 ? confirmation : `${confirmation}; ${raising.join(", ")} may ask for it`;
}

/** @param {any} view */
function boundFields(view) {
  const fields = view?.boundFields ?? [];
  return fields.length === 0 ? undefined : told("mono", fields.map((/** @type {any} */ { path, locked }) => `${path}${locked ? " (locked)" : ""}`).join(", "));
}

/** @param {Capability["policies"]} policies */
function policyTable(policies) {
  const rows = policies.map(({ name, scope, phases, vote, reason, threw }) => [
    told("mono", name), label("quiet", scope), label("quiet", phases.join(", ")), voteOf(vote, threw), told("", reason ?? ""),
  ]);
  return table(["Policy", "Layer", "Phases", "Vote", "Reason"], rows, "Policies and their votes");
}

/** @param {string | undefined} vote @param {boolean} threw */
export function voteOf(vote, threw) {
  return vote === undefined ? label("quiet", "none") : label(`vote ${vote}`, threw ? `${vote} (failed)` : vote);
}

/** @param {Capability} capability */
function contractPart({ entry, effect, confirmation }) {
  if (entry === undefined) {
    return section("Contract", label("quiet", "No entry of a contract is known for it."));
  }
  const differs = entry.effect !== undefined && entry.effect !== effect || entry.confirmation !== undefined && entry.confirmation !== confirmation;
  const names = (entry.policies ?? []).map((/** @type {any} */ { name, phase }) => (phase === undefined ? name : `${name} (${phase})`)).join(", ");
  return section("Contract", facts([
    ["Declared in", told("mono", entry.declaration ?? "?")],
    ["Effect", told("", entry.effect ?? "read")],
    ["Confirmation", told("", `${entry.confirmation ?? "never"}${differs ? " – not what is registered" : ""}`)],
    ["Must have", names === "" ? undefined : told("mono", names)],
    ["Hash", told("mono", entry.hash ?? "?")],
  ]));
}

/** @param {any} view @returns {Node[]} */
function schemaParts(view) {
  /** @type {Node[]} */
  const parts = [];
  for (const [name, title] of /** @type {const} */ ([["inputSchema", "Input schema"], ["outputSchema", "Output schema"], ["meta", "Meta"]])) {
    if (view?.[name] !== undefined) {
      parts.push(folded(title, () => code(pretty(view[name]), title)));
    }
  }
  return parts;
}

/** A part whose content is made when it is opened. @param {string} title @param {() => Node} content */
function folded(title, content) {
  const made = make("details", "", make("summary", "", label("", title)));
  made.addEventListener("toggle", () => made.open && made.childNodes.length === 1 && made.append(content()));
  return made;
}
