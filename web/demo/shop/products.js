// The search, and the products that it finds.
import { byId, element } from "../app/dom.js";
import { formatCount, formatPrice } from "../app/format.js";

/** @typedef {import("./api.js").Product} Product */
/** @typedef {import("./model.js").Shop} Shop */
/** @typedef {import("../app/toast.js").Toast} Toast */

/** How long a person may pause between two letters, in milliseconds. */
const PAUSE = 150;

/** Fewer than this are few. */
const FEW = 5;

/**
 * @param {Document} document
 * @param {Shop} shop
 * @param {Toast} toast
 */
export function bindProducts(document, shop, toast) {
  bindSearch(document, shop, toast);
  const list = byId(document, "products");
  list.addEventListener("click", (event) => {
    const button = /** @type {HTMLElement} */ (event.target).closest("button");
    if (!button?.dataset.id) return;
    shop.choose(button.dataset.id);
    byId(document, "add-quantity").focus();
  });
  byId(document, "products-retry").addEventListener("click", () => void shop.load());
  /** @type {Product[] | undefined} */
  let shown;
  const render = () => {
    if (shown !== shop.found) list.replaceChildren(...shop.found.map(row));
    shown = shop.found;
    for (const item of list.children) /** @type {HTMLElement} */ (item).dataset.chosen = String(/** @type {HTMLElement} */ (item).dataset.id === shop.chosen);
    renderStates(document, shop, list);
  };
  shop.subscribe(render);
}

/**
 * @param {Document} document
 * @param {Shop} shop
 * @param {Toast} toast
 */
function bindSearch(document, shop, toast) {
  const query = /** @type {HTMLInputElement} */ (byId(document, "search-query"));
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const search = () => {
    clearTimeout(timer);
    shop.search(query.value.trim()).catch((error) => toast.show(error.message));
  };
  query.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(search, PAUSE);
  });
  byId(document, "search").addEventListener("submit", (event) => {
    event.preventDefault();
    search();
  });
}

/** @param {Product} product */
function row({ id, name, category, priceCents, stock }) {
  return element("li", { class: "product", "data-id": id },
    element("span", { class: "product-name" }, name, element("span", { class: "product-category" }, category)),
    element("span", { class: "product-price" }, formatPrice(priceCents)),
    element("span", { class: "product-stock", "data-few": String(stock < FEW) }, `${stock} in stock`),
    element("button", { class: "button", type: "button", "data-id": id, "aria-label": `Choose ${name}` }, "Choose"));
}

/**
 * @param {Document} document
 * @param {Shop} shop
 * @param {HTMLElement} list
 */
function renderStates(document, shop, list) {
  const { phase, found, products } = shop;
  list.setAttribute("aria-busy", String(phase === "loading"));
  byId(document, "products-empty").hidden = phase !== "ready" || found.length > 0;
  byId(document, "products-error").hidden = phase !== "failed";
  byId(document, "products-error-text").textContent = shop.failure;
  const count = byId(document, "products-count");
  const text = phase === "ready" ? `${found.length} of ${formatCount(products.length, "product")}` : phase === "loading" ? "Loading products…" : "No data";
  if (count.textContent !== text) count.textContent = text; // a live region speaks on every change
}
