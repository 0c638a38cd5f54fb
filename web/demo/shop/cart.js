// The cart: what is in it, what it costs, and emptying it.
import { byId, element } from "../app/dom.js";
import { formatPrice } from "../app/format.js";

/** @typedef {import("./api.js").Cart} Cart */
/** @typedef {import("./model.js").Shop} Shop */
/** @typedef {import("../app/toast.js").Toast} Toast */

/**
 * @param {Document} document
 * @param {Shop} shop
 * @param {Toast} toast
 */
export function bindCart(document, shop, toast) {
  const clear = /** @type {HTMLButtonElement} */ (byId(document, "cart-clear"));
  // As for adding: a person's press.
  clear.addEventListener("click", (event) => {
    if (event.isTrusted) shop.clear().then(() => toast.show("The cart is empty."), (error) => toast.show(error.message));
  });
  const render = () => {
    const { cart } = shop;
    byId(document, "cart-lines").replaceChildren(...cart.lines.map(line));
    byId(document, "cart-empty").hidden = cart.count > 0;
    byId(document, "cart-total").textContent = formatPrice(cart.totalCents);
    clear.disabled = cart.count === 0;
  };
  shop.subscribe(render);
  render();
}

/** @param {Cart["lines"][number]} line */
function line({ product, quantity }) {
  return element("li", { class: "cart-line", "data-id": product.id },
    element("span", { class: "cart-line-count" }, `${quantity} ×`),
    element("span", { class: "cart-line-name" }, product.name),
    element("span", {}, formatPrice(quantity * product.priceCents)));
}
