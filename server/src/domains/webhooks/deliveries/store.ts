import { type Selectable, sql } from "kysely";
import type { Tx } from "#kernel/db/connection.ts";
import { eventIdOf, type LogPosition } from "#kernel/log/event.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import { positionOfRow } from "#kernel/log/event-log.ts";
import type { Tables } from "../../../tables.ts";
import type { AttemptResult } from "../sending/attempt.ts";
import { positionColumns } from "../sending/pending-delivery.ts";
import type { PayloadFormat } from "../sending/payload.ts";
import { earlierAttemptsSql } from "../sending/attempt-result.ts";
import type { Attempt, Delivery, DeliveryStatus } from "./delivery.ts";

const COLUMNS = [
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

type Row = Pick<Selectable<Tables["deliveries"]>, (typeof COLUMNS)[number]>;

/** A delivery with the fields that the API does not show. */
export interface StoredDelivery extends Delivery {
  readonly position: LogPosition;
  readonly resourceId: string;
  readonly format: PayloadFormat;
}

/** Lists the deliveries of a webhook, newest first. */
export async function list(
  tx: Tx,
  webhookId: string,
  page: {
    readonly status: DeliveryStatus | undefined;
    readonly before: string | undefined;
    readonly limit: number;
  },
): Promise<StoredDelivery[]> {
  const { status, before, limit } = page;
  let rows = tx.selectFrom("deliveries").select(COLUMNS).where("webhook_id", "=", webhookId);
  // Each condition matches that of its partial index.
  if (status === "failed") rows = rows.where(sql<boolean>`status = 'failed'`);
  else if (status !== undefined) rows = rows.where("status", "=", status);
  if (status === "pending" || status === "retrying") rows = rows.where("due_at", "is not", null);
  if (before !== undefined) rows = rows.where("id", "<", before);
  return (await rows.orderBy("id", "desc").limit(limit).execute()).map(toStored);
}

export async function get(tx: Tx, webhookId: string, id: string): Promise<StoredDelivery> {
  return assertFound(await byId(tx, webhookId, id).executeTakeFirst());
}

/** Locks the row until the transaction ends. */
export async function lock(tx: Tx, webhookId: string, id: string): Promise<StoredDelivery> {
  return assertFound(await byId(tx, webhookId, id).forUpdate().executeTakeFirst());
}

/** Lists the attempts before the last one, oldest first. */
export async function listEarlierAttempts(
  tx: Tx,
  webhookId: string,
  id: string,
): Promise<Attempt[]> {
  const row = await tx
    .selectFrom("deliveries")
    .select("earlier_attempts")
    .where("webhook_id", "=", webhookId)
    .where("id", "=", id)
    .executeTakeFirst();
  // Only this domain writes the column, see `earlierAttemptsSql`.
  const attempts = (row?.earlier_attempts ?? []) as unknown as readonly Attempt[];
  // PostgreSQL formats times in JSON differently.
  return attempts.map((attempt) => ({ ...attempt, at: new Date(attempt.at).toISOString() }));
}

/** Writes the result of one more attempt of a failed delivery. */
export async function recordAttempt(
  tx: Tx,
  delivery: StoredDelivery,
  { at, url, status, body, durationMs, error }: AttemptResult,
): Promise<StoredDelivery> {
  return toStored(
    await tx
      .updateTable("deliveries")
      .set({
        status: isSuccess(status) ? "succeeded" : "failed",
        url,
        attempts: delivery.attempts + 1,
        earlier_attempts: sql.raw(earlierAttemptsSql("deliveries")),
        last_attempt_at: at,
        last_response_status: status,
        last_response_body: body,
        last_duration_ms: durationMs,
        last_error: error,
      })
      .where("webhook_id", "=", delivery.webhookId)
      .where("id", "=", delivery.id)
      .returning(COLUMNS)
      .executeTakeFirstOrThrow(),
  );
}

/** Inserts a new delivery of the same event. */
export async function insertReplay(
  tx: Tx,
  original: StoredDelivery,
  replay: {
    readonly id: string;
    readonly url: string;
    readonly format: string;
    readonly now: Date;
  },
): Promise<StoredDelivery> {
  return toStored(
    await tx
      .insertInto("deliveries")
      .values({
        webhook_id: original.webhookId,
        id: replay.id,
        ...positionColumns(original.position),
        event_type: original.eventType,
        resource_id: original.resourceId,
        replay_of: original.id,
        url: replay.url,
        format: replay.format,
        status: "pending",
        created_at: replay.now,
      })
      .returning(COLUMNS)
      .executeTakeFirstOrThrow(),
  );
}

/** Resets the retries of failed deliveries among these; returns their number. */
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
    .select(COLUMNS)
    .where("webhook_id", "=", webhookId)
    .where("id", "=", id);
}

function assertFound(row: Row | undefined): StoredDelivery {
  if (!row) throw new Failure(NotFound);
  return toStored(row);
}

/** Converts a row; only this domain writes its text columns. */
function toStored(row: Row): StoredDelivery {
  const position = positionOfRow({
    epoch: row.event_epoch,
    xid: row.event_xid,
    seq: row.event_seq,
  });
  return {
    id: row.id,
    webhookId: row.webhook_id,
    eventId: eventIdOf(position),
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
    position,
    resourceId: row.resource_id,
    format: row.format as PayloadFormat,
  };
}
