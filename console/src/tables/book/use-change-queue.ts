/** Applies grid changes optimistically and sends them in order. */
import { useEffect, useRef, useState } from "react";
import type { GridColumn } from "../column/column.ts";
import { applyChange, type Change, renameIn, revertChange } from "./change.ts";
import { isDraft, type RowBook } from "./row-book.ts";
import { type Refusal, sendChange } from "./send-change.ts";

export interface EditTarget {
  readonly slug: string;
  readonly book: RowBook;
  readonly columns: readonly GridColumn[];
}

/** Asks before the page is closed while changes are unsaved. */
function useWarning(isUnsaved: boolean): void {
  useEffect(() => {
    if (!isUnsaved) return undefined;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [isUnsaved]);
}

/** Applies changes optimistically and sends them in order. */
export function useChangeQueue(
  { slug, book, columns }: EditTarget,
  onRename: (names: ReadonlyMap<string, string>) => void,
) {
  const queue = useRef<Promise<void>>(Promise.resolve());
  const [waiting, setWaiting] = useState(0);
  const renames = useRef(new Map<string, string>());
  const deletions = useRef(new Map<string, string>());
  useWarning(waiting > 0);
  const rename = (names: ReadonlyMap<string, string>): void => {
    for (const [from, to] of names) renames.current.set(from, to);
    onRename(names);
  };
  const carry = (change: Change, mode: CarryMode): Promise<Refusal | undefined> => {
    applyChange(book, change);
    for (const { id, field, after } of change.sets) book.hold(id, field, after);
    book.touch();
    setWaiting((n) => n + 1);
    const sent = queue.current.then(async () => {
      // Earlier changes may have given the records their ids.
      const named = renameIn(change, renames.current);
      const target = { slug, book, columns, deletions: deletions.current, onRename: rename };
      const refusal = await sendChange(target, named).catch((error: unknown): Refusal => {
        // The result of the request is unknown, so the rows are reloaded.
        book.forget();
        return { message: error instanceof Error ? error.message : String(error), cells: [] };
      });
      for (const { id, field } of change.sets) book.release(id, field);
      if (refusal) revertChange(book, mode === "keep-drafts" ? withoutDrafts(named) : named);
      book.touch();
      setWaiting((n) => n - 1);
      return refusal;
    });
    queue.current = sent.then(() => undefined);
    return sent;
  };
  return { carry, waiting };
}

/**
 * The handling of records that could not be created: a typed record stays as a draft, pasted records are all
 * removed.
 */
type CarryMode = "keep-drafts" | "all-or-none";

function withoutDrafts(change: Change): Change {
  return {
    ...change,
    sets: change.sets.filter(({ id }) => !isDraft(id)),
    created: change.created.filter(({ row }) => !isDraft(row.id)),
  };
}
