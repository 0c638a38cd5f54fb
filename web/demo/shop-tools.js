// Makes the shop usable for agents: one web tool beside each control that a person would use. The shop does not know that
// this exists.
import { mountAgentCursor } from "/pagewarden-cursor.js";
import { WebToolError, defineWebTool, registerWebTool } from "/pagewarden-webtools.js";

/** @typedef {import("./shop/model.js").Shop} Shop */
/** @typedef {import("./shop/model.js").Change} Change */
/** @typedef {import("./shop/api.js").Cart} Cart */

/**
 * @param {Shop} shop
 * @param {Document} document
 */
export function offerTools(shop, document) {
  mountAgentCursor();
  const offers = [search(shop), addToCart(shop), clearCart(shop)].map((tool) => registerWebTool(tool));
  const status = document.getElementById("agent-status");
  if (!status) return;
  const supported = offers.every((offer) => offer.supported);
  status.dataset.state = supported ? "on" : "off";
  status.textContent = supported ? "Agent tools on" : "No WebMCP in this browser";
}

/** @param {Shop} shop */
function search(shop) {
  return defineWebTool({
    id: "search_products",
    title: "Search",
    description: "Find spare parts by a word of their name, category or id. An empty query lists all.",
    input: { type: "object", properties: { query: { type: "string", maxLength: 80 } }, required: ["query"], additionalProperties: false },
    readOnly: true,
    /** @param {{ query: string }} input */
    execute: async ({ query }) => ({ products: await attempt(shop.search(query.trim())) }),
  });
}

/** @param {Shop} shop */
function addToCart(shop) {
  return defineWebTool({
    id: "add_to_cart",
    title: "Add to cart",
    description: "Put a part into the team's cart. The person looks at the form and presses its button; what they change there counts.",
    input: {
      type: "object",
      properties: {
        productId: { type: "string", maxLength: 64, description: "The id that search_products gives." },
        quantity: { type: "integer", minimum: 1, maximum: 20 },
      },
      required: ["productId", "quantity"],
      additionalProperties: false,
    },
    requireConfirmation: true,
    fill: (_, { unfilled, reasons }) => {
      if (unfilled.length > 0) {
        throw new WebToolError("not_found", `The form does not take this: ${unfilled.map((name) => `${name}: ${reasons[name]}`).join("; ")}.`);
      }
      shop.takeChange(); // what was pressed before is not this call's
    },
    execute: async () => {
      const { product, quantity, cart } = await made(shop, "The form was not complete, so nothing was added.");
      return { added: { productId: product?.id, name: product?.name, quantity }, cart: described(cart) };
    },
  });
}

/** @param {Shop} shop */
function clearCart(shop) {
  return defineWebTool({
    id: "clear_cart",
    title: "Clear cart",
    description: "Take everything out of the team's cart. The person confirms on the page. Use only when they asked to start over.",
    destructive: true,
    requireConfirmation: true,
    fill: () => void shop.takeChange(),
    execute: async () => {
      const { quantity, cart } = await made(shop, "The page did not clear the cart.");
      return { removed: quantity, cart: described(cart) };
    },
  });
}

/**
 * What came of the change that the person's press has begun: the page's button does the work, the tool tells of it.
 * @param {Shop} shop
 * @param {string} otherwise
 * @returns {Promise<Change>}
 */
function made(shop, otherwise) {
  const change = shop.takeChange();
  if (!change) throw new WebToolError("not_done", otherwise);
  return attempt(change);
}

/**
 * The server's refusals are written for people and safe to pass on; anything else is not.
 * @template T
 * @param {Promise<T>} promise
 */
async function attempt(promise) {
  try {
    return await promise;
  } catch (error) {
    const { code, message, status } = /** @type {any} */ (error);
    throw status >= 400 && status < 500 || code === "network" ? new WebToolError(code, message) : error;
  }
}

/** @param {Cart} cart */
function described({ lines, count, totalCents }) {
  return { lines: lines.map(({ product, quantity }) => ({ productId: product.id, name: product.name, quantity })), count, totalCents };
}
