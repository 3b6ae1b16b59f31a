import { useMemo, useRef } from "react";
import { type Input, useOp } from "../../data/api.ts";
import { compareByBreak } from "./due.ts";
import { type HeldRow, holdOpen } from "./hold.ts";
import { firstClocks, fromIncident, type QueueTicket, toDue } from "./queue-ticket.ts";

export interface Queue {
  readonly rows: readonly HeldRow<QueueTicket>[];
  readonly total: number | undefined;
  readonly error: Error | null;
  readonly isPending: boolean;
  readonly retry: () => void;
  readonly readMore?: (() => void) | undefined;
}

const PAGE = 200;

/** The tickets of a view, what breaks first on top. The open one stays in its place when it no longer fits. */
export function useQueue(
  query: NonNullable<Input<"incidents.list">["query"]>,
  openNumber: string | undefined,
): Queue {
  const list = useOp("incidents.list", { query: { ...query, limit: PAGE, count: "exact" } });
  const clocks = useOp("sla.list_clocks", { query: { open: "true", limit: PAGE } });
  const tickets = useMemo(() => {
    const first = firstClocks(clocks.data?.data ?? []);
    const readAtMs = clocks.dataUpdatedAt;
    return (list.data?.data ?? [])
      .map((incident) => fromIncident(incident, toDue(first.get(incident.id), readAtMs)))
      .toSorted(compareByBreak);
  }, [list.data, clocks.data, clocks.dataUpdatedAt]);
  const before = useRef<readonly HeldRow<QueueTicket>[]>([]);
  const rows = useMemo(() => {
    const byNumber = [...tickets, ...before.current.map(({ row }) => row)];
    const openId = byNumber.find(({ number }) => number === openNumber)?.id;
    return holdOpen(tickets, before.current, openId);
  }, [tickets, openNumber]);
  before.current = rows;
  return {
    rows,
    total: list.data?.pagination.total,
    error: list.error,
    isPending: list.isPending,
    retry: () => void list.refetch(),
  };
}
