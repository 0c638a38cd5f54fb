// @ts-check
/** Brings the input of a call onto the page. */
import { ConfirmationUnavailableError } from "./errors.js";
import { add, newList } from "./find.js";
import { Scene } from "./stage.js";
import { noteFields, waitingAt, waitingWith } from "./waiting.js";

/**
 * What came of it: the fields that were found, the parameters that were left alone and why, and whether the page shows the
 * same input already.
 * @typedef {{ __proto__?: null, fields: any, unfilled: any, reasons: any, again: boolean }} Filled
 */

/**
 * Finds and writes. Nothing has moved when it fails.
 * @param {import("./define.js").Kept} kept @param {any} input @param {AbortSignal} signal
 * @param {(filled: Filled) => void} then @param {(error: any) => void} fail
 */
export function fillIn(kept, input, signal, then, fail) {
  const scene = new Scene(kept, input, signal);
  if (kept.asks && scene.control.element === undefined) {
    fail(new ConfirmationUnavailableError(scene.control.why));
    return;
  }
  const other = (kept.asks ? waitingAt(scene.control.element) : undefined) ?? holderOf(scene);
  if (other === undefined) {
    scene.play(() => {
      const elements = newList();
      scene.eachElement((element) => add(elements, element));
      noteFields(kept, elements);
      then({ ...scene.outcome(), again: false });
    }, fail);
  } else if (other.kept === kept && kept.connection.source.jsonDeepEqual(other.input, input)) {
    then({ ...scene.outcome(), again: true }); // the person looks at it
  } else {
    fail(busy(kept, other.left()));
  }
}

/** Who looks at one of the fields that this call would write into. @param {Scene} scene */
function holderOf(scene) {
  /** @type {import("./waiting.js").Waiting | undefined} */
  let found;
  scene.eachElement((element) => {
    found ??= waitingWith(element);
  });
  return found;
}

/** One click can answer one question only, and what the person is asked about stays as they see it. @param {import("./define.js").Kept} kept @param {number} retryAfterMs */
function busy(kept, retryAfterMs) {
  const details = { reason: "queue-full", retryAfterMs };
  const message = "The person has not answered an earlier call at the same control or form yet. Wait for details.retryAfterMs milliseconds and call again.";
  return new kept.connection.source.AgentSurfaceError({ code: "RATE_LIMITED", message, retry: "after-delay", details });
}
