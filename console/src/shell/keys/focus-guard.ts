/**
 * Single-key shortcuts need focus that the user placed by a click, by Tab or by opening the screen. Focus that a
 * text field lost because it was removed or disabled does not count: the next key presses were meant for the field.
 */
import { isRecovered } from "../../ui/behaviour/focus-mark.ts";

const TEXT_INPUT =
  /^(text|search|email|url|tel|password|number|date|datetime-local|time|month|week)$/;

export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  const isField = /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
  // Code editors use a text field in a shadow root.
  return isField || target.isContentEditable || target.shadowRoot !== null;
}

const isText = (target: HTMLElement): boolean =>
  target instanceof HTMLInputElement ? TEXT_INPUT.test(target.type) : isTyping(target);

interface Field {
  readonly element: HTMLElement;
  /** Shortcuts of another screen do not apply. */
  readonly path: string;
}

/** The text field that had the focus last, until the user moves the focus. */
let last: Field | undefined;

export function hasLostField(target: EventTarget | null): boolean {
  if (!last || last.path !== location.pathname) return false;
  const isNowhere = target === document.body || isRecovered(target);
  return isNowhere && (!last.element.isConnected || last.element.matches(":disabled"));
}

/**
 * After an action has removed its field, the next keys apply to the screen. `from` is the element that contains or
 * contained the field. Focus elsewhere is kept.
 */
export function leaveField(from: Element | null, to: HTMLElement | null): void {
  const { activeElement } = document;
  const isNowhere = activeElement === document.body || isRecovered(activeElement);
  if (!isNowhere && from?.contains(activeElement) !== true) return;
  forget();
  to?.focus({ preventScroll: true });
}

/**
 * Returns whether a key is pressed without Ctrl, Command or Alt. Escape does not count, because it closes popups
 * and types nothing.
 */
export const isSingleKey = (event: KeyboardEvent): boolean =>
  !event.metaKey && !event.ctrlKey && !event.altKey && event.key !== "Escape";

addEventListener(
  "focusin",
  ({ target }) => {
    if (!(target instanceof HTMLElement) || isRecovered(target)) return;
    // Dialogs and popovers restore the focus themselves.
    const isKept = isText(target) && target.closest("dialog, [popover]") === null;
    last = isKept ? { element: target, path: location.pathname } : undefined;
  },
  { capture: true },
);
function forget(): void {
  last = undefined;
}
addEventListener("pointerdown", forget, { capture: true });
addEventListener("keydown", (event) => event.key === "Tab" && forget(), { capture: true });
