// @ts-check
/** What the script says: the texts of jsbridge/texts.go, which are the same for every instance of a build. */

/** @type {any} */
let texts = { __proto__: null };

/** @param {object} given jsbridge/texts.go, frozen */
export function learn(given) {
  texts = given;
}

/** @param {string} name of a text or a payload @returns {any} */
export const say = (name) => texts[name];
