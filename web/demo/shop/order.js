// The form that puts a product into the cart.
import { byId, element } from "../app/dom.js";

/** @typedef {import("./api.js").Product} Product */
/** @typedef {import("./model.js").Shop} Shop */
/** @typedef {import("../app/toast.js").Toast} Toast */

/**
 * @param {Document} document
 * @param {Shop} shop
 * @param {Toast} toast
 */
export function bindOrder(document, shop, toast) {
  const form = /** @type {HTMLFormElement} */ (byId(document, "add"));
  const product = /** @type {HTMLSelectElement} */ (byId(document, "add-product"));
  const quantity = /** @type {HTMLInputElement} */ (byId(document, "add-quantity"));
  const problem = byId(document, "add-error");
  const send = /** @type {HTMLButtonElement} */ (byId(document, "add-send"));

  product.addEventListener("change", () => shop.choose(product.value));
  form.addEventListener("input", () => (problem.textContent = ""));
  form.addEventListener("submit", (event) => event.preventDefault());
  // Only a press of a person's puts something into the cart. The server is the authority; this only keeps scripts of the
  // page from doing by accident what somebody pays for.
  send.addEventListener("click", (event) => {
    if (event.isTrusted && form.checkValidity()) void add(shop, toast, problem, product.value, quantity.valueAsNumber);
  });

  /** @type {Product[] | undefined} */
  let listed;
  const render = () => {
    if (listed !== shop.products) product.replaceChildren(...shop.products.map(({ id, name }) => element("option", { value: id }, name)));
    listed = shop.products;
    if (product.value !== shop.chosen) product.value = shop.chosen;
    send.disabled = shop.phase !== "ready";
  };
  shop.subscribe(render);
  render();
}

/**
 * @param {Shop} shop
 * @param {Toast} toast
 * @param {HTMLElement} problem
 * @param {string} productId
 * @param {number} quantity
 */
async function add(shop, toast, problem, productId, quantity) {
  try {
    const { product } = await shop.add(productId, quantity);
    problem.textContent = "";
    toast.show(`${quantity} × ${product?.name ?? productId} added.`);
  } catch (error) {
    problem.textContent = error instanceof Error ? error.message : String(error);
  }
}
