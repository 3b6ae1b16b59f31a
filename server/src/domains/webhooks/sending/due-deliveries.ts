import type { Platform } from "#kernel/contract.ts";
import { eventIdOf, type RecordedEvent } from "#kernel/log/event.ts";
import { type EventRow, positionOfRow, readEvents } from "#kernel/log/event-log.ts";
import type { PendingDelivery } from "./pending-delivery.ts";
import type { PayloadFormat } from "./payload.ts";
import { visibilityEverywhere } from "./visibility.ts";

/** A row that is not over, and when it is to be sent. */
export interface Due extends PendingDelivery {
  readonly dueMs: number;
}

type DueRow = Pick<EventRow, "epoch" | "xid" | "seq"> & {
  readonly webhook_id: string;
  readonly id: string;
  readonly lane: number;
  readonly format: PayloadFormat;
  readonly attempts: number;
  readonly attempts_before: number;
  readonly status: string;
  readonly due_at: string;
  /** An audit event, for a webhook that whoever may read those has left to others. */
  readonly barred: boolean;
};

/** The next rows of some webhooks, whether their time has come or not. */
const READ = `
  select d.webhook_id, d.id, w.lane, d.format, d.attempts, d.attempts_before, d.status, d.due_at,
         not w.hears_audit and d.event_type like 'audit.%' as barred,
         d.event_epoch as epoch, d.event_xid as xid, d.event_seq as seq
    from unnest($1::text[], $2::int[]) as want (id, most)
    join webhooks w on w.id = want.id
    cross join lateral
      (select * from deliveries d where d.webhook_id = w.id and d.due_at is not null
        order by d.due_at, d.id limit want.most) d
   order by d.webhook_id, d.due_at, d.id`;

/** The active webhooks of some lanes for which something is due by then. */
const FIND = `
  select w.id, w.lane
    from webhooks w
    cross join lateral
      (select d.due_at from deliveries d where d.webhook_id = w.id and d.due_at is not null
        order by d.due_at, d.id limit 1) d
   where w.status = 'active' and w.lane = any($1::smallint[]) and d.due_at <= $2`;

const GIVE_UP = `
  update deliveries set status = 'failed', due_at = null, last_error = $3
   where webhook_id = $1 and id = any($2)`;
const PRUNED = "The event is no longer kept.";
const BARRED = "The webhook no longer hears audit events.";
const HIDDEN = "Whoever saved the webhook may not see this.";

export async function readDue(
  platform: Platform,
  wanted: readonly { readonly id: string; readonly most: number }[],
): Promise<Due[]> {
  const rows = await platform.db.system<DueRow>(READ, [
    wanted.map(({ id }) => id),
    wanted.map(({ most }) => most),
  ]);
  const places = new Map(rows.map(positionOfRow).map((place) => [eventIdOf(place), place]));
  const events = await readEvents(platform.db, [...places.values()]);
  const ids = () => wanted.map(({ id }) => id);
  const heard = await visibilityEverywhere(platform, [...events.values()], ids);
  const due: Due[] = [];
  const lost: { readonly row: DueRow; readonly reason: string }[] = [];
  for (const row of rows) {
    const told = events.get(eventIdOf(positionOfRow(row)));
    const event = told && !row.barred ? heard(told, row.webhook_id) : undefined;
    if (event) due.push(dueOf(row, event));
    else if (row.barred) lost.push({ row, reason: BARRED });
    else lost.push({ row, reason: told ? HIDDEN : PRUNED });
  }
  const groups = Map.groupBy(lost, ({ row, reason }) => `${row.webhook_id} ${reason}`);
  for (const [first, ...others] of groups.values()) {
    if (!first) continue;
    const all = [first, ...others].map(({ row }) => row.id);
    await platform.db.system(GIVE_UP, [first.row.webhook_id, all, first.reason]);
  }
  return due;
}

function dueOf(row: DueRow, event: RecordedEvent): Due {
  return {
    id: row.id,
    webhookId: row.webhook_id,
    lane: row.lane,
    format: row.format,
    event,
    attempts: row.attempts,
    attemptsBefore: row.attempts_before,
    // What was never tried is due, whatever the clocks of the database and of this node say.
    dueMs: row.status === "pending" ? 0 : Date.parse(row.due_at),
  };
}

export function findDue(
  platform: Platform,
  lanes: readonly number[],
  until: Date,
): Promise<{ readonly id: string; readonly lane: number }[]> {
  return platform.db.system(FIND, [lanes, until]);
}
