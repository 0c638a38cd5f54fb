// @ts-check
/** The figure of the cursor: an arrow with the name of the tool, and a ring around what it is at. It is for eyes only. */
import css from "./cursor.css";
import {
  adoptStyle, appendChild, attachShadow, createElement, createElementNS, height, isConnected, left, pageDocument, rectangleOf, removeElement, rootElement,
  setAttribute, setProperty, setText, showPopover, styleOf, top, viewHeight, viewWidth, width,
} from "./intrinsics.js";

const SVG = "http://www.w3.org/2000/svg";

/** Where in an element the arrow points, of its width and height. */
const ACROSS = 0.8;
const DOWN = 0.65;

/** Where the label is from there (cursor.css), in CSS pixels, and how far it stays from the edges of the window. */
const LABEL = 20;
const EDGE = 6;

export class Figure {
  /** @type {Node | undefined} */ #root;
  #host = element("div");
  #cursor = element("div");
  #label = element("div");
  #ring = element("div");

  /** @param {Node | undefined} root where the page wants it */
  constructor(root) {
    this.#root = root;
    setAttribute(this.#host, "data-pagewarden-cursor", "");
    setAttribute(this.#host, "aria-hidden", "true");
    setAttribute(this.#host, "popover", "manual");
    const shadow = attachShadow(this.#host, { __proto__: null, mode: "closed" });
    adoptStyle(shadow, css);
    setAttribute(this.#label, "class", "label");
    setAttribute(this.#ring, "class", "ring");
    appendChild(this.#cursor, arrow());
    appendChild(this.#cursor, this.#label);
    appendChild(shadow, this.#ring);
    appendChild(shadow, this.#cursor);
    this.#look(false, false, false);
  }

  /** Shows the cursor, above whatever else is above the page. @param {string} name of the tool */
  show(name) {
    const home = this.#root !== undefined && isConnected(this.#root) ? this.#root : rootElement(pageDocument);
    setText(this.#label, name);
    removeElement(this.#host);
    appendChild(home, this.#host);
    raise(this.#host);
  }

  /**
   * Points at an element, beside its words.
   * @param {Element} at @param {boolean} moves whether it is seen on its way @param {boolean} ringed whether the element is to stand out
   */
  pointAt(at, moves, ringed) {
    const box = rectangleOf(at);
    this.#look(true, moves, ringed);
    const x = left(box) + width(box) * ACROSS;
    const y = top(box) + height(box) * DOWN;
    setProperty(styleOf(this.#cursor), "transform", `translate(${x}px, ${y}px)`);
    this.#keepLabelInView(x, y);
    this.#ringAround(box);
  }

  /** At the right and at the bottom of the window the label goes to the arrow's other side. @param {number} x @param {number} y */
  #keepLabelInView(x, y) {
    const label = rectangleOf(this.#label);
    const across = x + LABEL + width(label) + EDGE > viewWidth() ? -(width(label) + LABEL) : 0;
    const up = y + LABEL + height(label) + EDGE > viewHeight() ? -(height(label) + LABEL) : 0;
    setProperty(styleOf(this.#label), "transform", `translate(${across}px, ${up}px)`);
  }

  /** @param {DOMRect} box */
  #ringAround(box) {
    const style = styleOf(this.#ring);
    setProperty(style, "left", `${left(box) - 4}px`);
    setProperty(style, "top", `${top(box) - 4}px`);
    setProperty(style, "width", `${width(box) + 8}px`);
    setProperty(style, "height", `${height(box) + 8}px`);
  }

  /** @param {boolean} shown @param {boolean} moves @param {boolean} ringed */
  #look(shown, moves, ringed) {
    setAttribute(this.#cursor, "class", `cursor${shown ? " shown" : ""}${moves ? " moving" : ""}`);
    setAttribute(this.#ring, "class", `ring${ringed ? " shown" : ""}`);
  }

  hide() {
    this.#look(false, false, false);
    removeElement(this.#host);
  }
}

/** @param {string} name */
const element = (name) => createElement(pageDocument, name);

/** @param {HTMLElement} host */
function raise(host) {
  try {
    showPopover(host);
  } catch {
    // A browser without popovers shows it below its dialogs.
  }
}

function arrow() {
  const svg = createElementNS(pageDocument, SVG, "svg");
  setAttribute(svg, "viewBox", "0 0 26 26");
  const path = createElementNS(pageDocument, SVG, "path");
  setAttribute(path, "class", "arrow");
  setAttribute(path, "d", "M2 2 L2 20.5 L7.2 15.9 L10.6 23.6 L14 22.1 L10.7 14.5 L17.6 14 Z");
  appendChild(svg, path);
  return svg;
}
