/** The layout of a table: the saved view, plus the user's unsaved changes. */
import type { Schemas } from "../../data/api.ts";
import type { GridColumn } from "../column/column.ts";
import { isComputed, isNumber } from "../column/column.ts";
import type { Condition } from "../filter/filter-tree.ts";

export type SavedView = Schemas["ListedTableView"];
export type ViewKind = SavedView["kind"];
export type RowHeight = SavedView["rowHeight"];

export interface Layout {
  readonly kind: ViewKind;
  readonly filter: Condition;
  readonly sort: string;
  readonly groupBy: string | null;
  readonly dateField: string | null;
  readonly hidden: readonly string[];
  readonly columns: readonly string[];
  readonly widths: Readonly<Record<string, number>>;
  readonly frozen: number;
  readonly rowHeight: RowHeight;
  readonly summaries: Readonly<Record<string, string>>;
}

export const PLAIN: Layout = {
  kind: "grid",
  filter: {},
  sort: "",
  groupBy: null,
  dateField: null,
  hidden: ["createdBy", "updatedAt"],
  columns: [],
  widths: {},
  frozen: 1,
  rowHeight: "short",
  summaries: {},
};

/** Returns only the layout fields of a view. */
export function layoutOf(view: Layout | SavedView): Layout {
  const { kind, filter, sort, groupBy, dateField, hidden, columns, widths, frozen } = view;
  const { rowHeight, summaries } = view;
  return {
    kind,
    filter,
    sort,
    groupBy,
    dateField,
    hidden,
    columns,
    widths,
    frozen,
    rowHeight,
    summaries,
  };
}

/** Returns the visible columns in their order. */
export function shownColumns(
  columns: readonly GridColumn[],
  { hidden, columns: order }: Pick<Layout, "hidden" | "columns">,
): readonly GridColumn[] {
  const place = new Map(order.map((name, n) => [name, n]));
  const rank = ({ name }: GridColumn): number => place.get(name) ?? order.length;
  return columns.filter(({ name }) => !hidden.includes(name)).toSorted((a, b) => rank(a) - rank(b));
}

const WIDTHS: Readonly<Record<string, number>> = {
  boolean: 84,
  autonumber: 108,
  integer: 96,
  decimal: 112,
  date: 116,
  timestamp: 156,
  enum: 128,
  multi_enum: 176,
  reference: 184,
  links: 220,
  backlinks: 220,
  duration: 96,
  formula: 120,
  rollup: 112,
  json: 160,
};
const WIDTH_DEFAULT = 208;
const LETTER_PX = 7;
const HEAD_PX = 66;

export function widthOf(column: GridColumn, widths: Layout["widths"]): number {
  const label = column.name.length * LETTER_PX + HEAD_PX;
  return (
    widths[column.name] ?? Math.max(WIDTHS[column.type] ?? WIDTH_DEFAULT, Math.min(label, 240))
  );
}

export const ROW_PX: Readonly<Record<RowHeight, number>> = { short: 28, medium: 44, tall: 76 };

/** Moves a column next to another. */
export function moveColumn(
  shown: readonly GridColumn[],
  name: string,
  to: number,
): readonly string[] {
  const names = shown.map((column) => column.name).filter((one) => one !== name);
  return names.toSpliced(Math.max(0, Math.min(names.length, to)), 0, name);
}

/** Parses a sort order: `-total,name` as pairs. */
export function parseSort(sort: string): readonly (readonly [string, "asc" | "desc"])[] {
  return sort
    .split(",")
    .filter(Boolean)
    .map((key) => (key.startsWith("-") ? [key.slice(1), "desc"] : [key, "asc"]));
}

/** Returns the summary shown by default below a column. */
export function summaryOf(column: GridColumn, summaries: Layout["summaries"]): string {
  return summaries[column.name] ?? "none";
}

/** Returns the summaries available for a column. */
export function figuresOf(column: GridColumn): readonly string[] {
  if (isComputed(column)) return ["none"];
  if (column.type === "json" || column.type === "links") return ["none", "filled"];
  if (isNumber(column)) return ["none", "sum", "average", "min", "max", "filled", "unique"];
  const isOrdered = column.type === "date" || column.type === "timestamp";
  return isOrdered
    ? ["none", "min", "max", "filled", "unique"]
    : ["none", "filled", ...(column.type === "multi_enum" ? [] : ["unique"])];
}
