// @ts-check
/**
 * What happens on the page when a tool is called, for whoever shows it (pagewarden-cursor.js): the control, the fields,
 * and the writes, which a cursor may spread out. It stands under a symbol on each tool for the browser.
 */
import { addListener, apply, freeze, isObject, jsonParse, jsonStringify, pageDocument, removeListener, signalAborted } from "../shim/builtins.js";
import { follow } from "../shim/promises.js";
import { controlOf } from "./control.js";
import { isConnected, isTrusted, microtask, min } from "./dom.js";
import { fieldsOf, whyNot } from "./fields.js";
import { add, newList } from "./find.js";
import { parsed } from "./schema.js";
import { writingOf } from "./values.js";

/** Where a tool for the browser has its stage. */
export const STAGE = Symbol.for("pagewarden.stage");

/** Where the page's document has the function of a mounted cursor. */
const CURSOR = Symbol.for("pagewarden.cursor");

/**
 * A field and what is written into it.
 * @typedef {{ __proto__?: null, field: import("./fields.js").Field, writing: import("./values.js").Writing | undefined, done: number, why: string }} Part
 */

/** The stage of a tool: what a call with those arguments would touch; nothing moves. @param {import("./define.js").Kept} kept */
export const stageOf = (kept) => freeze({
  __proto__: null,
  look: (/** @type {unknown} */ args) => {
    const scene = new Scene(kept, parsed(kept.schema, args), undefined);
    return scene.shown();
  },
});

/** One call on the page. */
export class Scene {
  /** @type {import("./define.js").Kept} */ #kept;
  /** @type {any} */ #input;
  /** @type {AbortSignal | undefined} */ #signal;
  /** @type {{ element: any, why: string } | undefined} */ #control;
  /** @type {any} a list of parts */ #parts = newList();
  #stopped = false;
  #writing = false;

  /** @param {import("./define.js").Kept} kept @param {any} input @param {AbortSignal | undefined} signal */
  constructor(kept, input, signal) {
    this.#kept = kept;
    this.#input = input;
    this.#signal = signal;
    if (isObject(input)) {
      const fields = fieldsOf(kept, input, () => this.control.element);
      for (let i = 0; i < fields.length; i++) {
        add(this.#parts, this.#partOf(fields[i]));
      }
    }
  }

  /** @param {import("./fields.js").Field} field @returns {Part} */
  #partOf(field) {
    const writing = field.why === "" ? writingOf(field, this.#input[field.name]) : undefined;
    return { __proto__: null, field, writing, done: 0, why: field.why };
  }

  /** The tool's control, looked for when it is first needed. */
  get control() {
    this.#control ??= pageDocument === undefined ? { element: undefined, why: "There is no page." } : controlOf(this.#kept);
    return this.#control;
  }

  /** The scene as a cursor sees it. */
  shown() {
    const fields = newList();
    for (let i = 0; i < this.#parts.length; i++) {
      const part = this.#parts[i];
      if (part.writing !== undefined) {
        add(fields, freeze({
          __proto__: null, name: part.field.name, element: part.field.elements[0], steps: part.writing.steps, write: (/** @type {number} */ step) => this.#write(part, step),
        }));
      }
    }
    return freeze({
      __proto__: null, id: this.#kept.id, title: this.#kept.title, control: this.control.element, confirms: this.#kept.asks, signal: this.#signal, fields: freeze(fields),
    });
  }

  /**
   * Writes everything, by way of the cursor if there is one, and then goes on.
   * @param {() => void} then @param {(error: any) => void} fail gets what writing or then throws: nobody may be there to catch it any more
   */
  play(then, fail) {
    const perform = pageDocument === undefined ? undefined : /** @type {any} */ (pageDocument)[CURSOR];
    if (typeof perform !== "function") {
      this.#finish(then, fail);
      return;
    }
    const edited = (/** @type {Event} */ event) => {
      this.#stopped = this.#stopped || (isTrusted(event) && !this.#writing); // what follows a click of ours is trusted too
    };
    this.eachElement((element) => addListener(element, "input", edited, true));
    const end = () => {
      this.eachElement((element) => removeListener(element, "input", edited, true));
      this.#finish(then, fail);
    };
    let played;
    try {
      played = apply(perform, undefined, [this.shown()]);
    } catch {
      // what it has not written is written at once
    }
    follow(played, end, end);
  }

  /** @param {(element: any) => void} visit every element that is written into, or would be */
  eachElement(visit) {
    for (let i = 0; i < this.#parts.length; i++) {
      const { elements } = this.#parts[i].field;
      for (let j = 0; j < elements.length; j++) {
        visit(elements[j]);
      }
    }
  }

  /**
   * Writes what has not been written. Between two steps applications get their turn: what their state will be after the
   * first they often know only then. Nothing is drawn in between.
   * @param {() => void} then @param {(error: any) => void} fail
   */
  #finish(then, fail) {
    try {
      for (let i = 0; i < this.#parts.length; i++) {
        const part = this.#parts[i];
        if (part.writing !== undefined && part.why === "" && part.done < part.writing.steps) {
          this.#write(part, part.writing.each ? part.done + 1 : part.writing.steps);
          microtask(() => this.#finish(then, fail));
          return;
        }
      }
      then();
    } catch (error) {
      fail(error);
    }
  }

  /** One step of a field; false when it is over with it. @param {Part} part @param {number} step */
  #write(part, step) {
    if (part.writing === undefined || part.why !== "" || !(step > part.done && step <= part.writing.steps)) {
      return false;
    }
    if (this.#stopped || (this.#signal !== undefined && signalAborted(this.#signal))) {
      part.why = "the person edits the page";
      return false;
    }
    this.#lookAgain(part);
    if (part.writing === undefined || part.why !== "") {
      return false;
    }
    part.done = step;
    this.#writing = true;
    part.why = part.writing.write(min(step, part.writing.steps));
    this.#writing = false;
    return part.why === "";
  }

  /** The page may have rendered a field anew since, or have closed it. @param {Part} part */
  #lookAgain(part) {
    const { field } = part;
    if (!isConnected(field.elements[0])) {
      const again = fieldsOf(this.#kept, { __proto__: null, [field.name]: this.#input[field.name] }, () => this.control.element);
      const { writing, why, field: found } = this.#partOf(again[0]);
      part.field = found;
      part.writing = writing;
      part.why = why;
    } else {
      part.why = whyNot(field.elements);
    }
  }

  /** What came of the writing: { fields, unfilled, reasons }. */
  outcome() {
    /** @type {any} */
    const fields = { __proto__: null };
    /** @type {any} */
    const reasons = { __proto__: null };
    let names = "";
    for (let i = 0; i < this.#parts.length; i++) {
      const { field, why } = this.#parts[i];
      if (field.elements.length > 0 && field.why !== "ambiguous") {
        fields[field.name] = field.elements[0];
      }
      if (why !== "") {
        reasons[field.name] = why;
        names += `${names === "" ? "" : ","}${jsonStringify(field.name)}`;
      }
    }
    return { __proto__: null, fields: freeze(fields), reasons: freeze(reasons), unfilled: freeze(jsonParse(`[${names}]`)) };
  }
}
