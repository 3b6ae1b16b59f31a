import pg from "pg";
import { expect, inject, test } from "vitest";
import { eventIdOf } from "./event.ts";
import { eventRetentionJob } from "./retention.ts";
import { startWorld, until, type World } from "../testing/world.ts";
import { JobWorker } from "../work/job-worker.ts";

const DAY_MS = 24 * 3_600_000;
const OLD_EVENTS = 1_200;
/** Readers of this version. */
const AHEAD = "bus.count_topics";
const BEHIND = "runs.triggers";

/** A log with many old events. */
async function fill(world: World): Promise<void> {
  await world.sql("delete from events");
  await world.sql(
    `insert into events (epoch, workspace_id, environment, topic, type, actor_id, actor_type,
                         actor_name, resource_type, resource_id, correlation_id, created_at, data)
     select 1, $1, 'production', 'old', 'x', 'x', 'system', 'x', 'message', 'x', 'x',
            now() - interval '30 days', '{}' from generate_series(1, $2)`,
    [world.home, OLD_EVENTS],
  );
}

/** Sets the cursor of a reader. Without a position, after all events. */
async function stand(world: World, name: string, place?: { xid: string; seq: string }) {
  await world.sql(
    `insert into readers (name, epoch, xid, seq, updated_at)
     select $1, 1, coalesce($2::xid8, pg_current_xact_id()), coalesce($3::bigint, 0), now()
     on conflict (name) do update set xid = excluded.xid, seq = excluded.seq`,
    [name, place?.xid, place?.seq],
  );
}

async function old(world: World): Promise<number> {
  const [{ n }] = await world.sql("select count(*)::int as n from events where topic = 'old'");
  return n;
}

/** Runs one turn of the job like the worker. */
async function turn(world: World): Promise<unknown> {
  const pruned = await eventRetentionJob.effect?.(world.kernel, {} as never, {
    id: "job",
    number: 1,
    signal: AbortSignal.timeout(60_000),
  });
  return pruned;
}

test("deletes old events in batches, oldest first, together with their topic counts", async () => {
  await using world = await startWorld({ env: { MILLRACE_EVENT_RETENTION_DAYS: "7" } });
  const owner = await world.member(["owner"]);
  await fill(world);
  await owner("POST /api/v1/notes", { title: "Fresh", body: "" });
  await world.sql(
    `insert into topic_counts (workspace_id, environment, topic, events, last_event_at)
     select workspace_id, environment, topic, count(*), max(created_at) from events
      group by workspace_id, environment, topic`,
  );
  await stand(world, AHEAD);
  expect(await turn(world)).toBe(1_000);
  expect(await old(world)).toBe(200);
  const count = async () =>
    (await world.sql("select events::int as n from topic_counts where topic = 'old'"))[0].n;
  expect(await count()).toBe(200);
  expect(await turn(world)).toBe(200);
  expect([await old(world), await count(), await turn(world)]).toEqual([0, 0, 0]);
  expect(await world.sql("select topic from events")).toEqual([{ topic: "note" }]);
});

test("keeps events that a reader has not passed, regardless of age", async () => {
  await using world = await startWorld({ env: { MILLRACE_EVENT_RETENTION_DAYS: "7" } });
  await fill(world);
  await stand(world, AHEAD);
  const rows = await world.sql(
    "select epoch, xid, seq from events where topic = 'old' order by epoch, xid, seq limit 101",
  );
  const [, last] = rows.slice(-2);
  await stand(world, BEHIND, rows[99]);
  expect(await turn(world)).toBe(100);
  const [oldest] = await world.sql(
    "select epoch, xid, seq from events where topic = 'old' order by epoch, xid, seq limit 1",
  );
  expect(oldest).toEqual(last);
  const placeOf = (row: any) => ({ epoch: row.epoch, xid: Number(row.xid), seq: Number(row.seq) });
  expect(eventIdOf(placeOf(oldest)) > eventIdOf(placeOf(rows[99]))).toBe(true);
  expect(await turn(world)).toBe(0);
  await stand(world, BEHIND);
  while (Number(await turn(world)) > 0);
  expect(await old(world)).toBe(0);
});

test("a reader unknown to all versions keeps the log for a week only", async () => {
  await using world = await startWorld({ env: { MILLRACE_EVENT_RETENTION_DAYS: "7" } });
  await fill(world);
  await stand(world, AHEAD);
  const standsSince = (days: number) =>
    world.sql(
      `insert into readers values ('gone.long_ago', 0, '0', 0, now() - $1 * interval '1 day')
       on conflict (name) do update set updated_at = excluded.updated_at`,
      [days],
    );
  await standsSince(6);
  expect(await turn(world)).toBe(0);
  await standsSince(8);
  expect(await turn(world)).toBe(1_000);
});

test("pruning and counting lock in the same order and never deadlock", async () => {
  await using world = await startWorld({ env: { MILLRACE_EVENT_RETENTION_DAYS: "7" } });
  await fill(world);
  await world.sql("update events set topic = 'old ' || chr(97 + (seq % 20)::int)");
  await world.sql(
    `insert into topic_counts (workspace_id, environment, topic, events, last_event_at)
     select workspace_id, environment, topic, count(*), max(created_at) from events group by 1, 2, 3`,
  );
  await stand(world, AHEAD);
  const counting = new pg.Client({
    ...inject("database").owner,
    database: world.database.app.database,
  });
  await counting.connect();
  const lock = (topics: string) =>
    counting.query(`select from topic_counts where ${topics} for update nowait`);
  await counting.query("begin");
  await lock("topic = 'old a'");
  const pruned = turn(world);
  await until(async () => {
    const waiting = `select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    return (await world.sql(waiting)).length > 0;
  });
  await lock("topic <> 'old a'");
  await counting.query("commit");
  await counting.end();
  expect(await pruned).toBe(1_000);
});

test("deletes no events without a reader or without a setting", async () => {
  await using world = await startWorld({ env: { MILLRACE_EVENT_RETENTION_DAYS: "7" } });
  await fill(world);
  expect(await turn(world)).toBe(0);
  await using keeping = await startWorld();
  await fill(keeping);
  await stand(keeping, AHEAD);
  expect(await turn(keeping)).toBe(0);
  expect([await old(world), await old(keeping)]).toEqual([OLD_EVENTS, OLD_EVENTS]);
});

test("the job repeats until no old events are left, and runs again later", async () => {
  await using world = await startWorld({ env: { MILLRACE_EVENT_RETENTION_DAYS: "7" } });
  const owner = await world.member(["owner"]);
  await fill(world);
  await owner("POST /api/v1/notes", { title: "Not yet", body: "" });
  await stand(world, AHEAD);
  const failures: unknown[] = [];
  const worker = new JobWorker({
    platform: world.kernel,
    jobs: [eventRetentionJob],
    onFailure: (_kind, error) => failures.push(error),
  });
  await worker.register();
  const work = async (): Promise<void> => {
    await worker.step();
    await worker.drain();
  };
  await until(async () => {
    await work();
    return (await old(world)) === 0;
  });
  const fresh = () => world.sql("select from events where topic = 'note'");
  expect(await fresh()).toHaveLength(1);
  await stand(world, AHEAD);
  world.clock.advance(8 * DAY_MS);
  await work();
  expect(await fresh()).toHaveLength(0);
  expect(failures).toEqual([]);
});
