// @ts-check
/** Records calls, exports them as JSON, and carries a recording out again on this page. */
import { button, json, label, make, perFrame, told } from "./elements.js";
import { replayRecording } from "./replay.js";
import { Rows } from "./rows.js";
import { Split } from "./split.js";

/** @typedef {import("../pagewarden-inspector.js").RecordedCall} RecordedCall */
/** @typedef {import("../pagewarden-inspector.js").ReplayedCall} ReplayedCall */
/** @typedef {{ index: number, call: RecordedCall, replayed: ReplayedCall | undefined }} Line */

export class RecordingView {
  element = make("div", "view");
  /** @type {import("./feed.js").Feed} */ #feed;
  #record = button("Record", () => this.#turn(), "primary");
  #note = label("quiet count", "");
  /** @type {Rows<Line>} */ #rows;
  /** @type {Split} */ #split;
  #shown = false;
  /** @type {readonly RecordedCall[]} what was loaded from a file */ #loaded = [];
  /** @type {Map<number, ReplayedCall>} */ #replayed = new Map();
  #state = "";
  #update = perFrame(() => this.#refresh());

  /** @param {import("./feed.js").Feed} feed */
  constructor(feed) {
    this.#feed = feed;
    this.#rows = new Rows({
      role: "listbox", label: "Recorded calls", empty: "Record, and call something.", keyOf: ({ index }) => `${index}`, draw: drawLine, mark: markLine,
      selected: () => this.#showActive(), entered: () => this.#split.open(),
    });
    const open = button("Open…", () => this.#open());
    const bar = make("div", "toolbar", this.#record, button("Export", () => this.#export()), open, button("Replay here", () => this.#replay()), this.#note);
    this.#split = new Split("Recorded call", () => this.#rows.focus(), bar, this.#rows.element);
    this.element.append(this.#split.element);
    feed.on("calls", () => this.#shown && this.#feed.recorder.isOn && this.#update.ask());
    this.#showActive();
  }

  show() {
    this.#shown = true;
    this.#refresh();
  }

  hide() {
    this.#shown = false;
  }

  stop() {
    this.#update.stop();
    this.#feed.recorder.stop();
  }

  escape() {
    return this.#split.close();
  }

  #turn() {
    const { recorder } = this.#feed;
    if (recorder.isOn) {
      recorder.stop();
    } else {
      this.#loaded = [];
      this.#replayed.clear();
      this.#state = "";
      recorder.start(new Date().toISOString());
    }
    this.#feed.tell("consumers");
    this.#refresh();
  }

  /** @returns {import("../pagewarden-inspector.js").Recording} */
  #recording() {
    const recording = this.#feed.recorder.recording();
    return this.#loaded.length > 0 ? { ...recording, calls: this.#loaded } : recording;
  }

  #refresh() {
    const { recorder } = this.#feed;
    this.#record.textContent = recorder.isOn ? "Stop recording" : "Record";
    this.#record.setAttribute("aria-pressed", `${recorder.isOn}`);
    const { calls } = this.#recording();
    const full = recorder.isFull ? " It is full." : "";
    this.#note.textContent = this.#state !== "" ? this.#state : recorder.isOn || calls.length > 0 ? `${calls.length} ${calls.length === 1 ? "call" : "calls"}.${full}` : "";
    this.#rows.set(calls.map((call, index) => ({ index, call, replayed: this.#replayed.get(index) })));
    this.#showActive();
  }

  #export() {
    const blob = new Blob([`${JSON.stringify(this.#recording(), null, 2)}\n`], { type: "application/json" });
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = "pagewarden-recording.json";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  }

  #open() {
    const input = document.createElement("input");
    input.type = "file";
    input.accept = "application/json";
    input.addEventListener("change", async () => {
      try {
        const recording = JSON.parse(await /** @type {File} */ (input.files?.[0]).text());
        this.#loaded = Array.isArray(recording.calls) ? recording.calls : [];
        this.#state = `${this.#loaded.length} calls of ${recording.recordedAt ?? "a file"}.`;
      } catch (error) {
        this.#state = `The file is no recording: ${/** @type {Error} */ (error).message}`;
      }
      this.#replayed.clear();
      this.#refresh();
    });
    input.click();
  }

  async #replay() {
    const recording = this.#recording();
    this.#feed.recorder.stop();
    this.#loaded = recording.calls;
    this.#replayed.clear();
    this.#state = "Replaying; a person decides what needs it.";
    this.#refresh();
    try {
      const { ok, calls } = await replayRecording(this.#feed.registry, recording, {
        onCall: (call) => {
          this.#replayed.set(call.index, call);
          this.#refresh();
        },
      });
      this.#state = ok ? `All ${calls.length} came out as recorded.` : `${calls.filter((call) => !call.ok).length} of ${calls.length} came out differently.`;
    } catch (error) {
      this.#state = `Replaying stopped: ${/** @type {Error} */ (error).message}`;
    }
    this.#feed.tell("consumers");
    this.#refresh();
  }

  #showActive() {
    const line = this.#rows.active;
    if (line === undefined) {
      this.#split.show(label("empty", "A recording keeps calls and their results. Exported, it is a test: replayRecording(registry, recording)."));
      return;
    }
    const { call, replayed } = line;
    this.#split.show(
      make("h2", "", told("mono", call.capabilityId)),
      ...(replayed === undefined ? [] : [
        make("p", "", label(`badge ${replayed.ok ? "ok" : "error"}`, replayed.ok ? "as recorded" : "different")),
        ...(replayed.ok ? [] : [json(replayed.differences, "Differences")]),
      ]),
      json(call, "Recorded call"),
    );
  }
}

/** @param {Line} line @returns {Node[]} */
function drawLine({ index, call, replayed }) {
  const { capabilityId, consumer, result } = call;
  return [
    label("quiet time number", `${index + 1}`), told("mono grow", capabilityId), told("quiet cut who", `${consumer?.kind}:${consumer?.id}`, 60),
    told(`chip result ${result?.status === "ok" ? "ok" : "error"}`, result?.error?.code ?? result?.status ?? "?", 40),
    ...(replayed === undefined ? [] : [label(`chip result ${replayed.ok ? "ok" : "error"}`, replayed.ok ? "same" : "different")]),
  ];
}

/** @param {Line} line @param {HTMLElement} element */
function markLine({ call, replayed }, element) {
  const now = replayed === undefined ? "" : replayed.ok ? ", the same when replayed" : ", different when replayed";
  element.setAttribute("aria-label", `${String(call.capabilityId).slice(0, 150)}, ${call.result?.error?.code ?? call.result?.status}${now}`);
}
