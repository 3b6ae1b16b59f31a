/** Streams the text a model is generating. After the step has completed, the text is in the step. */
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
