// What the stand-in model says, turn by turn. A turn gets the request, so that it can use what earlier calls gave.

/** @param {string} text */
const say = (text) => ({ type: "text", text });

let calls = 0;
/** @param {string} name @param {object} input */
const use = (name, input) => ({ type: "tool_use", id: `toolu_${++calls}`, name, input });

/** The results of the calls of the last turn, parsed. @param {any} request @returns {any[]} */
const results = ({ messages }) => messages.at(-1).content.filter((/** @type {any} */ block) => block.type === "tool_result")
  .map((/** @type {any} */ block) => JSON.parse(block.content));

const READ = "view_devices__table__readRows";
const SELECT = "view_devices__table__selectRows";
const OPEN = "view_devices__table__openSelected";
const FILTER = "view_devices__filters__setFilters";
const DISABLE = "domain_devices__disable";
const reason = { reason: "No signal for a week" };

/** Finds and disables the silent devices; the call waits for the person. */
export const waiting = [
  () => [say("I look for devices that are offline in Oslo."), use(FILTER, { city: "Oslo", status: "offline" })],
  () => [use(OPEN, {})],
  () => [say("Nothing is selected yet, so I read the rows and select them."), use(READ, {})],
  (/** @type {any} */ request) => [use(SELECT, { ids: results(request)[0].rows.map((/** @type {any} */ row) => row.id) })],
  () => [use(DISABLE, reason)],
  (/** @type {any} */ request) => [say(`Done: ${results(request)[0].disabled} devices are disabled.`)],
];

/** The same at the other end of a transport: the call ends with a question, and the person decides between two turns. */
export const asking = [
  () => [use(SELECT, { ids: ["dev-03"] })],
  () => [use(DISABLE, reason)],
  (/** @type {any} */ request) => [say(`${results(request)[0].message} Please decide in the application, then tell me.`)],
  () => [use(DISABLE, reason)],
  (/** @type {any} */ request) => [say(`Done: ${results(request)[0].disabled} device is disabled.`)],
];
