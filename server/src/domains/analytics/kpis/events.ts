import Type from "typebox";
import { changeEvent, event } from "#kernel/log/event.ts";
import { Time } from "#kernel/schema/schema.ts";
import { Kpi, KpiId, Snapshot } from "./kpi.ts";

export const KpiCreated = event("kpi.created", {
  resource: "kpi",
  summary: "A KPI was made.",
  data: Kpi,
});
export const KpiUpdated = changeEvent("kpi.updated", {
  resource: "kpi",
  summary: "A KPI was changed.",
  data: Kpi,
});
export const KpiDeleted = event("kpi.deleted", {
  resource: "kpi",
  summary: "A KPI was deleted, with its history.",
  data: Kpi,
});
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

export const kpiEvents = [
  KpiCreated,
  KpiUpdated,
  KpiDeleted,
  KpiSnapshotTaken,
  KpiBackfilled,
  KpiThresholdCrossed,
] as const;
