/**
 * Keeps the keyboard's place. A button that is pressed is often gone by what it did: its row went on to the next state,
 * or was deleted. The browser then has the focus nowhere, and whoever has no mouse begins at the top of the page again.
 * Here the nearest part of the page that is left of where it was gets it.
 */

/** Parts that have a name or a shape of their own for whoever can't see them. */
const PARTS =
  "li, tr, form, fieldset, section, aside, [role=region], [role=group], [role=tabpanel], main";

/** Follows the focus of the page for as long as it lives. */
export function recoverFocus(): void {
  let held: HTMLElement | undefined;
  let parents: readonly HTMLElement[] = [];
  // Only what can take the focused element away is watched: the children of those that it is in.
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
    // Something new that was drawn may have it already.
    if (!held || document.activeElement !== document.body || !isLost(held)) return;
    focusPart(findPart(parents));
  };
  const forget = (): void => {
    observer.disconnect();
    held = undefined;
  };
  document.addEventListener("focusin", ({ target }) => {
    if (!(target instanceof HTMLElement) || target === document.body) return;
    // What lies over the page gives the focus back by itself.
    if (target.closest("dialog, [popover]")) forget();
    else watch(target);
  });
  // A press beside everything, or on a text, leaves on purpose.
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

/** The innermost part that is left, or stands drawn anew in the place of the one that is gone. */
function findPart(parents: readonly HTMLElement[]): HTMLElement | null {
  const left = parents.find((one) => one.isConnected);
  const anew = parents
    .slice(0, left && parents.indexOf(left))
    .map(findTwin)
    .find(Boolean);
  return anew ?? left?.closest<HTMLElement>(PARTS) ?? document.querySelector("main");
}

/** The only one of its kind, as the panel of a thing is, whether of now or of the past. */
function findTwin(gone: HTMLElement): HTMLElement | undefined {
  const [kind] = gone.classList;
  if (kind === undefined || !gone.matches(PARTS)) return undefined;
  const selector = `main ${gone.localName}.${CSS.escape(kind)}`;
  const [only, ...more] = document.querySelectorAll<HTMLElement>(selector);
  return more.length === 0 ? only : undefined;
}

let recovered: HTMLElement | undefined;

/** True for the part that got the focus because what had it went away. */
export const isRecovered = (target: EventTarget | null): boolean =>
  recovered !== undefined && target === recovered;

function focusPart(part: HTMLElement | null): void {
  if (!part) return;
  recovered = part;
  part.addEventListener("blur", () => (recovered = undefined), { once: true });
  if (!part.hasAttribute("tabindex")) {
    part.tabIndex = -1;
    part.addEventListener("blur", () => part.removeAttribute("tabindex"), { once: true });
  }
  part.focus({ preventScroll: true });
}

function afterDrawn(act: () => void): void {
  requestAnimationFrame(() => setTimeout(act));
}
