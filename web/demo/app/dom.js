// Small helpers over the DOM. Text always goes in as text.

/**
 * Finds an element that the page must have.
 * @template {HTMLElement} [T=HTMLElement]
 * @param {Document} document
 * @param {string} id
 * @returns {T}
 */
export function byId(document, id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no element #${id}`);
  return /** @type {T} */ (element);
}

/**
 * Builds an element. Strings among the children become text nodes.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, string | boolean | undefined>} [attributes] false and undefined leave an attribute out
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children);
  return made;
}
