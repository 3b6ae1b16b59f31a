import Schema from "typebox/schema";
import { InputTime } from "../schema/schema.ts";

const inputTime = Schema.Compile(InputTime);
const CANONICAL_LENGTH = "2026-01-02T03:04:05.678Z".length;

/**
 * Parses a time or a day (its start in UTC) to ISO 8601 in UTC with milliseconds. Returns undefined for other
 * texts.
 */
export function parseTime(text: string): string | undefined {
  const time = DATE.test(text) ? `${text}T00:00:00Z` : text;
  if (!inputTime.Check(time)) return undefined;
  const canonical = new Date(time).toISOString();
  // An offset can lead beyond the last four-digit year.
  return canonical.length === CANONICAL_LENGTH ? canonical : undefined;
}

/** Returns a day of the years 1 to 9999 unchanged, and undefined for other texts. */
export function parseDate(text: string): string | undefined {
  if (!DATE.test(text) || text.startsWith("0000")) return undefined;
  const time = Date.parse(`${text}T00:00:00Z`);
  // JavaScript parses February 30 as a day in March.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text) ? text : undefined;
}

const DATE = /^\d{4}-\d\d-\d\d$/;
