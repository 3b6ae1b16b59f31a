import { object } from "#kernel/schema/schema.ts";
import { isTextual, textFrom } from "./to-text.ts";
import type { ColumnType } from "./column-type.ts";

const FORM = /^(19|[2-9]\d)\d\d-\d\d-\d\d$/;
const FORM_IN_SQL = "'^[0-9]{4}-[0-9]{2}-[0-9]{2}$'";

export const date: ColumnType = {
  summary:
    "A day, such as `2026-02-28`, of the years 1900 to 9999; the default `$now` is today in UTC",
  options: object({}),
  sqlType: () => "date",
  parameterType: "date",
  constraint: (_, quoted) => `${quoted} between '1900-01-01' and '9999-12-31'`,
  read: (value) =>
    typeof value === "string" && isDay(value)
      ? { value }
      : { fault: "must be a day of the years 1900 to 9999, as YYYY-MM-DD" },
  store: (value) => value,
  show: (stored) => stored as string,
  kind: "date",
  parse: (cell) => cell.trim(),
  format: String,
  convertFrom(from, _, quoted) {
    if (from.type === "date") return quoted;
    if (from.type === "timestamp") return `(${quoted} at time zone 'UTC')::date`;
    if (!isTextual(from)) return undefined;
    const text = textFrom(from, quoted);
    // A cast alone would also take `tomorrow`, and guess at what 01/02/03 means.
    return `case when ${text} ~ ${FORM_IN_SQL} then ${text} else 'not a day: ' || ${text} end::date`;
  },
};

function isDay(value: string): boolean {
  if (!FORM.test(value)) return false;
  const time = Date.parse(`${value}T00:00:00Z`);
  // What is no day of its month is read as one of the next.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(value);
}
