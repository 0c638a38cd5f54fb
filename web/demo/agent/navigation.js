// app.navigation: which view is shown, and going to another.
import { runtime } from "./runtime.js";
import { VIEWS } from "./schemas.js";

/** @typedef {import("./types.js").Model} Model */
/** @typedef {import("../app/model.js").View} View */

const { fromJsonSchema } = runtime;

const VIEW = fromJsonSchema({ type: "object", properties: { view: { type: "string", enum: VIEWS } }, required: ["view"], additionalProperties: false });

const contract = runtime.defineAgentComponentContract({
  type: "app.navigation",
  description: "The views of the application: the list of devices, and an overview with counts.",
  priority: 10,
  observations: {
    readRoute: {
      description: "The view that is shown and its path.",
      output: fromJsonSchema({
        type: "object",
        properties: { view: { type: "string", enum: VIEWS }, path: { type: "string" } },
        required: ["view", "path"],
        additionalProperties: false,
      }),
    },
  },
  actions: {
    goTo: {
      description: "Show a view. An open device drawer closes when the view changes.",
      input: VIEW,
      output: VIEW,
      effect: "navigation",
      idempotent: true,
    },
  },
});

/**
 * @param {import("./types.js").Registry} registry
 * @param {Model} app
 */
export function registerNavigation(registry, app) {
  return registry.register(contract.bind({
    observations: {
      readRoute: { read: () => ({ view: app.view, path: `/${app.view}` }) },
    },
    actions: {
      goTo: {
        /** @param {{ view: View }} input */
        execute: (input) => {
          app.goTo(input.view);
          return { view: app.view };
        },
      },
    },
  }));
}
