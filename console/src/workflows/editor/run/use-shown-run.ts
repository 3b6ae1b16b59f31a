/** The run shown on the canvas until the user dismisses it, and the selected item of each loop. */
import { useEffect, useState } from "react";
import { useStableHandlers } from "../../../ui/behaviour/stable.ts";
import type { Definition } from "../../graph/graph.ts";
import { useRun, useRunView } from "./use-run.ts";

const ALL: ReadonlyMap<string, number> = new Map();

export function useShownRun(definition: Definition, runId: string | undefined) {
  const [items, setItems] = useState(ALL);
  useEffect(() => setItems(ALL), [runId]);
  const followed = useRun(runId);
  const view = useRunView(definition, followed.steps, items);
  const { chooseItem } = useStableHandlers({
    chooseItem: (loop: string, item: number | undefined): void => {
      // Selecting another item of a loop resets the selected items of its inner loops.
      const kept = [...items].filter(([key]) => key !== loop && !key.startsWith(`${loop}/`));
      setItems(new Map(item === undefined ? kept : [...kept, [loop, item]]));
    },
  });
  return { runId, followed, view, items, chooseItem };
}

export type ShownRun = ReturnType<typeof useShownRun>;
