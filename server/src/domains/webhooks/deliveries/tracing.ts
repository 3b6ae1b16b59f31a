import { sql } from "kysely";
import type { Tx } from "#kernel/db/connection.ts";
import type { Traced, Tracer } from "#kernel/domain.ts";
import { positionOf } from "#kernel/event.ts";
import { deliveryIdOf } from "../delivery/hearing.ts";

interface Row {
  readonly id: string;
  readonly event_id: string;
  readonly name: string;
  readonly status: string;
  readonly attempts: number;
  readonly last_response_status: number | null;
  readonly created_at: string;
}

/** The deliveries of events: their ids follow from event and webhook, so each is one look-up. */
export const deliveryTracer: Tracer = {
  kind: "webhook_delivery",
  async find(tx, eventIds) {
    const webhooks = await tx.selectFrom("webhooks").select(["id", "name"]).execute();
    const wanted = eventIds.flatMap((eventId) => {
      const place = positionOf(eventId);
      return place
        ? webhooks.map(({ id, name }) => ({ eventId, webhookId: id, name, place }))
        : [];
    });
    if (wanted.length === 0) return [];
    return (await read(tx, wanted)).map(toTraced);
  },
};

type Wanted = { eventId: string; webhookId: string; name: string } & {
  place: Parameters<typeof deliveryIdOf>[0];
};

async function read(tx: Tx, wanted: readonly Wanted[]): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select d.id, w.event_id, w.name, d.status, d.attempts, d.last_response_status, d.created_at
      from unnest(${wanted.map(({ webhookId }) => webhookId)}::text[],
                  ${wanted.map(({ place, webhookId }) => deliveryIdOf(place, webhookId))}::text[],
                  ${wanted.map(({ eventId }) => eventId)}::text[],
                  ${wanted.map(({ name }) => name)}::text[]) as w (webhook_id, id, event_id, name)
      join deliveries d on d.webhook_id = w.webhook_id and d.id = w.id
     order by d.id`.execute(tx);
  return rows;
}

function toTraced(row: Row): Traced {
  const times = row.attempts === 1 ? "1 attempt" : `${row.attempts} attempts`;
  const answer = row.last_response_status === null ? "" : `, last answer ${row.last_response_status}`;
  return {
    id: row.id,
    causationId: row.event_id,
    status: row.status,
    summary: `Delivery to ${row.name}: ${row.status}, ${times}${answer}`,
    createdAt: row.created_at,
  };
}
