import { Compile } from "typebox/compile";
import { InputTime, object } from "#kernel/schema/schema.ts";
import { isTextual, toTextSql } from "./to-text.ts";
import { asStored, type ColumnType } from "./column-type.ts";

const TIME_PATTERN_SQL = "'^[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9:.]+ ?(Z|[+-][0-9:]+)?)?$'";

const validator = Compile(InputTime);

export const timestamp: ColumnType = {
  summary:
    "A time, returned in UTC with milliseconds. Accepts any UTC offset, such as `2026-02-28T09:30:00+01:00`. The default `$now` is the creation time of the record",
  options: object({}),
  sqlType: () => "timestamptz(3)",
  parameterType: "timestamptz",
  constraint: (_, quoted) =>
    `${quoted} >= '1900-01-01T00:00:00Z' and ${quoted} < '10000-01-01T00:00:00Z'`,
  parse(value) {
    if (typeof value === "string" && validator.Check(value)) {
      const time = new Date(value).toISOString();
      // The offset may move the time out of the allowed years.
      if (validator.Check(time)) return { value: time };
    }
    return { error: "must be an ISO 8601 time with a UTC offset, in the years 1900 to 9999" };
  },
  store: (value) => value,
  show: asStored,
  kind: "time",
  parseCell: (cell) => cell.trim(),
  formatCell: String,
  convertFrom(from, _, quoted) {
    if (from.type === "timestamp") return quoted;
    if (from.type === "date") return `${quoted}::timestamp at time zone 'UTC'`;
    if (!isTextual(from)) return undefined;
    const text = toTextSql(from, quoted);
    // Sessions run in UTC, so a time without an offset is UTC.
    return `case when ${text} ~ ${TIME_PATTERN_SQL} then ${text} else 'not a time: ' || ${text} end::timestamptz`;
  },
};
