/** Keyboard shortcuts of a grid, the same as in spreadsheets. */
import type { KeyboardEvent } from "react";
import { type Extent, moveBy, type Range, tabBy } from "./cell-range.ts";

export interface KeyActs {
  readonly onRange: (range: Range) => void;
  /** Starts editing, with the typed character. */
  readonly edit: (typed?: string) => void;
  readonly clear: () => void;
  readonly addBelow: () => void;
  readonly fillDown: () => void;
  readonly openRecord: () => void;
  readonly undo: () => void;
  readonly redo: () => void;
  readonly deleteRows: () => void;
  /** Toggles a boolean cell; returns false for other cells. */
  readonly toggle: () => boolean;
}

export function handleGridKey(
  event: KeyboardEvent<HTMLElement>,
  { range, extent, pageRows }: { range: Range; extent: Extent; pageRows: number },
  acts: KeyActs,
): void {
  if (event.target !== event.currentTarget || event.nativeEvent.isComposing) return;
  const { key, shiftKey, altKey } = event;
  const mod = event.ctrlKey || event.metaKey;
  const done = ((): boolean => {
    if (mod && !altKey) return handleMod(key.toLowerCase(), shiftKey, { range, extent }, acts);
    if (key === "Enter" && shiftKey) return act(acts.addBelow);
    if (key === "Enter" && acts.toggle()) return true;
    if (key === "Enter" || key === "F2") return act(() => acts.edit());
    if (key === "Delete" || key === "Backspace") return act(acts.clear);
    if (key === " ") return act(acts.openRecord);
    if (key === "Escape") return act(() => acts.onRange({ ...range, end: range.anchor }));
    if (key === "Tab") {
      const next = tabBy(range, shiftKey ? -1 : 1, extent);
      return next ? act(() => acts.onRange(next)) : false;
    }
    return key.length === 1 && !altKey ? act(() => acts.edit(key)) : false;
  })();
  const moved = done ? undefined : moveBy(range, { key, shiftKey, mod }, extent, pageRows);
  if (moved) acts.onRange(moved);
  if (!done && !moved) return;
  event.preventDefault();
  event.stopPropagation();
}

function handleMod(
  key: string,
  shiftKey: boolean,
  { range, extent }: { readonly range: Range; readonly extent: Extent },
  acts: KeyActs,
): boolean {
  if (key === "z") return act(shiftKey ? acts.redo : acts.undo);
  if (key === "y") return act(acts.redo);
  if (key === "d") return act(acts.fillDown);
  if (key === "backspace" || key === "delete") return act(acts.deleteRows);
  if (key === " ") {
    const { anchor, end } = range;
    return act(() =>
      acts.onRange({
        anchor: { row: 0, column: anchor.column },
        end: { ...end, row: extent.rows - 1 },
      }),
    );
  }
  if (key !== "a") return false;
  const end = { row: extent.rows - 1, column: extent.columns - 1 };
  return act(() => acts.onRange({ anchor: { row: 0, column: 0 }, end }));
}

function act(run: () => void): true {
  run();
  return true;
}
