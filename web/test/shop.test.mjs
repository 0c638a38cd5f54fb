// @ts-check
/** The demo's shop without a page: what it shows while several changes are on their way. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Shop } from "../demo/shop/model.js";
import { turn } from "./harness.js";

/** A cart with so many of one product. @param {number} count */
const cartOf = (count) => ({ lines: [], count, totalCents: count });

/** A server that answers when the test says so, in whatever order. */
function server() {
  let count = 0;
  /** @type {{ answer: () => void, fail: () => void }[]} */
  const asked = [];
  const change = (/** @type {() => void} */ make) => new Promise((resolve, reject) => {
    make();
    const cart = cartOf(count);
    asked.push({ answer: () => resolve(cart), fail: () => reject(new Error("no")) });
  });
  return {
    asked,
    api: /** @type {any} */ ({
      products: async () => [{ id: "tea", name: "Tea", category: "food", priceCents: 1, stock: 9 }], cart: async () => cartOf(count),
      add: (/** @type {string} */ _, /** @type {number} */ quantity) => change(() => (count += quantity)), clear: () => change(() => (count = 0)),
    }),
  };
}

test("however the answers come, the cart is that of the last change", async () => {
  const { api, asked } = server();
  const shop = new Shop(api);
  await shop.load();
  const changes = [shop.add("tea", 1), shop.add("tea", 2), shop.clear(), shop.add("tea", 4)];
  for (let answered = 0; answered < changes.length; answered++) {
    await turn();
    asked.slice(answered).reverse().forEach(({ answer }) => answer());
  }
  const made = await Promise.all(changes);
  assert.deepEqual(made.map(({ quantity }) => quantity), [1, 2, 3, 4], "clearing tells how many it took out");
  assert.deepEqual([shop.cart.count, made[3]?.cart.count], [4, 4]);
});

test("a change that fails stops no other, and whoever made it is told", async () => {
  const { api, asked } = server();
  const shop = new Shop(api);
  await shop.load();
  const first = shop.add("tea", 1);
  assert.equal(shop.takeChange(), first);
  assert.equal(shop.takeChange(), undefined);
  const second = shop.add("tea", 2);
  await turn();
  asked[0]?.fail();
  await assert.rejects(first, { message: "no" });
  await turn();
  asked[1]?.answer();
  assert.equal((await second).quantity, 2);
  assert.equal(shop.cart.count, 3);
});
