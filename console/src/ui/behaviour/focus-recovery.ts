/**
 * Restores lost keyboard focus. A button is often removed by its own effect: its row changes state or is deleted.
 * The browser then resets the focus, and keyboard users start at the top of the page again. Instead, the nearest
 * remaining part of the page gets the focus.
 */
import { markRecovered } from "./focus-mark.ts";

/** Elements with a name or role for screen readers. */
const PARTS =
  "li, tr, form, fieldset, section, aside, [role=region], [role=group], [role=tabpanel], main";

/** Tracks the focus for the lifetime of the page. */
export function recoverFocus(): void {
  let held: HTMLElement | undefined;
  let parents: readonly HTMLElement[] = [];
  // Only the children of the focused element's ancestors are observed, because only these changes can remove it.
  const observer = new MutationObserver(() => {
    if (held && isLost(held)) afterDrawn(recover);
  });
  const watch = (element: HTMLElement): void => {
    observer.disconnect();
    held = element;
    parents = [...listParents(element)];
    observer.observe(element, { attributeFilter: ["disabled"] });
    for (const parent of parents) observer.observe(parent, { childList: true });
  };
  const recover = (): void => {
    // A newly rendered element may already have the focus.
    if (!held || document.activeElement !== document.body || !isLost(held)) return;
    focusPart(findPart(parents));
  };
  const forget = (): void => {
    observer.disconnect();
    held = undefined;
  };
  document.addEventListener("focusin", ({ target }) => {
    if (!(target instanceof HTMLElement) || target === document.body) return;
    // Dialogs and popovers return the focus themselves.
    if (target.closest("dialog, [popover]")) forget();
    else watch(target);
  });
  // A click on the background or on text removes the focus on purpose.
  document.addEventListener("pointerdown", ({ target }) => {
    if (target instanceof Element && !held?.contains(target)) forget();
  });
}

function isLost(element: HTMLElement): boolean {
  return !element.isConnected || element.matches(":disabled");
}

function* listParents(element: HTMLElement): Generator<HTMLElement> {
  for (let one = element.parentElement; one && one !== document.body; one = one.parentElement) {
    yield one;
  }
}

/** Returns the innermost remaining ancestor, or the element that was rendered in its place. */
function findPart(parents: readonly HTMLElement[]): HTMLElement | null {
  const left = parents.find((one) => one.isConnected);
  const anew = parents
    .slice(0, left && parents.indexOf(left))
    .map(findTwin)
    .find(Boolean);
  return anew ?? left?.closest<HTMLElement>(PARTS) ?? document.querySelector("main");
}

/** Returns the only other element of the same kind, such as the details panel, current or past. */
function findTwin(gone: HTMLElement): HTMLElement | undefined {
  const [kind] = gone.classList;
  if (kind === undefined || !gone.matches(PARTS)) return undefined;
  const selector = `main ${gone.localName}.${CSS.escape(kind)}`;
  const [only, ...more] = document.querySelectorAll<HTMLElement>(selector);
  return more.length === 0 ? only : undefined;
}

function focusPart(part: HTMLElement | null): void {
  if (!part) return;
  markRecovered(part);
  if (!part.hasAttribute("tabindex")) {
    part.tabIndex = -1;
    part.addEventListener("blur", () => part.removeAttribute("tabindex"), { once: true });
  }
  part.focus({ preventScroll: true });
}

function afterDrawn(act: () => void): void {
  requestAnimationFrame(() => setTimeout(act));
}
