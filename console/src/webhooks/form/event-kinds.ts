import { useQuery } from "@tanstack/react-query";
import { call, type Schemas } from "../../data/api.ts";

type EventKind = Schemas["EventType"];

const PAGE = 200;
const PAGES_MAX = 10;

const NONE: readonly EventKind[] = [];

/** Every event type of the platform; undefined until they are read, none for those who may not read them. */
export function useEventKinds(): readonly EventKind[] | undefined {
  const { data, error } = useQuery({
    queryKey: ["event_types.list", "every"],
    queryFn: ({ signal }) => readKinds(signal),
    // They change with the version of the platform alone.
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
