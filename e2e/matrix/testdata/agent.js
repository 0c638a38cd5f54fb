// An agent that lives in the page, where the browser has one: it calls tools as the revision wants it, and sees what a
// caller sees.
const context = document.modelContext ?? navigator.modelContext;
const testing = navigator.modelContextTesting;

/** In which form executeTool takes an input; see browser/scripts/offer.js. */
async function takesObject() {
  const nobody = { name: "-", description: "-", window, origin: location.origin };
  const refusal = await context.executeTool(nobody, "{}", { signal: AbortSignal.abort() }).catch((error) => error);
  return refusal instanceof TypeError;
}

/** Calls a tool and gives its result, or rejects as the browser does. */
export async function call(name, input, signal) {
  if (typeof context?.executeTool !== "function") {
    return testing.executeTool(name, JSON.stringify(input), { signal });
  }
  const tool = (await context.getTools()).find((tool) => tool.name === name && tool.window === window);
  return context.executeTool(tool, (await takesObject()) ? input : JSON.stringify(input), { signal });
}

/** The names of the tools that the browser has of this document. */
export async function names() {
  const tools = testing !== undefined ? testing.listTools() : (await context.getTools()).filter((tool) => tool.window === window);
  return tools.map((tool) => tool.name).sort();
}

/** A call that can be given up. `ended` is null while it lasts, then what the caller got: { value } or { error }. */
export function begin(name, input, { aborted = false } = {}) {
  const controller = new AbortController();
  const reason = new DOMException("the agent has changed its mind", "AbortError");
  const one = { ended: null, abort: () => controller.abort(reason) };
  if (aborted) {
    one.abort();
  }
  call(name, input, controller.signal).then(
    (value) => { one.ended = { value }; },
    (error) => { one.ended = { error: `${error?.name}: ${error?.message}` }; },
  );
  return one;
}
