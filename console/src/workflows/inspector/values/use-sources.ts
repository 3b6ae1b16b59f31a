/** The values of the shown run and of pins, with field names from the server if there are no values yet. */
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { numberOf, type ScopeSource, useDebounced } from "../../../code/index.ts";
import { useMay } from "../../../data/people.ts";
import { call } from "../../../data/api.ts";
import { listSources, type ScopeInput, toItemKey } from "./sources.ts";

/** Typing changes the definition on every keystroke, but the names before a step rarely change. */
const PAUSE_MS = 900;
const KEPT_MS = 60_000;
const AROUND: ReadonlySet<string> = new Set([
  "index",
  "run",
  "workspace",
  "environment",
  "variable",
]);

interface Shown extends ScopeInput {
  readonly workflowId: string;
  readonly runId: string | undefined;
}

export function useSources(shown: Shown): readonly ScopeSource[] {
  const { definition, key, run, pins, trigger, items, workflowId, runId } = shown;
  const late = useDebounced(definition, PAUSE_MS);
  const stepId = toItemKey(key, items);
  const may = useMay();
  const { data } = useQuery({
    queryKey: ["scope", workflowId, stepId, runId, numberOf(late)],
    staleTime: Infinity,
    gcTime: KEPT_MS,
    enabled: may("expressions.scope"),
    placeholderData: undefined,
    retry: false,
    queryFn: async ({ signal }) => {
      const place = {
        workflowId,
        stepId,
        definition: { ...late },
        ...(runId !== undefined && { runId }),
      };
      return (await call("expressions.scope", { body: place }, { signal })).data.names;
    },
  });
  const sources = useMemo(() => {
    const byPath = new Map((data ?? []).map((name) => [name.path, name]));
    const own = listSources({ definition, key, run, pins, trigger, items }).map((source) => {
      const name = byPath.get(source.path);
      return { ...source, value: source.value ?? name?.sample, schema: name?.schema };
    });
    const around = (data ?? [])
      .filter(({ kind }) => AROUND.has(kind))
      .map(({ path, title, sample, schema }) => ({ path, title, value: sample, schema }));
    return [...own, ...around];
  }, [data, definition, key, run, pins, trigger, items]);
  // Keeps the old object if the values are equal: a new one would make fields evaluate their expressions again.
  const [kept, setKept] = useState(sources);
  if (kept !== sources && !isSame(kept, sources)) {
    setKept(sources);
    return sources;
  }
  return kept;
}

function isSame(a: readonly ScopeSource[], b: readonly ScopeSource[]): boolean {
  return (
    a.length === b.length &&
    a.every(
      (source, n) =>
        source.path === b[n]?.path &&
        source.title === b[n]?.title &&
        source.value === b[n]?.value &&
        JSON.stringify(source.schema) === JSON.stringify(b[n]?.schema),
    )
  );
}
