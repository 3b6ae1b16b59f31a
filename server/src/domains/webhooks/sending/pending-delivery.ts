import type { Platform } from "#kernel/contract.ts";
import type { LogPosition, RecordedEvent } from "#kernel/log/event.ts";
import {
  type EventRow,
  positionKey,
  positionOfRow,
  readEvents,
  type WorkspacePosition,
} from "#kernel/log/event-log.ts";
import type { PayloadFormat } from "./payload.ts";
import { buildDeliveryId } from "./subscription.ts";
import { readVisibilityEverywhere } from "./visibility.ts";

/** An unfinished delivery in the memory of the sender. */
export interface PendingDelivery {
  readonly id: string;
  readonly webhookId: string;
  readonly shard: number;
  readonly format: PayloadFormat;
  readonly event: RecordedEvent;
  /** The number of attempts; `attemptsBefore` of them, made before a recovery, do not count. */
  readonly attempts: number;
  readonly attemptsBefore: number;
}

/** The fields of a webhook that the fan-out needs. */
export interface DeliveryTarget {
  readonly id: string;
  readonly shard: number;
  readonly url: string;
  readonly format: PayloadFormat;
}

/** Builds the first delivery of an event to a webhook. */
export function firstDelivery(to: DeliveryTarget, event: RecordedEvent): PendingDelivery {
  return {
    id: buildDeliveryId(event.position, to.id),
    webhookId: to.id,
    shard: to.shard,
    format: to.format,
    event,
    attempts: 0,
    attemptsBefore: 0,
  };
}

/** The columns with the event position of a row. */
export function positionColumns({ epoch, xid, seq }: LogPosition) {
  return { event_epoch: epoch, event_xid: String(xid), event_seq: seq };
}

/** The name of the fan-out reader. */
export const FAN_OUT_READER = "webhooks.hand_out";

/** The wake signal for deliveries that other processes made due. */
export const DELIVERIES_DUE_SIGNAL = "deliveries";

/** The limit for the stored part of a response body. */
export const RESPONSE_BYTES_MAX = 64 * 1024;

/** A pending delivery with its due time. */
export interface DueDelivery extends PendingDelivery {
  readonly dueMs: number;
}

type DueRow = Pick<EventRow, "epoch" | "xid" | "seq"> & {
  readonly workspace_id: string;
  readonly webhook_id: string;
  readonly id: string;
  readonly shard: number;
  readonly format: PayloadFormat;
  readonly attempts: number;
  readonly attempts_before: number;
  readonly status: string;
  readonly due_at: string;
  /** True for an audit event whose webhook may no longer receive such events. */
  readonly barred: boolean;
};

/** Reads the next rows of some webhooks, due or not. */
const READ_DUE = `
  select d.workspace_id, d.webhook_id, d.id, w.lane as shard, d.format, d.attempts, d.attempts_before, d.status, d.due_at,
         not w.hears_audit and d.event_type like 'audit.%' as barred,
         d.event_epoch as epoch, d.event_xid as xid, d.event_seq as seq
    from unnest($1::text[], $2::int[]) as want (id, rows)
    join webhooks w on w.id = want.id
    cross join lateral
      (select * from deliveries d where d.webhook_id = w.id and d.due_at is not null
        order by d.due_at, d.id limit want.rows) d
   order by d.webhook_id, d.due_at, d.id`;

/** Finds the active webhooks of some shards with a delivery due by a time. */
const FIND_DUE = `
  select w.id, w.lane as shard
    from webhooks w
    cross join lateral
      (select d.due_at from deliveries d where d.webhook_id = w.id and d.due_at is not null
        order by d.due_at, d.id limit 1) d
   where w.status = 'active' and w.lane = any($1::smallint[]) and d.due_at <= $2`;

const MARK_FAILED = `
  update deliveries set status = 'failed', due_at = null, last_error = $3
   where webhook_id = $1 and id = any($2)`;
const PRUNED = "The event was deleted.";
const BARRED = "The webhook no longer sends audit events.";
const HIDDEN = "The member who saved the webhook can't view this event.";

export async function readDueDeliveries(
  platform: Platform,
  reads: readonly { readonly id: string; readonly limit: number }[],
): Promise<DueDelivery[]> {
  const rows = await platform.db.system<DueRow>(READ_DUE, [
    reads.map(({ id }) => id),
    reads.map(({ limit }) => limit),
  ]);
  const positions = new Map(
    rows.map(locateEvent).map((located) => [positionKey(located), located]),
  );
  const events = await readEvents(platform.db, [...positions.values()]);
  const ids = () => reads.map(({ id }) => id);
  const toVisible = await readVisibilityEverywhere(platform, [...events.values()], ids);
  const due: DueDelivery[] = [];
  const undeliverable: { readonly row: DueRow; readonly reason: string }[] = [];
  for (const row of rows) {
    const recorded = events.get(positionKey(locateEvent(row)));
    const event = recorded && !row.barred ? toVisible(recorded, row.webhook_id) : undefined;
    if (event) due.push(toDueDelivery(row, event));
    else if (row.barred) undeliverable.push({ row, reason: BARRED });
    else undeliverable.push({ row, reason: recorded ? HIDDEN : PRUNED });
  }
  const groups = Map.groupBy(undeliverable, ({ row, reason }) => `${row.webhook_id} ${reason}`);
  for (const [first, ...others] of groups.values()) {
    if (!first) continue;
    const all = [first, ...others].map(({ row }) => row.id);
    await platform.db.system(MARK_FAILED, [first.row.webhook_id, all, first.reason]);
  }
  return due;
}

function locateEvent(row: DueRow): WorkspacePosition {
  return { workspace: row.workspace_id, position: positionOfRow(row) };
}

function toDueDelivery(row: DueRow, event: RecordedEvent): DueDelivery {
  return {
    id: row.id,
    webhookId: row.webhook_id,
    shard: row.shard,
    format: row.format,
    event,
    attempts: row.attempts,
    attemptsBefore: row.attempts_before,
    // A first attempt is due immediately, even if the database clock is ahead of this node.
    dueMs: row.status === "pending" ? 0 : Date.parse(row.due_at),
  };
}

export function findDueWebhooks(
  platform: Platform,
  shards: readonly number[],
  until: Date,
): Promise<{ readonly id: string; readonly shard: number }[]> {
  return platform.db.system(FIND_DUE, [shards, until]);
}
