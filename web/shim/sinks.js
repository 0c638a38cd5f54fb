// @ts-check
/** The audit sinks of the API. An event is kept as its text, so that what is handed out is a copy each time. */
import { NativeMap, NativeTypeError, freeze, isFiniteNumber, mapDelete, mapForEach, mapSet, pick, report } from "./intrinsics.js";
import { written } from "./definitions.js";
import { say } from "./texts.js";
import { fromText } from "./values.js";

/** @param {any} [options] { capacity? } */
export function memoryAuditSink(options) {
  const capacity = pick(options, "capacity") ?? 1000;
  if (!(isFiniteNumber(capacity) && capacity >= 1)) {
    throw new NativeTypeError(say("capacity"));
  }
  /** @type {Map<number, string>} */
  const kept = new NativeMap();
  let last = 0;
  return freeze({
    record: (/** @type {unknown} */ event) => {
      mapSet(kept, ++last, written(event, "event"));
      mapDelete(kept, last - (capacity - (capacity % 1)));
    },
    events: () => {
      let text = "";
      mapForEach(kept, (one) => {
        text += (text === "" ? "" : ",") + one;
      });
      return fromText(`[${text}]`);
    },
  });
}

export const consoleAuditSink = () => freeze({
  record: (/** @type {unknown} */ event) => report("debug", `pagewarden: audit ${written(event, "event")}`),
});
