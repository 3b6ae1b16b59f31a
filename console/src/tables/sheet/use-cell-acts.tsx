/** The cell operations of keyboard, menus and clipboard. */
import { type KeyboardEvent, type ReactNode, useState } from "react";
import { notify } from "../../ui/toast.tsx";
import type { Edits } from "../book/use-edits.ts";
import type { GridColumn } from "../column/column.ts";
import { rowOnLine, type Sheet } from "./cell-acts.ts";
import { at, type Extent, type Range } from "./cell-range.ts";
import { CellEditor } from "../cell/cell-editor.tsx";
import type { Leave } from "../cell/choice-option.ts";
import { FaultNotice } from "../cell/fault-notice.tsx";
import { useGridActions } from "./use-grid-actions.ts";
import { handleGridKey } from "./use-grid-keys.ts";
import { type CellActsProps, useSelectionActs } from "./use-selection-acts.tsx";
import { cellKey, type Row } from "../book/row-book.ts";

export interface CellActs {
  readonly editor: ReactNode;
  readonly dialog: ReactNode;
  readonly isEditing: boolean;
  /** Describes the operation in progress on the selection. */
  readonly busy: string | undefined;
  readonly edit: (typed?: string) => void;
  readonly moveTo: (range: Range) => void;
  readonly addAt: (place: number) => void;
  readonly fillTo: (row: number) => void;
  readonly openLine: (line: number) => void;
  readonly deleteRows: () => void;
  readonly onKeyDown: (event: KeyboardEvent<HTMLElement>, pageRows: number) => void;
}

export function useCellActs(props: CellActsProps): CellActs {
  const { box, sheet, edits, access, range, setRange, extent, onOpen } = props;
  const [typed, setTyped] = useState<{ readonly text: string | undefined }>();
  const { row: line, column: place } = range.anchor;
  const column = sheet.columns[place];
  const current = rowOnLine(sheet, line);
  const focus = (): void => box.current?.focus({ preventScroll: true });
  const refuse = (reason: string | undefined): boolean => {
    if (reason !== undefined) notify(reason);
    return reason !== undefined;
  };
  const edit = (text?: string): void => {
    if (!column || !current || refuse(column.readOnly ?? access.update)) return;
    setRange({ anchor: range.anchor, end: range.anchor });
    setTyped({ text: column.type === "boolean" ? undefined : text });
    if (column.type === "boolean") toggle();
  };
  const moveTo = (next: Range): void => {
    setTyped(undefined);
    setRange(next);
  };
  const toggle = (): boolean => {
    if (column?.type !== "boolean" || !current) return false;
    setTyped(undefined);
    if (refuse(column.readOnly ?? access.update)) return true;
    edits.setValue(current.row, column, current.row.values[column.name] !== true);
    return true;
  };
  const addAt = (target: number): void => {
    if (refuse(access.create)) return;
    edits.addRows(target, [{}]);
    const first = sheet.columns.findIndex(({ readOnly }) => readOnly === undefined);
    moveTo(at(sheet.rows.lineOf(target), Math.max(0, first)));
    requestAnimationFrame(focus);
  };
  const selection = useSelectionActs(props, { moveTo, refuse });
  const { deleteRows, clear, fillDown } = selection;
  const openRecord = (): void => {
    if (current && !current.row.id.startsWith("new-")) onOpen(current.row.id);
  };
  const addBelow = (): void => addAt((current?.place ?? sheet.book.count - 1) + 1);
  const keyActs = {
    onRange: moveTo,
    edit,
    clear,
    addBelow,
    fillDown,
    openRecord,
    undo: edits.undo,
    redo: edits.redo,
    deleteRows,
    toggle,
  };
  useGridActions(keyActs, access);
  const editorFor = (target: GridColumn): ReactNode => (
    <CellEditor
      key={`${line}:${place}`}
      column={target}
      value={current?.row.values[target.name] ?? null}
      typed={typed?.text}
      nameOf={sheet.nameOf}
      onSave={(value, leave) => {
        setTyped(undefined);
        if (current) edits.setValue(current.row, target, value);
        const next = stepAfter(range, leave, extent);
        if (next) setRange(next);
        focus();
      }}
      onCancel={() => {
        setTyped(undefined);
        focus();
      }}
    />
  );
  return {
    editor: typed && column && current ? editorFor(column) : undefined,
    dialog: (
      <>
        {selection.dialog}
        {current && column && typed === undefined && (
          <CellFault {...{ sheet, edits, column, focus }} row={current.row} />
        )}
      </>
    ),
    busy: selection.busy,
    isEditing: typed !== undefined,
    edit,
    moveTo,
    addAt,
    deleteRows,
    fillTo: () => fillDown(),
    openLine: (wanted) => {
      const found = rowOnLine(sheet, wanted);
      if (found) onOpen(found.row.id);
    },
    onKeyDown: (event, pageRows) => handleGridKey(event, { range, extent, pageRows }, keyActs),
  };
}

interface CellFaultProps {
  readonly sheet: Sheet;
  readonly edits: Edits;
  readonly row: Row;
  readonly column: GridColumn;
  readonly focus: () => void;
}

function CellFault({ sheet, edits, row, column, focus }: CellFaultProps) {
  const key = cellKey(row.id, column.name);
  const fault = sheet.book.faults.get(key);
  if (!fault) return null;
  return (
    <FaultNotice
      {...{ fault, column }}
      nameOf={sheet.nameOf}
      onMine={() => edits.setValue(row, column, fault.mine)}
      onDismiss={() => {
        sheet.book.faults.delete(key);
        sheet.book.touch();
        focus();
      }}
    />
  );
}

function stepAfter({ anchor }: Range, leave: Leave, extent: Extent): Range | undefined {
  const { row, column } = anchor;
  if (leave === "down") return at(Math.min(row + 1, extent.rows - 1), column);
  if (leave === "up") return at(Math.max(row - 1, 0), column);
  if (leave === "right") return at(row, Math.min(column + 1, extent.columns - 1));
  if (leave === "left") return at(row, Math.max(column - 1, 0));
  return undefined;
}
