/**
 * The values for expressions, from the shown run or from the last run that was not a test. All belong to one loop
 * item, the selected or the first, because values of different items must not be mixed.
 */
import { useMemo } from "react";
import { useOp } from "../../../data/api.ts";
import { type Definition, placeOf } from "../../graph/graph.ts";
import type { ShownRun } from "./use-shown-run.ts";
import { useRun, useRunView } from "./use-run.ts";

const RECENT = 10;

export function useValues(id: string, definition: Definition, shown: ShownRun, key: string) {
  const isShown = shown.runId !== undefined;
  const input = { params: { id }, query: { limit: RECENT } };
  const recent = useOp("workflows.runs", input, { enabled: !isShown }).data?.data;
  const last = recent?.find(({ test }) => !test)?.id ?? recent?.[0]?.id;
  const followed = useRun(isShown ? undefined : last);
  const { run, steps } = isShown ? shown.followed : followed;
  const loop = placeOf(key);
  const items = useMemo(() => {
    const near = new Map(shown.items);
    for (let at = loop; at !== ""; at = placeOf(at)) if (!near.has(at)) near.set(at, 0);
    return near;
  }, [shown.items, loop]);
  return {
    run: useRunView(definition, steps, items),
    trigger: run?.trigger,
    runId: run?.id,
    items,
  };
}
