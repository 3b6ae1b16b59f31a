import { expect, test } from "vitest";
import { eventIdOf } from "#kernel/log/event.ts";
import { until, useFixture, useWorld } from "#kernel/testing/world.ts";
import { startReceiver } from "../testing/receiver.ts";
import * as testing from "../testing/deliveries.ts";

const broken = new Set<string>();

const receiver = await useFixture(startReceiver());
receiver.answer = ({ path }, response) =>
  void response.writeHead(broken.has(path.slice(1)) ? 500 : 200).end();
const world = await useWorld({ work: true, env: receiver.env });
const owner = await world.member(["owner"]);

const hook = (name: string, more: object = {}) => testing.hook(owner, receiver, name, more);
const arrived = (name: string) =>
  testing.arrived(receiver, name).map(({ body }) => body.data.title as string);
const deliveries = async (id: string, environment = "production") => {
  const headers = { "x-environment": environment };
  return (await owner(`GET /api/v1/webhooks/${id}/deliveries?limit=200`, undefined, headers)).body
    .data;
};
const recover = (id: string, since: string) =>
  owner(`POST /api/v1/webhooks/${id}/recover`, { since });

/** Writes a note; returns the id and time of its event. */
async function write(title: string, environment = "production") {
  const headers = { "x-environment": environment };
  const answer = await owner("POST /api/v1/notes", { title, body: "" }, headers);
  expect(answer.status).toBe(201);
  const [row] = await world.sql(
    "select epoch, xid, seq, created_at from events where request_id = $1",
    [answer.headers["x-request-id"]],
  );
  const id = eventIdOf({ epoch: row.epoch, xid: Number(row.xid), seq: Number(row.seq) });
  return { id, at: (row.created_at as Date).toISOString() };
}

/** Resolves when the webhook has this many deliveries, all successful. */
const delivered = (id: string, count: number) =>
  until(async () => {
    const all = await deliveries(id);
    const well = all.filter(({ status }: any) => status === "succeeded");
    return all.length === count && well.length === count && all;
  });

test("delivers failed events, and does not repeat successful ones", async () => {
  const id = await hook("failing");
  await write("failing 0");
  await until(async () => arrived("failing").length === 1);
  broken.add("failing");
  const first = await write("failing 1");
  await write("failing 2", "staging");
  await write("failing 3");
  await until(async () => arrived("failing").length === 4);
  for (const environment of ["production", "staging"]) {
    await until(async () =>
      (await deliveries(id, environment)).every((one: any) => one.nextAttemptAt === null),
    );
  }
  broken.delete("failing");

  const asked = await recover(id, first.at);
  expect(asked).toMatchObject({
    status: 202,
    body: { data: { webhookId: id, since: first.at } },
    events: ["webhook.recovery_requested"],
  });
  const [last] = (await owner(`GET /api/v1/audit?limit=1&resourceId=${id}`)).body.data;
  expect(last).toMatchObject({
    type: "webhook.recovery_requested",
    data: { webhookId: id, since: first.at },
  });
  const all = await delivered(id, 3);
  expect(all.map(({ attempts }: any) => attempts)).toEqual([2, 2, 1]);
  await until(async () => arrived("failing").length === 7);
  expect(arrived("failing").slice(4).toSorted()).toEqual(["failing 1", "failing 2", "failing 3"]);
});

test("failed deliveries get all their retries again", async () => {
  broken.add("stubborn");
  const id = await hook("stubborn", { retries: 1 });
  const { id: since } = await write("stubborn 1");
  const failed = async (attempts: number) =>
    until(async () => {
      world.clock.advance(3_000);
      const [one] = await deliveries(id);
      return one?.status === "failed" && one.attempts === attempts;
    });
  await failed(2);
  await recover(id, since);
  await failed(4);
  expect(arrived("stubborn")).toHaveLength(4);
});

test("delivers skipped events after a pause, starting at an event, in all environments", async () => {
  const id = await hook("paused");
  await owner(`PATCH /api/v1/webhooks/${id}`, { status: "paused" });
  await write("paused 1");
  const { id: since } = await write("paused 2", "staging");
  await write("paused 3", "development");
  await write("paused 4");
  await owner(`PATCH /api/v1/webhooks/${id}`, { status: "active" });
  expect(arrived("paused")).toEqual([]);
  await recover(id, since);
  await until(async () => arrived("paused").length === 3);
  expect(arrived("paused").toSorted()).toEqual(["paused 2", "paused 3", "paused 4"]);
});

test("delivers events that were unsettled at the time of the request once they settle", async () => {
  const id = await hook("unsettled");
  await owner(`PATCH /api/v1/webhooks/${id}`, { status: "paused" });
  const { release } = await world.unsettle();
  try {
    const { id: since } = await write("unsettled 1");
    await owner(`PATCH /api/v1/webhooks/${id}`, { status: "active" });
    await recover(id, since);
    await write("unsettled 2");
    // The job has scanned, and waits until the reader reaches the requested end.
    await until(async () => {
      const [job] = await world.sql(
        "select from jobs where kind = 'webhooks.recover' and payload->>'after' is not null",
      );
      return job !== undefined;
    });
    expect(await deliveries(id)).toEqual([]);
  } finally {
    await release();
  }
  await delivered(id, 2);
  expect(arrived("unsettled").toSorted()).toEqual(["unsettled 1", "unsettled 2"]);
});

test("accepts an exact start time, even before webhook creation", async () => {
  await write("timed 1");
  world.clock.advance(1_000);
  const { at } = await write("timed 2");
  const id = await hook("timed");
  await write("timed 3");
  await until(async () => arrived("timed").length === 1);
  await recover(id, at);
  await delivered(id, 2);
  expect(arrived("timed")).toEqual(["timed 3", "timed 2"]);
});

test("does not deliver to a paused webhook before reactivation", async () => {
  const id = await hook("waiting", { status: "paused" });
  const { id: since } = await write("waiting 1");
  await recover(id, since);
  const [one] = await until(async () => {
    const all = await deliveries(id);
    return all.length === 1 && all;
  });
  expect(one).toMatchObject({ status: "pending", attempts: 0 });
  await owner(`PATCH /api/v1/webhooks/${id}`, { status: "active" });
  await delivered(id, 1);
  expect(arrived("waiting")).toEqual(["waiting 1"]);
});

test("recovers a long range in batches, and a second concurrent run has no effect", async () => {
  const id = await hook("long");
  const { id: since } = await write("long 0");
  await until(async () => arrived("long").length === 1);
  await owner(`PATCH /api/v1/webhooks/${id}`, { status: "paused" });
  const count = 1_100;
  await world.sql(
    `insert into events
       (epoch, workspace_id, environment, topic, type, actor_id, actor_type, actor_name,
        resource_type, resource_id, correlation_id, created_at, data)
     select 1, $1, (enum_range(null::environment))[1 + n % 3], 'note', 'note.created', 'system',
            'system', 'Millrace', 'note', 'note_' || n, 'cor_' || n, now(),
            jsonb_build_object('title', 'long ' || n)
       from generate_series(1, $2) as n`,
    [world.home, count],
  );
  await Promise.all([recover(id, since), recover(id, since)]);
  const rows = () =>
    world.sql("select id, environment from deliveries where webhook_id = $1", [id]);
  await until(async () => (await rows()).length === count + 1);
  await until(async () => {
    const [{ n }] = await world.sql(
      "select count(*)::int as n from jobs where kind = 'webhooks.recover'",
    );
    return n === 0;
  });
  const all = await rows();
  expect(all).toHaveLength(count + 1);
  const environments = Map.groupBy(all, ({ environment }) => environment as string);
  expect([...environments.values()].map((group) => group.length).toSorted()).toEqual([
    367, 367, 367,
  ]);
});

test("a choice recovers only failed or only missing deliveries, since the creation of the webhook", async () => {
  await write("chosen before");
  world.clock.advance(1_000);
  broken.add("chosen");
  const id = await hook("chosen");
  const { at: since } = await write("chosen failed");
  await until(async () => (await deliveries(id))[0]?.status === "failed");
  await owner(`PATCH /api/v1/webhooks/${id}`, { status: "paused" });
  world.clock.advance(1_000);
  await write("chosen missing 1");
  world.clock.advance(1_000);
  const { at: untilTime } = await write("chosen missing 2");
  await owner(`PATCH /api/v1/webhooks/${id}`, { status: "active" });
  broken.delete("chosen");
  const long = new Date(Date.parse(since) - 3_600_000).toISOString();
  const count = async (query: Record<string, string>) =>
    (await owner(`GET /api/v1/webhooks/${id}/recoverable?${new URLSearchParams(query)}`)).body.data;
  expect(await count({ since: long })).toEqual({ failed: 1, missing: 2, truncated: false });
  expect(await count({ since: long, until: untilTime })).toMatchObject({ failed: 1, missing: 1 });

  const recoverOnly = (body: object) => owner(`POST /api/v1/webhooks/${id}/recover`, body);
  const missing = { since: long, until: untilTime, only: "missing" };
  expect(await recoverOnly(missing)).toMatchObject({ status: 202, body: { data: missing } });
  await until(async () => arrived("chosen").length === 2);
  expect(await recoverOnly({ since: long, only: "failed" })).toMatchObject({ status: 202 });
  await delivered(id, 2);
  expect(arrived("chosen")).toEqual(["chosen failed", "chosen missing 1", "chosen failed"]);
  expect(await count({ since: long })).toEqual({ failed: 0, missing: 1, truncated: false });
  expect(await recoverOnly({ since: untilTime, until: since })).toMatchObject({
    status: 422,
    body: { errors: [{ path: "/until" }] },
  });
});

test("a recovery starts from a past event or a time", async () => {
  const id = await hook("strict");
  const ahead = eventIdOf({ epoch: 1, xid: 2 ** 40, seq: 1 });
  for (const since of [ahead, "yesterday", "2026-02-30T00:00:00Z", "2026-11-15", "evt_1", ""]) {
    expect(await recover(id, since)).toMatchObject({
      status: 422,
      body: { errors: [{ path: "/since" }] },
      events: [],
    });
  }
  expect((await recover("whk_01jd0000000000000000000000", ahead)).status).toBe(404);
});
