/** Copy, cut and paste through the browser's own events, which need no permission. */
import { useEffect } from "react";
import { useStableHandlers } from "../../ui/behaviour/stable.ts";
import { notify } from "../../ui/toast.tsx";
import { count } from "../../ui/words.ts";
import type { Edits } from "./use-edits.ts";

function isElsewhere(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  const isField = /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) || target.isContentEditable;
  return isField || target.shadowRoot !== null || document.querySelector("dialog:modal") !== null;
}

export function useClipboard(edits: Edits, chosen: readonly string[]): void {
  const on = useStableHandlers({
    copy: (event: ClipboardEvent): void => {
      const text = edits.copy();
      // If text on the screen is selected, the browser copies that text.
      const isMarked = getSelection()?.isCollapsed === false;
      if (isElsewhere(event.target) || isMarked || text === undefined) return;
      event.clipboardData?.setData("text/plain", text);
      event.preventDefault();
      if (event.type === "cut") edits.remove();
      else notify(`${count(chosen.length, "step")} copied as JSON`);
    },
    paste: (event: ClipboardEvent): void => {
      if (isElsewhere(event.target)) return;
      const text = event.clipboardData?.getData("text/plain") ?? "";
      event.preventDefault();
      edits.paste(text);
    },
  });
  useEffect(() => {
    const listening = new AbortController();
    const { signal } = listening;
    document.addEventListener("copy", on.copy, { signal });
    document.addEventListener("cut", on.copy, { signal });
    document.addEventListener("paste", on.paste, { signal });
    return () => listening.abort();
  }, [on]);
}
