import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useMemo, useRef, useState } from "react";
import { call, type Input } from "../../data/api.ts";
import { type HeldQueue, type HeldRow, holdRows } from "./hold.ts";
import { type QueueTicket, toQueueTicket } from "./queue-ticket.ts";

export type QueueQuery = NonNullable<Input<"tickets.list">["query"]>;

export interface Queue {
  readonly rows: readonly HeldRow<QueueTicket>[];
  /** The server has a new order; `reorder` applies it. */
  readonly isReordered: boolean;
  readonly reorder: () => void;
  readonly error: Error | null;
  readonly isPending: boolean;
  /** The number of matching tickets, if it was requested. */
  readonly total: number | undefined;
  readonly retry: () => void;
  readonly readMore: () => void;
}

const PAGE = 100;

interface Work {
  readonly openNumber: string | undefined;
  readonly isSelecting: boolean;
}

/** The tickets of a view, most urgent first, loaded page by page. Rows keep their places while a user works in them. */
export function useQueue(query: QueueQuery, work: Work): Queue {
  // An unfiltered view has its count from the request that counts all views.
  const isCounted = query.filter !== undefined || query.q !== undefined || query.tags !== undefined;
  const list = useInfiniteQuery({
    queryKey: ["tickets.list", { query, pages: true }],
    queryFn: ({ pageParam, signal }) =>
      call(
        "tickets.list",
        {
          query: {
            ...query,
            limit: PAGE,
            expand: "caller,assignee",
            ...(pageParam === "" ? isCounted && { count: "exact" as const } : { after: pageParam }),
          },
        },
        { signal },
      ),
    initialPageParam: "",
    getNextPageParam: ({ pagination }) => pagination.nextCursor,
    placeholderData: keepPreviousData,
  });
  const { data, dataUpdatedAt } = list;
  const tickets = useMemo(() => {
    const items = data?.pages.flatMap((page) => page.data) ?? [];
    // A ticket that moved between page requests may be on two pages.
    const byId = new Map(items.map((item) => [item.id, toQueueTicket(item, dataUpdatedAt)]));
    return [...byId.values()];
  }, [data, dataUpdatedAt]);
  // While the next view loads, the rows still belong to the previous one.
  const key = JSON.stringify(query);
  const shownKey = useRef(key);
  if (!list.isPlaceholderData) shownKey.current = key;
  const { held, reorder } = useHeldRows(tickets, shownKey.current, work);
  return {
    ...held,
    reorder,
    error: list.error,
    isPending: list.isPending,
    total: data?.pages[0]?.pagination.total,
    retry: () => void list.refetch(),
    readMore() {
      if (list.hasNextPage && !list.isFetching) void list.fetchNextPage();
    },
  };
}

/** Keeps rows in place while a ticket is open or selected. */
function useHeldRows(
  tickets: readonly QueueTicket[],
  key: string,
  { openNumber, isSelecting }: Work,
): { readonly held: HeldQueue<QueueTicket>; readonly reorder: () => void } {
  const [turn, setTurn] = useState(0);
  const before = useRef<{ readonly of: string; readonly rows: readonly HeldRow<QueueTicket>[] }>({
    of: "",
    rows: [],
  });
  const held = useMemo(() => {
    const of = `${turn} ${key}`;
    const { rows } = before.current;
    const known = [...tickets, ...rows.map(({ row }) => row)];
    const openId = known.find(({ number }) => number === openNumber)?.id;
    const isWorking = openId !== undefined || isSelecting;
    const keepsOrder = isWorking && before.current.of === of;
    const next = holdRows(tickets, rows, { openId, keepsOrder });
    before.current = { of, rows: next.rows };
    return next;
  }, [tickets, key, turn, openNumber, isSelecting]);
  return { held, reorder: () => setTurn(turn + 1) };
}
