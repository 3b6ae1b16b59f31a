import { useEffect, useState } from "react";
import { call, type Input, useOp } from "../../data/api.ts";
import { onEvent } from "../../data/live/live.ts";
import { notifyError } from "../../ui/toast.tsx";
import {
  appendPage,
  applyRunChange,
  mergeFirstPage,
  type RunBook,
  type RunPage,
} from "./run-book.ts";

type ListQuery = NonNullable<Input<"runs.list">["query"]>;

const FIRST_RUNS = 100;
const PAGE_RUNS = 200;
/** A run that begins to wait, or goes on, is no event. */
const SILENT_STATUSES: ReadonlySet<string | undefined> = new Set(["running", "waiting"]);
const LOOK_AGAIN_MS = 5_000;

const toPage = (reply: {
  readonly data: RunPage["runs"];
  readonly pagination: { readonly nextCursor: string | null };
}): RunPage => ({ runs: reply.data, next: reply.pagination.nextCursor ?? undefined });

/** The runs that match a query: the newest at once, older ones as they are asked for, all of them live. */
export function useRunBook(query: ListQuery) {
  const name = JSON.stringify(query);
  const [kept, setKept] = useState<{ readonly name: string; readonly book: RunBook }>();
  const { status } = query;
  const mayChange =
    SILENT_STATUSES.has(status) ||
    (kept?.name === name && kept.book.runs.some((run) => SILENT_STATUSES.has(run.status)));
  const first = useOp(
    "runs.list",
    { query: { limit: FIRST_RUNS, ...query } },
    { refetchInterval: mayChange ? LOOK_AGAIN_MS : false },
  );
  const [isReading, setReading] = useState(false);
  const { data, isPlaceholderData } = first;
  useEffect(() => {
    if (!data || isPlaceholderData) return;
    setKept((old) => ({
      name,
      book: mergeFirstPage(old?.name === name ? old.book : undefined, toPage(data)),
    }));
  }, [data, isPlaceholderData, name]);
  useEffect(
    () =>
      onEvent(({ type, data: change }) => {
        if (!type.startsWith("workflow.run_") || typeof change?.["id"] !== "string") return;
        const { id, status: now, finishedAt } = change as { [key: string]: string };
        if (id === undefined || now === undefined) return;
        const told = { id, status: now, ...(finishedAt !== undefined && { finishedAt }) };
        setKept((old) => {
          const book = old && applyRunChange(old.book, told, status);
          return !old || !book || book === old.book ? old : { ...old, book };
        });
      }),
    [status],
  );
  const readMore = async (): Promise<void> => {
    const after = kept?.book.next;
    if (after === undefined || isReading || kept?.name !== name) return;
    setReading(true);
    try {
      const page = toPage(
        await call("runs.list", { query: { ...query, limit: PAGE_RUNS, after } }),
      );
      setKept((old) => (old?.name === name ? { name, book: appendPage(old.book, page) } : old));
    } catch (error) {
      notifyError(error);
    } finally {
      setReading(false);
    }
  };
  return { ...first, book: kept?.book, isFresh: kept?.name === name, isReading, readMore };
}
