// app.navigation: which view is shown, and going to another.
import { VIEWS, object } from "./schemas.js";

/** @typedef {import("./types.js").Model} Model */
/** @typedef {import("../app/model.js").View} View */

/**
 * @param {import("./types.js").Runtime} runtime
 * @param {import("./types.js").Registry} registry
 * @param {Model} app
 */
export function registerNavigation(runtime, registry, app) {
  const view = { type: "string", enum: VIEWS };
  return registry.register({
    type: "app.navigation",
    description: "The views of the application: the list of devices, and an overview with counts.",
    priority: 10,
    observations: {
      readRoute: {
        description: "The view that is shown and its path.",
        output: runtime.fromJsonSchema(object({ view, path: { type: "string" } })),
        read: () => ({ view: app.view, path: `/${app.view}` }),
      },
    },
    actions: {
      goTo: {
        description: "Show a view. An open device drawer closes when the view changes.",
        input: runtime.fromJsonSchema(object({ view })),
        output: runtime.fromJsonSchema(object({ view })),
        effect: "navigation",
        idempotent: true,
        /** @param {{ view: View }} input */
        execute: (input) => {
          app.goTo(input.view);
          return { view: app.view };
        },
      },
    },
  });
}
