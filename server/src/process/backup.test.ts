import { copyFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Receiver, startReceiver } from "#domains/webhooks/testing/receiver.ts";
import { withOwnerClient } from "#kernel/db/setup/owner-connection.ts";
import { findRunning } from "#kernel/embedded/running-cluster.ts";
import { until } from "#kernel/testing/world.ts";
import { millrace, useMillrace } from "../cli/testing/millrace.ts";
import { startedBefore } from "./testing/started-before.ts";
import {
  all,
  type Ask,
  asker,
  dataFolder,
  kill,
  launch,
  logIn,
  useProducts,
} from "./testing/product.ts";

const HERE = { "x-workspace": "default" };
const SECRET = { name: "PLANTED", value: "planted 7a1" };
const WRITES_BEFORE = 30;
const WRITES_AFTER = 10;
const LIMIT_MS = 50_000;

let receiver: Receiver;
// First, so that the receiver ends after the products that send to it.
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(() => receiver[Symbol.asyncDispose]());

useProducts();
const command = useMillrace();

test("a backup taken under load is restored elsewhere: no acknowledged data is lost, all readers continue, and no id is used twice", async () => {
  startedBefore();
  const product = launch(receiver.env);
  const address = await product.ready;
  const token = await logIn(address);
  const ask = asker(address, token);
  await furnish(ask);
  const writer = startWriter(ask);
  await until(async () => writer.acknowledged() >= WRITES_BEFORE, LIMIT_MS);

  const before = writer.acknowledged();
  const path = join(dirname(dataFolder()), "backup.tar");
  const backup = await millrace(["backup", path]);
  expect(backup.said).toContain("WITHOUT THE MASTER KEY");
  expect(backup.code).toBe(0);
  const during = writer.acknowledged();
  expect(during).toBeGreaterThan(before);
  // Work continues after the backup: other systems see events that the restored log will not contain.
  await until(async () => writer.acknowledged() >= during + WRITES_AFTER, LIMIT_MS);
  await writer.stop();
  await kill(product, "group");
  const [greatest = ""] = receiver.received
    .map(({ body }) => String(body.id))
    .toSorted()
    .toReversed();

  const verified = await command(["backup", "--verify", path]);
  expect(verified.said).toContain("all rows were read");
  expect(verified.code).toBe(0);
  const elsewhere = join(dirname(dataFolder()), "elsewhere");
  const restored = await command(["restore", path, "--data-dir", elsewhere]);
  expect(restored.said).toContain("It has no master key");
  expect(restored.code).toBe(0);
  await copyFile(join(dataFolder(), "master.key"), join(elsewhere, "master.key"));
  const second = launch({ MILLRACE_DATA_DIR: elsewhere, ...receiver.env });
  const there = asker(await second.ready, token);

  const logged = (await all(there, "/api/v1/audit", HERE)).filter(
    ({ type }) => type === "order.placed",
  );
  const kept = logged.map(({ data }) => data.n).toReversed();
  expect(kept).toEqual(kept.map((_, n) => n));
  expect(kept.length).toBeGreaterThanOrEqual(before);
  expect(kept.length).toBeLessThanOrEqual(during + 1);
  // It is sealed with the workspace's key, which the master key opens.
  const replayed = await there("POST /api/v1/secrets", SECRET, { ...HERE, "idempotency-key": "s" });
  expect([replayed.status, replayed.headers.get("idempotency-replayed")]).toEqual([201, "true"]);

  const news = Array.from({ length: WRITES_AFTER }, (_, n) => 1_000 + n);
  const ids: string[] = [];
  for (const n of news) ids.push(await publish(there, n));
  for (const id of ids) expect(id > greatest).toBe(true);
  await assertHandledOnce(elsewhere, [...kept, ...news]);
});

/** A webhook, a workflow and a secret. */
async function furnish(ask: Ask): Promise<void> {
  const hook = {
    name: "orders",
    url: `${receiver.url}/orders`,
    events: ["order.*"],
    format: "cloudevents",
  };
  const workflow = {
    name: "Orders",
    trigger: { type: "event_bus", topic: "orders" },
    nodes: [{ id: "keep", type: "set", config: { values: { n: "{{ trigger.event.data.n }}" } } }],
    edges: [],
  };
  const made = [
    await ask("POST /api/v1/webhooks", hook, HERE),
    await ask("POST /api/v1/secrets", SECRET, { ...HERE, "idempotency-key": "s" }),
    await ask("POST /api/v1/workflows", workflow, HERE),
  ];
  for (const { status, body } of made) expect(status, JSON.stringify(body)).toBe(201);
  const published = await ask(
    `POST /api/v1/workflows/${made[2]?.body.data.id}/publish`,
    undefined,
    HERE,
  );
  expect(published.status, JSON.stringify(published.body)).toBe(200);
}

async function publish(ask: Ask, n: number): Promise<string> {
  const message = { type: "order.placed", payload: { n } };
  const { status, body } = await ask("POST /api/v1/events/topics/orders/publish", message, HERE);
  expect(status, JSON.stringify(body)).toBe(201);
  return body.data.id;
}

/** Publishes 0, 1, 2 and so on until stopped. */
function startWriter(ask: Ask) {
  let [acknowledged, ending] = [0, false];
  const done = (async () => {
    while (!ending) {
      await publish(ask, acknowledged);
      acknowledged += 1;
    }
  })();
  return {
    acknowledged: () => acknowledged,
    stop: async (): Promise<void> => {
      ending = true;
      await done;
    },
  };
}

/** One delivery, one run and one count per event. Repetitions with one id must be identical. */
async function assertHandledOnce(folder: string, wanted: readonly number[]): Promise<void> {
  const { connection } = await findRunning(folder);
  const rows = (text: string): Promise<any[]> =>
    withOwnerClient(connection, async (client) => (await client.query(text)).rows);
  await until(async () => {
    const [row] = await rows(`
      select (select count(*) from deliveries where status = 'succeeded')::int as sent,
             (select count(*) from runs where status = 'completed')::int as ran`);
    return row.sent >= wanted.length && row.ran >= wanted.length;
  }, LIMIT_MS);
  const [counts] = await rows(`
    select (select count(*) from deliveries)::int as deliveries,
           (select count(distinct (event_epoch, event_xid, event_seq)) from deliveries)::int as delivered,
           (select count(*) from runs)::int as runs,
           (select count(distinct event_id) from runs)::int as started,
           (select events from topic_counts where topic = 'orders')::int as counted,
           (select count(*) from parked_events)::int as parked`);
  const all = wanted.length;
  expect(counts).toEqual({
    deliveries: all,
    delivered: all,
    runs: all,
    started: all,
    counted: all,
    parked: 0,
  });
  const byId = Map.groupBy(receiver.received, ({ body }) => body.id);
  for (const received of byId.values())
    expect(new Set(received.map(({ text }) => text)).size).toBe(1);
  const arrived = new Set(receiver.received.map(({ body }) => body.data.n));
  expect(wanted.filter((n) => !arrived.has(n))).toEqual([]);
}
