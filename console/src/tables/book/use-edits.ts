/** The user's edits in a grid: applied optimistically, sent in order, with undo and redo. */
import { useMemo, useRef } from "react";
import { notify, notifyRefusal } from "../../ui/toast.tsx";
import { useStableHandlers } from "../../ui/behaviour/stable.ts";
import type { GridColumn } from "../column/column.ts";
import {
  type Change,
  dropChange,
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
import type { Refusal } from "./send-change.ts";
import { type EditTarget, useChangeQueue } from "./use-change-queue.ts";

let lastDraft = 0;
let lastKey = 0;
/** The maximum number of reasons in a toast. */
const REASONS_TOLD = 4;

export interface Edits {
  readonly setValue: (row: Row, column: GridColumn, value: unknown) => void;
  /** Adds records with initial values at a place and returns their ids. */
  readonly addRows: (place: number, values: readonly Values[]) => readonly string[];
  /**
   * Applies and sends one atomic change of many cells or records. A rejected change is reverted completely, and the
   * reason is returned.
   */
  readonly performWhole: (change: Change) => Promise<Refusal | undefined>;
  readonly undo: () => void;
  readonly redo: () => void;
  readonly isUnsaved: boolean;
}

type Values = Readonly<Record<string, unknown>>;

export function useEdits({ slug, book, columns }: EditTarget): Edits {
  const history = useRef<History>(NO_HISTORY);
  const onRename = (names: ReadonlyMap<string, string>): void => {
    const follow = (change: Change): Change => renameIn(change, names);
    const { past, future } = history.current;
    history.current = { past: past.map(follow), future: future.map(follow) };
  };
  const { carry, waiting } = useChangeQueue({ slug, book, columns }, onRename);
  const begin = (change: Change): Change => {
    lastKey += 1;
    const kept = { ...change, key: lastKey };
    history.current = record(history.current, kept);
    return kept;
  };
  const forget = ({ key }: Change): void => {
    history.current = dropChange(history.current, key);
  };
  const perform = (change: Change): void => {
    if (isEmpty(change)) return;
    const kept = begin(change);
    void carry(kept, "keep-drafts").then((refusal) => {
      if (!refusal) return;
      // A record that could not be created stays as a draft, so the change can still be undone.
      if (change.created.length === 0) forget(kept);
      markRefused(book, change, refusal);
      notify(`Not saved: ${refusal.cells[0]?.message ?? refusal.message}`);
    });
  };
  const performWhole = async (change: Change): Promise<Refusal | undefined> => {
    if (isEmpty(change)) return undefined;
    const kept = begin(change);
    const refusal = await carry(kept, "all-or-none");
    if (refusal) forget(kept);
    return refusal;
  };
  const step = (taken: readonly [Change, History] | undefined, word: "undo" | "redo"): void => {
    if (!taken) return notify(`Nothing to ${word}.`);
    const [change, next] = taken;
    const previous = history.current;
    history.current = next;
    void carry(change, "all-or-none").then((refusal) => {
      if (refusal && history.current === next) history.current = previous;
      tellStep(word, change, refusal);
    });
    return undefined;
  };
  const undo = (): void => step(stepBack(history.current), "undo");
  const setValue = (row: Row, { name }: GridColumn, after: unknown): void => {
    const before = row.values[name] ?? null;
    book.faults.delete(cellKey(row.id, name));
    const sets = dropSame([{ id: row.id, field: name, before, after }]);
    perform({ ...NO_CHANGE, label: "Cell edit", sets });
  };
  const handlers = useStableHandlers({
    performWhole,
    setValue,
    undo,
    redo: () => step(stepForward(history.current), "redo"),
    addRows(at: number, values: readonly Values[]): readonly string[] {
      const created = values.map((fields, n): PlacedRow => {
        lastDraft += 1;
        return { place: at + n, row: { id: `new-${lastDraft}`, revision: 0, values: fields } };
      });
      perform({ ...NO_CHANGE, label: "New record", created });
      return created.map(({ row }) => row.id);
    },
  });
  return useMemo(() => ({ ...handlers, isUnsaved: waiting > 0 }), [handlers, waiting]);
}

function tellStep(word: "undo" | "redo", { label }: Change, refusal: Refusal | undefined): void {
  if (!refusal) return notify(`${word === "undo" ? "Undone" : "Redone"}: ${label.toLowerCase()}`);
  const reasons = [...new Set(refusal.cells.map(({ message }) => message))];
  const told = reasons.length > 0 ? reasons.slice(0, REASONS_TOLD) : [refusal.message];
  return notifyRefusal({
    text: `Can't ${word} this change.`,
    reasons: told,
  });
}

/** Marks the rejected cells and keeps their values. */
function markRefused(book: RowBook, change: Change, { cells }: Refusal): void {
  for (const { id, field, message, theirs } of cells) {
    const set = change.sets.find((one) => one.id === id && one.field === field);
    const mine = set ? set.after : book.rows.get(id)?.values[field];
    const other = theirs === undefined ? {} : { theirs };
    book.faults.set(cellKey(id, field), { message, mine, ...other });
    if (theirs !== undefined) book.setValues(id, { [field]: theirs });
  }
  book.touch();
}
