import { type RefObject, useEffect, useRef } from "react";

/** Opens a native dialog as it is drawn. The focus goes to what has `data-focus`, or to the first that can have it. */
export function useModal(): RefObject<HTMLDialogElement | null> {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const { current } = dialog;
    if (!current || current.open) return;
    current.showModal();
    current.querySelector<HTMLElement>("[data-focus]")?.focus();
  }, []);
  return dialog;
}
