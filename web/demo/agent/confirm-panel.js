// A plain host UI for pending confirmations: one modal dialog, one request at a time. Everything shown is text.

/** @typedef {import("./types.js").Registry} Registry */
/**
 * @typedef {object} Pending
 * @property {string} confirmationId
 * @property {string} capabilityId
 * @property {string} consumerKey
 * @property {string} effect
 * @property {string} summary
 * @property {unknown} input
 * @property {string} expiresAt
 */

const EFFECTS = /** @type {Record<string, string>} */ ({
  "local-state": "Changes what you see",
  navigation: "Leaves this view",
  "server-mutation": "Changes data on the server",
  "external-side-effect": "Acts outside this system",
  destructive: "Destructive: changes data on the server",
});

/**
 * Shows each pending confirmation until it is decided, here or elsewhere, or expires.
 * @param {Registry} registry
 * @param {Document} document
 */
export function mountConfirmPanel(registry, document) {
  const { confirmations } = registry;
  const panel = createPanel(document);
  /** @type {Pending | undefined} */
  let shown;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  let clock;

  const refresh = () => {
    /** @type {readonly Pending[]} */
    const pending = confirmations.pending();
    const next = pending.find((record) => record.confirmationId === shown?.confirmationId) ?? pending[0];
    if (next && next.confirmationId !== shown?.confirmationId) panel.show(next);
    if (!next && shown) panel.hide();
    shown = next;
    clearInterval(clock);
    if (!shown) return;
    panel.tick(shown, pending.length);
    clock = setInterval(refresh, 1000);
  };
  /**
   * Only a person's own click or key decides; a script's synthetic event does not.
   * @param {Event} event
   * @param {boolean} approved
   */
  const decide = (event, approved) => {
    event.preventDefault();
    if (!event.isTrusted || !shown) return;
    confirmations.resolve(shown.confirmationId, { approved });
    refresh();
  };
  panel.approve.addEventListener("click", (event) => decide(event, true));
  panel.deny.addEventListener("click", (event) => decide(event, false));
  panel.dialog.addEventListener("cancel", (event) => decide(event, false));
  confirmations.subscribe(refresh);
  refresh();
}

/** @param {Document} document */
function createPanel(document) {
  const make = elementMaker(document);
  const title = make("h2", "", "Allow this action?");
  title.id = "confirm-title";
  const summary = make("p", "confirm-summary");
  const capability = make("dd", "");
  const effect = make("dd", "confirm-effect");
  const consumer = make("dd", "");
  const input = make("pre", "confirm-input");
  input.tabIndex = 0;
  input.setAttribute("aria-label", "Exact input");
  const left = make("p", "confirm-left");
  const deny = make("button", "button", "Deny");
  const approve = make("button", "button button-danger", "Approve");
  deny.type = approve.type = "button";
  deny.id = "confirm-deny";
  approve.id = "confirm-approve";
  const facts = make("dl", "confirm-facts", make("dt", "", "Capability"), capability, make("dt", "", "Effect"), effect,
    make("dt", "", "Asked by"), consumer);
  const dialog = make("dialog", "confirm", make("div", "confirm-body", title, summary, facts, input),
    make("footer", "confirm-actions", left, deny, approve));
  dialog.id = "confirm-panel";
  dialog.setAttribute("aria-labelledby", title.id);
  document.body.append(dialog);

  return {
    dialog, approve, deny,
    /** @param {Pending} record */
    show(record) {
      summary.textContent = visible(record.summary);
      capability.textContent = visible(record.capabilityId);
      effect.textContent = EFFECTS[record.effect] ?? visible(record.effect);
      effect.dataset.effect = record.effect;
      consumer.textContent = visible(record.consumerKey);
      input.textContent = visible(JSON.stringify(record.input, undefined, 2));
      if (!dialog.open) dialog.showModal();
      // The safe answer has the focus, so that a key meant for the page does not approve.
      deny.focus();
    },
    /**
     * @param {Pending} record
     * @param {number} count
     */
    tick(record, count) {
      const seconds = Math.max(0, Math.ceil((Date.parse(record.expiresAt) - Date.now()) / 1000));
      left.textContent = `${seconds} s left${count > 1 ? ` · ${count - 1} more waiting` : ""}`;
    },
    hide: () => dialog.close(),
  };
}

/** @param {Document} document */
function elementMaker(document) {
  /**
   * @template {keyof HTMLElementTagNameMap} K
   * @param {K} tag
   * @param {string} className
   * @param {...(Node | string)} children
   */
  return (tag, className, ...children) => {
    const made = document.createElement(tag);
    made.className = className;
    made.append(...children);
    return made;
  };
}

/**
 * Writes control, format and bidirectional characters as escapes, so that text cannot look like something else.
 * @param {string} text
 */
function visible(text) {
  return text.replace(/[^\P{C}\n]/gu, (character) =>
    `\\u{${/** @type {number} */ (character.codePointAt(0)).toString(16)}}`);
}
