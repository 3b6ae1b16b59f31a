/** The text that a model is currently generating, from the run's stream; after the step ends, the step contains it. */
import { skipToken, useQuery } from "@tanstack/react-query";
import { cache } from "../../data/api.ts";

const keyOf = (runId: string, stepId: string) => ["runs.live_text", runId, stepId] as const;

/** Appends a chunk of text. */
export function addLiveText(runId: string, part: { readonly path: string; readonly text: string }) {
  cache.setQueryData(keyOf(runId, part.path), (before: string | undefined) =>
    (before ?? "").concat(part.text),
  );
}

export function useLiveText(runId: string, stepId: string): string {
  const { data } = useQuery<string>({ queryKey: keyOf(runId, stepId), queryFn: skipToken });
  return data ?? "";
}
