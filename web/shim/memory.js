// @ts-check
/** The instance's memory: views that follow its growth, and text in both directions. */
import { Bytes, Words, charCode, decode, encodeInto, fromCharCode, memoryBuffer } from "./intrinsics.js";

/** Texts shorter than this cost a browser less in a loop than in its encoder or decoder, if they are ASCII. */
const SHORT = 64;

const MAIL_ADDRESS = 0; // words of the mail, see exports_js.go
const MAIL_LENGTH = 1;
const MAIL_ANSWER = 2;

export class Memory {
  /** @type {object} */ #memory;
  /** @type {ArrayBuffer} */ #buffer;
  /** @type {Uint8Array} */ #bytes;
  /** @type {Int32Array} */ #words;
  /** @type {(n: number) => number} */ #reserve = () => 0;
  #mail = 0;
  #inbox = 0;
  #capacity = 0;

  /** @param {object} memory a WebAssembly.Memory */
  constructor(memory) {
    this.#memory = memory;
    this.#buffer = memoryBuffer(memory);
    this.#bytes = new Bytes(this.#buffer);
    this.#words = new Words(this.#buffer);
  }

  /** @param {(n: number) => number} reserve @param {number} mail the exports pw_reserve and pw_mail() */
  open(reserve, mail) {
    this.#reserve = reserve;
    this.#mail = mail >> 2;
  }

  /** Memory that grew has a new buffer, and views of the old one are empty: no element of theirs is there. */
  #refresh() {
    if (this.#bytes[0] === undefined) {
      const buffer = memoryBuffer(this.#memory);
      this.#buffer = buffer;
      this.#bytes = new Bytes(buffer);
      this.#words = new Words(buffer);
    }
  }

  get bytes() {
    this.#refresh();
    return this.#bytes;
  }

  get words() {
    this.#refresh();
    return this.#words;
  }

  /** @param {number} address @param {number} length @returns {Uint8Array<ArrayBuffer>} */
  view(address, length) {
    this.#refresh();
    return new Bytes(this.#buffer, address, length);
  }

  /** @param {number} address @param {number} length @returns {string} */
  text(address, length) {
    const bytes = this.bytes;
    let text = "";
    for (let i = address >>> 0; length < SHORT && text.length < length; i++) {
      const unit = /** @type {number} */ (bytes[i]);
      if (unit > 127) {
        break;
      }
      text += fromCharCode(unit);
    }
    return text.length === length ? text : decode(this.view(address >>> 0, length >>> 0));
  }

  /**
   * Puts text into the inbox.
   * @param {string} text well-formed: what toText writes has its lone surrogates escaped
   * @returns {number} its length in bytes
   */
  put(text) {
    if (text === "") {
      return 0;
    }
    const most = text.length * 3;
    if (most > this.#capacity) {
      this.#inbox = this.#reserve(most) >>> 0;
      this.#capacity = most;
    }
    const bytes = this.bytes;
    let i = 0;
    for (; text.length < SHORT && i < text.length && charCode(text, i) < 128; i++) {
      bytes[this.#inbox + i] = charCode(text, i);
    }
    if (i === text.length) {
      return i;
    }
    return encodeInto(text, this.view(this.#inbox, this.#capacity)).written;
  }

  /** @param {string} text the answer to a question @returns {void} */
  answer(text) {
    const length = this.put(text);
    this.words[this.#mail + MAIL_ANSWER] = length;
  }

  /** What an operation gave. */
  back() {
    const words = this.words;
    return this.text(/** @type {number} */ (words[this.#mail + MAIL_ADDRESS]), /** @type {number} */ (words[this.#mail + MAIL_LENGTH]));
  }
}
