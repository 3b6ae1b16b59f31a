import Type from "typebox";
import { type Caller, partitionOfCaller } from "#kernel/access/caller.ts";
import type { Platform, WriteContext } from "#kernel/contract.ts";
import { compileCronTimes } from "#domains/workflows/index.ts";
import { Conflict, Failure, invalidField } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { toPage, pageQuery } from "#kernel/operation/pagination.ts";
import { created, item, page } from "#kernel/operation/response.ts";
import { InputTime, object } from "#kernel/schema/schema.ts";
import { callerRunningAs } from "../run-as.ts";
import { AnalyticsRead, AnalyticsWrite } from "../permissions.ts";
import { ReportBroken, ReportTimedOut } from "../reports/report.ts";
import { KpiBackfilled, KpiSnapshotTaken, KpiThresholdCrossed } from "./kpi.ts";
import { isMet, KpiId, KpiPastUnknown, kpiRef, Snapshot } from "./kpi.ts";
import { definitionFor, canBackfill, measure, takeMeasurement } from "./measure.ts";
import { retainedFrom, RETENTION_DAYS } from "./retention.ts";
import * as snapshots from "./snapshot-store.ts";
import { kpiStore } from "./store.ts";
import { saveSnapshot } from "./snapshot-store.ts";

const ById = object({ id: KpiId });
const params = { id: "kpi_01jd0000000000000000000000" };
/** The maximum number of scheduled times computed per call. */
const TIMES_MAX = 1_000;

export const kpiHistory = query({
  id: "kpis.history",
  route: "GET /api/v1/analytics/kpis/{id}/history",
  summary: "List the history of a KPI, newest first",
  description: "`to` is exclusive.",
  permission: AnalyticsRead,
  params: ById,
  query: object({ ...pageQuery, from: Type.Optional(InputTime), to: Type.Optional(InputTime) }),
  response: page(Snapshot),
  example: { params, query: { limit: 50, from: "2026-01-01T00:00:00Z" } },
  async run({ tx, services: { cursors } }, { params: { id }, query: { limit, after, from, to } }) {
    await kpiStore.get(tx, id);
    const list = `history of ${id}`;
    const before = after === undefined ? undefined : String(cursors.decode(list, after)[0]);
    const rows = await snapshots.list(tx, id, { from, to, before, limit: limit + 1 });
    return toPage(
      rows,
      limit,
      (row) => row,
      ({ at }) => cursors.encode(list, [at]),
    );
  },
});

export const takeSnapshot = command({
  id: "kpis.snapshot",
  effect: "ordinary",
  route: "POST /api/v1/analytics/kpis/{id}/snapshot",
  summary: "Create a snapshot of a KPI",
  description: "Uses the permissions of the member who saved the KPI last, like its schedule.",
  permission: AnalyticsWrite,
  params: ById,
  response: created(Snapshot),
  emits: [KpiSnapshotTaken, KpiThresholdCrossed],
  // Two in one millisecond are one.
  allowNoop: true,
  example: { params },
  async prepare(platform, { params: { id } }, caller) {
    const { kpi, acting } = await kpiFor(platform, caller, id);
    const snapshot = await takeMeasurement({ platform, caller: acting }, kpi, platform.clock.now());
    return { snapshot, revision: kpi.revision };
  },
  async run(ctx, { params }, { snapshot, revision }) {
    const kpi = await lockUnchanged(ctx, params.id, revision);
    if (await saveSnapshot(ctx, kpi, snapshot)) return snapshot;
    return (await snapshots.find(ctx.tx, kpi.id, snapshot.at)) ?? snapshot;
  },
});

export const backfillKpi = command({
  id: "kpis.backfill",
  effect: "ordinary",
  route: "POST /api/v1/analytics/kpis/{id}/backfill",
  summary: "Calculate past snapshots of a KPI",
  description: `Creates a snapshot for each time of the schedule between \`from\` and \`to\`. For tickets and events, the values are exact, because the log contains their past states. Other sources require a window. Existing snapshots are kept. At most ${TIMES_MAX} times per request, within the retention of ${RETENTION_DAYS} days. No \`kpi.threshold_crossed\` events are appended.`,
  permission: AnalyticsWrite,
  longRunning: true,
  params: ById,
  body: object({ from: InputTime, to: InputTime }),
  response: item(
    Type.Object(
      {
        snapshots: Type.Integer({ description: "Number of created snapshots" }),
        times: Type.Integer({ description: "Number of times of the schedule in this period" }),
      },
      { title: "KpiBackfill" },
    ),
  ),
  emits: [KpiBackfilled],
  fails: [KpiPastUnknown, ReportBroken, ReportTimedOut],
  example: { params, body: { from: "2026-01-01T00:00:00Z", to: "2026-02-01T00:00:00Z" } },
  async prepare(platform, { params: { id }, body: { from, to } }, caller) {
    const { kpi, acting } = await kpiFor(platform, caller, id);
    const asking = { platform, caller: acting };
    const definition = await definitionFor(asking, kpi.measure);
    if (!canBackfill(asking, kpi.measure, definition)) throw new Failure(KpiPastUnknown);
    if (Date.parse(from) < retainedFrom(platform.clock.nowMs()).getTime()) {
      throw invalidField("/from", `is too early: snapshots are kept for ${RETENTION_DAYS} days`);
    }
    const until = Math.min(Date.parse(to), platform.clock.nowMs());
    const times = timesBetween(kpi.schedule, Date.parse(from), until);
    const made: Snapshot[] = [];
    for (const at of times) {
      if (caller.disconnected?.aborted) break;
      const value = await measure(asking, kpi.measure, definition, at);
      const { target } = kpi;
      const met = isMet(value, kpi);
      made.push({ at: at.toISOString(), value, target, met, backfilled: true, error: null });
    }
    return { made, revision: kpi.revision };
  },
  async run(ctx, { params, body: { from, to } }, { made, revision }) {
    const kpi = await lockUnchanged(ctx, params.id, revision);
    const written = await snapshots.insert(ctx.tx, kpi.id, made, ctx.now);
    const span = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
    ctx.emit(KpiBackfilled, kpiRef(kpi), { kpiId: kpi.id, ...span, snapshots: written });
    return { snapshots: written, times: made.length };
  },
});

function timesBetween(
  schedule: Parameters<typeof compileCronTimes>[0],
  fromMs: number,
  toMs: number,
): readonly Date[] {
  const times: Date[] = [];
  const nextTime = compileCronTimes(schedule);
  // The first time after the last moment before it.
  let at = nextTime(new Date(fromMs - 1));
  while (at && at.getTime() < toMs) {
    times.push(at);
    if (times.length > TIMES_MAX) {
      throw invalidField(
        "/to",
        `is too late: at most ${TIMES_MAX} times are possible in one request`,
      );
    }
    at = nextTime(at);
  }
  return times;
}

/** Locks a KPI; throws if its measure has changed. */
async function lockUnchanged({ tx }: Pick<WriteContext, "tx">, id: string, revision: number) {
  const kpi = await kpiStore.lock(tx, id);
  if (kpi.revision !== revision) throw new Failure(Conflict);
  return kpi;
}

/** A KPI, and a caller with the rights that it runs with. */
async function kpiFor(platform: Platform, caller: Caller, id: string) {
  const partition = partitionOfCaller(caller);
  const kpi = await platform.db.read(partition, (tx) => kpiStore.get(tx, id));
  const acting = await callerRunningAs(platform, kpi, { partition, cause: caller.cause });
  return { kpi, acting };
}
