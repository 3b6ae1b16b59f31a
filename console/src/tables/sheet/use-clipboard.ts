/** Copy, cut and paste with browser events, within the grid and with spreadsheets. */
import { type RefObject, useEffect } from "react";
import { useStableHandlers } from "../../ui/behaviour/stable.ts";
import type { Cells } from "../../ui/readable/cells.ts";
import { parseTsv, toHtml, toTsv } from "../book/clipboard.ts";

interface ClipboardActs {
  /** Returns undefined if part of the selection is not loaded. */
  readonly read: () => Cells | undefined;
  /** Loads the missing records, then copies. */
  readonly copyLater: (isCut: boolean) => void;
  readonly paste: (cells: Cells) => void;
  readonly clear: () => void;
}

export function useClipboard(box: RefObject<HTMLElement | null>, acts: ClipboardActs): void {
  const { read, copyLater, paste, clear } = useStableHandlers({ ...acts });
  useEffect(() => {
    const isHere = (): boolean => document.activeElement === box.current;
    const write = (event: ClipboardEvent): void => {
      if (!isHere() || !event.clipboardData) return;
      const cells = read();
      event.preventDefault();
      if (!cells) return copyLater(event.type === "cut");
      event.clipboardData.setData("text/plain", toTsv(cells));
      event.clipboardData.setData("text/html", toHtml(cells));
      if (event.type === "cut") clear();
      return undefined;
    };
    const take = (event: ClipboardEvent): void => {
      if (!isHere()) return;
      const text = event.clipboardData?.getData("text/plain") ?? "";
      if (text === "") return;
      event.preventDefault();
      paste(parseTsv(text));
    };
    document.addEventListener("copy", write);
    document.addEventListener("cut", write);
    document.addEventListener("paste", take);
    return () => {
      document.removeEventListener("copy", write);
      document.removeEventListener("cut", write);
      document.removeEventListener("paste", take);
    };
  }, [box, read, copyLater, paste, clear]);
}
