/** Buckets without rows, between those that have some. */
import { readInPartition, type ReportRequest } from "#kernel/contributions/report-source.ts";
import { BUCKET, type Column } from "./column.ts";
import { ROWS_MAX, type TimeBucket } from "./report.ts";

type ReportRow = Record<string, unknown>;

/**
 * The rows with one for each bucket and group. Buckets are counted by the clocks of their zone: a day may
 * have 23 hours, and an hour may come twice.
 */
export async function fillTimeGaps(
  request: ReportRequest,
  bucket: TimeBucket,
  columns: readonly Column[],
  rows: readonly ReportRow[],
): Promise<readonly ReportRow[]> {
  const times = rows.flatMap((row) => (typeof row[BUCKET] === "string" ? [row[BUCKET]] : []));
  if (times.length === 0) return rows;
  const buckets = await bucketsBetween(request, bucket, times);
  const groups = columns.filter(({ role }) => role === "group");
  const keyOf = (row: ReportRow) => JSON.stringify(groups.map(({ name }) => row[name]));
  const byGroup = Map.groupBy(rows, keyOf);
  const known = new Map(rows.map((row) => [`${String(row[BUCKET])} ${keyOf(row)}`, row]));
  const filled: ReportRow[] = [];
  for (const at of buckets) {
    for (const [key, [first = {}]] of byGroup) {
      filled.push(known.get(`${at} ${key}`) ?? emptyRow(columns, at, first));
      if (filled.length > ROWS_MAX) return filled;
    }
  }
  // Rows without a time are in no bucket.
  return [...filled, ...rows.filter((row) => row[BUCKET] === null)];
}

function emptyRow(columns: readonly Column[], at: string, like: ReportRow): ReportRow {
  return Object.fromEntries(
    columns.map(({ name, role, empty }) => {
      if (role === "bucket") return [name, at];
      return [name, role === "group" ? like[name] : empty];
    }),
  );
}

/** By the quarter: the clocks of some zones change by half an hour. */
const HOURS = `
  select distinct date_trunc('hour', s, $3::text) as at
    from generate_series($1::timestamptz, $2::timestamptz, interval '15 minutes') as s
   order by 1 limit ${ROWS_MAX + 1}`;

/**
 * Steps of the wall clock, which is where days and months begin. From where the first one should begin:
 * a day whose midnight is left out begins at one o'clock, and the next ones do not.
 */
function wallSql(unit: string, step: string): string {
  return `
  select s at time zone $3::text as at
    from generate_series(date_trunc('${unit}', $1::timestamptz at time zone $3::text),
                         $2::timestamptz at time zone $3::text, interval '${step}') as s
   order by 1 limit ${ROWS_MAX + 1}`;
}

const STEPS = {
  hour: HOURS,
  day: wallSql("day", "1 day"),
  week: wallSql("week", "7 days"),
  month: wallSql("month", "1 month"),
  quarter: wallSql("quarter", "3 months"),
  year: wallSql("year", "1 year"),
} as const;

const DAY_MS = 86_400_000;

/** No bucket is longer, so that so many of them reach at least as far as is shown. */
const LONGEST_MS = {
  hour: DAY_MS / 12,
  day: 2 * DAY_MS,
  week: 8 * DAY_MS,
  month: 32 * DAY_MS,
  quarter: 93 * DAY_MS,
  year: 367 * DAY_MS,
} as const;

async function bucketsBetween(
  request: ReportRequest,
  { unit, timezone = "UTC" }: TimeBucket,
  times: readonly string[],
): Promise<readonly string[]> {
  const ordered = times.toSorted();
  const [first = "", last = ""] = [ordered[0], ordered.at(-1)];
  // PostgreSQL makes all of a series before it looks at the limit, and a century has many hours.
  const enoughMs = Date.parse(first) + (ROWS_MAX + 1) * LONGEST_MS[unit];
  const end = Date.parse(last) > enoughMs ? new Date(enoughMs).toISOString() : last;
  const rows = await readInPartition(request, STEPS[unit], [first, end, timezone]);
  // Those with rows are there in any case.
  return [...new Set([...rows.map(({ at }) => String(at)), ...ordered])].toSorted();
}
