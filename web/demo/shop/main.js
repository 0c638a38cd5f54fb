// Joins the parts of the shop.
import { createToast } from "../app/toast.js";
import { createShopApi } from "./api.js";
import { bindCart } from "./cart.js";
import { Shop } from "./model.js";
import { bindOrder } from "./order.js";
import { bindProducts } from "./products.js";

/**
 * Renders the shop into the page and starts loading its data.
 * @param {Document} document
 */
export function startShop(document) {
  const shop = new Shop(createShopApi());
  const toast = createToast(document);
  bindProducts(document, shop, toast);
  bindOrder(document, shop, toast);
  bindCart(document, shop, toast);
  void shop.load();
  return shop;
}
