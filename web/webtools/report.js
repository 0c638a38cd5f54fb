// @ts-check
/** What developers are told. */
const log = console.error;
const consoleObject = console;
const call = Function.prototype.call.bind(Function.prototype.call);

/** @param {string} text @param {unknown} detail */
export function report(text, detail) {
  try {
    call(log, consoleObject, `pagewarden: ${text}`, detail);
  } catch {
    // A page's console that throws is the page's matter.
  }
}
