/** Fixtures of the tests of deliveries. */
import { expect } from "vitest";
import { type Ask, until, type World } from "#kernel/testing/world.ts";
import { FAN_OUT_READER } from "../sending/pending-delivery.ts";
import type { Received, Receiver } from "./receiver.ts";

/** Creates a webhook for the notes whose titles start with its name. */
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

/** The requests to the webhook of this name, in order. */
export function arrived({ received }: Receiver, name: string): Received[] {
  return received.filter(({ path }) => path === `/${name}`);
}

/**
 * Resolves when a webhook has finished its replay, the fan-out reader has passed all events so far, and all
 * deliveries of the webhook have finished. The reader fans out events that were not settled at the end of the
 * replay.
 */
export async function caughtUp({ sql }: World, id: string): Promise<void> {
  const [{ epoch, xid, seq }] = await sql(
    "select epoch, xid, seq from events order by epoch desc, xid desc, seq desc limit 1",
  );
  await until(async () => {
    const [{ open }] = await sql(
      `select w.place_xid is not null
           or (r.epoch, r.xid, r.seq) < ($3, $4::xid8, $5)
           or exists (
                select from deliveries d where d.webhook_id = w.id and d.due_at is not null) as open
         from webhooks w join readers r on r.name = $2 where w.id = $1`,
      [id, FAN_OUT_READER, epoch, xid, seq],
    );
    return open === false;
  });
}
