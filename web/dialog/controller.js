// @ts-check
/** Shows what waits for a person, one question at a time, and passes on what they decide. */
import {
  activeElement, addListener, appendChild, apply, bodyOf, ceil, dateParse, deepActiveElement, dialogIsOpen, eventDetail, focusElement,
  isConnected, isTrusted, keyOf, matches, max, ownerOf, pageDocument, parentOf, preventDefault, quietly, removeAttribute, removeElement,
  removeListener, rootElement, showModal, stopPropagation,
} from "./intrinsics.js";
import { Presses } from "./presses.js";
import { Sight } from "./sight.js";
import { subjectOf } from "./subject.js";
import { View } from "./view.js";

/** @typedef {import("../pagewarden.js").PendingConfirmation} Pending */
/**
 * @typedef {object} Settings
 * @property {any} registry
 * @property {import("./confirmations.js").Confirmations} confirmations
 * @property {import("./clock.js").Clock} clock
 * @property {import("./labels.js").Labels} labels
 * @property {Node | undefined} root where the page wants the dialog
 * @property {((pending: Pending) => unknown) | undefined} onShow
 */

/** How long a question must have been in sight, in milliseconds, before it can be approved. */
const ARMING = 400;

const SECOND = 1000;

export class Controller {
  /** @type {Settings} */ #settings;
  /** @type {View} */ #view;
  /** @type {Sight} */ #sight;
  /** @type {Presses} */ #presses;
  /** @type {Pending | undefined} */ #shown;
  /** Whether the page knows that it is shown. */ #told = false;
  /** Whether the person has decided on it. */ #decided = false;
  /** Whether it was put on top of what lay above it. */ #raised = false;
  /** @type {number | undefined} the moment from which on the person has seen it without a break */ #since;
  /** @type {Element | null} what had the focus before */ #before = null;
  #stopListening = () => {};
  #stopCounting = () => {};
  #stopArming = () => {};
  /** The page went into the background, or came back: what the person knows of the question starts anew. */
  #awayOrBack = () => this.#shown !== undefined && this.#lookAnew();

  /** @param {Settings} settings */
  constructor(settings) {
    this.#settings = settings;
    this.#view = new View(settings.labels);
    this.#presses = new Presses(this.#view.root, settings.clock);
    this.#sight = new Sight(this.#view, (seen) => this.#seen(seen));
    this.#listen();
  }

  #listen() {
    const view = this.#view;
    addListener(view.approve, "click", (/** @type {Event} */ event) => this.#mayApprove(event) && this.#decide(true));
    addListener(view.deny, "click", (/** @type {Event} */ event) => isTrusted(event) && this.#decide(false));
    addListener(view.dialog, "keydown", (/** @type {Event} */ event) => keyOf(event) === "Escape" && this.#escaped(event));
    addListener(view.dialog, "cancel", (/** @type {Event} */ event) => this.#escaped(event));
    addListener(view.dialog, "close", () => this.#closedByPerson() && this.#decide(false));
  }

  start() {
    this.#stopListening = this.#settings.confirmations.subscribe(() => this.#refresh());
    addListener(pageDocument, "visibilitychange", this.#awayOrBack);
    this.#refresh();
  }

  /** Takes the dialog away. What waits goes on waiting: that nobody shows it is no decision. */
  stop() {
    this.#stopListening();
    removeListener(pageDocument, "visibilitychange", this.#awayOrBack);
    this.#hide();
  }

  #refresh() {
    const { next, count } = this.#settings.confirmations.look(this.#shown?.confirmationId);
    if (next === undefined) {
      this.#hide();
      return;
    }
    if (next.confirmationId !== this.#shown?.confirmationId) {
      this.#show(next);
    } else if (this.#closedByPerson()) {
      this.#decide(false);
      return;
    } else if (isConnected(this.#view.host)) {
      this.#stand();
    } else if (this.#home() !== null) {
      this.#rebuild(next);
    }
    this.#count(next, count);
  }

  /** The browser tells when the dialog is covered, but not when it becomes too small. */
  #tick() {
    this.#sight.look();
    this.#refresh();
  }

  /** Says how long is left, at every full second. @param {Pending} pending @param {number} count */
  #count(pending, count) {
    const { clock } = this.#settings;
    const left = max(0, dateParse(pending.expiresAt) - clock.now()) || 0;
    this.#view.count(ceil(left / SECOND), count - 1);
    this.#stopCounting();
    this.#stopCounting = clock.after(left % SECOND || SECOND, () => this.#tick());
  }

  /** @param {Pending} pending */
  #show(pending) {
    const another = this.#shown !== undefined;
    const subject = subjectOf(this.#settings.registry, pending);
    this.#shown = pending;
    this.#told = this.#decided = this.#raised = false;
    this.#presses.forget();
    this.#view.show(pending, subject, another);
    if (!this.#stand()) {
      this.#lookAnew();
      this.#focusTitle();
    }
  }

  /** The page has taken the dialog out: with document.open, all listeners in it went as well. @param {Pending} pending */
  #rebuild(pending) {
    const { labels, clock, registry } = this.#settings;
    this.#unsee();
    this.#sight.stop();
    this.#view = new View(labels);
    this.#presses = new Presses(this.#view.root, clock);
    this.#sight = new Sight(this.#view, (seen) => this.#seen(seen));
    this.#listen();
    addListener(pageDocument, "visibilitychange", this.#awayOrBack);
    this.#view.show(pending, subjectOf(registry, pending), false);
    this.#stand();
  }

  /** The title first: it is read out, and a key that was meant for the page does nothing there. */
  #focusTitle() {
    focusElement(this.#view.title, { __proto__: null, preventScroll: true });
  }

  /** Where the dialog belongs; nowhere while the page has no root element. @returns {Node | null} */
  #home() {
    const { root } = this.#settings;
    return root !== undefined && isConnected(root) && ownerOf(root) === pageDocument ? root : rootElement(pageDocument);
  }

  /** Puts the dialog where it belongs, on top of all else; false when it stands there already. */
  #stand() {
    const { host, dialog } = this.#view;
    const home = this.#home();
    if (home === null || parentOf(host) === home && dialogIsOpen(dialog) && matches(dialog, ":modal")) {
      return false;
    }
    this.#before ??= deepActiveElement();
    this.#raise(home);
    return true;
  }

  /** @param {Node} home */
  #raise(home) {
    const { host, dialog } = this.#view;
    this.#takeOut();
    appendChild(home, host);
    showModal(dialog);
    this.#focusTitle();
    this.#lookAnew();
  }

  /** Without closing it first: on closing, the browser gives the focus back, but not the place for typing. */
  #takeOut() {
    removeElement(this.#view.host);
    removeAttribute(this.#view.dialog, "open");
  }

  #lookAnew() {
    this.#unsee();
    this.#sight.look();
  }

  #unsee() {
    this.#since = undefined;
    this.#stopArming();
    this.#view.arm(false);
  }

  /** @param {boolean} seen whether the person sees the whole dialog */
  #seen(seen) {
    const { clock, onShow } = this.#settings;
    const shown = this.#shown;
    if (shown === undefined) {
      return;
    }
    if (!seen && !this.#raised && this.#sight.isUnderGlass()) {
      this.#raised = true; // once, so that two that want to be on top do not go on for ever
      const home = this.#home();
      home && this.#raise(home);
      return;
    }
    this.#view.cover(!seen);
    if (!seen) {
      this.#unsee();
    } else if (this.#since === undefined) {
      this.#since = clock.moment();
      this.#stopArming = clock.after(ARMING, () => this.#view.arm(true));
    }
    if (seen && !this.#told) {
      this.#told = true;
      quietly(() => onShow && apply(onShow, undefined, [shown]));
    }
  }

  /** Whether a click is a person's, on a question that they have had in sight for long enough. @param {Event} event */
  #mayApprove(event) {
    return isTrusted(event) && this.#since !== undefined && this.#presses.beginOf(event) >= this.#since + ARMING
      && this.#sight.confirms(event, eventDetail(event) > 0);
  }

  /**
   * Escape, or what stands for it on a device without keys. The key is for this question only: the browser would close
   * other dialogs with it, and the page would act on it too.
   * @param {Event} event
   */
  #escaped(event) {
    if (isTrusted(event)) {
      preventDefault(event);
      stopPropagation(event);
      this.#decide(false);
    }
  }

  /** A page cannot reach the dialog to close it; the browser does, for the person, even where it does not ask before. */
  #closedByPerson() {
    const { host, dialog } = this.#view;
    return this.#shown !== undefined && !this.#decided && isConnected(host) && !dialogIsOpen(dialog);
  }

  /** @param {boolean} approved */
  #decide(approved) {
    const id = this.#shown?.confirmationId;
    if (id !== undefined) {
      this.#decided = true;
      this.#settings.confirmations.resolve(id, approved);
      this.#refresh();
    }
  }

  #hide() {
    this.#stopCounting();
    if (this.#shown === undefined) {
      return;
    }
    this.#shown = undefined;
    this.#unsee();
    this.#sight.stop();
    this.#takeOut();
    this.#returnFocus();
  }

  #returnFocus() {
    const before = this.#before;
    this.#before = null;
    if (before === null || !isConnected(before) || activeElement(pageDocument) !== bodyOf(pageDocument)) {
      return;
    }
    try {
      focusElement(before, { __proto__: null, preventScroll: true });
    } catch {
      // What is no element of HTML goes without.
    }
  }
}
