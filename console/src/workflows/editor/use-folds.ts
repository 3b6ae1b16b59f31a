/** Collapsed loops and sub-workflows that are expanded in place. */
import { useQueries } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { query, type Reply } from "../../data/api.ts";
import { useStableHandlers } from "../../ui/behaviour/stable.ts";
import { type Definition, findStep, isLoopType, walkSteps } from "../graph/graph.ts";
import type { Folding } from "../graph/layout.ts";

const NONE: ReadonlySet<string> = new Set();

function toggle(keys: ReadonlySet<string>, key: string): ReadonlySet<string> {
  return keys.has(key) ? keys.difference(new Set([key])) : keys.union(new Set([key]));
}

/** A stable function, so that its result stays the same object while the graphs do not change. */
const combineGraphs = (results: readonly { readonly data: Reply<"workflows.get"> | undefined }[]) =>
  results.map(({ data }) => data?.data);

export function useFolds(draft: Definition) {
  const [folded, setFolded] = useState(NONE);
  const [opened, setOpened] = useState(NONE);
  // Compared as text: a new object on every keystroke would trigger a new layout each time.
  const named = JSON.stringify(
    [...opened].flatMap((key) => {
      const id = findStep(draft, key)?.config?.["workflowId"];
      return typeof id === "string" && id !== "" ? [[key, id]] : [];
    }),
  );
  const guests = useMemo(
    () => JSON.parse(named) as readonly (readonly [string, string])[],
    [named],
  );
  const graphs = useQueries({
    queries: guests.map(([, id]) => query("workflows.get", { params: { id } })),
    combine: combineGraphs,
  });
  const folding = useMemo<Folding>(
    () => ({
      folded,
      opened: new Map(
        guests.flatMap(([key], n) => {
          const graph = graphs[n];
          return graph ? [[key, graph] as const] : [];
        }),
      ),
    }),
    [folded, guests, graphs],
  );
  const { fold, foldAll } = useStableHandlers({
    fold: (key: string): void => {
      const type = findStep(draft, key)?.type;
      if (type === "subworkflow") setOpened(toggle(opened, key));
      else if (isLoopType(type)) setFolded(toggle(folded, key));
    },
    foldAll: (): void => {
      const loops = [...walkSteps(draft)].flatMap(([key, { type }]) =>
        isLoopType(type) ? [key] : [],
      );
      setFolded(folded.size > 0 ? NONE : new Set(loops));
    },
  });
  return { folding, fold, foldAll };
}
