import type { Column } from "../../table.ts";
import type { ParsedValue } from "../column-type.ts";

/** `options.min` and `options.max` of a numeric column. */
interface Range {
  readonly min: number | undefined;
  readonly max: number | undefined;
}

function rangeOf({ options: { min, max } }: Column): Range {
  return {
    min: typeof min === "number" ? min : undefined,
    max: typeof max === "number" ? max : undefined,
  };
}

/** Checks the range itself. */
export function checkRange(column: Column) {
  const { min, max } = rangeOf(column);
  if (min === undefined || max === undefined || min <= max) return [];
  return [{ path: "/options/max", message: "must not be less than `min`" }];
}

export function isBounded(column: Column): boolean {
  const { min, max } = rangeOf(column);
  return min !== undefined || max !== undefined;
}

/** Parses a number that must be within the range. */
export function parseInRange(value: number, column: Column): ParsedValue {
  const { min, max } = rangeOf(column);
  if (min !== undefined && value < min) return { error: `must be at least ${min}` };
  if (max !== undefined && value > max) return { error: `must be at most ${max}` };
  // PostgreSQL does not store negative zero.
  return { value: value === 0 ? 0 : value };
}

/** The range as SQL, within the limits of the type. */
export function rangeSql(column: Column, quoted: string): string[] {
  const { min, max } = rangeOf(column);
  return [
    ...(min === undefined ? [] : [`${quoted} >= ${min}`]),
    ...(max === undefined ? [] : [`${quoted} <= ${max}`]),
  ];
}
