import { sql } from "kysely";
import Type, { type Static } from "typebox";
import type { Tx } from "#kernel/db/connection.ts";
import { nullable, Time } from "#kernel/schema/schema.ts";
import { DeliveryId, DeliveryStatus } from "../deliveries/delivery.ts";
import { WebhookId } from "../webhook.ts";

/** The number of latest deliveries that are counted. */
const COUNTED_MAX = 100;
/** The number of latest deliveries that are listed. */
const SHOWN_MAX = 40;
/** Open deliveries are counted no further than this. */
const OPEN_MAX = 10_000;

const LastFailure = Type.Object({
  deliveryId: DeliveryId,
  eventType: Type.String(),
  at: nullable(Time),
  status: nullable(Type.Integer({ description: "Null without a response" })),
  error: nullable(Type.String({ description: "Error if there was no response" })),
});

/** Results of the latest deliveries of a webhook. */
export const WebhookHealth = Type.Object(
  {
    webhookId: WebhookId,
    succeeded: Type.Integer({
      description: `Succeeded deliveries among the newest ${COUNTED_MAX}`,
    }),
    failed: Type.Integer({ description: "Failed deliveries after all attempts" }),
    successShare: nullable(
      Type.Number({
        description: "Share of succeeded deliveries. Null without completed deliveries",
      }),
    ),
    open: Type.Integer({
      description: `Pending and retrying deliveries, counted up to ${OPEN_MAX}`,
    }),
    recent: Type.Array(DeliveryStatus, {
      description: `Status of the newest ${SHOWN_MAX} deliveries, oldest first`,
    }),
    lastDeliveryAt: nullable(Time),
    lastFailure: nullable(LastFailure),
  },
  { title: "WebhookHealth" },
);
export type WebhookHealth = Static<typeof WebhookHealth>;

interface Row {
  readonly id: string;
  readonly succeeded: number;
  readonly failed: number;
  readonly open: number;
  readonly recent: WebhookHealth["recent"] | null;
  readonly last_at: string | null;
  readonly failure_id: string | null;
  readonly failure_type: string;
  readonly failure_at: string | null;
  readonly failure_status: number | null;
  readonly failure_error: string | null;
}

/** The health of webhooks, newest first, in the environment of the transaction. */
export async function readHealth(
  tx: Tx,
  page: { readonly id: string | undefined; readonly before: string; readonly limit: number },
): Promise<WebhookHealth[]> {
  const { id = null, before, limit } = page;
  const { rows } = await sql<Row>`
    select w.id, d.succeeded, d.failed, d.recent, d.last_at, o.open, f.id as failure_id,
           f.event_type as failure_type, f.last_attempt_at as failure_at,
           f.last_response_status as failure_status, f.last_error as failure_error
      from (select id from webhooks
             where id < ${before} and (${id}::text is null or id = ${id})
             order by id desc limit ${limit}) w
     cross join lateral (
       select count(*) filter (where status = 'succeeded')::int as succeeded,
              count(*) filter (where status = 'failed')::int as failed,
              max(created_at) as last_at,
              (array_agg(status order by id desc))[1:${sql.lit(SHOWN_MAX)}] as recent
         from (select id, status, created_at from deliveries
                where webhook_id = w.id order by id desc limit ${sql.lit(COUNTED_MAX)}) newest) d
     cross join lateral (
       select count(*)::int as open
         from (select from deliveries where webhook_id = w.id and due_at is not null
                limit ${sql.lit(OPEN_MAX)}) due) o
      left join lateral (
       select id, event_type, last_attempt_at, last_response_status, last_error from deliveries
        where webhook_id = w.id and status = 'failed' order by id desc limit 1) f on true
     order by w.id desc`.execute(tx);
  return rows.map(toHealth);
}

function toHealth(row: Row): WebhookHealth {
  const { succeeded, failed } = row;
  const over = succeeded + failed;
  return {
    webhookId: row.id,
    succeeded,
    failed,
    successShare: over === 0 ? null : succeeded / over,
    open: row.open,
    recent: (row.recent ?? []).toReversed(),
    lastDeliveryAt: row.last_at,
    lastFailure:
      row.failure_id === null
        ? null
        : {
            deliveryId: row.failure_id,
            eventType: row.failure_type,
            at: row.failure_at,
            status: row.failure_status,
            error: row.failure_error,
          },
  };
}
