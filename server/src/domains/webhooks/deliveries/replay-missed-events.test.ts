import { expect, test } from "vitest";
import { openKernel } from "#domains/bus/testing/node.ts";
import { registerReaders } from "#kernel/readers/reader.ts";
import { type Ask, startWorld, until, useFixture, useWorld } from "#kernel/testing/world.ts";
import { fanOutReader } from "../sending/fan-out.ts";
import { startReceiver } from "../testing/receiver.ts";
import * as testing from "../testing/deliveries.ts";

const receiver = await useFixture(startReceiver());
const world = await useWorld({ work: true, env: receiver.env });
const owner = await world.member(["owner"]);

const ENVIRONMENTS = ["production", "staging", "development"];

const hook = (ask: Ask, name: string) => testing.hook(ask, receiver, name);
const arrived = (name: string) =>
  testing.arrived(receiver, name).map(({ body: { id, data } }) => ({
    id: id as string,
    title: data.title as string,
    text: data.body as string,
  }));
const pause = (ask: Ask, id: string) => ask(`PATCH /api/v1/webhooks/${id}`, { status: "paused" });
const resume = (ask: Ask, id: string, from: string) =>
  ask(`POST /api/v1/webhooks/${id}/resume`, { from });

/** Creates a note and changes it repeatedly: its text is the number of changes. */
async function writeAndChange(
  title: string,
  until: (changes: number) => boolean,
  environment: string,
): Promise<number> {
  const headers = { "x-environment": environment };
  const { body } = await owner("POST /api/v1/notes", { title, body: "0" }, headers);
  for (let changes = 1; ; changes += 1) {
    if (until(changes)) return changes;
    const change = { body: String(changes) };
    const { status } = await owner(`PATCH /api/v1/notes/${body.data.id}`, change, headers);
    expect(status).toBe(200);
  }
}

/** More than one batch. */
const MANY_CHANGES = 540;

/** Creates a note and changes it this many times; the changes after the first are copied in the log. */
async function changeManyTimes(title: string): Promise<number> {
  const { body } = await owner("POST /api/v1/notes", { title, body: "0" });
  const { headers } = await owner(`PATCH /api/v1/notes/${body.data.id}`, { body: "1" });
  await world.sql(
    `insert into events (epoch, workspace_id, environment, topic, type, actor_id, actor_type, actor_name,
                         resource_type, resource_id, correlation_id, created_at, data)
     select epoch, workspace_id, environment, topic, type, actor_id, actor_type, actor_name,
            resource_type, resource_id, correlation_id, created_at,
            jsonb_set(data, '{after,body}', to_jsonb(n::text))
       from events, generate_series(2, $2::int) as n where request_id = $1 order by n`,
    [headers["x-request-id"], MANY_CHANGES - 1],
  );
  return MANY_CHANGES;
}

test("a resume loses and duplicates nothing and keeps the order per resource, with eight concurrent writers and two nodes", async () => {
  const id = await hook(owner, "busy");
  const node = await openKernel(world);
  await node.startWork();
  try {
    await pause(owner, id);
    const counts: number[] = [];
    let written = 0;
    let stop = false;
    const writers = Array.from({ length: 8 }, (_, n) => {
      const ends = (): boolean => {
        written += 1;
        return stop;
      };
      return writeAndChange(`busy ${n}`, ends, ENVIRONMENTS[n % 3] ?? "");
    });
    await until(async () => written > 60);
    counts.push(await changeManyTimes("busy 8"));
    expect(arrived("busy")).toEqual([]);
    const resumed = await resume(owner, id, "pausedAt");
    expect(resumed).toMatchObject({
      status: 200,
      body: { data: { status: "active", catchingUp: true, pausedAt: null, pausedBecause: null } },
      events: ["webhook.resumed"],
    });
    await until(async () => !(await owner(`GET /api/v1/webhooks/${id}`)).body.data.catchingUp);
    const before = written;
    await until(async () => written > before + 60);
    stop = true;
    counts.unshift(...(await Promise.all(writers)));
    const total = counts.reduce((sum, n) => sum + n, 0);
    await until(async () => arrived("busy").length >= total);
    await testing.caughtUp(world, id);

    const received = arrived("busy");
    expect(new Set(received.map((one) => one.id)).size).toBe(total);
    expect(received).toHaveLength(total);
    for (const [n, count] of counts.entries()) {
      const texts = received.filter(({ title }) => title === `busy ${n}`).map(({ text }) => text);
      expect(texts).toEqual(Array.from({ length: count }, (_, change) => String(change)));
    }
  } finally {
    await node.close();
  }
});

test("deliveries replayed by another node precede later events", async () => {
  const id = await hook(owner, "joining");
  const { body } = await owner("POST /api/v1/notes", { title: "joining", body: "0" });
  await until(async () => arrived("joining").length === 1);
  await pause(owner, id);
  const change = async (text: string) => {
    const { headers } = await owner(`PATCH /api/v1/notes/${body.data.id}`, { body: text });
    return headers["x-request-id"];
  };
  const missed = await change("1");
  await until(async () => {
    const [row] = await world.sql(
      `select from readers r join events e on (e.epoch, e.xid, e.seq) <= (r.epoch, r.xid, r.seq)
        where r.name = $1 and e.request_id = $2`,
      [fanOutReader.name, missed],
    );
    return row !== undefined;
  });
  // The last step of another node, which this node has not received yet.
  await world.sql(
    `with made_up as (
       insert into deliveries
         (workspace_id, environment, webhook_id, id, event_epoch, event_xid, event_seq, event_type,
          resource_id, url, format, status, created_at)
       select e.workspace_id, e.environment, w.id, 'dlv_' || repeat('1', 32), e.epoch, e.xid, e.seq,
              e.type, e.resource_id, w.url, w.format, 'pending', now()
         from webhooks w, events e where w.id = $1 and e.request_id = $2)
     update webhooks set status = 'active', paused_because = null, paused_at = null,
            place_epoch = null, place_xid = null, place_seq = null, revision = revision + 1
      where id = $1`,
    [id, missed],
  );
  await change("2");
  await until(async () => arrived("joining").length === 3);
  expect(arrived("joining").map(({ text }) => text)).toEqual(["0", "1", "2"]);
});

test("a pause during the replay keeps its position, and another worker continues after a crash", async () => {
  await using idle = await startWorld({ env: receiver.env });
  await registerReaders(idle.kernel, [fanOutReader]);
  const ask = await idle.member(["owner"]);
  const post = async (title: string) =>
    expect((await ask("POST /api/v1/notes", { title, body: "" })).status).toBe(201);
  const id = await hook(ask, "halting");
  await post("halting 1");
  await pause(ask, id);
  await post("halting 2");
  expect((await resume(ask, id, "pausedAt")).body.data.catchingUp).toBe(true);
  const paused = await pause(ask, id);
  expect(paused).toMatchObject({
    status: 200,
    body: { data: { status: "paused", catchingUp: false } },
    events: ["webhook.paused"],
  });
  await post("halting 3");
  await resume(ask, id, "pausedAt");
  await post("halting 4");
  // Claimed by a crashed worker: the job is due again when its lease expires.
  await idle.sql(
    `update jobs set claimed_at = now(), attempts = 1, generation = 1
      where kind = 'webhooks.catch_up'`,
  );
  await idle.kernel.startWork();
  await until(async () => arrived("halting").length === 4);
  const titles = arrived("halting").map(({ title }) => title.slice(-1));
  expect(titles.toSorted()).toEqual(["1", "2", "3", "4"]);
  const { data } = (await ask(`GET /api/v1/webhooks/${id}`)).body;
  expect(data).toMatchObject({ status: "active", catchingUp: false });
});
