/** The expected results of reports, computed from the rows in JavaScript. */

export type Row = Readonly<Record<string, any>>;

export interface Asked {
  readonly groupBy?: readonly string[];
  readonly timeBucket?:
    | { readonly field: string; readonly unit: string; readonly timezone: string }
    | undefined;
  readonly aggregates: readonly {
    readonly fn: string;
    readonly field?: string;
    readonly p?: number;
  }[];
}

/** The results by group: a key made of the group values, and the aggregates in order. */
export function reckon(
  rows: readonly Row[],
  asked: Asked,
): Map<string, (number | string | null)[]> {
  const { groupBy = [], timeBucket, aggregates } = asked;
  const keyOf = (row: Row) =>
    JSON.stringify([
      ...(timeBucket ? [bucketOf(row[timeBucket.field] ?? null, timeBucket)] : []),
      ...groupBy.map((name) => row[name] ?? null),
    ]);
  const groups = Map.groupBy(rows, keyOf);
  // Without groups there is one result, also without rows.
  if (groupBy.length === 0 && !timeBucket && groups.size === 0) groups.set("[]", []);
  return new Map(
    [...groups].map(([key, members]) => [
      key,
      aggregates.map(({ fn, field, p }) => {
        const values = members.map((row) => (field === undefined ? 1 : (row[field] ?? null)));
        return aggregated(
          fn,
          values.filter((value) => value !== null),
          p,
        );
      }),
    ]),
  );
}

function aggregated(fn: string, values: readonly any[], p = 0): number | string | null {
  if (fn === "count") return values.length;
  if (fn === "distinct") return new Set(values).size;
  if (values.length === 0) return null;
  const ordered = [...values].toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  // In hundredths: the test numbers have two decimal places, and their sums are exact.
  const sum = () => values.reduce((total, value) => total + Math.round(value * 100), 0) / 100;
  switch (fn) {
    case "min":
      return ordered[0];
    case "max":
      return ordered.at(-1);
    case "sum":
      return sum();
    case "avg":
      return sum() / values.length;
    default: {
      const at = (ordered.length - 1) * p;
      const [low, high] = [ordered[Math.floor(at)], ordered[Math.ceil(at)]];
      return low + (high - low) * (at - Math.floor(at));
    }
  }
}

/** The start of the bucket of a time, in its zone. */
export function bucketOf(
  moment: string | null,
  { unit, timezone }: { readonly unit: string; readonly timezone: string },
): string | null {
  if (moment === null) return null;
  const ms =
    moment.length === 10 ? instantOf(Date.parse(`${moment}Z`), timezone) : Date.parse(moment);
  const offset = offsetAt(ms, timezone);
  const wall = new Date(ms + offset);
  if (unit === "hour") return new Date(hourOf(ms, timezone)).toISOString();
  wall.setUTCHours(0, 0, 0, 0);
  if (unit === "week") wall.setUTCDate(wall.getUTCDate() - ((wall.getUTCDay() + 6) % 7));
  if (unit === "month") wall.setUTCDate(1);
  if (unit === "quarter") wall.setUTCMonth(Math.floor(wall.getUTCMonth() / 3) * 3, 1);
  if (unit === "year") wall.setUTCMonth(0, 1);
  return new Date(instantOf(wall.getTime(), timezone)).toISOString();
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * The start of a local hour: goes back minute by minute while clocks show the same hour, at most to its minute 0.
 */
function hourOf(ms: number, timezone: string): number {
  const wallAt = (at: number): number => at + offsetAt(at, timezone);
  const begun = ms - (wallAt(ms) % HOUR_MS);
  if (wallAt(begun) - begun === wallAt(ms) - ms) return begun;
  const hourAt = (at: number): number => Math.floor(wallAt(at) / HOUR_MS);
  let at = Math.floor(ms / MINUTE_MS) * MINUTE_MS;
  while (wallAt(at) % HOUR_MS !== 0 && hourAt(at - MINUTE_MS) === hourAt(at)) at -= MINUTE_MS;
  return at;
}

/** The UTC time of a local time, which is given as if it were UTC; midnight exists on all days used here. */
function instantOf(wallMs: number, timezone: string): number {
  const first = wallMs - offsetAt(wallMs, timezone);
  return wallMs - offsetAt(first, timezone);
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** The offset of local time from UTC at a point in time. */
function offsetAt(ms: number, timezone: string): number {
  let format = formats.get(timezone);
  if (!format) {
    format = new Intl.DateTimeFormat("en-US", {
      timeZone: timezone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
    formats.set(timezone, format);
  }
  const parts = Object.fromEntries(
    format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]),
  ) as Record<string, number>;
  const { year = 0, month = 1, day, hour, minute, second } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(ms / 1000) * 1000;
}
