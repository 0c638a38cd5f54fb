// The two views and their addresses, #/devices and #/overview.
import { byId } from "./dom.js";

/** @typedef {import("./model.js").Model} Model */
/** @typedef {import("./model.js").View} View */

/** @type {ReadonlyArray<readonly [View, string]>} */
const VIEWS = [["devices", "Devices"], ["overview", "Overview"]];

/**
 * @param {Document} document
 * @param {Model} model
 */
export function bindNavigation(document, model) {
  const window = /** @type {Window} */ (document.defaultView);
  const follow = () => {
    const named = VIEWS.find(([view]) => window.location.hash === `#/${view}`);
    if (named) model.goTo(named[0]);
  };
  follow();
  window.addEventListener("hashchange", follow);
  /** @type {View | undefined} */
  let shown;
  const render = () => {
    if (shown === model.view) return;
    showView(document, model.view);
    // The address follows the view, except for the first one, which may have none.
    if (shown && window.location.hash !== `#/${model.view}`) window.location.hash = `/${model.view}`;
    shown = model.view;
  };
  model.subscribe(render);
  render();
}

/**
 * @param {Document} document
 * @param {View} current
 */
function showView(document, current) {
  for (const [view, title] of VIEWS) {
    const active = view === current;
    byId(document, `view-${view}`).hidden = !active;
    const link = byId(document, `nav-${view}`);
    if (active) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
    if (active) document.title = `${title} – Fleet console`;
  }
}
