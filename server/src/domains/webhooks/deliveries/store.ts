import { type Selectable, sql } from "kysely";
import type { Tx } from "#kernel/db/connection.ts";
import { eventIdOf, type LogPosition } from "#kernel/log/event.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import { positionOfRow } from "#kernel/log/event-log.ts";
import type { Tables } from "../../../tables.ts";
import type { AttemptResult } from "../sending/attempt.ts";
import { placeColumns } from "../sending/pending-delivery.ts";
import type { PayloadFormat } from "../sending/payload.ts";
import { earlierAttempts as earlierAttemptsWithLast } from "../sending/attempt-result.ts";
import type { Attempt, Delivery, DeliveryStatus } from "./delivery.ts";

const SHOWN = [
  "webhook_id",
  "id",
  "event_epoch",
  "event_xid",
  "event_seq",
  "event_type",
  "resource_id",
  "replay_of",
  "url",
  "format",
  "status",
  "due_at",
  "attempts",
  "last_attempt_at",
  "last_response_status",
  "last_response_body",
  "last_duration_ms",
  "last_error",
  "created_at",
] as const;

type Row = Pick<Selectable<Tables["deliveries"]>, (typeof SHOWN)[number]>;

/** A delivery, and what only we need to know of it. */
export interface Stored extends Delivery {
  readonly place: LogPosition;
  readonly resourceId: string;
  readonly format: PayloadFormat;
}

/** Newest first. */
export async function list(
  tx: Tx,
  webhookId: string,
  page: {
    readonly status: DeliveryStatus | undefined;
    readonly before: string | undefined;
    readonly limit: number;
  },
): Promise<Stored[]> {
  const { status, before, limit } = page;
  let rows = tx.selectFrom("deliveries").select(SHOWN).where("webhook_id", "=", webhookId);
  // Each as the partial index that serves it has it.
  if (status === "failed") rows = rows.where(sql<boolean>`status = 'failed'`);
  else if (status !== undefined) rows = rows.where("status", "=", status);
  if (status === "pending" || status === "retrying") rows = rows.where("due_at", "is not", null);
  if (before !== undefined) rows = rows.where("id", "<", before);
  return (await rows.orderBy("id", "desc").limit(limit).execute()).map(toStored);
}

export async function get(tx: Tx, webhookId: string, id: string): Promise<Stored> {
  return found(await byId(tx, webhookId, id).executeTakeFirst());
}

/** Locks the row, so that two changes take turns. */
export async function lock(tx: Tx, webhookId: string, id: string): Promise<Stored> {
  return found(await byId(tx, webhookId, id).forUpdate().executeTakeFirst());
}

/** The attempts before the last one, oldest first. */
export async function earlierAttempts(tx: Tx, webhookId: string, id: string): Promise<Attempt[]> {
  const row = await tx
    .selectFrom("deliveries")
    .select("earlier_attempts")
    .where("webhook_id", "=", webhookId)
    .where("id", "=", id)
    .executeTakeFirst();
  // Only we write this column, see `earlierAttempts` of settlements.
  const attempts = (row?.earlier_attempts ?? []) as unknown as readonly Attempt[];
  // A time inside of JSON is as PostgreSQL writes it.
  return attempts.map((one) => ({ ...one, at: new Date(one.at).toISOString() }));
}

/** Writes how one more attempt of a delivery went that has failed. */
export async function recordAttempt(
  tx: Tx,
  delivery: Stored,
  { at, url, status, body, durationMs, error }: AttemptResult,
): Promise<Stored> {
  return toStored(
    await tx
      .updateTable("deliveries")
      .set({
        status: isSuccess(status) ? "succeeded" : "failed",
        url,
        attempts: delivery.attempts + 1,
        earlier_attempts: sql.raw(earlierAttemptsWithLast("deliveries")),
        last_attempt_at: at,
        last_response_status: status,
        last_response_body: body,
        last_duration_ms: durationMs,
        last_error: error,
      })
      .where("webhook_id", "=", delivery.webhookId)
      .where("id", "=", delivery.id)
      .returning(SHOWN)
      .executeTakeFirstOrThrow(),
  );
}

/** A new delivery of the same event. */
export async function insertReplay(
  tx: Tx,
  of: Stored,
  one: { readonly id: string; readonly url: string; readonly format: string; readonly now: Date },
): Promise<Stored> {
  return toStored(
    await tx
      .insertInto("deliveries")
      .values({
        webhook_id: of.webhookId,
        id: one.id,
        ...placeColumns(of.place),
        event_type: of.eventType,
        resource_id: of.resourceId,
        replay_of: of.id,
        url: one.url,
        format: one.format,
        status: "pending",
        created_at: one.now,
      })
      .returning(SHOWN)
      .executeTakeFirstOrThrow(),
  );
}

/** Gives those of these deliveries that have failed all their retries anew; tells how many. */
export async function retryFailed(
  tx: Tx,
  webhook: { readonly id: string; readonly url: string },
  ids: readonly string[],
  now: Date,
): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable("deliveries")
    .set({ status: "retrying", due_at: now, url: webhook.url })
    .set((row) => ({ attempts_before: row.ref("attempts") }))
    .where("webhook_id", "=", webhook.id)
    .where(sql<boolean>`id = any(${ids})`)
    .where("status", "=", "failed")
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

function isSuccess(status: number | null): boolean {
  return status !== null && status >= 200 && status < 300;
}

function byId(tx: Tx, webhookId: string, id: string) {
  return tx
    .selectFrom("deliveries")
    .select(SHOWN)
    .where("webhook_id", "=", webhookId)
    .where("id", "=", id);
}

function found(row: Row | undefined): Stored {
  if (!row) throw new Failure(NotFound);
  return toStored(row);
}

/** What the table has as text, only this domain writes. */
function toStored(row: Row): Stored {
  const place = positionOfRow({ epoch: row.event_epoch, xid: row.event_xid, seq: row.event_seq });
  return {
    id: row.id,
    webhookId: row.webhook_id,
    eventId: eventIdOf(place),
    eventType: row.event_type,
    url: row.url,
    status: row.status as DeliveryStatus,
    attempts: row.attempts,
    lastAttemptAt: row.last_attempt_at,
    lastResponseStatus: row.last_response_status,
    lastResponseBody: row.last_response_body,
    lastDurationMs: row.last_duration_ms,
    lastError: row.last_error,
    nextAttemptAt: row.due_at,
    replayOf: row.replay_of,
    createdAt: row.created_at,
    place,
    resourceId: row.resource_id,
    format: row.format as PayloadFormat,
  };
}
