// @ts-check
/** Ids that nobody can guess. */
const cryptoObject = crypto;
const fill = Function.prototype.call.bind(cryptoObject.getRandomValues);
const Bytes = Uint8Array;
const DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_";

/** 16 characters of A-Z a-z 0-9 - _ */
export function unguessable() {
  const bytes = new Bytes(16);
  fill(cryptoObject, bytes);
  let text = "";
  for (let i = 0; i < 16; i++) {
    text += DIGITS[/** @type {number} */ (bytes[i]) & 63];
  }
  return text;
}
