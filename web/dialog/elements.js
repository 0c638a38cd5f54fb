// @ts-check
/** Small verbs for building what is shown. Everything that is shown is text. */
import { appendChild, createElement, createElementNS, pageDocument, setAttribute, setText } from "./intrinsics.js";
import { eachPiece } from "./text.js";

const SVG = "http://www.w3.org/2000/svg";

/**
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {string} name its class and, where it has one, its id
 * @param {...Element} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function make(tag, name, ...children) {
  const made = createElement(pageDocument, tag);
  if (name !== "") {
    setAttribute(made, "class", name);
  }
  for (let i = 0; i < children.length; i++) {
    appendChild(made, children[i]);
  }
  return made;
}

/** @template {Element} E @param {E} element @param {string} text @returns {E} */
export function say(element, text) {
  setText(element, text);
  return element;
}

/** Shows text that is not the page's own words: what cannot be seen in it is an escape, set apart. @param {Element} element @param {string} text */
export function sayVisibly(element, text) {
  setText(element, "");
  eachPiece(text, (piece, escaped) => appendChild(element, say(make(escaped ? "i" : "span", ""), piece)));
}

/** A small picture: one line in a square of 16. */
export function icon() {
  const line = createElementNS(pageDocument, SVG, "path");
  const picture = createElementNS(pageDocument, SVG, "svg");
  setAttribute(picture, "viewBox", "0 0 16 16");
  setAttribute(picture, "aria-hidden", "true");
  appendChild(picture, line);
  return { picture, draw: (/** @type {string} */ path) => setAttribute(line, "d", path) };
}
