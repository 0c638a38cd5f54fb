// @ts-check
/** The objects of a page that list tools to agents: which one it is, and how tools are given to it and taken away. */
import { abortController, isGone, isObject, pageDocument, pageNavigator, pick, signalAborted, stringSlice } from "./builtins.js";

/**
 * How an object takes tools away. @typedef {"by-name" | "whole-set" | "by-signal"} Style
 * An object that lists tools, its style as it was found, and its document.
 * @typedef {{ __proto__?: null, object: any, style: Style, home: Document | undefined }} Lister
 */

/** The page's object that lists tools: document's if it can register, else navigator's. */
export const modelContextOfPage = () => usable(pageDocument) ?? usable(pageNavigator);

/** @param {any} holder */
function usable(holder) {
  try {
    const context = pick(holder, "modelContext");
    return styleOf(context) && context;
  } catch {
    return undefined;
  }
}

/** Whether an object has a function. @param {any} object @param {string} name */
const has = (object, name) => typeof pick(object, name) === "function";

/** How an object takes tools away, by what it has. @param {any} context @returns {Style | undefined} */
export function styleOf(context) {
  try {
    const registers = has(context, "registerTool");
    if (registers && has(context, "unregisterTool")) {
      return "by-name";
    }
    if (has(context, "provideContext")) {
      return "whole-set";
    }
    return registers ? "by-signal" : undefined;
  } catch {
    return undefined;
  }
}

/** Gives a tool to an object that takes them one by one. @param {Lister} lister @param {any} tool @param {object} options with the signal that takes it away @returns {unknown} what the browser answers */
export const giveTool = ({ object, style }, tool, options) => (style === "by-name" ? object.registerTool(tool) : object.registerTool(tool, options));

/** Takes a tool away from such an object. @param {Lister} lister @param {string} name @param {AbortController} controller of the signal that it was given with */
export function takeTool({ object, style, home }, name, controller) {
  if (style === "by-name") {
    object.unregisterTool(name);
  } else if (!isGone(home)) { // its tools went with it, and an abort then takes Chromium 149 to 156 down with the whole tab
    abortController(controller);
  }
}

/** Makes tools the only ones of an object. @param {any} object @param {any[]} tools */
export function provide(object, tools) {
  if (tools.length === 0 && has(object, "clearContext")) {
    try {
      object.clearContext();
      return;
    } catch {
      // An empty set does the same.
    }
  }
  object.provideContext({ __proto__: null, tools });
}

/** @param {any} signal */
export function isSignal(signal) {
  try {
    return isObject(signal) && typeof signalAborted(signal) === "boolean";
  } catch {
    return false;
  }
}

/** How much of a browser's words is kept. */
const MOST_WORDS = 500;

/** What the browser said, for developers. @param {any} error */
export function describe(error) {
  try {
    const words = isObject(error) ? `${pick(error, "name") ?? "Error"}: ${pick(error, "message") ?? ""}` : `Error: ${error}`;
    return stringSlice(words, 0, MOST_WORDS);
  } catch {
    return "an error that cannot be read";
  }
}
