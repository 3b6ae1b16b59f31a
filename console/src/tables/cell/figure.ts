/** Formats the summaries of columns and selections. */
import type { GridColumn } from "../column/column.ts";
import {} from "../column/column.ts";
import { toText } from "../column/value.ts";

const WORDS: Readonly<Record<string, string>> = {
  none: "None",
  sum: "Sum",
  average: "Average",
  min: "Minimum",
  max: "Maximum",
  filled: "Not empty",
  unique: "Unique values",
};

export const figureWord = (figure: string): string => WORDS[figure] ?? figure;

const plain = new Intl.NumberFormat("en", { maximumFractionDigits: 2 });

/** Formats a summary value from the server. */
export function figureText(column: GridColumn, figure: string, value: unknown): string {
  if (value === null || value === undefined) return "–";
  if (figure === "filled" || figure === "unique" || figure === "average") {
    return plain.format(Number(value));
  }
  return toText(column, value, () => undefined);
}

/** Formats `sum:total` and its value as `Total 1,240.50`. */
export function toFigure(columns: readonly GridColumn[], name: string, value: unknown): string {
  const [figure = "", field = ""] = name.split(":");
  const column = columns.find((one) => one.name === field);
  if (!column) return "";
  const word = figure === "sum" ? "" : ` ${figureWord(figure).toLowerCase()}`;
  return `${column.title}${word} ${figureText(column, figure, value)}`;
}

export interface SelectionFigures {
  readonly cells: number;
  readonly filled: number;
  readonly numbers: number;
  readonly sum: number;
  readonly min: number;
  readonly max: number;
}

/** Computes the summary of the selected values, like the status bar of a spreadsheet. */
export function figuresOfValues(values: readonly unknown[]): SelectionFigures {
  const numbers = values.filter((value) => typeof value === "number");
  const filled = values.filter((value) => value !== null && value !== undefined && value !== "");
  return {
    cells: values.length,
    filled: filled.length,
    numbers: numbers.length,
    sum: numbers.reduce((sum, value) => sum + value, 0),
    min: numbers.length === 0 ? 0 : numbers.reduce((a, b) => Math.min(a, b)),
    max: numbers.length === 0 ? 0 : numbers.reduce((a, b) => Math.max(a, b)),
  };
}

export const toShort = (value: number): string => plain.format(value);
