// The server's JSON API, as the shop uses it.
import { send } from "../app/api.js";

/**
 * @typedef {object} Product
 * @property {string} id
 * @property {string} name
 * @property {string} category
 * @property {number} priceCents
 * @property {number} stock
 */

/**
 * @typedef {object} Cart
 * @property {{ product: Product, quantity: number }[]} lines
 * @property {number} count
 * @property {number} totalCents
 */

/**
 * @typedef {object} ShopApi
 * @property {(query: string) => Promise<Product[]>} products
 * @property {() => Promise<Cart>} cart
 * @property {(productId: string, quantity: number) => Promise<Cart>} add
 * @property {() => Promise<Cart>} clear
 */

/** @returns {ShopApi} */
export function createShopApi() {
  return {
    products: async (query) => (await send(query ? `/api/products?q=${encodeURIComponent(query)}` : "/api/products")).products,
    cart: async () => (await send("/api/cart")).cart,
    add: async (productId, quantity) => (await send("/api/cart/add", { productId, quantity })).cart,
    clear: async () => (await send("/api/cart/clear", {})).cart,
  };
}
