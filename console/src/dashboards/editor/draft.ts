import { useState } from "react";
import type { Schemas } from "../../data/api.ts";
import { type History, pushHistory, redoHistory, undoHistory } from "../../analytics/index.ts";
import type { Widget } from "../view/tile.tsx";

type Dashboard = Schemas["Dashboard"];

export interface Draft {
  readonly name: string;
  readonly description: string;
  readonly widgets: readonly Widget[];
  readonly filters: Dashboard["filters"];
  readonly period: Dashboard["period"];
}

/** A draft with undo history. Rapid changes are one undo step. */
export function useDraft(first: Draft) {
  const [history, setHistory] = useState<History<Draft>>({ past: [], now: first, future: [] });
  const [begun] = useState(() => JSON.stringify(first));
  return {
    draft: history.now,
    put: (next: Draft) => setHistory((old) => pushHistory(old, next)),
    undo: () => setHistory(undoHistory),
    redo: () => setHistory(redoHistory),
    canUndo: history.past.length > 0,
    canRedo: history.future.length > 0,
    isChanged: JSON.stringify(history.now) !== begun,
  };
}

/** Returns the initial size of a tile for its chart type. */
export function sizeOf(chart: string): { readonly w: number; readonly h: number } {
  if (chart === "stat") return { w: 3, h: 2 };
  return chart === "heat" || chart === "area" || chart === "stacked"
    ? { w: 6, h: 4 }
    : { w: 4, h: 4 };
}
