/** What the tests of deliveries share. */
import { expect } from "vitest";
import { type Ask, until, type World } from "#kernel/testing/world.ts";
import type { Received, Receiver } from "../testing/receiver.ts";

/** A webhook that hears of the notes whose titles begin with its name. */
export async function hook(
  ask: Ask,
  { url }: Receiver,
  name: string,
  more: object = {},
): Promise<string> {
  const { status, body } = await ask("POST /api/v1/webhooks", {
    name,
    url: `${url}/${name}`,
    events: ["note.*"],
    filter: { "data.title": { startsWith: name } },
    retries: 0,
    ...more,
  });
  expect(status).toBe(201);
  return body.data.id;
}

/** What arrived for the webhook of this name, in order. */
export function arrived({ received }: Receiver, name: string): Received[] {
  return received.filter(({ path }) => path === `/${name}`);
}

/** Resolves when a webhook has caught up and everything that it was handed is over. */
export async function caughtUp({ sql }: World, id: string): Promise<void> {
  await until(async () => {
    const [{ open }] = await sql(
      `select w.place_xid is not null or exists (
                select from deliveries d where d.webhook_id = w.id and d.due_at is not null) as open
         from webhooks w where w.id = $1`,
      [id],
    );
    return open === false;
  });
}
