/** The grid with its toolbar, summaries and cell actions. */
import { useMemo, useRef, useState } from "react";
import { useNames } from "../../data/names/names.ts";
import { Empty, ErrorNotice } from "../../ui/feedback.tsx";
import type { GridColumn, TableShape } from "../column/column.ts";
import { targetOf } from "../column/column.ts";
import { useEdits } from "../book/use-edits.ts";
import { useCellNames, useLinkNames } from "../book/link-names.ts";
import { usePendingRows } from "../book/use-pending-rows.ts";
import { type ListSpec, useRowBook, useSummary } from "../book/use-row-book.ts";
import { AddColumn } from "../designer/add-column.tsx";
import { GridBar } from "./grid-bar.tsx";
import { GridFoot } from "./grid-foot.tsx";
import { Grid } from "./grid.tsx";
import { groupRows, plainRows } from "../sheet/group-rows.ts";
import { at, clampRange, type Range } from "../sheet/cell-range.ts";
import { StatusLine } from "./status-line.tsx";
import { useCellActs } from "../sheet/use-cell-acts.tsx";
import { useColumnMenu } from "./use-column-menu.tsx";
import { useOthers } from "../sheet/use-others.ts";
import { ROW_PX, shownColumns, summaryOf, widthOf } from "../views/layout.ts";
import type { LayoutState } from "../views/use-layout.ts";
import { useAccess } from "../sheet/use-access.ts";
import { Button } from "../../ui/form/button.tsx";

interface GridScreenProps {
  readonly table: TableShape;
  readonly columns: readonly GridColumn[];
  readonly state: LayoutState;
  readonly onOpen: (id: string | undefined) => void;
}

export function GridScreen({ table, columns, state, onOpen }: GridScreenProps) {
  const { layout, change } = state;
  const { slug } = table;
  const box = useRef<HTMLDivElement>(null);
  const access = useAccess(table);
  const shown = useMemo(() => shownColumns(columns, layout), [columns, layout]);
  const spec = useListSpec({ slug, columns, state });
  const book = useRowBook(spec, columns);
  const edits = useEdits({ slug, book, columns });
  const names = useNames();
  useLinkNames(book, columns);
  usePendingRows(book, slug, columns);
  const nameOf = useCellNames(book, names);
  const summed = useFigures({ spec, shown, state });
  const groupColumn = columns.find(({ name }) => name === layout.groupBy);
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const { groups } = summed;
  const total = summed.count;
  if (total !== undefined && book.isRead && summed.isNew(book)) book.setCount(total);
  const rows = useMemo(
    () => (groupColumn && groups ? groupRows(groups, folded) : plainRows(book.count)),
    // `book` is mutable: it stays the same object when its length changes.
    [groupColumn, groups, folded, book.count],
  );
  const [range, setRange] = useState<Range>(at(0, 0));
  const extent = { rows: Math.max(1, rows.count), columns: Math.max(1, shown.length) };
  const inside = clampRange(range, extent);
  const sheet = useMemo(
    () => ({ book, rows, columns: shown, nameOf }),
    [book, rows, shown, nameOf],
  );
  const acts = useCellActs({
    box,
    sheet,
    edits,
    access,
    range: inside,
    setRange,
    extent,
    onOpen,
    spec,
    all: columns,
  });
  const head = useColumnMenu({ table, shown, state, setRange, rows: rows.count });
  const others = useOthers(table.id, sheet, inside, acts.isEditing);
  const widths = useMemo(
    () => shown.map((column) => widthOf(column, layout.widths)),
    [shown, layout.widths],
  );
  const frozen = Math.min(layout.frozen, shown.length, isTelephone() ? 0 : layout.frozen);
  return (
    <div className="grid-screen">
      <GridBar {...{ table, columns, state, spec, edits, book, access, total }} acts={acts} />
      {book.error && <ErrorNotice error={book.error} retry={() => book.forget()} />}
      {book.isRead && rows.count === 0 && !book.error ? (
        <NoRecords
          isFiltered={Object.keys(spec.filter).length > 0 || spec.q !== ""}
          onClear={() => state.show({ filter: {}, q: undefined })}
          onAdd={access.create === undefined ? () => acts.addAt(0) : undefined}
        />
      ) : (
        <Grid
          {...{ book, rows, widths, frozen, nameOf, groupColumn, folded, others, box }}
          label={`Records of ${table.name}`}
          columns={shown}
          rowPx={rowPxOf(layout.rowHeight)}
          sort={layout.sort}
          range={inside}
          onRange={acts.moveTo}
          editor={acts.editor}
          head={head.handlers}
          onFold={(value) => setFolded((old) => old.symmetricDifference(keySet(value)))}
          onKeyDown={acts.onKeyDown}
          onOpen={acts.openLine}
          onEdit={() => acts.edit()}
          onFill={acts.fillTo}
          footer={(lines) => (
            <GridFoot
              lines={lines}
              widthPx={(lines.edges.at(-1) ?? 0) + 100}
              summaries={layout.summaries}
              figures={summed.figures}
              onChange={(column, figure) =>
                change({ summaries: { ...layout.summaries, [column.name]: figure } })
              }
            />
          )}
        />
      )}
      <StatusLine {...{ sheet, edits, book, total }} range={inside} busy={acts.busy} />
      {acts.dialog}
      {head.isAdding && <AddColumn table={table} onClose={head.endAdd} />}
    </div>
  );
}

const keySet = (value: unknown): ReadonlySet<string> => new Set([JSON.stringify(value)]);
const TOUCH_ROW_PX = 44;
const isTelephone = (): boolean => matchMedia("(max-width: 760px)").matches;

function rowPxOf(height: keyof typeof ROW_PX): number {
  const isCoarse = matchMedia("(pointer: coarse)").matches;
  return Math.max(ROW_PX[height], isCoarse ? TOUCH_ROW_PX : 0);
}

interface ListTarget {
  readonly slug: string;
  readonly columns: readonly GridColumn[];
  readonly state: LayoutState;
}

/** The API query of the list in the grid. */
function useListSpec({ slug, columns, state }: ListTarget): ListSpec {
  const { layout, search } = state;
  const { groupBy } = layout;
  const expand = columns
    .filter((column) => targetOf(column) !== undefined && !column.isSystem)
    .map(({ name }) => name)
    .join(",");
  const others = layout.sort
    .split(",")
    .filter((key) => key !== "" && key.replace("-", "") !== groupBy);
  const keys = groupBy === null ? others : [groupBy, ...others];
  const sort = keys.length === 0 ? "" : [...keys, "id"].slice(0, 4).join(",");
  return { slug, filter: layout.filter, q: search.q ?? "", sort, expand };
}

interface FigureTarget {
  readonly spec: ListSpec;
  readonly shown: readonly GridColumn[];
  readonly state: LayoutState;
}

/** Loads record counts and summaries for the list and the groups. */
function useFigures({ spec, shown, state }: FigureTarget) {
  const { summaries, groupBy } = state.layout;
  const wanted = shown
    .map((column) => [summaryOf(column, summaries), column.name] as const)
    .filter(([figure]) => figure !== "none")
    .map(([figure, name]) => `${figure}:${name}`)
    .join(",");
  const whole = useSummary(spec, null, wanted);
  const grouped = useSummary(spec, groupBy, wanted);
  const all = whole.data?.data.groups[0];
  const applied = useRef<unknown>(undefined);
  return {
    count: whole.isPlaceholderData ? undefined : all?.count,
    figures: all?.figures ?? {},
    groups: groupBy === null || grouped.isPlaceholderData ? undefined : grouped.data?.data.groups,
    /** Returns true once for each new count from the server, so that rows added since are not removed by it. */
    isNew(book: object): boolean {
      const mark = `${whole.dataUpdatedAt}:${JSON.stringify(spec)}`;
      const isNew = applied.current !== mark;
      applied.current = mark;
      return isNew && book !== undefined;
    },
  };
}

function NoRecords(props: {
  readonly isFiltered: boolean;
  readonly onClear: () => void;
  readonly onAdd: (() => void) | undefined;
}) {
  if (props.isFiltered) {
    return (
      <Empty
        title="No matching records"
        action={<Button onClick={props.onClear}>Clear filter and search</Button>}
      >
        No record matches the filter and the search.
      </Empty>
    );
  }
  return (
    <Empty
      title="No records yet"
      action={
        props.onAdd && (
          <Button look="main" onClick={props.onAdd}>
            Add record
          </Button>
        )
      }
    >
      Enter records here, paste them from a spreadsheet, or import a file.
    </Empty>
  );
}
