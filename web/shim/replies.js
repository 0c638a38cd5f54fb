// @ts-check
/** Answers to the module's questions. */
import { freeze, pick } from "./intrinsics.js";
import * as Answer from "./ops/answer.js";
import { toText } from "./values.js";

/** @typedef {{ answer: number, body: string }} Reply */

/** @param {number} answer @param {string} text @returns {Reply} */
export const replyWith = (answer, text) => ({ answer, body: text });

/** @param {string} text @returns {Reply} */
export const replyText = (text) => replyWith(Answer.Value, text);

/** @type {Reply} */
export const NOTHING = freeze(replyText(""));

/** @returns {Reply} */
export const failed = () => replyWith(Answer.Failed, "");

/** @param {any} refusal { message, details? } @returns {Reply} */
export function refused(refusal) {
  const details = pick(refusal, "details");
  const text = toText({ __proto__: null, message: `${pick(refusal, "message") ?? ""}`, details }, 64, 4096);
  return replyText(typeof text === "string" ? text : `{"message":""}`);
}
