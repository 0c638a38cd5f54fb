// @ts-check
/** Text as a person can trust it: what leaves no mark on the screen, or moves what is around it, is shown as an escape. */
import { codePointAt, execute, numberToText, stringSlice } from "./intrinsics.js";

/**
 * The same characters as in the summaries that the registry writes: control, format and bidirectional ones, unusual
 * spaces, variation selectors and others that are not drawn. Its own lastIndex is its place; nobody else holds it.
 */
const UNSEEN = /(?:[^\p{L}\p{M}\p{N}\p{P}\p{S} ]|[\p{Default_Ignorable_Code_Point}\u2800])+/gu;

/**
 * Walks text in pieces: those that can be seen, and characters that cannot, as escapes.
 * @param {string} text
 * @param {(piece: string, escaped: boolean) => void} visit
 */
export function eachPiece(text, visit) {
  let at = 0;
  for (;;) {
    UNSEEN.lastIndex = at;
    const found = execute(UNSEEN, text);
    if (found === null) {
      break;
    }
    if (found.index > at) {
      visit(stringSlice(text, at, found.index), false);
    }
    visit(escaped(found[0]), true);
    at = found.index + found[0].length;
  }
  if (at < text.length) {
    visit(stringSlice(text, at), false);
  }
}

/** @param {string} text */
function escaped(text) {
  let escapes = "";
  for (let i = 0; i < text.length; i++) {
    const code = codePointAt(text, i);
    escapes += escapeOf(code);
    i += code > 0xffff ? 1 : 0;
  }
  return escapes;
}

/** @param {number} code a code point */
function escapeOf(code) {
  switch (code) {
    case 9:
      return "\\t";
    case 10:
      return "\\n";
    default:
      return `\\u{${numberToText(code, 16)}}`;
  }
}
