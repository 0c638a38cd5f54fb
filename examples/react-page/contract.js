import { defineAgentComponentContract, fromJsonSchema } from "pagewarden";

const article = fromJsonSchema({
  type: "object",
  properties: { article: { type: "string", minLength: 1, maxLength: 40 } },
  required: ["article"],
  additionalProperties: false,
});

/** What agents may see and do of the cart. */
export const cart = defineAgentComponentContract({
  type: "shop.cart",
  description: "The shopping cart",
  observations: {
    articles: { description: "What is in the cart", output: fromJsonSchema({ type: "array", items: { type: "string" } }) },
  },
  actions: {
    add: { description: "Put an article into the cart", effect: "local-state", input: article },
    remove: { description: "Take an article out of the cart", effect: "local-state", input: article },
  },
});
