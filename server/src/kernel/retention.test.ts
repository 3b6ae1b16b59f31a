import { expect, test } from "vitest";
import { eventIdOf } from "./event.ts";
import { pruneEvents } from "./retention.ts";
import { startWorld, until, type World } from "./testing/world.ts";
import { Worker } from "./worker.ts";

const DAY_MS = 24 * 3_600_000;
const OLD_EVENTS = 6_000;

/** A log that begins with many events of long ago. */
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

/** Puts a reader where it stands for good; without a place, behind everything. */
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

/** One turn of the job, as the worker gives it. */
async function turn(world: World): Promise<unknown> {
  const pruned = await pruneEvents.effect?.(world.kernel, {} as never, {
    id: "job",
    number: 1,
    signal: AbortSignal.timeout(60_000),
  });
  return pruned;
}

test("old events go a batch at a time, oldest first, and the counts of their topics with them", async () => {
  await using world = await startWorld({ env: { MILLRACE_EVENT_RETENTION_DAYS: "7" } });
  const owner = await world.member(["owner"]);
  await fill(world);
  await owner("POST /api/v1/notes", { title: "Fresh", body: "" });
  await world.sql(
    `insert into topic_counts (workspace_id, environment, topic, events, last_event_at)
     select workspace_id, environment, topic, count(*), max(created_at) from events
      group by workspace_id, environment, topic`,
  );
  await stand(world, "test.ahead");
  expect(await turn(world)).toBe(5_000);
  expect(await old(world)).toBe(1_000);
  const count = async () =>
    (await world.sql("select events::int as n from topic_counts where topic = 'old'"))[0].n;
  expect(await count()).toBe(1_000);
  expect(await turn(world)).toBe(1_000);
  expect([await old(world), await count(), await turn(world)]).toEqual([0, 0, 0]);
  expect(await world.sql("select topic from events")).toEqual([{ topic: "note" }]);
});

test("what a reader has not passed stays, however old it is", async () => {
  await using world = await startWorld({ env: { MILLRACE_EVENT_RETENTION_DAYS: "7" } });
  await fill(world);
  await stand(world, "test.ahead");
  const rows = await world.sql(
    "select epoch, xid, seq from events where topic = 'old' order by epoch, xid, seq limit 101",
  );
  const [, last] = rows.slice(-2);
  await stand(world, "test.behind", rows[99]);
  expect(await turn(world)).toBe(100);
  const [oldest] = await world.sql(
    "select epoch, xid, seq from events where topic = 'old' order by epoch, xid, seq limit 1",
  );
  expect(oldest).toEqual(last);
  const placeOf = (row: any) => ({ epoch: row.epoch, xid: Number(row.xid), seq: Number(row.seq) });
  expect(eventIdOf(placeOf(oldest)) > eventIdOf(placeOf(rows[99]))).toBe(true);
  expect(await turn(world)).toBe(0);
  await stand(world, "test.behind");
  while (Number(await turn(world)) > 0);
  expect(await old(world)).toBe(0);
});

test("without a reader, or without a setting, nothing goes", async () => {
  await using world = await startWorld({ env: { MILLRACE_EVENT_RETENTION_DAYS: "7" } });
  await fill(world);
  expect(await turn(world)).toBe(0);
  await using keeping = await startWorld();
  await fill(keeping);
  await stand(keeping, "test.ahead");
  expect(await turn(keeping)).toBe(0);
  expect([await old(world), await old(keeping)]).toEqual([OLD_EVENTS, OLD_EVENTS]);
});

test("the job takes one turn after another until nothing old is left, and comes back when time has passed", async () => {
  await using world = await startWorld({ env: { MILLRACE_EVENT_RETENTION_DAYS: "7" } });
  const owner = await world.member(["owner"]);
  await fill(world);
  await owner("POST /api/v1/notes", { title: "Not yet", body: "" });
  await stand(world, "test.ahead");
  const failures: unknown[] = [];
  const worker = new Worker({
    outside: world.kernel,
    jobs: [pruneEvents],
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
  await stand(world, "test.ahead");
  world.clock.advance(8 * DAY_MS);
  await work();
  expect(await fresh()).toHaveLength(0);
  expect(failures).toEqual([]);
});
