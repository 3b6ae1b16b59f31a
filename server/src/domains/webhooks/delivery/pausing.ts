import { sql } from "kysely";
import type { WriteContext } from "#kernel/operation/operation.ts";
import { WebhookPaused } from "../events.ts";
import { referTo, shownOf } from "../webhook.ts";
import * as store from "../store.ts";
import { HAND_OUT } from "./work.ts";

export type PauseReason = "manual" | "failures" | "gone";

/**
 * Pauses a webhook that is active. It keeps its place: where the handing out has come to, or where it
 * was itself while it was catching up. What is handed out of later events at this very moment is no
 * loss, since making it up again makes the same deliveries.
 */
export async function pauseWebhook(
  ctx: WriteContext<typeof WebhookPaused>,
  id: string,
  because: PauseReason,
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update webhooks w
       set status = 'paused', paused_because = ${because}, paused_at = ${ctx.now},
           updated_at = ${ctx.now}, revision = w.revision + 1,
           place_epoch = coalesce(w.place_epoch, r.epoch, 0),
           place_xid = coalesce(w.place_xid, r.xid, '0'),
           place_seq = coalesce(w.place_seq, r.seq, 0)
      from (select) one left join readers r on r.name = ${HAND_OUT}
     where w.id = ${id} and w.status = 'active'`.execute(ctx.tx);
  if (numAffectedRows === 0n) return false;
  const webhook = await store.get(ctx.tx, id);
  ctx.emit(WebhookPaused, referTo(webhook), shownOf(webhook));
  return true;
}
