// @ts-check
/** One call by hand: its result and, where a person must decide, the second call with their decision. */
import { button, json, label, make, told } from "./elements.js";
import { duration } from "./words.js";

/** @typedef {import("../pagewarden.js").InvokeResult} InvokeResult */
/** @typedef {{ capabilityId: string, registrationId: string, input?: unknown }} Request */

export class Trial {
  element = make("article", "trial");
  /** @type {import("./feed.js").Feed} */ #feed;
  /** @type {Request} */ #request;
  #consumer;
  #controller = new AbortController();
  #steps = make("ol", "steps");

  /** @param {import("./feed.js").Feed} feed @param {Request} request */
  constructor(feed, request) {
    this.#feed = feed;
    this.#request = request;
    this.#consumer = feed.consumer;
    this.element.append(this.#steps);
  }

  /** Withdraws what still runs or waits. */
  stop() {
    this.#controller.abort();
  }

  /** @param {string} [confirmationId] the person's decision */
  async run(confirmationId) {
    const step = this.#step(confirmationId === undefined ? "Called" : "Called again, with the confirmation");
    const cancel = button("Cancel", () => this.#controller.abort(), "small");
    step.append(cancel);
    const began = performance.now();
    try {
      const { input, ...request } = this.#request;
      const result = await this.#feed.registry.invoke(
        { ...request, ...(input !== undefined && { input }), ...(confirmationId !== undefined && { confirmationId }) },
        { consumer: this.#consumer, signal: this.#controller.signal },
      );
      this.#showResult(step, result, performance.now() - began);
    } catch (error) {
      step.append(told("problem", `The registry has ended: ${/** @type {Error} */ (error).message}`));
    }
    cancel.remove();
  }

  /** @param {string} title */
  #step(title) {
    const step = make("li", "", label("strong", title));
    this.#steps.append(step);
    return step;
  }

  /** @param {HTMLElement} step @param {InvokeResult} result @param {number} ms */
  #showResult(step, result, ms) {
    const { status, error, output } = result;
    step.append(label(`badge ${error?.code === "CONFIRMATION_REQUIRED" ? "asks" : status}`, error?.code ?? "ok"), label("quiet", duration(ms)));
    if (error === undefined) {
      step.append(output === undefined ? label("quiet", "no output") : json(output, "Output"));
      return;
    }
    step.append(make("p", "", told("", error.message, 400)), make("p", "quiet", label("", `retry: ${error.retry}`)));
    const id = error.details?.["confirmationId"];
    if (error.code === "CONFIRMATION_REQUIRED" && typeof id === "string") {
      this.#await(id);
    } else if (error.details !== undefined) {
      step.append(json(error.details, "Details"));
    }
  }

  /** @param {string} id */
  async #await(id) {
    const step = this.#step("A person decides");
    const state = label("badge running", "waiting");
    step.append(state, make("p", "quiet", label("", "In the page's own UI, or its dialog. Nothing in this panel approves.")));
    const again = button("Call again now", () => {
      again.remove();
      this.run(id);
    }, "small");
    step.append(again);
    const outcome = await this.#feed.registry.confirmations.waitFor(id, { signal: this.#controller.signal }).catch(() => "expired");
    state.textContent = outcome;
    state.className = `badge ${outcome}`;
    if (outcome === "approved" && again.isConnected) {
      again.remove();
      this.run(id);
    }
  }
}
