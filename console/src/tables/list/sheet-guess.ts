/** A table made of a spreadsheet: names and types of columns guessed from what stands in them. */
import { guessSeparator, parseCells } from "../../ui/readable/cells.ts";
import type { GridColumn } from "../column/column.ts";
import { parseText, readDay, readNumber } from "../column/value.ts";

export interface GuessedColumn {
  /** As the spreadsheet calls it; the server derives the name from it. */
  readonly title: string;
  readonly type: string;
  readonly values: readonly string[];
  /** Cells that do not fit the type. */
  readonly faults: number;
  readonly examples: readonly string[];
  readonly isTaken: boolean;
}

export interface GuessedSheet {
  readonly columns: readonly GuessedColumn[];
  readonly rows: readonly (readonly string[])[];
}

const CHOICES_MAX = 12;
const EXAMPLES = 3;
/** The share of cells that must fit a type; the rest are faults that somebody can mend. */
const FIT_SHARE = 0.95;

export function guessSheet(text: string): GuessedSheet {
  const clean = text.replace(/^\uFEFF/, "").replace(/\r?\n$/, "");
  const cells = parseCells(clean, guessSeparator(clean));
  const [header = [], ...rest] = cells.filter((row) => row.some((cell) => cell.trim() !== ""));
  const columns = header.map((title, n): GuessedColumn => {
    const filled = rest.map((row) => row[n]?.trim() ?? "").filter(Boolean);
    const guessed = guessType(filled);
    return {
      title: title.trim() === "" ? `Column ${n + 1}` : title,
      examples: filled.slice(0, EXAMPLES),
      isTaken: true,
      ...guessed,
    };
  });
  return { columns, rows: rest };
}

function guessType(cells: readonly string[]): Pick<GuessedColumn, "type" | "values" | "faults"> {
  const fit = (test: (cell: string) => boolean): number => cells.filter(test).length;
  const enough = Math.max(1, Math.ceil(cells.length * FIT_SHARE));
  const candidates: readonly (readonly [string, (cell: string) => boolean])[] = [
    ["boolean", (cell) => /^(true|false|yes|no|ja|nein)$/i.test(cell)],
    // A leading zero is part of a code, as in a telephone number.
    [
      "integer",
      (cell) => Number.isSafeInteger(readNumber(cell)) && !/^0\d|^\+|[.,]\d{1,2}$/.test(cell),
    ],
    ["decimal", (cell) => readNumber(cell) !== undefined && !/^0\d|^\+/.test(cell)],
    ["date", (cell) => readDay(cell) !== undefined && !/\d:\d/.test(cell)],
    ["timestamp", (cell) => readDay(cell) !== undefined],
  ];
  if (cells.length === 0) return { type: "text", values: [], faults: 0 };
  for (const [type, test] of candidates) {
    const count = fit(test);
    if (count >= enough) return { type, values: [], faults: cells.length - count };
  }
  const values = [...new Set(cells)];
  const isChoice =
    values.length <= CHOICES_MAX &&
    cells.length >= values.length * 3 &&
    values.every((one) => one.length <= 40);
  return { type: isChoice ? "enum" : "text", values: isChoice ? values : [], faults: 0 };
}

/** The columns of the new table. */
export function toColumns({ columns }: GuessedSheet) {
  return columns
    .filter(({ isTaken }) => isTaken)
    .map(({ title, type, values }) => ({
      ...toTitle(title),
      type,
      options: type === "enum" ? { values } : type === "decimal" ? { scale: 2 } : {},
    }));
}

const TITLE_CHARACTERS_MAX = 200;

/** The title of a column; a longer text is kept in the description, and the title shows that it was cut. */
function toTitle(text: string): { readonly title: string; readonly description?: string } {
  if (text.length <= TITLE_CHARACTERS_MAX) return { title: text };
  const start = text.slice(0, TITLE_CHARACTERS_MAX - 1).replace(/[\uD800-\uDBFF]$/, "");
  return { title: `${start}…`, description: text.slice(0, 2_000).toWellFormed() };
}

/**
 * The records of a sheet, by the names that the server gave the columns that were taken, in their order. A cell that
 * does not fit is left empty and counted.
 */
export function toRecords(
  { columns, rows }: GuessedSheet,
  made: readonly { readonly name: string }[],
) {
  const taken = columns.flatMap(({ isTaken }, n) => (isTaken ? [n] : []));
  const names = new Map(taken.map((n, at) => [n, made[at]?.name]));
  let faults = 0;
  const records = rows.map((row) => {
    const record: Record<string, unknown> = {};
    for (const [n, column] of columns.entries()) {
      const text = row[n]?.trim() ?? "";
      const name = names.get(n);
      if (text === "" || name === undefined) continue;
      const parsed = parseText(asGridColumn(column), text);
      if ("value" in parsed) record[name] = parsed.value;
      else faults += 1;
    }
    return record;
  });
  return { records, faults };
}

function asGridColumn({ title, type, values }: GuessedColumn): GridColumn {
  return {
    name: title,
    title,
    type,
    options: { values },
    isRequired: false,
    isUnique: false,
    description: "",
    readOnly: undefined,
    isSystem: false,
  };
}
