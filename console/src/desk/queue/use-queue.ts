import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useMemo, useRef } from "react";
import { call, type Input } from "../../data/api.ts";
import { type HeldRow, holdOpen } from "./hold.ts";
import { type QueueTicket, toQueueTicket } from "./queue-ticket.ts";

export type QueueQuery = NonNullable<Input<"tickets.list">["query"]>;

export interface Queue {
  readonly rows: readonly HeldRow<QueueTicket>[];
  readonly error: Error | null;
  readonly isPending: boolean;
  /** How many fit, where that was asked for. */
  readonly total: number | undefined;
  readonly retry: () => void;
  readonly readMore: () => void;
}

const PAGE = 100;

/** The tickets of a view, what breaks first on top, a page at a time. The open one stays when it no longer fits. */
export function useQueue(query: QueueQuery, openNumber: string | undefined): Queue {
  // A whole view has its number from the count of all views.
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
    // What moved while pages were read may stand on two of them.
    const byId = new Map(items.map((item) => [item.id, toQueueTicket(item, dataUpdatedAt)]));
    return [...byId.values()];
  }, [data, dataUpdatedAt]);
  const before = useRef<readonly HeldRow<QueueTicket>[]>([]);
  const rows = useMemo(() => {
    const known = [...tickets, ...before.current.map(({ row }) => row)];
    const openId = known.find(({ number }) => number === openNumber)?.id;
    return holdOpen(tickets, before.current, openId);
  }, [tickets, openNumber]);
  before.current = rows;
  return {
    rows,
    error: list.error,
    isPending: list.isPending,
    total: data?.pages[0]?.pagination.total,
    retry: () => void list.refetch(),
    readMore() {
      if (list.hasNextPage && !list.isFetching) void list.fetchNextPage();
    },
  };
}
