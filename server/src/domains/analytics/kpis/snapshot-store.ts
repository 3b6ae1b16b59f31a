import { type Selectable, sql } from "kysely";
import type { Tx } from "#kernel/db/connection.ts";
import type { WriteContext } from "#kernel/contract.ts";
import type { Tables } from "../../../tables.ts";
import { type Kpi, kpiRef, KpiSnapshotTaken, KpiThresholdCrossed, type Snapshot } from "./kpi.ts";

type Row = Pick<
  Selectable<Tables["kpi_snapshots"]>,
  "at" | "value" | "target" | "met" | "backfilled" | "error"
>;

const COLUMNS = ["at", "value", "target", "met", "backfilled", "error"] as const;

/** Inserts snapshots, one per time; resolves to the number of new ones. */
export async function insert(
  tx: Tx,
  kpiId: string,
  snapshots: readonly Snapshot[],
  takenAt: Date,
): Promise<number> {
  if (snapshots.length === 0) return 0;
  const rows = await tx
    .insertInto("kpi_snapshots")
    .values(snapshots.map((snapshot) => ({ ...snapshot, kpi_id: kpiId, taken_at: takenAt })))
    .onConflict((conflict) => conflict.columns(["kpi_id", "at"]).doNothing())
    .returning("at")
    .execute();
  return rows.length;
}

/** The side of the target at the last earlier time with a value; undefined also if a later snapshot exists. */
export async function sideBefore(tx: Tx, kpiId: string, at: string): Promise<boolean | undefined> {
  const row = await tx
    .selectFrom("kpi_snapshots")
    .select("met")
    .where("kpi_id", "=", kpiId)
    .where("at", "<", at)
    .where("met", "is not", null)
    .where(
      sql<boolean>`not exists (select from kpi_snapshots later
                                where later.kpi_id = ${kpiId} and later.at > ${at} and later.met is not null)`,
    )
    .orderBy("at", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.met ?? undefined;
}

/** The one of a time. */
export async function find(tx: Tx, kpiId: string, at: string): Promise<Snapshot | undefined> {
  return tx
    .selectFrom("kpi_snapshots")
    .select(COLUMNS)
    .where("kpi_id", "=", kpiId)
    .where("at", "=", at)
    .executeTakeFirst();
}

/** Newest first; `before` is the time of the last item of the previous page. */
export async function list(
  tx: Tx,
  kpiId: string,
  query: {
    readonly from?: string | undefined;
    readonly to?: string | undefined;
    readonly before?: string | undefined;
    readonly limit: number;
  },
): Promise<Snapshot[]> {
  const { from, to, before, limit } = query;
  const rows = await tx
    .selectFrom("kpi_snapshots")
    .select(COLUMNS)
    .where("kpi_id", "=", kpiId)
    .$if(from !== undefined, (query) => query.where("at", ">=", from ?? ""))
    .$if(to !== undefined, (query) => query.where("at", "<", to ?? ""))
    .$if(before !== undefined, (query) => query.where("at", "<", before ?? ""))
    .orderBy("at", "desc")
    .limit(limit)
    .execute();
  return rows.map((row: Row) => row);
}

/** Saves the next due time. */
export async function noteDue(tx: Tx, kpiId: string, at: Date | null): Promise<void> {
  await sql`update kpis set next_due_at = ${at} where id = ${kpiId}`.execute(tx);
}

/**
 * Inserts a snapshot and emits it, and emits a crossed target since the previous one. A late snapshot, older than
 * an existing one, crosses nothing, because the later one has already been emitted. Returns false, and changes
 * nothing, if a snapshot for that time exists.
 */
export async function saveSnapshot(
  ctx: WriteContext<typeof KpiSnapshotTaken | typeof KpiThresholdCrossed>,
  { id: kpiId, name }: Pick<Kpi, "id" | "name">,
  snapshot: Snapshot,
): Promise<boolean> {
  if ((await insert(ctx.tx, kpiId, [snapshot], ctx.now)) === 0) return false;
  const resource = kpiRef({ id: kpiId, name });
  ctx.emit(KpiSnapshotTaken, resource, { kpiId, ...snapshot });
  const { at, value, target, met } = snapshot;
  if (met === null || value === null) return true;
  const before = await sideBefore(ctx.tx, kpiId, at);
  if (before === undefined || before === met) return true;
  const [from, to] = [sideOf(before), sideOf(met)];
  ctx.emit(KpiThresholdCrossed, resource, { kpiId, name, from, to, value, target, at });
  return true;
}

function sideOf(met: boolean): "met" | "missed" {
  return met ? "met" : "missed";
}
