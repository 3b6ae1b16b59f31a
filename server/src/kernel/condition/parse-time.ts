import Schema from "typebox/schema";
import { InputTime } from "../schema/schema.ts";

const inputTime = Schema.Compile(InputTime);
const CANONICAL_LENGTH = "2026-01-02T03:04:05.678Z".length;

/** A time or a day (its beginning in UTC) in ISO 8601, UTC, milliseconds; undefined for any other text. */
export function parseTime(text: string): string | undefined {
  const time = DATE.test(text) ? `${text}T00:00:00Z` : text;
  if (!inputTime.Check(time)) return undefined;
  const canonical = new Date(time).toISOString();
  // An offset can lead beyond the last year that has four digits.
  return canonical.length === CANONICAL_LENGTH ? canonical : undefined;
}

/** A day of the years 1 to 9999, as it is; undefined for any other text. */
export function parseDate(text: string): string | undefined {
  if (!DATE.test(text) || text.startsWith("0000")) return undefined;
  const time = Date.parse(`${text}T00:00:00Z`);
  // JavaScript takes February 30 for a day of March.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text) ? text : undefined;
}

const DATE = /^\d{4}-\d\d-\d\d$/;
