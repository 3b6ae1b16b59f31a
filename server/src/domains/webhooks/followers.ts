import { sql } from "kysely";
import { compilePattern } from "#kernel/condition/event-pattern.ts";
import type { EventFollowerSource } from "#kernel/contributions/event-follower.ts";
import { WebhooksRead } from "./webhook.ts";

const WEBHOOKS_MAX = 500;
const WAITING_MAX = 1_000;

interface Row {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly events: readonly string[];
  readonly waiting: number;
}

/** The webhooks that receive a topic, with their number of waiting deliveries. */
export const webhookFollowers: EventFollowerSource = {
  kind: "webhook",
  permission: WebhooksRead,
  async list({ tx, caller }, { types }) {
    const { rows } = await sql<Row>`
      select w.id, w.name, w.status, w.events,
             (select count(*)::int from (select from deliveries d
               where d.webhook_id = w.id and d.due_at is not null limit ${WAITING_MAX}) d) as waiting
        from webhooks w
       where w.environments is null or ${caller.environment} = any (w.environments::text[])
       order by w.name limit ${WEBHOOKS_MAX}`.execute(tx);
    return rows
      .filter(({ events }) => types.some(compilePattern(events)))
      .map(({ id, name, status, events, waiting }) => ({
        id,
        name,
        status,
        hears: events,
        behind: waiting,
      }));
  },
};
