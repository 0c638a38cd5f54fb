// Entry of the shop's page. The shop comes first and stands alone; the tools for agents are added after it and may fail
// without harm.
import { startShop } from "./shop/main.js";

const shop = startShop(document);

try {
  const { offerTools } = await import("./shop-tools.js");
  offerTools(shop, document);
} catch (error) {
  console.warn("The page runs without agent tools:", error);
}
