/** Schemas, events and failures of KPIs: one number, its target, and its schedule. */
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
    field: Type.Optional(
      line(200, "The time that counts; when absent, that at which a row came to be"),
    ),
  },
  { title: "KpiWindow" },
);

export const Schedule = object(
  {
    cron: line(200, "Five fields: minute, hour, day, month, weekday"),
    timezone: Type.Optional(line(100, "Such as `Europe/Berlin`; UTC when absent")),
  },
  { title: "KpiSchedule" },
);

const CRON_DAILY = "0 0 * * *";

/** A cron expression alone is one of UTC. */
const ScheduleInput = Type.Union([line(200, "A cron expression of five fields, in UTC"), Schedule]);

/** The schedule of an input; every midnight without one. */
export function scheduleOf(
  input: Static<typeof ScheduleInput> = CRON_DAILY,
): Static<typeof Schedule> {
  return typeof input === "string" ? { cron: input } : input;
}

/** The fields that people decide. */
export const kpiFields = {
  name: line(200),
  description: text(2_000),
  reportId: ReportId,
  aggregate: Measured,
  window: Window,
  target: Type.Number(),
  direction: Type.Enum(["up", "down"], {
    description: "`up`: met at the target and above; `down`: at the target and below",
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
      description: "Whose rights its snapshots have: of whoever saved it, or its report, last",
    }),
    createdBy: Type.String(),
    createdAt: Time,
    updatedAt: Time,
  },
  { title: "Kpi" },
);
export type Kpi = Static<typeof Kpi> & { readonly revision: number };

/** How events name a KPI. */
export function kpiRef({ id: kpiId, name }: Pick<Kpi, "id" | "name">): ResourceRef {
  return { id: kpiId, displayName: name };
}

export const Snapshot = Type.Object(
  {
    at: Time,
    value: nullable(Type.Number({ description: "Null when there was nothing to measure" })),
    target: Type.Number(),
    met: nullable(Type.Boolean()),
    backfilled: Type.Boolean({ description: "Whether it was worked out afterwards" }),
    error: nullable(Type.String({ description: "Why there is no value, where that failed" })),
  },
  { title: "KpiSnapshot" },
);
export type Snapshot = Static<typeof Snapshot>;

/** True when a value meets the target; null when there is no value. */
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
  "The environment has as many KPIs as it may.",
);
export const KpiInUse = failure("kpi_in_use", 409, "A dashboard shows this KPI.");
export const KpiPastUnknown = failure(
  "kpi_past_unknown",
  409,
  "What its source was in the past is not known: it needs a window of time, or tickets or events as its source.",
);

export const KpiSnapshotTaken = event("kpi.snapshot_taken", {
  resource: "kpi",
  summary: "A KPI was looked at, by its schedule or by hand.",
  data: Type.Object({ kpiId: KpiId, ...Snapshot.properties }),
});
export const KpiBackfilled = event("kpi.backfilled", {
  resource: "kpi",
  summary: "The past of a KPI was worked out.",
  data: Type.Object({ kpiId: KpiId, from: Time, to: Time, snapshots: Type.Integer() }),
});
const Side = Type.Enum(["met", "missed"]);
export const KpiThresholdCrossed = event("kpi.threshold_crossed", {
  resource: "kpi",
  summary: "A KPI came to the other side of its target since the snapshot before.",
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
