import { type Selectable, sql } from "kysely";
import type { Tx } from "#kernel/db/connection.ts";
import type { Tables } from "../../../tables.ts";
import type { Recovery } from "./recovery.ts";

/** The number of finished recoveries that are kept per webhook. */
const KEPT_MAX = 50;

/** The work of one batch of a recovery. */
export interface RecoveryStep {
  readonly checked: number;
  readonly matched: number;
  readonly created: number;
  readonly retried: number;
  /** The time of its last event. */
  readonly reachedAt: string | undefined;
}

export async function insert(
  tx: Tx,
  row: {
    readonly id: string;
    readonly webhookId: string;
    readonly since: string;
    readonly until: string | null;
    readonly only: Recovery["only"];
    readonly requestedBy: string;
    readonly now: Date;
  },
): Promise<Recovery> {
  await sql`
    delete from webhook_recoveries
     where webhook_id = ${row.webhookId} and finished_at is not null
       and id not in (select id from webhook_recoveries where webhook_id = ${row.webhookId}
                       order by id desc limit ${KEPT_MAX})`.execute(tx);
  return toRecovery(
    await tx
      .insertInto("webhook_recoveries")
      .values({
        id: row.id,
        webhook_id: row.webhookId,
        since: row.since,
        ends_at: row.until,
        choice: row.only,
        requested_by: row.requestedBy,
        requested_at: row.now,
      })
      .returningAll()
      .executeTakeFirstOrThrow(),
  );
}

/** Adds the results of a batch; `finishedAt` completes it. */
export async function advance(
  tx: Tx,
  id: string,
  step: RecoveryStep,
  finishedAt: Date | null,
): Promise<Recovery | undefined> {
  const row = await tx
    .updateTable("webhook_recoveries")
    .set((old) => ({
      checked: old("checked", "+", step.checked),
      matched: old("matched", "+", step.matched),
      created: old("created", "+", step.created),
      retried: old("retried", "+", step.retried),
      ...(step.reachedAt !== undefined && { reached_at: step.reachedAt }),
      finished_at: finishedAt,
    }))
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirst();
  return row && toRecovery(row);
}

/** The newest first. */
export async function list(
  tx: Tx,
  webhookId: string,
  page: { readonly before: string; readonly limit: number },
): Promise<Recovery[]> {
  const rows = await tx
    .selectFrom("webhook_recoveries")
    .selectAll()
    .where("webhook_id", "=", webhookId)
    .where("id", "<", page.before)
    .orderBy("id", "desc")
    .limit(page.limit)
    .execute();
  return rows.map(toRecovery);
}

function toRecovery(row: Selectable<Tables["webhook_recoveries"]>): Recovery {
  return {
    id: row.id,
    webhookId: row.webhook_id,
    since: row.since,
    until: row.ends_at,
    // The check of the column allows nothing else.
    only: row.choice as Recovery["only"],
    checked: row.checked,
    matched: row.matched,
    created: row.created,
    retried: row.retried,
    reachedAt: row.reached_at,
    requestedBy: row.requested_by,
    requestedAt: row.requested_at,
    finishedAt: row.finished_at,
  };
}
