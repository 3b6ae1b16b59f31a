/**
 * Types that keep every character of a column: each value is exported as the same text. Any other column is text until
 * the user decides otherwise: `ORD-00001` is not a number, and `007` is not 7.
 */
import { type ColumnSchema, parseColumns, resolveTable } from "#domains/tables/index.ts";
import type { Cell } from "../source/source-row.ts";
import { type CellStyle, convertCell } from "./convert-cell.ts";

/** In order of preference. */
export const EXACT_TYPES = [
  "boolean",
  "integer",
  "decimal",
  "date",
  "timestamp",
  "email",
  "url",
  "enum",
] as const;
export type ExactType = (typeof EXACT_TYPES)[number];

/** Irrelevant for canonical texts. */
const STYLE: CellStyle = { dateOrder: "dmy", decimalMark: "point" };
const SCALE_MAX = 10;
const AT = new Date(0).toISOString();

const COLUMNS = resolveTable(
  {
    id: "tbl_00000000000000000000000000",
    slug: "guess",
    name: "",
    description: "",
    columns: [
      ...parseColumns(
        [
          ...EXACT_TYPES.filter((type) => type !== "enum").map((type) => ({
            name: `a_${type}`,
            type,
          })),
          { name: "a_scale", type: "decimal", options: { scale: SCALE_MAX } },
        ],
        { path: "" },
      ).columns,
    ],
    indexes: [],
    rules: [],
    createdBy: "",
    createdAt: AT,
    updatedAt: AT,
    revision: 1,
    renamedRevision: 1,
    shape: 0,
  },
  { workspace: "00000000-0000-0000-0000-000000000000", environment: "production" },
).byName;

/** True if a cell, parsed as the column's type, is exported as the same text. */
export function isKept(cell: Cell, column: ColumnSchema): boolean {
  const value = convertCell(cell, column, STYLE);
  if (value === null || value === undefined) return false;
  const parsed = column.columnType.parse(value, column);
  return "value" in parsed && column.columnType.formatCell(parsed.value, column) === String(cell);
}

/** Tracks which types keep all cells of a column. */
export class ExactTypes {
  readonly #left = new Set<ExactType>(EXACT_TYPES);
  /** The common number of decimals. Undefined if they differ. */
  #scale: number | undefined | "none" = "none";

  /** Adds a non-empty cell, including blanks and words such as `n/a`. */
  add(cell: Cell): void {
    for (const type of this.#left) {
      if (type === "enum") {
        if (typeof cell !== "string" || cell.trim() !== cell || cell === "")
          this.#left.delete(type);
      } else if (type === "decimal") this.#addDecimal(cell);
      else {
        const column = COLUMNS.get(`a_${type}`);
        if (!column || !isKept(cell, column)) this.#left.delete(type);
      }
    }
  }

  #addDecimal(cell: Cell): void {
    const [, fraction = ""] = /^-?(?:0|[1-9]\d*)(?:\.(\d{1,10}))?$/.exec(String(cell)) ?? [];
    const plain = COLUMNS.get("a_decimal");
    const isPlain = plain !== undefined && isKept(cell, plain);
    const isTyped = typeof cell !== "string";
    const scale = isTyped ? undefined : fraction.length;
    this.#scale = this.#scale === "none" || this.#scale === scale ? scale : undefined;
    this.#isPlain &&= isPlain;
    const column = COLUMNS.get("a_scale");
    const scaled = scale !== undefined && column && isKept(cell, withScale(column, scale));
    if (!this.#isPlain && (scaled !== true || this.#scale === undefined))
      this.#left.delete("decimal");
  }
  #isPlain = true;

  has(type: ExactType): boolean {
    return this.#left.has(type);
  }

  /** The options of a decimal column that exports these numbers unchanged. */
  get decimalOptions(): Record<string, unknown> {
    const hasScale = typeof this.#scale === "number" && this.#scale > 0;
    return hasScale && !this.#isPlain ? { scale: this.#scale } : {};
  }
}

const withScale = (column: ColumnSchema, scale: number): ColumnSchema => ({
  ...column,
  options: { scale },
});
