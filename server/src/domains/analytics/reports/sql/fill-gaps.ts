/** Fills in buckets without rows. */
import { readInPartition, type ReportRequest } from "#kernel/contributions/report-source.ts";
import { BUCKET } from "./column.ts";
import { hourSql } from "./hour.ts";
import { forEachInTurns, TurnTimer } from "#kernel/work/turn-timer.ts";
import type { Column } from "./report-column.ts";
import type { Span } from "../definition/period.ts";
import { ROWS_MAX, type TimeBucket } from "../report.ts";

type ReportRow = Record<string, unknown>;

/**
 * The rows with one for each bucket and group. Buckets follow local time: a day may have 23 hours, and an hour may
 * occur twice.
 */
export async function fillTimeGaps(
  request: ReportRequest,
  bucket: TimeBucket,
  columns: readonly Column[],
  { rows, span }: { readonly rows: readonly ReportRow[]; readonly span: Span | undefined },
): Promise<readonly ReportRow[]> {
  const times = rows.flatMap((row) => (typeof row[BUCKET] === "string" ? [row[BUCKET]] : []));
  if (times.length === 0 && !span) return rows;
  const spanned = span ? await bucketsBetween(request, bucket, span) : [];
  const buckets = span
    ? [...new Set([...spanned, ...times])].toSorted()
    : await bucketsAround(request, bucket, times);
  const groups = columns.filter(({ role }) => role === "group");
  const keyOf = (row: ReportRow) => JSON.stringify(groups.map(({ name }) => row[name]));
  /** By its values; the first row of each. */
  const byGroup = new Map<string, ReportRow>();
  const known = new Map<string, ReportRow>();
  await forEachInTurns(rows, (row) => {
    const key = keyOf(row);
    if (!byGroup.has(key)) byGroup.set(key, row);
    known.set(`${String(row[BUCKET])} ${key}`, row);
  });
  // A period without rows still has buckets if there are no groups.
  if (groups.length === 0 && byGroup.size === 0) byGroup.set(keyOf({}), {});
  const filled: ReportRow[] = [];
  const turn = new TurnTimer();
  for (const at of buckets) {
    for (const [key, first] of byGroup) {
      if (turn.isOver()) await turn.next();
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

/** In steps of 15 minutes, because the clocks of some zones change by half an hour. */
const HOURS = `
  select distinct ${hourSql("s", "$3::text")} as at
    from generate_series($1::timestamptz, $2::timestamptz, interval '15 minutes') as s
   order by 1 limit ${ROWS_MAX + 1}`;

/**
 * Steps in local time, where days and months start. Steps are computed from the nominal start: a day without a
 * midnight starts at one o'clock, but the following days do not.
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

/** The maximum length of a bucket, so that this many of them cover at least the visible range. */
const LONGEST_MS = {
  hour: DAY_MS / 12,
  day: 2 * DAY_MS,
  week: 8 * DAY_MS,
  month: 32 * DAY_MS,
  quarter: 93 * DAY_MS,
  year: 367 * DAY_MS,
} as const;

/** The buckets of a span. */
export function bucketsBetween(
  request: ReportRequest,
  bucket: TimeBucket,
  { from, to }: Span,
): Promise<readonly string[]> {
  // The end does not belong to it.
  const last = new Date(to.getTime() - 1).toISOString();
  return stepBuckets(request, bucket, from.toISOString(), last);
}

async function bucketsAround(
  request: ReportRequest,
  bucket: TimeBucket,
  times: readonly string[],
): Promise<readonly string[]> {
  const ordered = times.toSorted();
  const [first = "", last = ""] = [ordered[0], ordered.at(-1)];
  const steps = await stepBuckets(request, bucket, first, last);
  // Buckets with rows are always included.
  return [...new Set([...steps, ...ordered])].toSorted();
}

async function stepBuckets(
  request: ReportRequest,
  { unit, timezone = "UTC" }: TimeBucket,
  first: string,
  last: string,
): Promise<readonly string[]> {
  // PostgreSQL generates an entire series before it applies the limit, and a century has many hours.
  const enoughMs = Date.parse(first) + (ROWS_MAX + 1) * LONGEST_MS[unit];
  const end = Date.parse(last) > enoughMs ? new Date(enoughMs).toISOString() : last;
  const rows = await readInPartition(request, STEPS[unit], [first, end, timezone]);
  return rows.map(({ at }) => String(at));
}
