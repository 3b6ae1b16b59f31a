/** Operations on the whole selection, loaded or not. Each is one atomic request. */
import { type ReactNode, type RefObject, useState } from "react";
import { useWork } from "../../data/use-command.ts";
import { toClipboard } from "../../ui/behaviour/copy.ts";
import { notify, notifyRefusal } from "../../ui/toast.tsx";
import type { Cells } from "../../ui/readable/cells.ts";
import { count } from "../../ui/words.ts";
import { type Change, dropSame, NO_CHANGE } from "../book/change.ts";
import { tileCells, toTsv } from "../book/clipboard.ts";
import type { Refusal } from "../book/send-change.ts";
import type { Edits } from "../book/use-edits.ts";
import type { ListSpec } from "../book/use-row-book.ts";
import type { GridColumn } from "../column/column.ts";
import type { DateOrder } from "../column/value.ts";
import {
  clearCells,
  columnsIn,
  fillCells,
  placesIn,
  readCells,
  rowsIn,
  type Sheet,
} from "./cell-acts.ts";
import { at, boxOf, type Extent, type Range, sizeOf } from "./cell-range.ts";
import { findReferences } from "../paste/find-references.ts";
import { assertEnd, explainTooLarge, isLoaded, loadSelection } from "./load-selection.ts";
import { findOpenDate, linesFrom, type Paste, pasteCells, type Problem } from "../paste/paste.ts";
import { PasteDialog } from "../paste/paste-dialog.tsx";
import { leaveOut, toProblems } from "../paste/refused-cells.ts";
import type { Access } from "./use-access.ts";
import { useClipboard } from "./use-clipboard.ts";

export interface CellActsProps {
  readonly box: RefObject<HTMLDivElement | null>;
  readonly spec: ListSpec;
  /** All columns of the table, including hidden ones. */
  readonly all: readonly GridColumn[];
  readonly sheet: Sheet;
  readonly edits: Edits;
  readonly access: Access;
  readonly range: Range;
  readonly setRange: (range: Range) => void;
  readonly extent: Extent;
  readonly onOpen: (id: string | undefined) => void;
}

interface Moves {
  readonly moveTo: (range: Range) => void;
  /** Shows the reason if there is one, and returns true then. */
  readonly refuse: (reason: string | undefined) => boolean;
}

/** The decision of the user before a paste is sent. */
interface Question {
  readonly problems: readonly Problem[];
  /** An ambiguous date; undefined if all dates are unambiguous. */
  readonly openDate: string | undefined;
  readonly cells: number;
  readonly onDecide: (order: DateOrder | undefined) => void;
}

interface SelectionActs {
  readonly deleteRows: () => void;
  readonly clear: () => void;
  readonly fillDown: () => void;
  readonly dialog: ReactNode;
  readonly busy: string | undefined;
}

export function useSelectionActs(props: CellActsProps, { moveTo, refuse }: Moves): SelectionActs {
  const { box, sheet, access, range, spec } = props;
  const [question, setQuestion] = useState<Question>();
  const { busy, work } = useNamedWork();
  const writeAll = useWholeChange(props, setQuestion);
  const { top, bottom } = boxOf(range);
  const columns = columnsIn(sheet, range);

  /** Loads the selection; returns undefined and shows a message if it is too large. */
  const load = async (names: readonly string[]): Promise<Sheet | undefined> => {
    const places = placesIn(sheet, top, bottom);
    if (refuse(explainTooLarge(places.length, Math.max(1, names.length)))) return undefined;
    return loadSelection(sheet, { spec, places, fields: names });
  };
  const names = columns.map(({ name }) => name);
  const deleteRows = (): void => {
    if (refuse(access.delete)) return;
    work("Deleting…", async () => {
      const loaded = await load([]);
      const deleted = loaded ? rowsIn(loaded, range) : [];
      if (deleted.length === 0) return;
      const label =
        deleted.length === 1 ? "Record deleted" : `${count(deleted.length, "record")} deleted`;
      moveTo(at(top, range.anchor.column));
      await writeAll({ ...NO_CHANGE, label, deleted });
    });
  };
  const clearLoaded = async (loaded: Sheet): Promise<void> => {
    const sets = dropSame(clearCells(loaded, range));
    const kept = columns.filter(({ readOnly, isRequired }) => readOnly !== undefined || isRequired);
    const except =
      kept.length === 0 ? "" : `, except in ${kept.map(({ title }) => title).join(", ")}`;
    if (sets.length === 0 && kept.length > 0) return notify(`No cells cleared${except}.`);
    return writeAll({
      ...NO_CHANGE,
      label: `${count(sets.length, "cell")} cleared${except}`,
      sets,
    });
  };
  const clear = (): void => {
    if (refuse(access.update)) return;
    work("Clearing…", async () => {
      const loaded = await load(names);
      if (loaded) await clearLoaded(loaded);
    });
  };
  const fillDown = (): void => {
    if (refuse(access.update)) return;
    work("Filling…", async () => {
      const loaded = await load(names);
      if (!loaded) return;
      const sets = dropSame(fillCells(loaded, range));
      await writeAll({ ...NO_CHANGE, label: `${count(sets.length, "cell")} filled`, sets });
    });
  };
  const paste = usePaste(props, { moveTo, refuse, ask: setQuestion, writeAll });
  const copy = (isCut: boolean): void => {
    work("Copying…", async () => {
      const loaded = await load(names);
      if (!loaded || !(await toClipboard(toTsv(readCells(loaded, range))))) return;
      if (isCut && !refuse(access.update)) await clearLoaded(loaded);
      else notify(`${count(rowsIn(loaded, range).length, "row")} copied.`);
    });
  };
  useClipboard(box, {
    read: () =>
      isLoaded(sheet, placesIn(sheet, top, bottom)) ? readCells(sheet, range) : undefined,
    copyLater: copy,
    paste: (cells) => work("Pasting…", () => paste(cells)),
    clear,
  });
  const close = (): void => {
    setQuestion(undefined);
    box.current?.focus({ preventScroll: true });
  };
  const dialog = question && <PasteDialog {...question} onClose={close} />;
  return { deleteRows, clear, fillDown, dialog, busy };
}

/** Runs one operation at a time, and names it while it runs. */
function useNamedWork() {
  const [word, setWord] = useState<string>();
  const { run, isBusy } = useWork(undefined);
  const work = (next: string, act: () => Promise<unknown>): void => {
    if (isBusy) return notify("Wait until the previous change is saved.");
    setWord(next);
    return void run(act);
  };
  return { busy: isBusy ? word : undefined, work };
}

type Ask = (question: Question | undefined) => void;

/** Sends a change; if single cells are rejected, the user decides whether to write the others. */
function useWholeChange({ sheet, edits }: CellActsProps, ask: Ask) {
  const writeAll = async (change: Change): Promise<void> => {
    const refusal = await edits.performWhole(change);
    if (!refusal) {
      if (change.sets.length + change.created.length + change.deleted.length > 1) {
        notify(change.label, edits.undo);
      } else if (change.deleted.length > 0) notify(change.label, edits.undo);
      return;
    }
    const rest = leaveOut(change, refusal);
    const problems = toProblems(sheet, change, refusal);
    if (!rest || problems.length === 0) return tellRefusal(refusal);
    return ask({
      problems,
      openDate: undefined,
      cells: change.sets.length + change.created.length,
      onDecide: () => {
        ask(undefined);
        void writeAll(rest);
      },
    });
  };
  return writeAll;
}

function tellRefusal({ message, cells }: Refusal): void {
  const reasons = [...new Set(cells.map((cell) => cell.message))];
  notifyRefusal({
    text: "Your changes are not saved.",
    reasons: reasons.length > 0 ? reasons : [message],
  });
}

interface PasteActs extends Moves {
  readonly ask: Ask;
  readonly writeAll: (change: Change) => Promise<void>;
}

function usePaste(props: CellActsProps, { moveTo, refuse, ask, writeAll }: PasteActs) {
  const { sheet, access, range, spec, all } = props;
  return async (given: Cells): Promise<void> => {
    if (refuse(access.update)) return;
    const { top, left } = boxOf(range);
    const size = sizeOf(boxOf(range));
    const width = Math.max(...given.map((row) => row.length), 1);
    // Checks the size before the cells are repeated to fill the selection.
    const rows = Math.max(given.length, size.rows);
    if (refuse(explainTooLarge(rows, Math.max(width, 1)))) return;
    const cells = tileCells(given, size.rows, size.columns);
    const lines = linesFrom(sheet, top, cells.length);
    const places = lines.flatMap((line) => sheet.rows.placeAt(line) ?? []);
    const fields = sheet.columns.slice(left, left + width).map(({ name }) => name);
    const loaded = await loadSelection(sheet, { spec, places, fields });
    if (lines.length < cells.length) await assertEnd(sheet, spec);
    const findId = await findReferences(sheet, left, cells);
    const convert = (order: DateOrder | undefined): Paste =>
      pasteCells(loaded, range, cells, { all, findId, newId, noCreate: access.create, order });
    const write = async ({ change, range: pasted }: Paste): Promise<void> => {
      moveTo(pasted);
      await writeAll(change);
    };
    const first = convert(undefined);
    const openDate = findOpenDate(sheet.columns, left, cells);
    if (first.problems.length === 0 && openDate === undefined) return write(first);
    const confirm = (paste: Paste, asked: string | undefined): void =>
      ask({
        problems: paste.problems,
        openDate: asked,
        cells: cells.reduce((sum, row) => sum + row.length, 0),
        onDecide: (order) => {
          ask(undefined);
          const decided = asked === undefined ? paste : convert(order);
          // With the date order known, other cells may be invalid: they are shown before anything is written.
          if (asked !== undefined && decided.problems.length > 0) confirm(decided, undefined);
          else void write(decided);
        },
      });
    return confirm(openDate === undefined ? first : { ...first, problems: [] }, openDate);
  };
}

let lastPasted = 0;
function newId(): string {
  lastPasted += 1;
  return `new-p${lastPasted}`;
}
