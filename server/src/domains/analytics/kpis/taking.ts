import type { WriteContext } from "#kernel/operation/operation.ts";
import { KpiSnapshotTaken, KpiThresholdCrossed } from "./events.ts";
import type { Kpi, Snapshot } from "./kpi.ts";
import * as snapshots from "./snapshot-store.ts";

/**
 * Writes a snapshot down and tells of it, and of a target that was reached or missed since the one before.
 * One that comes late, behind one of a later time, crosses nothing: the later one has told already.
 * False when that time has a snapshot; then it stays as it is.
 */
export async function keep(
  ctx: WriteContext<typeof KpiSnapshotTaken | typeof KpiThresholdCrossed>,
  { id: kpiId, name }: Pick<Kpi, "id" | "name">,
  snapshot: Snapshot,
): Promise<boolean> {
  if ((await snapshots.insert(ctx.tx, kpiId, [snapshot], ctx.now)) === 0) return false;
  const resource = { id: kpiId, displayName: name };
  ctx.emit(KpiSnapshotTaken, resource, { kpiId, ...snapshot });
  const { at, value, target, met } = snapshot;
  if (met === null || value === null) return true;
  const before = await snapshots.sideBefore(ctx.tx, kpiId, at);
  if (before === undefined || before === met) return true;
  const [from, to] = [sideOf(before), sideOf(met)];
  ctx.emit(KpiThresholdCrossed, resource, { kpiId, name, from, to, value, target, at });
  return true;
}

function sideOf(met: boolean): "met" | "missed" {
  return met ? "met" : "missed";
}
