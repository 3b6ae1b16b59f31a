import { useQuery } from "@tanstack/react-query";
import { call, type Schemas } from "../../data/api.ts";

type EventKind = Schemas["EventType"];

const PAGE = 200;
const PAGES_MAX = 10;

const NONE: readonly EventKind[] = [];

/** Returns every event type of the platform; undefined while loading, empty without permission. */
export function useEventKinds(): readonly EventKind[] | undefined {
  const { data, error } = useQuery({
    queryKey: ["event_types.list", "every"],
    queryFn: ({ signal }) => readKinds(signal),
    // They change only with a new version of the platform.
    staleTime: Number.POSITIVE_INFINITY,
  });
  return error ? NONE : data;
}

async function readKinds(signal: AbortSignal): Promise<readonly EventKind[]> {
  const kinds: EventKind[] = [];
  let after: string | undefined;
  for (let n = 0; n < PAGES_MAX; n += 1) {
    const query = { limit: PAGE, ...(after !== undefined && { after }) };
    const page = await call("event_types.list", { query }, { signal });
    kinds.push(...page.data);
    after = page.pagination.nextCursor ?? undefined;
    if (after === undefined) break;
  }
  return kinds;
}
