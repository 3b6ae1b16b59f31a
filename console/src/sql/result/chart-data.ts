/** Draws a result as a chart: the selected columns and their numbers. */
import type { Schemas } from "../../data/api.ts";

export type Answer = Schemas["QueryAnswer"];
export type Cells = readonly unknown[];
export type ChartKind = "line" | "bar" | "number";

export interface ChartChoice {
  readonly kind: ChartKind;
  /** The column of the axis. */
  readonly over: string;
  /** The columns with numbers. */
  readonly of: readonly string[];
}

export const PLACES_MAX = 200;
const SERIES_MAX = 4;
const NUMBERS = new Set(["bigint", "smallint", "integer", "real", "double precision", "numeric"]);
const TIMES = new Set(["date", "timestamp", "timestamptz"]);

export const isNumberColumn = ({ type }: { readonly type: string }): boolean => NUMBERS.has(type);

/** Guesses the chart for a result; undefined if it has no numeric column. */
export function guessChart({ columns, rows }: Answer): ChartChoice | undefined {
  const numbers = columns.filter(isNumberColumn).map(({ name }) => name);
  const [first] = numbers;
  if (first === undefined) return undefined;
  if (rows.length <= 1) return { kind: "number", over: first, of: numbers.slice(0, SERIES_MAX) };
  const time = columns.find(({ type }) => TIMES.has(type));
  const over = time ?? columns.find((column) => !isNumberColumn(column)) ?? columns[0];
  const of = numbers.filter((name) => name !== over?.name).slice(0, SERIES_MAX);
  return {
    kind: time ? "line" : "bar",
    over: over?.name ?? first,
    of: of.length > 0 ? of : [first],
  };
}

/** Keeps the choice if a later result still has its columns. */
export function keepChart(
  answer: Answer,
  choice: ChartChoice | undefined,
): ChartChoice | undefined {
  const names = new Set(answer.columns.map(({ name }) => name));
  const isKept = choice && names.has(choice.over) && choice.of.every((name) => names.has(name));
  return isKept ? choice : guessChart(answer);
}

export interface ChartData {
  readonly places: readonly string[];
  readonly series: readonly { readonly name: string; readonly values: readonly number[] }[];
  readonly isCut: boolean;
}

export function toChartData({ columns, rows }: Answer, { over, of }: ChartChoice): ChartData {
  const at = (name: string): number => columns.findIndex((column) => column.name === name);
  const shown = (rows as readonly Cells[]).slice(0, PLACES_MAX);
  const overAt = at(over);
  return {
    places: uniquePlaces(shown.map((row) => toPlace(row[overAt]))),
    series: of.map((name) => {
      const valueAt = at(name);
      return { name, values: shown.map((row) => Number(row[valueAt] ?? 0) || 0) };
    }),
    isCut: rows.length > PLACES_MAX,
  };
}

/** Formats dates without the time at midnight. */
function toPlace(value: unknown): string {
  if (value === null || value === undefined) return "none";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.replace(/T00:00:00(?:\.000)?Z?$/, "").slice(0, 40);
}

function uniquePlaces(places: readonly string[]): readonly string[] {
  const seen = new Map<string, number>();
  return places.map((place) => {
    const nth = (seen.get(place) ?? 0) + 1;
    seen.set(place, nth);
    return nth === 1 ? place : `${place} (${nth})`;
  });
}
