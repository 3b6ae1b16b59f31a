import { sql } from "kysely";
import type { Tx } from "#kernel/db/connection.ts";
import { WebhooksRead } from "../webhook.ts";
import type { TracedItem, CausalTracer } from "#kernel/contributions/causal-tracer.ts";

const TRACED_MAX = 2_000;

interface Row {
  readonly id: string;
  readonly event_id: string;
  readonly webhook_id: string;
  readonly name: string;
  readonly status: string;
  readonly attempts: number;
  readonly last_response_status: number | null;
  readonly created_at: string;
}

/**
 * Finds the deliveries of events. Their ids derive from event and webhook, see `buildDeliveryId`, so each is one
 * lookup by primary key; the inner limit enforces this plan.
 */
export const deliveryTracer: CausalTracer = {
  kind: "webhook_delivery",
  prefix: "dlv",
  permission: WebhooksRead,
  find: (tx, eventIds) => findDeliveries(tx, eventIds),
  read: async (tx, ids) => {
    const found = await findDeliveries(tx, [...new Set(ids.map(eventIdOfDelivery))]);
    return found.filter(({ id }) => ids.includes(id));
  },
};

/** The id of an event is the start of the ids of its deliveries. */
function eventIdOfDelivery(id: string): string {
  return `evt_${id.slice(4, 4 + EVENT_CHARACTERS)}`;
}

const EVENT_CHARACTERS = 22;

async function findDeliveries(tx: Tx, eventIds: readonly string[]): Promise<TracedItem[]> {
  const { rows } = await sql<Row>`
      select d.id, e.id as event_id, w.id as webhook_id, w.name, d.status, d.attempts, d.last_response_status,
             d.created_at
        from unnest(${eventIds}::text[]) as e (id)
        cross join webhooks w
        cross join lateral
          (select * from deliveries d
            where d.webhook_id = w.id and d.id = 'dlv_' || substr(e.id, 5) || right(w.id, 10)
            limit 1) d
       limit ${TRACED_MAX}`.execute(tx);
  return rows.map(toTraced);
}

function toTraced(row: Row): TracedItem {
  const times = row.attempts === 1 ? "1 attempt" : `${row.attempts} attempts`;
  const answer =
    row.last_response_status === null ? "" : `, last answer ${row.last_response_status}`;
  return {
    id: row.id,
    causationId: row.event_id,
    status: row.status,
    summary: `Delivery to ${row.name}: ${row.status}, ${times}${answer}`,
    createdAt: row.created_at,
    of: { id: row.webhook_id, name: row.name },
  };
}
