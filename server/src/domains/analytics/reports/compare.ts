/** Pairs the values of a period with those of the previous period. */
import type { ReportRequest } from "#kernel/contributions/report-source.ts";
import { forEachInTurns, mapInTurns } from "#kernel/work/turn-timer.ts";
import type { Span } from "./definition/period.ts";
import type { Definition, TimeBucket } from "./report.ts";
import { BUCKET } from "./sql/column.ts";
import type { Column } from "./sql/report-column.ts";
import { bucketsBetween } from "./sql/fill-gaps.ts";

type ReportRow = Record<string, unknown>;

const SUFFIX = "_before";

/** The column name of a value of the previous period. */
export function beforeName(name: string): string {
  return name + SUFFIX;
}

/** The definition for the previous values: it includes all groups, because the order may have been different. */
export function definitionBefore(definition: Definition, limit: number): Definition {
  return { ...definition, having: null, sort: null, limit };
}

/**
 * Adds the previous values to each row. Groups that exist only in the previous period come last; buckets are paired
 * by their position in the period.
 */
export async function mergeBefore(
  request: ReportRequest,
  { timeBucket, limit, sort }: Definition,
  columns: readonly Column[],
  {
    rows,
    before,
    spans,
  }: {
    readonly rows: readonly ReportRow[];
    readonly before: readonly ReportRow[];
    readonly spans: readonly [Span, Span];
  },
): Promise<readonly ReportRow[]> {
  const moved = timeBucket ? await moveBuckets(request, timeBucket, spans, before) : before;
  const groups = columns.filter(({ role }) => role !== "value");
  const values = columns.filter(({ role }) => role === "value");
  const keyOf = (row: ReportRow): string => JSON.stringify(groups.map(({ name }) => row[name]));
  const earlier = new Map<string, ReportRow>();
  await forEachInTurns(moved, (row) => void earlier.set(keyOf(row), row));
  const seen = new Set<string>();
  await forEachInTurns(rows, (row) => void seen.add(keyOf(row)));
  const beside = (row: ReportRow): ReportRow => {
    const other = earlier.get(keyOf(row));
    const added = values.map(({ name, empty }) => [beforeName(name), other ? other[name] : empty]);
    return { ...row, ...Object.fromEntries(added) };
  };
  const isShort = rows.length < limit;
  const gone = isShort ? await mapInTurns(moved, (row) => (seen.has(keyOf(row)) ? [] : [row])) : [];
  const empty = Object.fromEntries(values.map((value) => [value.name, value.empty]));
  const both = [...rows, ...gone.map((row) => ({ ...row, ...empty }))];
  const all = await mapInTurns(both, (row) => [beside(row)]);
  return timeBucket && sort === null
    ? all.toSorted((one, other) => compareTexts(one[BUCKET], other[BUCKET]))
    : all;
}

function compareTexts(one: unknown, other: unknown): number {
  // Rows without a time come last.
  const [left, right] = [one, other].map((text) => (typeof text === "string" ? text : "~"));
  return (left ?? "") < (right ?? "") ? -1 : left === right ? 0 : 1;
}

async function moveBuckets(
  request: ReportRequest,
  bucket: TimeBucket,
  spans: readonly [Span, Span],
  rows: readonly ReportRow[],
): Promise<readonly ReportRow[]> {
  const [now, then] = await Promise.all(spans.map((span) => bucketsBetween(request, bucket, span)));
  const places = new Map(then?.map((at, index) => [at, now?.[index]]));
  return rows.flatMap((row) => {
    const at = places.get(String(row[BUCKET]));
    return at === undefined ? [] : [{ ...row, [BUCKET]: at }];
  });
}
