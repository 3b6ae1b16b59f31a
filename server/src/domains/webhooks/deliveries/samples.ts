import { eventIdOf } from "#kernel/log/event.ts";
import { positionOfRow } from "#kernel/log/event-log.ts";
import type { Sample } from "#kernel/testing/samples.ts";
import type { Ask, World } from "#kernel/testing/world.ts";
import { buildDeliveryId } from "../sending/subscription.ts";

async function webhook(owner: Ask, status = "active"): Promise<string> {
  const { body } = await owner("POST /api/v1/webhooks", {
    name: "A sample",
    // No server listens on this port: a retry fails immediately.
    url: "https://127.0.0.1:9/sample",
    events: ["incident.*"],
    status,
  });
  return body.data.id;
}

/** A failed delivery of the event that created its webhook. */
async function failed(owner: Ask, { sql }: World) {
  const id = await webhook(owner);
  const [event] = await sql("select * from events where resource_id = $1", [id]);
  const position = positionOfRow({ ...event, seq: Number(event.seq) });
  const deliveryId = buildDeliveryId(position, id);
  await sql(
    `insert into deliveries
       (workspace_id, environment, webhook_id, id, event_epoch, event_xid, event_seq, event_type,
        resource_id, url, format, status, due_at, attempts, last_attempt_at, last_response_status,
        last_response_body, last_duration_ms, created_at)
     select e.workspace_id, e.environment, w.id, $2, e.epoch, e.xid, e.seq, e.type, e.resource_id,
            w.url, w.format, 'failed', null, 1, now(), 500, 'Broken', 12, now()
       from webhooks w join events e on e.resource_id = w.id where w.id = $1`,
    [id, deliveryId],
  );
  return { params: { id, deliveryId } };
}

export const samples: readonly Sample[] = [
  {
    operation: "webhooks.list_deliveries",
    // The webhook is the same in all environments; its deliveries are not.
    arrange: async (owner, world) => ({
      params: { id: (await failed(owner, world)).params.id },
      query: { status: "failed", limit: "2" },
      environmentScoped: false,
    }),
  },
  { operation: "webhooks.get_delivery", arrange: failed },
  { operation: "webhooks.retry_delivery", arrange: failed },
  { operation: "webhooks.replay_delivery", arrange: failed },
  {
    operation: "webhooks.count_recoverable",
    arrange: async (owner) => ({
      params: { id: await webhook(owner) },
      query: { since: "2026-01-01T00:00:00Z" },
      environmentScoped: false,
    }),
  },
  {
    operation: "webhooks.recover",
    arrange: async (owner) => ({
      params: { id: await webhook(owner) },
      body: { since: "2026-01-01T00:00:00Z" },
      environmentScoped: false,
    }),
  },
  {
    operation: "webhooks.recover",
    name: "from an event on",
    arrange: async (owner) => ({
      params: { id: await webhook(owner) },
      body: { since: eventIdOf({ epoch: 1, xid: 700, seq: 1 }) },
      environmentScoped: false,
    }),
  },
  {
    operation: "webhooks.list_recoveries",
    async arrange(owner) {
      const id = await webhook(owner);
      await owner(`POST /api/v1/webhooks/${id}/recover`, { since: "2026-01-01T00:00:00Z" });
      return { params: { id }, query: { limit: "2" }, environmentScoped: false };
    },
  },
  ...["pausedAt", "now", eventIdOf({ epoch: 1, xid: 700, seq: 1 })].map((from) => ({
    operation: "webhooks.resume",
    name: `from ${from}`,
    arrange: async (owner: Ask) => ({
      params: { id: await webhook(owner, "paused") },
      body: { from },
      environmentScoped: false,
    }),
  })),
];
