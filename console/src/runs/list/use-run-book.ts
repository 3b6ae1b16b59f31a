import { useEffect, useState } from "react";
import { type Input, positionOf, type Reply, useOp } from "../../data/api.ts";
import { type LogEvent, onEvent } from "../../data/live/live.ts";
import { perform } from "../../data/use-command.ts";
import {
  appendPage,
  mergeFirstPage,
  type RunBook,
  type RunChange,
  type RunPage,
  showRuns,
  ToldRuns,
} from "./run-book.ts";

type ListQuery = NonNullable<Input<"runs.list">["query"]>;

const FIRST_RUNS = 100;
const PAGE_RUNS = 200;
/** Changes between these states are not events. */
const SILENT_STATUSES: ReadonlySet<string | undefined> = new Set(["running", "waiting"]);
const LOOK_AGAIN_MS = 5_000;

const toPage = (reply: Reply<"runs.list">): RunPage => ({
  runs: reply.data,
  next: reply.pagination.nextCursor ?? undefined,
  position: positionOf(reply),
});

/** The runs that match a query, all live: the newest immediately, older ones on demand. */
export function useRunBook(query: ListQuery) {
  const name = JSON.stringify(query);
  const [kept, setKept] = useState<{ readonly name: string; readonly book: RunBook }>();
  const [told] = useState(() => new ToldRuns());
  const { status } = query;
  const mayChange =
    SILENT_STATUSES.has(status) ||
    (kept?.name === name && kept.book.runs.some((run) => SILENT_STATUSES.has(run.status)));
  const first = useOp(
    "runs.list",
    { query: { limit: FIRST_RUNS, ...query } },
    // Every response is processed, also an identical one, because it has a later log position.
    { refetchInterval: mayChange ? LOOK_AGAIN_MS : false, structuralSharing: false },
  );
  const [isReading, setReading] = useState(false);
  const { data, isPlaceholderData } = first;
  useEffect(() => {
    if (!data || isPlaceholderData) return;
    setKept((old) => {
      const book = mergeFirstPage(old?.name === name ? old.book : undefined, toPage(data));
      return { name, book: showRuns(book, told, status) };
    });
  }, [data, isPlaceholderData, name, told, status]);
  useEffect(
    () =>
      onEvent((event) => {
        const change = readRunChange(event);
        if (!change || !told.note(change)) return;
        setKept((old) => {
          const book = old && showRuns(old.book, told, status);
          return !old || !book || book === old.book ? old : { ...old, book };
        });
      }),
    [told, status],
  );
  const readMore = async (): Promise<void> => {
    const after = kept?.book.next;
    if (after === undefined || isReading || kept?.name !== name) return;
    setReading(true);
    const reply = await perform("runs.list", { query: { ...query, limit: PAGE_RUNS, after } });
    if (reply) {
      const page = toPage(reply);
      setKept((old) =>
        old?.name === name
          ? { name, book: showRuns(appendPage(old.book, page), told, status) }
          : old,
      );
    }
    setReading(false);
  };
  return { ...first, book: kept?.book, isFresh: kept?.name === name, isReading, readMore };
}

function readRunChange({ id: event, type, createdAt: at, data }: LogEvent): RunChange | undefined {
  if (!type.startsWith("workflow.run_")) return undefined;
  const { id, status, finishedAt } = data as { readonly [key: string]: string | undefined };
  if (id === undefined || status === undefined) return undefined;
  return { id, status, event, at, ...(finishedAt !== undefined && { finishedAt }) };
}
