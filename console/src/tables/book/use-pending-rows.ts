/** Rows whose texts are not yet embedded by the model. No event reports this, so they are polled for a while. */
import { useEffect } from "react";
import type { GridColumn } from "../column/column.ts";
import type { RowBook } from "./row-book.ts";
import { readRows } from "./send-change.ts";

const FIRST_PAUSE_MS = 1_500;
const PAUSE_MAX_MS = 30_000;
const IDS_MAX = 200;

export function usePendingRows(book: RowBook, slug: string, columns: readonly GridColumn[]): void {
  const names = columns.filter(({ type }) => type === "embedding").map(({ name }) => name);
  const key = names.join(" ");
  useEffect(() => {
    if (key === "") return undefined;
    let pauseMs = FIRST_PAUSE_MS;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const isPending = (row: Readonly<Record<string, unknown>>): boolean =>
      key.split(" ").some((name) => row[name] === "pending");
    const look = async (): Promise<void> => {
      const ids = [...book.rows.values()]
        .filter(({ values }) => isPending(values))
        .map(({ id }) => id);
      try {
        if (ids.length > 0) {
          const rows = await readRows(slug, ids.slice(0, IDS_MAX));
          const hasNews = rows.some((row) => !isPending(row));
          for (const row of rows) book.keep(row);
          if (hasNews) book.touch();
          // The interval doubles while nothing changes, to not overload a busy model.
          pauseMs = hasNews ? FIRST_PAUSE_MS : Math.min(pauseMs * 2, PAUSE_MAX_MS);
        }
      } catch {
        pauseMs = PAUSE_MAX_MS;
      }
      timer = setTimeout(() => void look(), pauseMs);
    };
    timer = setTimeout(() => void look(), pauseMs);
    return () => clearTimeout(timer);
  }, [book, slug, key]);
}
