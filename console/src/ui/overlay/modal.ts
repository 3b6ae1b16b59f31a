import { type RefObject, useEffect, useRef } from "react";

/**
 * Opens a native dialog when it is mounted. The focus goes to the first element that matches `focus`, or the first
 * focusable one, and returns afterwards: browsers restore the focus only when a dialog is closed, not when it is
 * removed.
 */
export function useModal(focus = "[data-focus]"): RefObject<HTMLDialogElement | null> {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const { current } = dialog;
    if (!current || current.open) return undefined;
    const before = document.activeElement;
    current.showModal();
    const first = current.querySelector<HTMLElement>(focus);
    // The checked radio button gets the focus, like with Tab.
    const isRadio = first?.matches("[type=radio]");
    const checked = isRadio && current.querySelector<HTMLElement>("[type=radio]:checked");
    (checked || first)?.focus();
    return () => returnFocus(before);
  }, [focus]);
  return dialog;
}

/**
 * Restores the focus unless another element already has it. The previous element may have been deleted, such as
 * a row.
 */
function returnFocus(before: Element | null): void {
  if (document.activeElement !== document.body || before === document.body) return;
  const to = before?.isConnected ? before : document.querySelector("main");
  if (to instanceof HTMLElement || to instanceof SVGElement) to.focus({ preventScroll: true });
}
