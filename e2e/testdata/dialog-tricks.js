// What a hostile script of the page tries, once the dialog's module has been loaded.
const native = {
  apply: Reflect.apply, construct: Reflect.construct, Node, Element, rootOf: Node.prototype.getRootNode, has: Element.prototype.hasAttribute, Proxy,
  names: Object.getOwnPropertyNames, symbols: Object.getOwnPropertySymbols, describe: Object.getOwnPropertyDescriptor, define: Object.defineProperty, String,
};
const host = () => document.querySelector("[data-pagewarden]");

/** Whether a page should never have got hold of it: a node that is not in the page's own tree, but for the host, which is while it is shown. */
function secret(value) {
  return value instanceof native.Node && native.apply(native.rootOf, value, []) !== document
    && !(value instanceof native.Element && native.apply(native.has, value, ["data-pagewarden"]));
}

/** The secrets that were found, by where. @type {string[]} */
const found = [];

function note(where, ...values) {
  for (const value of values) if (secret(value)) found.push(`${where}: ${value.nodeName}`);
}

/** Listens to every event that a page can, and keeps what each one tells. */
function listen() {
  const names = new Set(["wheel", "cancel", "close", "toggle", "beforetoggle", "submit", "invalid", "selectionchange", "selectstart", "touchstart", "touchend"]);
  for (const object of [window, document, HTMLElement.prototype]) {
    for (let at = object; at !== null; at = Object.getPrototypeOf(at)) {
      for (const name of Object.getOwnPropertyNames(at)) if (name.startsWith("on")) names.add(name.slice(2));
    }
  }
  const tell = (event) => {
    note(`${event.type}.target`, event.target, event.srcElement, event.relatedTarget, event.currentTarget, event.explicitOriginalTarget);
    note(`${event.type}.composedPath`, ...event.composedPath());
    note(`${event.type} window.event`, window.event?.target);
  };
  for (const name of names) {
    for (const object of [window, document]) {
      object.addEventListener(name, tell, true);
      object.addEventListener(name, tell, false);
    }
  }
}

/** The kinds of measurements that came. */
const measured = new Set();

/** Watches what the browser measures and names elements in. */
function measure() {
  for (const type of PerformanceObserver.supportedEntryTypes) {
    new PerformanceObserver((list) => {
      measured.add(type);
      for (const entry of list.getEntries()) {
        note(type, entry.element, entry.target, entry.node, ...(entry.sources ?? []).map((source) => source.node));
      }
    }).observe({ type, buffered: true, ...(type === "event" && { durationThreshold: 16 }) });
  }
}

/** Asks everything that answers with nodes. */
function ask() {
  const box = { width: innerWidth, height: innerHeight };
  const selection = getSelection();
  note("selection", selection.anchorNode, selection.focusNode);
  for (let i = 0; i < selection.rangeCount; i++) note("range", selection.getRangeAt(i).startContainer, selection.getRangeAt(i).commonAncestorContainer);
  for (const range of selection.getComposedRanges?.() ?? []) note("composed range", range.startContainer, range.endContainer);
  note("activeElement", document.activeElement, ...document.querySelectorAll(":focus, :focus-within, :hover, :active, :modal"));
  note("animations", ...document.getAnimations().map((animation) => animation.effect.target));
  note("host", host().shadowRoot, host().openOrClosedShadowRoot, host().firstChild, host().cloneNode(true).shadowRoot);
  for (let x = 20; x < box.width; x += 60) {
    for (let y = 20; y < box.height; y += 30) {
      note("elementsFromPoint", ...document.elementsFromPoint(x, y));
      note("caretPositionFromPoint", document.caretPositionFromPoint?.(x, y)?.offsetNode);
      note("caretRangeFromPoint", document.caretRangeFromPoint?.(x, y)?.startContainer);
    }
  }
  try {
    note("internals", host().attachInternals().shadowRoot);
  } catch {
    // What is no custom element has none.
  }
  if (document.documentElement.getHTML({ serializableShadowRoots: true }).includes("Approve")) found.push("getHTML");
  if (document.documentElement.innerText.includes("Approve")) found.push("innerText");
}

/** Puts a recorder into the place of every function and accessor that a page can reach. */
function patch() {
  let busy = false;
  const watch = (original, where) => function (...args) {
    if (busy) return native.apply(original, this, args);
    busy = true;
    note(where, this, ...args);
    busy = false;
    const given = native.apply(original, this, args);
    busy = true;
    note(`what ${where} gave`, given);
    busy = false;
    return given;
  };
  const objects = [];
  for (const name of native.names(globalThis)) {
    const value = native.describe(globalThis, name).value;
    if (typeof value === "function" && name !== "lab") objects.push([name, value], [`${name}.prototype`, value.prototype]);
    else if (["JSON", "Math", "Reflect", "CSS", "Intl"].includes(name)) objects.push([name, value]);
  }
  for (const [where, object] of objects) {
    if (object === null || (typeof object !== "object" && typeof object !== "function")) continue;
    for (const key of [...native.names(object), ...native.symbols(object)]) {
      if (key === "constructor" || key === "prototype") continue;
      const property = native.describe(object, key);
      if (!property.configurable) continue;
      const changed = { ...property };
      for (const side of ["value", "get", "set"]) {
        if (typeof property[side] === "function" && !native.describe(property[side], "prototype")) changed[side] = watch(property[side], `${where}.${native.String(key)}`);
      }
      native.define(object, key, changed);
    }
  }
  for (const name of native.names(globalThis)) {
    const property = native.describe(globalThis, name);
    if (typeof property.value !== "function" || !property.configurable || ["Proxy", "lab"].includes(name)) continue;
    const original = property.value;
    native.define(globalThis, name, {
      ...property,
      value: new native.Proxy(original, {
        apply(target, self, args) { note(name, ...args); return native.apply(target, self === globalThis ? undefined : self, args); },
        construct(target, args, made) { note(`new ${name}`, ...args); return native.construct(target, args, made); },
      }),
    });
  }
}

/** Says yes to every option that a built-in could read from a prototype. */
function poison() {
  const options = {
    serializable: true, clonable: true, delegatesFocus: true, slotAssignment: "manual", once: true, passive: true, capture: true, signal: AbortSignal.abort(),
    trackVisibility: false, delay: 1e9, threshold: 0, rootMargin: "9999px", preventScroll: false, focusVisible: true, mode: "open", is: "x-y",
    approved: true, onShow: () => found.push("an inherited onShow"), labels: { title: "Inherited" }, timers: 7, media: "print", disabled: true,
    confirmationId: "cnf_0", snapshot: () => ({ components: [] }), language: "xx", direction: "rtl",
  };
  for (const name of Object.keys(options)) Object.prototype[name] = options[name];
  for (let i = 0; i < 8; i++) {
    Object.defineProperty(Array.prototype, i, {
      configurable: true,
      get: () => undefined,
      set(value) {
        note("Array.prototype", this, value);
        native.define(this, i, { __proto__: null, value, configurable: true, enumerable: true, writable: true });
      },
    });
  }
}

/** Everything by which a script can seem to press a button. */
async function press() {
  const target = host();
  const box = target.getBoundingClientRect();
  const events = [
    () => new MouseEvent("click", { bubbles: true, composed: true, detail: 1, clientX: box.x, clientY: box.y }),
    () => new PointerEvent("click", { bubbles: true, composed: true, pointerId: 1 }), () => new PointerEvent("pointerdown", { bubbles: true, composed: true }),
    () => new PointerEvent("pointerup", { bubbles: true, composed: true }), () => new Event("cancel"), () => new Event("close"),
    () => new SubmitEvent("submit", { bubbles: true, composed: true }),
    ...["Enter", " ", "Escape"].flatMap((key) => ["keydown", "keypress", "keyup"].map((type) => () => new KeyboardEvent(type, { key, code: key, bubbles: true, composed: true, cancelable: true }))),
  ];
  const targets = [target, document.activeElement, document.body, document, window];
  for (let x = 20; x < innerWidth; x += 40) for (let y = 20; y < innerHeight; y += 40) targets.push(document.elementFromPoint(x, y));
  for (const one of targets) {
    for (const make of events) one?.dispatchEvent(make());
    one?.focus?.();
    one?.click?.();
  }
  const forged = new MouseEvent("click", { bubbles: true, composed: true });
  try {
    Object.defineProperty(forged, "isTrusted", { get: () => true });
  } catch {
    // The browser does not let it be replaced.
  }
  target.dispatchEvent(forged);
  target.dispatchEvent(Object.setPrototypeOf(new MouseEvent("click", { bubbles: true, composed: true }), { __proto__: MouseEvent.prototype, isTrusted: true }));
  const form = document.createElement("form");
  form.id = "form";
  form.addEventListener("submit", (event) => event.preventDefault());
  document.body.append(form);
  target.setAttribute("form", "form");
  form.requestSubmit();
  const label = document.createElement("label");
  label.htmlFor = "approve";
  document.body.append(label);
  label.click();
  for (const command of ["delete", "insertText", "selectAll", "forwardDelete"]) document.execCommand(command, false, "x");
  new CloseWatcher().requestClose();
  target.accessKey = "a";
  form.remove();
  label.remove();
  getSelection().removeAllRanges();
}

globalThis.tricks = { found, measured, listen, measure, ask, patch, poison, press };
