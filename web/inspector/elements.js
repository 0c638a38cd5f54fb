// @ts-check
/** Small verbs for building the panel. Whatever is shown of the page is text, with what cannot be seen in it as escapes. */
import { icon, make, say, sayVisibly } from "../dialog/elements.js";
import { isTrusted } from "../dialog/intrinsics.js";
import { ROW, clip, pretty } from "./words.js";

export { make, say };

const MOST_LINES = 400;

/** A span with text of the page, cut short. @param {string} name its class @param {unknown} text @param {number} [most] */
export function told(name, text, most = ROW) {
  const made = make("span", name);
  sayVisibly(made, clip(text, most));
  return made;
}

/** A span with the panel's own words. @param {string} name its class @param {string} text */
export const label = (name, text) => say(make("span", name), text);

/**
 * A button that only a person can press. A script cannot, though nothing here would do more than the page can do itself.
 * @param {string} text @param {() => void} press @param {string} [name] its class
 */
export function button(text, press, name = "") {
  const made = say(make("button", name), text);
  made.type = "button";
  made.addEventListener("click", (event) => isTrusted(event) && press());
  return made;
}

const ICONS = { close: "M4 4l8 8M12 4l-8 8", down: "M3.5 6l4.5 4.5L12.5 6", back: "M10 3L5 8l5 5", record: "M8 4.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7Z" };

/** @param {keyof typeof ICONS} shape @param {string} text for who cannot see it @param {() => void} press @param {string} [name] */
export function iconButton(shape, text, press, name = "") {
  const made = button("", press, `icon ${name}`);
  const { picture, draw } = icon();
  draw(ICONS[shape]);
  made.append(picture);
  made.setAttribute("aria-label", text);
  made.title = text;
  return made;
}

/** A value as JSON in a field that scrolls. @param {unknown} value @param {string} name what it is, for who cannot see it */
export const json = (value, name) => code(pretty(value), name);

/** @param {string} text of several lines @param {string} name */
export function code(text, name) {
  const made = make("pre", "code");
  made.tabIndex = 0;
  made.setAttribute("role", "group");
  made.setAttribute("aria-label", name);
  const lines = text.split("\n");
  for (const line of lines.slice(0, MOST_LINES)) {
    const shown = make("span", "");
    sayVisibly(shown, line);
    made.append(shown, "\n");
  }
  if (lines.length > MOST_LINES) {
    made.append(`… ${lines.length - MOST_LINES} more lines`);
  }
  return made;
}

/** A titled part. @param {string} title @param {...Node} children */
export function section(title, ...children) {
  const made = make("section", "");
  made.append(say(make("h3", ""), title), ...children);
  return made;
}

/** Names with values, those without a value left out. @param {readonly (readonly [string, Node | undefined])[]} pairs */
export function facts(pairs) {
  const list = make("dl", "facts");
  for (const [name, value] of pairs) {
    if (value !== undefined) {
      const holder = make("dd", "");
      holder.append(value);
      list.append(say(make("dt", ""), name), holder);
    }
  }
  return list;
}

/** @param {readonly string[]} heads @param {readonly (readonly Node[])[]} rows @param {string} name */
export function table(heads, rows, name) {
  const body = make("tbody", "");
  for (const cells of rows) {
    const row = make("tr", "");
    for (const cell of cells) {
      const holder = make("td", "");
      holder.append(cell);
      row.append(holder);
    }
    body.append(row);
  }
  const head = make("tr", "", ...heads.map((text) => {
    const cell = say(make("th", ""), text);
    cell.scope = "col";
    return cell;
  }));
  const made = make("table", "", make("thead", "", head), body);
  made.setAttribute("aria-label", name);
  const frame = make("div", "frame", made);
  frame.tabIndex = 0;
  frame.setAttribute("role", "group");
  frame.setAttribute("aria-label", name);
  return frame;
}

/** Makes at most one update in each frame of those that are asked for. @param {() => void} update */
export function perFrame(update) {
  let asked = 0;
  const run = () => {
    asked = 0;
    update();
  };
  return {
    ask: () => void (asked ||= requestAnimationFrame(run)),
    stop: () => {
      cancelAnimationFrame(asked);
      asked = 0;
    },
  };
}
