// @ts-check
/** What a page's modelContext may be, made by hand: a tool goes by its name, by a signal, or with the whole set. */
import assert from "node:assert/strict";

export class ByName {
  /** @type {Map<string, any>} */
  tools = new Map();
  /** @type {((tool: any) => any) | null} */
  answer = null;

  /** @param {any} tool */
  registerTool(tool) {
    const answer = this.answer?.(tool);
    this.tools.set(tool.name, tool);
    return answer;
  }

  /** @param {string} name */
  unregisterTool(name) {
    if (!this.tools.delete(name)) {
      throw new Error(`no tool ${name}`);
    }
  }
}
export class BySignal {
  /** @type {Map<string, any>} */
  tools = new Map();
  /** @type {((tool: any) => any) | null} */
  answer = null;

  /** @param {any} tool @param {any} options */
  registerTool(tool, options) {
    const answer = this.answer?.(tool);
    this.tools.set(tool.name, tool);
    options.signal.addEventListener("abort", () => this.tools.delete(tool.name));
    return answer;
  }
}
export class WholeSet {
  /** @type {Map<string, any>} */
  tools = new Map();

  /** @param {{ tools: any[] }} set */
  provideContext({ tools }) {
    this.tools = new Map(tools.map((tool) => [tool.name, tool]));
  }

  clearContext() {
    this.tools = new Map();
  }
}

/** The payload of a tool's error. @param {any} result */
export function payloadOf(result) {
  assert.equal(result.isError, true, JSON.stringify(result));
  assert.ok(!("structuredContent" in result));
  return JSON.parse(result.content[0].text);
}
