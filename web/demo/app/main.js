// Joins the parts of the application.
import { createApi } from "./api.js";
import { bindDrawer } from "./drawer.js";
import { bindFilters } from "./filters.js";
import { createModel } from "./model.js";
import { bindNavigation } from "./navigation.js";
import { bindOverview } from "./overview.js";
import { bindSelection } from "./selection.js";
import { bindTable } from "./table.js";
import { createToast } from "./toast.js";

/** @typedef {import("./model.js").Model} Model */

/**
 * Renders the application into the page and starts loading its data.
 * @param {Document} document
 * @returns {Model} what the application knows and can do
 */
export function startApplication(document) {
  const model = createModel(createApi());
  const toast = createToast(document);
  bindNavigation(document, model);
  bindFilters(document, model);
  bindTable(document, model);
  bindSelection(document, model, toast);
  bindDrawer(document, model, toast);
  bindOverview(document, model);
  void model.load();
  return model;
}
