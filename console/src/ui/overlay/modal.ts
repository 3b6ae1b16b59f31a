import { type RefObject, useEffect, useRef } from "react";

/**
 * Opens a native dialog as it is drawn. The focus goes to the first that `focus` names, or to the first that can have
 * it, and back to where it was: the browser gives it back only of a dialog that is closed, not of one that is taken
 * away.
 */
export function useModal(focus = "[data-focus]"): RefObject<HTMLDialogElement | null> {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const { current } = dialog;
    if (!current || current.open) return undefined;
    const before = document.activeElement;
    current.showModal();
    current.querySelector<HTMLElement>(focus)?.focus();
    return () => returnFocus(before);
  }, [focus]);
  return dialog;
}

/** An element that has the focus by now keeps it. Where it was may be gone, as a row that was deleted. */
function returnFocus(before: Element | null): void {
  if (document.activeElement !== document.body || before === document.body) return;
  const to = before?.isConnected ? before : document.querySelector("main");
  if (to instanceof HTMLElement || to instanceof SVGElement) to.focus({ preventScroll: true });
}
