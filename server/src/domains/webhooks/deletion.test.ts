import { expect, test } from "vitest";
import { until, useWorld } from "#kernel/testing/world.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);

const HOOKS = "/api/v1/webhooks";
const PLAIN = { name: "Pager", url: "https://pager.example.com/hook", events: ["incident.*"] };

/** Creates a webhook with this many deliveries, across all environments. */
async function withDeliveries(count: number): Promise<string> {
  const { body } = await owner(`POST ${HOOKS}`, PLAIN);
  const { id } = body.data;
  await world.sql(
    `insert into deliveries
       (workspace_id, environment, webhook_id, id, event_epoch, event_xid, event_seq, event_type,
        resource_id, url, format, status, due_at, created_at)
     select $1, (enum_range(null::environment))[1 + n % 3], $2, 'dlv_' || n, 1, '1', n, 'a.b', 'x',
            'https://x', 'millrace', 'failed', null, now()
       from generate_series(1, $3) as n`,
    [world.home, id, count],
  );
  return id;
}

async function countOf(webhookId: string): Promise<number> {
  const [{ n }] = await world.sql(
    "select count(*)::int as n from deliveries where webhook_id = $1",
    [webhookId],
  );
  return n;
}

test("deletes a webhook immediately and later only that webhook's deliveries in all environments", async () => {
  const count = 12_000;
  const [gone, kept] = [await withDeliveries(count), await withDeliveries(3)];
  const deleted = await owner(`DELETE ${HOOKS}/${gone}`);
  expect(deleted).toMatchObject({ status: 204, events: ["webhook.deleted"] });
  const { body } = await owner(`GET /api/v1/audit?resourceId=${gone}&limit=1`);
  expect(body.data).toMatchObject([
    { type: "webhook.deleted", environment: "production", data: { id: gone } },
  ]);
  expect(await owner(`GET ${HOOKS}/${gone}`)).toMatchObject({ status: 404 });
  expect(await owner(`GET ${HOOKS}/${gone}/deliveries`)).toMatchObject({ status: 404 });
  // Work has not started: the request itself has deleted none.
  expect(await countOf(gone)).toBe(count);

  await world.kernel.startWork();
  await until(async () => (await countOf(gone)) === 0);
  expect(await countOf(kept)).toBe(3);
  await until(async () => {
    const jobs = await world.sql("select from jobs where kind = 'webhooks.remove_deliveries'");
    return jobs.length === 0;
  });
});
