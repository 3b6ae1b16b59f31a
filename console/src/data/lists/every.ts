/**
 * Lists that are read as a whole: a screen that orders and narrows them itself needs every line. An event makes one
 * line stale, and that line alone is read again.
 */
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { cache, call, type Input, type OperationId, type Reply } from "../api.ts";
import { type Every, putLines, putWhole } from "./lines.ts";
import { type LogEvent, onEvent } from "../live/live.ts";
import { useStableHandlers } from "../../ui/behaviour/stable.ts";

const PAGE = 200;
const BURST_MS = 150;
/** More lines than this are read with all the others. */
const LINES_MAX = 50;

interface Page {
  readonly data: readonly unknown[];
  readonly pagination: { readonly nextCursor?: string | null };
}

/** The operations that answer with a page. */
type ListId = {
  [O in OperationId]: Reply<O> extends Page ? O : never;
}[OperationId];

type ItemOf<R> = R extends { readonly data: readonly (infer I)[] } ? I : never;

/** How the log tells which lines of a list changed. */
export interface Follow {
  /** The id of the line that an event changes. */
  readonly idOf: (event: LogEvent) => string | undefined;
  /** The part of the query that asks for some lines. */
  readonly ask: (ids: readonly string[]) => object;
}

/**
 * Reads the pages of a list one after the other, up to so many lines, and follows it. `follow` stays the same object.
 */
export function useEvery<O extends ListId>(id: O, query: object, { max, follow }: EveryOptions) {
  type Item = ItemOf<Reply<O>> & { readonly id: string };
  const name = JSON.stringify(query);
  const read = async (some: object, signal?: AbortSignal): Promise<Every<Item>> => {
    const items: Item[] = [];
    const begunAt = performance.now();
    let after: string | null | undefined;
    do {
      const input = { query: { ...query, ...some, limit: PAGE, ...(after && { after }) } };
      const page = (await call(id, input as unknown as Input<O>, signal ? { signal } : {})) as Page;
      items.push(...(page.data as readonly Item[]));
      after = page.pagination.nextCursor;
    } while (after && items.length < max);
    return { items, isCut: Boolean(after), begunAt, linesBegunAt: new Map() };
  };
  const { readLines } = useStableHandlers({
    readLines: async (key: readonly unknown[], asked: ReadonlySet<string>): Promise<void> => {
      if (asked.size > LINES_MAX) return cache.invalidateQueries({ queryKey: key });
      const { items, begunAt } = await read(follow.ask([...asked]));
      cache.setQueryData<Every<Item>>(
        key,
        (old) => old && putLines(old, { asked, items, begunAt }),
      );
    },
  });
  useEffect(() => {
    const key = keyOf(id, name, max);
    const changed = new Set<string>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const leave = onEvent((event) => {
      const line = follow.idOf(event);
      if (line === undefined) return;
      changed.add(line);
      timer ??= setTimeout(() => {
        timer = undefined;
        const ids = new Set(changed);
        changed.clear();
        // What could not be read is read with all the others.
        readLines(key, ids).catch(() => void cache.invalidateQueries({ queryKey: key }));
      }, BURST_MS);
    });
    return () => {
      clearTimeout(timer);
      // What changed and was not read is stale when somebody comes back.
      if (changed.size > 0) void cache.invalidateQueries({ queryKey: key });
      leave();
    };
  }, [id, name, max, follow, readLines]);
  return useQuery<Every<Item>, Error>({
    queryKey: keyOf(id, name, max),
    queryFn: ({ signal }) => read({}, signal),
    // As an answer takes the place of what is known, and not before: lines may have come since.
    structuralSharing: (before, whole) =>
      putWhole(before as Every<Item> | undefined, whole as Every<Item>),
  });
}

interface EveryOptions {
  readonly max: number;
  readonly follow: Follow;
}

/** Not under the name of the operation: an event that makes that stale would read all pages. */
const keyOf = (id: string, name: string, max: number) => ["every", id, name, max] as const;
