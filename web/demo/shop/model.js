// What the shop's page knows and can do. Everything that changes tells the subscribers.

/** @typedef {import("./api.js").Product} Product */
/** @typedef {import("./api.js").Cart} Cart */
/** @typedef {import("./api.js").ShopApi} ShopApi */

/**
 * A change of the cart, as it was made: what was added, or that everything was taken out.
 * @typedef {{ product?: Product, quantity: number, cart: Cart }} Change
 */

export class Shop {
  /** @type {ShopApi} */ #api;
  /** @type {Set<() => void>} */ #listeners = new Set();
  /** @type {Promise<Change> | undefined} */ #change;
  /** The last change, done or not. @type {Promise<unknown>} */ #last = Promise.resolve();
  #searches = 0;

  /** @type {"loading" | "ready" | "failed"} */ phase = "loading";
  failure = "";
  /** Everything that is sold. @type {Product[]} */ products = [];
  /** What the last search found. @type {Product[]} */ found = [];
  /** @type {Cart} */ cart = { lines: [], count: 0, totalCents: 0 };
  /** The product that the form will add. */ chosen = "";

  /** @param {ShopApi} api */
  constructor(api) {
    this.#api = api;
  }

  /** @param {() => void} listener */
  subscribe(listener) {
    this.#listeners.add(listener);
  }

  async load() {
    this.#update({ phase: "loading" });
    try {
      const [products, cart] = await Promise.all([this.#api.products(""), this.#api.cart()]);
      this.#update({ phase: "ready", products, found: products, cart, chosen: products[0]?.id ?? "" });
    } catch (error) {
      this.#update({ phase: "failed", failure: error instanceof Error ? error.message : String(error) });
    }
  }

  /**
   * Asks the server. What an earlier search finds later is not shown.
   * @param {string} query
   */
  async search(query) {
    const number = ++this.#searches;
    const found = await this.#api.products(query);
    if (number === this.#searches) this.#update({ found });
    return found;
  }

  /** @param {string} id */
  choose(id) {
    this.#update({ chosen: id });
  }

  /**
   * @param {string} productId
   * @param {number} quantity
   */
  add(productId, quantity) {
    const product = this.products.find(({ id }) => id === productId);
    return this.#begin(async () => ({ product, quantity, cart: await this.#api.add(productId, quantity) }));
  }

  clear() {
    return this.#begin(async () => {
      const { count } = this.cart;
      return { quantity: count, cart: await this.#api.clear() };
    });
  }

  /** The change that was begun last, once: whoever takes it learns what comes of it. */
  takeChange() {
    const change = this.#change;
    this.#change = undefined;
    return change;
  }

  /** Changes are made one after the other: the cart that is shown is that of the last. @param {() => Promise<Change>} work */
  #begin(work) {
    const change = this.#last.then(work);
    this.#change = change;
    this.#last = change.then(({ cart }) => this.#update({ cart }), () => {});
    return change;
  }

  /** @param {Partial<Shop>} news */
  #update(news) {
    Object.assign(this, news);
    for (const listener of this.#listeners) listener();
  }
}
