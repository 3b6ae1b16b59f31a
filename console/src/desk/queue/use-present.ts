import { useMemo } from "react";
import { useOp } from "../../data/api.ts";
import { useMay } from "../../data/people.ts";
import type { PresentPerson } from "../../data/live/presence.ts";
import { useDebounced } from "../../ui/behaviour/debounce.ts";

const ASK_MS = 10_000;
const SETTLE_MS = 300;
const ASKED_MAX = 50;

/** Returns the other users who have these tickets open. Only visible rows are requested. */
export function usePresent(ids: readonly string[]): ReadonlyMap<string, readonly PresentPerson[]> {
  const may = useMay()("presence.list");
  const things = useDebounced(ids.slice(0, ASKED_MAX).join(","), SETTLE_MS);
  const { data } = useOp(
    "presence.list",
    { query: { things } },
    { enabled: may && things !== "", refetchInterval: ASK_MS },
  );
  return useMemo(() => {
    const seen = (data?.data.things ?? []).map(({ thing, people }) => {
      return [thing, people.filter(({ you }) => !you)] as const;
    });
    return new Map(seen);
  }, [data]);
}
