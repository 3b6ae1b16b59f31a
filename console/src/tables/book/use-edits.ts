/** What somebody does in a grid: shown at once, sent in its order, undone and done again. */
import { useEffect, useMemo, useRef, useState } from "react";
import { notify } from "../../ui/toast.tsx";
import { useStableHandlers } from "../../ui/behaviour/stable.ts";
import type { GridColumn } from "../column/column.ts";
import { parseText } from "../column/value.ts";
import {
  applyChange,
  type CellSet,
  type Change,
  dropSame,
  type History,
  isEmpty,
  NO_CHANGE,
  NO_HISTORY,
  type PlacedRow,
  record,
  renameIn,
  stepBack,
  stepForward,
} from "./change.ts";
import { cellKey, type Row, type RowBook } from "./row-book.ts";
import { sendChange } from "./send-change.ts";

/** From so many cells on a toast says it, with the way back. */
const TOLD_CELLS = 2;
let lastDraft = 0;

export interface Edits {
  readonly setCells: (label: string, sets: readonly CellSet[]) => void;
  /** Sets one cell from a typed text; the message is what is wrong with it. */
  readonly setText: (row: Row, column: GridColumn, text: string) => string | undefined;
  readonly setValue: (row: Row, column: GridColumn, value: unknown) => void;
  /** Makes empty records at a place, with some values; their ids are returned. */
  readonly addRows: (place: number, values: readonly Values[]) => readonly string[];
  readonly deleteRows: (rows: readonly PlacedRow[]) => void;
  /** One step of undo out of several kinds of change. */
  readonly perform: (change: Change) => void;
  readonly undo: () => void;
  readonly redo: () => void;
  readonly isUnsaved: boolean;
}

type Values = Readonly<Record<string, unknown>>;

interface EditTarget {
  readonly slug: string;
  readonly book: RowBook;
  readonly columns: readonly GridColumn[];
}

export function useEdits({ slug, book, columns }: EditTarget): Edits {
  const history = useRef<History>(NO_HISTORY);
  const onRename = (from: string, to: string): void => {
    const follow = (change: Change): Change => renameIn(change, from, to);
    const { past, future } = history.current;
    history.current = { past: past.map(follow), future: future.map(follow) };
  };
  const { carry, waiting } = useQueue({ slug, book, columns }, onRename);
  const perform = (change: Change): void => {
    if (isEmpty(change)) return;
    history.current = record(history.current, change);
    carry(change);
  };
  const step = (taken: readonly [Change, History] | undefined, word: string): void => {
    if (!taken) return notify(`Nothing to ${word}.`);
    const [change, next] = taken;
    history.current = next;
    carry(change);
    return notify(`${word === "undo" ? "Undone" : "Done again"}: ${change.label.toLowerCase()}`);
  };
  const undo = (): void => step(stepBack(history.current), "undo");
  const setCells = (label: string, sets: readonly CellSet[]): void => {
    const changed = dropSame(sets);
    perform({ ...NO_CHANGE, label, sets: changed });
    if (changed.length >= TOLD_CELLS) notify(label, undo);
  };
  const setValue = (row: Row, { name }: GridColumn, after: unknown): void => {
    const before = row.values[name] ?? null;
    book.faults.delete(cellKey(row.id, name));
    setCells("Edit of a cell", [{ id: row.id, field: name, before, after }]);
  };
  const handlers = useStableHandlers({
    perform,
    setCells,
    setValue,
    undo,
    redo: () => step(stepForward(history.current), "redo"),
    setText(row: Row, column: GridColumn, text: string): string | undefined {
      const parsed = parseText(column, text);
      if ("error" in parsed) return parsed.error;
      setValue(row, column, parsed.value);
      return undefined;
    },
    addRows(at: number, values: readonly Values[]): readonly string[] {
      const created = values.map((fields, n): PlacedRow => {
        lastDraft += 1;
        return { place: at + n, row: { id: `new-${lastDraft}`, revision: 0, values: fields } };
      });
      perform({ ...NO_CHANGE, label: "New record", created });
      return created.map(({ row }) => row.id);
    },
    deleteRows(deleted: readonly PlacedRow[]): void {
      const label = deleted.length === 1 ? "Record deleted" : `${deleted.length} records deleted`;
      perform({ ...NO_CHANGE, label, deleted });
      notify(label, undo);
    },
  });
  return useMemo(() => ({ ...handlers, isUnsaved: waiting > 0 }), [handlers, waiting]);
}

/** The browser asks before it leaves what is on its way. */
function useWarning(isUnsaved: boolean): void {
  useEffect(() => {
    if (!isUnsaved) return undefined;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [isUnsaved]);
}

/** Shows changes at once and sends them one after the other. */
function useQueue(
  { slug, book, columns }: EditTarget,
  onRename: (from: string, to: string) => void,
) {
  const queue = useRef<Promise<void>>(Promise.resolve());
  const [waiting, setWaiting] = useState(0);
  const renames = useRef(new Map<string, string>());
  useWarning(waiting > 0);
  const rename = (from: string, to: string): void => {
    renames.current.set(from, to);
    onRename(from, to);
  };
  const carry = (change: Change): void => {
    applyChange(book, change);
    book.touch();
    setWaiting((n) => n + 1);
    queue.current = queue.current
      .then(() => {
        // What was sent before it may have given its records their ids.
        let named = change;
        for (const [from, to] of renames.current) named = renameIn(named, from, to);
        return sendChange({ slug, book, columns, onRename: rename }, named);
      })
      .finally(() => setWaiting((n) => n - 1));
  };
  return { carry, waiting };
}
