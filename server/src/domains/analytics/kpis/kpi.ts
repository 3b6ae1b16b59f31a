/** Schemas, events and failures of KPIs: a number, its target, and its schedule. */
import Type, { type Static } from "typebox";
import { ConditionSchema } from "#kernel/condition/condition.ts";
import { event, type ResourceRef } from "#kernel/log/event.ts";
import { failure } from "#kernel/operation/failure.ts";
import { id, line, nullable, object, text, Time } from "#kernel/schema/schema.ts";
import { Aggregate, FieldPath, ReportId, Source } from "../reports/report.ts";

export const KPIS_MAX = 1_000;

export const KpiId = id("kpi");

export const Measured = object(
  {
    source: Source,
    filter: Type.Optional(ConditionSchema),
    fn: Aggregate.properties.fn,
    field: Type.Optional(FieldPath),
    p: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  },
  { title: "KpiAggregate" },
);

export const Window = object(
  {
    last: Type.Integer({ minimum: 1, maximum: 100_000 }),
    unit: Type.Enum(["minutes", "hours", "days"]),
    field: Type.Optional(line(200, "The time field to use. Default: the creation time")),
  },
  { title: "KpiWindow" },
);

export const Schedule = object(
  {
    cron: line(200, "Cron expression with five fields: minute, hour, day, month, weekday"),
    timezone: Type.Optional(line(100, "Such as `Europe/Berlin`. Default: UTC")),
  },
  { title: "KpiSchedule" },
);

const CRON_DAILY = "0 0 * * *";

/** A cron expression without a zone uses UTC. */
const ScheduleInput = Type.Union([
  line(200, "A cron expression with five fields, in UTC"),
  Schedule,
]);

/** The schedule of an input; every midnight without one. */
export function scheduleOf(
  input: Static<typeof ScheduleInput> = CRON_DAILY,
): Static<typeof Schedule> {
  return typeof input === "string" ? { cron: input } : input;
}

/** The fields that users set. */
export const kpiFields = {
  name: line(200),
  description: text(2_000),
  reportId: ReportId,
  aggregate: Measured,
  window: Window,
  target: Type.Number(),
  direction: Type.Enum(["up", "down"], {
    description: "`up`: met at or above the target. `down`: met at or below the target",
  }),
  schedule: Schedule,
  unit: line(40),
};

export const NewKpi = object(
  {
    name: kpiFields.name,
    description: Type.Optional(kpiFields.description),
    reportId: Type.Optional(kpiFields.reportId),
    aggregate: Type.Optional(kpiFields.aggregate),
    window: Type.Optional(kpiFields.window),
    target: kpiFields.target,
    direction: kpiFields.direction,
    schedule: Type.Optional(ScheduleInput),
    unit: Type.Optional(kpiFields.unit),
  },
  { title: "NewKpi" },
);
export type NewKpi = Static<typeof NewKpi>;

export const KpiChange = Type.Object(
  {
    name: Type.Optional(kpiFields.name),
    description: Type.Optional(kpiFields.description),
    reportId: Type.Optional(kpiFields.reportId),
    aggregate: Type.Optional(kpiFields.aggregate),
    window: Type.Optional(nullable(kpiFields.window)),
    target: Type.Optional(kpiFields.target),
    direction: Type.Optional(kpiFields.direction),
    schedule: Type.Optional(ScheduleInput),
    unit: Type.Optional(nullable(kpiFields.unit)),
  },
  { additionalProperties: false, minProperties: 1 },
);
export type KpiChange = Static<typeof KpiChange>;

/** The definition of its number. */
export interface Measure {
  readonly reportId: string | null;
  readonly aggregate: Static<typeof Measured> | null;
  readonly window: Static<typeof Window> | null;
}

export const Kpi = Type.Object(
  {
    id: KpiId,
    name: kpiFields.name,
    description: kpiFields.description,
    reportId: nullable(kpiFields.reportId),
    aggregate: nullable(kpiFields.aggregate),
    window: nullable(kpiFields.window),
    target: kpiFields.target,
    direction: kpiFields.direction,
    schedule: kpiFields.schedule,
    unit: nullable(kpiFields.unit),
    runAs: Type.String({
      description:
        "The member who saved the KPI or its report last. Snapshots use the permissions of this member",
    }),
    createdBy: Type.String(),
    createdAt: Time,
    updatedAt: Time,
  },
  { title: "Kpi" },
);
export type Kpi = Static<typeof Kpi> & { readonly revision: number };

/** The reference to a KPI in events. */
export function kpiRef({ id: kpiId, name }: Pick<Kpi, "id" | "name">): ResourceRef {
  return { id: kpiId, displayName: name };
}

export const Snapshot = Type.Object(
  {
    at: Time,
    value: nullable(Type.Number({ description: "Null if there was nothing to measure" })),
    target: Type.Number(),
    met: nullable(Type.Boolean()),
    backfilled: Type.Boolean({ description: "True if the snapshot was calculated later" }),
    error: nullable(Type.String({ description: "Error message if the snapshot failed" })),
  },
  { title: "KpiSnapshot" },
);
export type Snapshot = Static<typeof Snapshot>;

/** Returns whether a value meets the target; null if there is no value. */
export function isMet(
  value: number | null,
  { target, direction }: Pick<Kpi, "target" | "direction">,
): boolean | null {
  if (value === null) return null;
  return direction === "up" ? value >= target : value <= target;
}

export const KpiNameTaken = failure(
  "kpi_name_taken",
  409,
  "Another KPI has this name.",
  "kpis_name",
);
export const TooManyKpis = failure(
  "too_many_kpis",
  409,
  "The environment has reached its limit of KPIs.",
);
export const KpiInUse = failure("kpi_in_use", 409, "A dashboard uses this KPI.");
export const KpiPastUnknown = failure(
  "kpi_past_unknown",
  409,
  "Past values are only available for tickets, for events, and for KPIs with a window.",
);

export const KpiSnapshotTaken = event("kpi.snapshot_taken", {
  resource: "kpi",
  summary: "A snapshot of a KPI was taken.",
  data: Type.Object({ kpiId: KpiId, ...Snapshot.properties }),
});
export const KpiBackfilled = event("kpi.backfilled", {
  resource: "kpi",
  summary: "Past snapshots of a KPI were calculated.",
  data: Type.Object({ kpiId: KpiId, from: Time, to: Time, snapshots: Type.Integer() }),
});
const Side = Type.Enum(["met", "missed"]);
export const KpiThresholdCrossed = event("kpi.threshold_crossed", {
  resource: "kpi",
  summary: "A KPI crossed its target since the previous snapshot.",
  data: Type.Object({
    kpiId: KpiId,
    name: Type.String(),
    from: Side,
    to: Side,
    value: Type.Number(),
    target: Type.Number(),
    at: Time,
  }),
});
