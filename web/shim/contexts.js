// @ts-check
/** The objects of a page that list tools to agents: which one it is, and how tools are given to it and taken away. */
import { abortController, isObject, pageDocument, pageIsGone, pageNavigator, pick, signalAborted } from "./builtins.js";

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

/** How an object takes tools away, by what it has. @param {any} context @returns {"by-name" | "whole-set" | "by-signal" | undefined} */
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

/** Gives a tool to an object that takes them one by one. @param {any} object @param {any} tool @param {object} options with the signal that takes it away @returns {unknown} what the browser answers */
export const giveTool = (object, tool, options) => (styleOf(object) === "by-name" ? object.registerTool(tool) : object.registerTool(tool, options));

/** Takes a tool away from such an object. @param {any} object @param {string} name @param {AbortController} controller of the signal that it was given with */
export function takeTool(object, name, controller) {
  if (styleOf(object) === "by-name") {
    object.unregisterTool(name);
  } else if (!pageIsGone()) { // its tools went with it, and an abort then takes Chromium 156 down with the whole tab
    abortController(controller);
  }
}

/** Makes tools the only ones of an object. @param {any} object @param {any[]} tools */
export function provide(object, tools) {
  if (tools.length === 0 && has(object, "clearContext")) {
    object.clearContext();
  } else {
    object.provideContext({ tools });
  }
}

/** @param {any} signal */
export function isSignal(signal) {
  try {
    return isObject(signal) && typeof signalAborted(signal) === "boolean";
  } catch {
    return false;
  }
}

/** What the browser said, for developers. @param {any} error */
export function describe(error) {
  try {
    return `${pick(error, "name") ?? "Error"}: ${pick(error, "message") ?? ""}`;
  } catch {
    return "an error that cannot be read";
  }
}
