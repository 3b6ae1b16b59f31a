/**
 * Lists that are loaded completely, because the screen sorts and filters them itself. An event makes one item
 * stale, and only that item is reloaded.
 */
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { cache, call, type Input, type OperationId, type Reply } from "../api.ts";
import { type Every, putLines, putWhole } from "./lines.ts";
import { type LogEvent, onEvent } from "../live/live.ts";
import { useStableHandlers } from "../../ui/behaviour/stable.ts";

const PAGE = 200;
const BURST_MS = 150;
/** With more stale items than this, the complete list is reloaded. */
const LINES_MAX = 50;

interface Page {
  readonly data: readonly unknown[];
  readonly pagination: { readonly nextCursor?: string | null };
}

/** The operations that return pages. */
type ListId = {
  [O in OperationId]: Reply<O> extends Page ? O : never;
}[OperationId];

type ItemOf<R> = R extends { readonly data: readonly (infer I)[] } ? I : never;

/** How events identify changed items of a list. */
export interface Follow {
  /** Returns the id of the item that an event changes. */
  readonly idOf: (event: LogEvent) => string | undefined;
  /** Returns the query that requests single items. */
  readonly ask: (ids: readonly string[]) => object;
}

/** Loads all pages of a list up to `max` items and keeps it current. `follow` must be a stable object. */
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
        // If single items can't be loaded, the complete list is reloaded.
        readLines(key, ids).catch(() => void cache.invalidateQueries({ queryKey: key }));
      }, BURST_MS);
    });
    return () => {
      clearTimeout(timer);
      // Items that changed and were not reloaded make the list stale for the next mount.
      if (changed.size > 0) void cache.invalidateQueries({ queryKey: key });
      leave();
    };
  }, [id, name, max, follow, readLines]);
  return useQuery<Every<Item>, Error>({
    queryKey: keyOf(id, name, max),
    queryFn: ({ signal }) => read({}, signal),
    // Merged when the response is stored, not earlier: items may have been reloaded in the meantime.
    structuralSharing: (before, whole) =>
      putWhole(before as Every<Item> | undefined, whole as Every<Item>),
  });
}

interface EveryOptions {
  readonly max: number;
  readonly follow: Follow;
}

/** Not keyed by the operation's name: its events would then reload all pages. */
const keyOf = (id: string, name: string, max: number) => ["every", id, name, max] as const;
