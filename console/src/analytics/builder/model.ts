/** A report as the builder edits it: pure functions from one draft to the next. */
import { KPI_AGGREGATE_FN } from "@millrace/client/enums";
import { choicesOf } from "../../ui/form/choices.ts";
import { SERIES_MAX } from "@millrace/client/chart";
import type { Schemas } from "../../data/api.ts";

export type ReportDraft = Schemas["ReportDraft"];
export type Aggregate = NonNullable<ReportDraft["aggregates"]>[number];
export type Fields = readonly {
  readonly name: string;
  readonly title?: string;
  readonly type: string;
}[];

export const CHARTS = [
  ["stat", "Number"],
  ["area", "Line"],
  ["bar", "Bars"],
  ["stacked", "Stacked bars"],
  ["table", "Table"],
  ["pivot", "Pivot"],
  ["funnel", "Funnel"],
  ["heat", "Heat map by hour"],
] as const;
export type ChartType = (typeof CHARTS)[number][0];

export const FUNCTIONS = choicesOf(KPI_AGGREGATE_FN, {
  count: "Count",
  distinct: "Count unique",
  sum: "Sum of",
  avg: "Average of",
  percentile: "Percentile of",
  min: "Minimum",
  max: "Maximum",
  ratio: "Percentage with",
});

/** Returns the chart type of a draft. */
export function chartOf({
  chart,
  groupBy = [],
  timeBucket,
  funnel,
  timeParts,
}: ReportDraft): string {
  if (funnel) return "funnel";
  if (chart) return chart.type;
  if (timeParts && timeParts.length > 0) return "heat";
  if (timeBucket) return "area";
  return groupBy.length === 0 ? "stat" : groupBy.length === 1 ? "bar" : "table";
}

/** Returns the time field of a row: the one of the period, or the first. */
export function timeField(draft: ReportDraft, fields: Fields): string | undefined {
  const times = fields.filter(({ type }) => type === "time");
  const own = draft.timeBucket?.field ?? draft.period?.field;
  return own ?? times.find(({ name }) => name === "createdAt")?.name ?? times[0]?.name;
}

const KEYS: ReadonlySet<string> = new Set(["id", "createdBy", "updatedBy"]);

/** Returns the fields that are useful for grouping, without keys: they have one group per row. */
export function groupNames(fields: Fields): readonly string[] {
  return fields
    .filter(({ name, type }) => type === "text" && !KEYS.has(name))
    .map(({ name }) => name);
}

/** Sorts the fields: first those with at least two values and no more than a chart can show. */
export function sortByFit(fields: Fields, countOf: (name: string) => number): Fields {
  const isFit = ({ name }: Fields[number]): boolean =>
    countOf(name) > 1 && countOf(name) <= SERIES_MAX;
  return [...fields.filter(isFit), ...fields.filter((field) => !isFit(field))];
}

/** Changes the chart type. Adds required groups and removes unsupported ones. */
export function setChart(draft: ReportDraft, type: ChartType, fields: Fields): ReportDraft {
  const { funnel, timeParts, pivot: _, totals: __, ...rest } = draft;
  const chart = { ...draft.chart, type };
  const at = timeField(draft, fields);
  const texts = groupNames(fields);
  const groups = rest.groupBy ?? [];
  const bucket = draft.timeBucket ?? (at === undefined ? undefined : makeBucket(at));
  switch (type) {
    case "stat":
      return without({ ...rest, chart, groupBy: [] }, ["timeBucket"]);
    case "area":
      return {
        ...rest,
        ...WHOLE,
        chart,
        ...(bucket && { timeBucket: bucket }),
        groupBy: groups.slice(0, 1),
      };
    case "stacked":
      return {
        ...rest,
        ...WHOLE,
        chart,
        ...(bucket && { timeBucket: bucket }),
        groupBy: groups.length > 0 ? groups.slice(0, 1) : texts.slice(0, 1),
      };
    case "bar":
      return without(
        { ...rest, chart, groupBy: groups.length > 0 ? groups.slice(0, 1) : texts.slice(0, 1) },
        ["timeBucket"],
      );
    case "pivot": {
      const two = [...new Set([...groups, ...texts])].slice(0, 2);
      return without({ ...rest, chart, groupBy: two, pivot: two.slice(1), totals: true }, [
        "timeBucket",
      ]);
    }
    case "funnel":
      return without(
        {
          ...rest,
          chart,
          groupBy: [],
          funnel: funnel ?? {
            steps: [
              { name: "All", filter: {} },
              { name: "Step 2", filter: {} },
            ],
          },
        },
        ["timeBucket", "compare"],
      );
    case "heat": {
      const zone = draft.timeBucket?.timezone ?? localZone();
      const parts = ["weekday", "hour"] as const;
      const made =
        at === undefined ? [] : parts.map((part) => ({ field: at, part, timezone: zone }));
      return without({ ...rest, chart, groupBy: [], timeParts: timeParts ?? made }, ["timeBucket"]);
    }
    case "table":
      return { ...rest, chart, groupBy: groups };
  }
}

/** Every group has a value in every bucket, so the default limit would truncate the last buckets. */
const WHOLE = { limit: 10_000 };

export function localZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

function makeBucket(field: string) {
  return { field, unit: "day" as const, timezone: localZone(), fill: true };
}

/** Returns a draft without some of its parts. */
export function without(draft: ReportDraft, keys: readonly (keyof ReportDraft)[]): ReportDraft {
  return Object.fromEntries(
    Object.entries(draft).filter(([key]) => !keys.includes(key as keyof ReportDraft)),
  ) as ReportDraft;
}

/** Changes the source and removes references to fields of the old one. */
export function setSource(draft: ReportDraft, source: ReportDraft["source"]): ReportDraft {
  const { chart, period } = draft;
  const kept = chart && ["stat", "bar", "table"].includes(chart.type) ? chart : undefined;
  return {
    source,
    aggregates: [{ fn: "count" }],
    ...(kept && { chart: { type: "stat" } }),
    ...(period && {
      period: { from: period.from, ...(period.to !== undefined && { to: period.to }) },
    }),
  };
}

export const NEW_REPORT: ReportDraft = {
  source: { kind: "events" },
  aggregates: [{ fn: "count" }],
  chart: { type: "stat" },
};

/** Undo and redo of drafts. */
export interface History<T> {
  readonly past: readonly T[];
  readonly now: T;
  readonly future: readonly T[];
}

const PAST_MAX = 100;

export const pushHistory = <T>({ past, now }: History<T>, next: T): History<T> => ({
  past: [...past, now].slice(-PAST_MAX),
  now: next,
  future: [],
});

export function undoHistory<T>(history: History<T>): History<T> {
  const last = history.past.at(-1);
  if (last === undefined) return history;
  return { past: history.past.slice(0, -1), now: last, future: [history.now, ...history.future] };
}

export function redoHistory<T>(history: History<T>): History<T> {
  const [next, ...future] = history.future;
  if (next === undefined) return history;
  return { past: [...history.past, history.now], now: next, future };
}
