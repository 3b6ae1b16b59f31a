import { expect, test } from "vitest";
import { type Ask, startWorld, until, type World } from "#kernel/testing/world.ts";

const DAY_MS = 24 * 3_600_000;

async function topicsOf(ask: Ask, query = "limit=200", headers = {}): Promise<any[]> {
  const { status, body } = await ask(`GET /api/v1/events/topics?${query}`, undefined, headers);
  expect(status).toBe(200);
  return body.data;
}

/** Counts the events of the log directly. */
async function counted(world: World): Promise<any[]> {
  const rows = await world.sql(
    `select topic as name, count(*)::int as events, max(created_at) as at from events
      where workspace_id = $1 and environment = 'production' group by topic`,
    [world.home],
  );
  const isOwn = (name: string) => name.startsWith("my.");
  const platform = rows.filter(({ name }) => !isOwn(name));
  const sum = {
    name: "platform.events",
    events: platform.reduce((total, { events }) => total + events, 0),
    at: new Date(Math.max(...platform.map(({ at }) => at.getTime()))),
  };
  return [...rows, ...(platform.length > 0 ? [sum] : [])]
    .map(({ name, events, at }) => ({
      name,
      events,
      lastEventAt: at.toISOString(),
      platform: !isOwn(name),
    }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

async function publish(ask: Ask, topic: string, headers = {}): Promise<void> {
  const body = { type: "counted", payload: {} };
  const answer = await ask(`POST /api/v1/events/topics/${topic}/publish`, body, headers);
  expect(answer.status).toBe(201);
}

/** True if the counting reader has read all events. */
async function caughtUp(world: World): Promise<boolean> {
  const rows = await world.sql(
    `select from events e, readers r where r.name = 'bus.count_topics'
        and (e.epoch, e.xid, e.seq) > (r.epoch, r.xid, r.seq) limit 1`,
  );
  return rows.length === 0;
}

test("the counts are exact before, during and after the first run of the reader", async () => {
  await using world = await startWorld();
  const owner = await world.member(["owner"]);
  for (const topic of ["my.b", "my.a", "my.b"]) await publish(owner, topic);
  await owner("POST /api/v1/notes", { title: "Counted", body: "" });
  const first = await counted(world);
  expect(first.find(({ name }) => name === "my.b").events).toBe(2);
  expect(await topicsOf(owner)).toEqual(first);

  await world.kernel.startWork();
  const expected = new Map<string, number>();
  for (let n = 0; n < 60; n += 1) {
    const topic = `my.${n % 7}`;
    await publish(owner, topic);
    expected.set(topic, (expected.get(topic) ?? 0) + 1);
    const listed = await topicsOf(owner);
    expect(listed.find(({ name }) => name === topic).events).toBe(expected.get(topic));
  }
  await until(() => caughtUp(world));
  const [{ n: kept }] = await world.sql("select sum(events)::int as n from topic_counts");
  const [{ n: all }] = await world.sql("select count(*)::int as n from events");
  expect(kept).toBe(all);
  expect(await topicsOf(owner)).toEqual(await counted(world));
});

test("lists topics of this environment and the platform's, page by page", async () => {
  await using world = await startWorld({ work: true });
  const owner = await world.member(["owner"]);
  const names = ["my.zebra", "my.A", "my.a-b", "my.a.b", "my.a_b", "zz.last"];
  for (const name of names) await publish(owner, name);
  await publish(owner, "my.staged", { "x-environment": "staging" });
  const listed: any[] = [];
  let after = "";
  do {
    const { body } = await owner(`GET /api/v1/events/topics?limit=2${after}`);
    expect(body.data.length).toBeLessThanOrEqual(2);
    listed.push(...body.data);
    after = body.pagination.hasMore ? `&after=${body.pagination.nextCursor}` : "";
  } while (after !== "");
  const all = listed.map(({ name }) => name);
  expect(all).toEqual(all.toSorted());
  expect(all.filter((name) => /^(my|zz)\./.test(name))).toEqual(names.toSorted());
  expect(listed.filter(({ platform }) => platform).map(({ name }) => name)).toEqual([
    "platform.events",
    "user",
    "workspace",
  ]);
  const staged = await topicsOf(owner, "limit=9", { "x-environment": "staging" });
  expect(staged).toMatchObject([{ name: "my.staged", events: 1, platform: false }]);
  const foreign = await owner("GET /api/v1/events/topics?after=my.zebra");
  expect(foreign).toMatchObject({ status: 422, body: { errors: [{ path: "?after" }] } });
});

test("hides the number of audit events from users without access to the audit log", async () => {
  await using world = await startWorld();
  const owner = await world.member(["owner"]);
  const viewer = await world.member(["viewer"]);
  await owner("POST /api/v1/secrets", { name: "COUNTED", value: "anything" });
  const sumOf = (topics: any[]) => topics.find(({ name }) => name === "platform.events").events;
  const [all, some] = [await topicsOf(owner), await topicsOf(viewer)];
  expect(all.find(({ name }) => name === "audit")).toMatchObject({ events: 1, platform: true });
  expect(some.map(({ name }) => name)).not.toContain("audit");
  expect(sumOf(some)).toBe(sumOf(all) - 1);
});

test("the counts stay exact when old events are deleted, and empty topics are not listed", async () => {
  await using world = await startWorld({ env: { MILLRACE_EVENT_RETENTION_DAYS: "7" } });
  const owner = await world.member(["owner"]);
  for (const topic of ["my.old", "my.old", "my.both"]) await publish(owner, topic);
  world.clock.advance(8 * DAY_MS);
  for (const topic of ["my.both", "my.both", "my.new"]) await publish(owner, topic);
  await world.kernel.startWork();
  await until(() => caughtUp(world));
  // The first turn of the job may have been too early; the next one is ten minutes later.
  await until(async () => {
    world.clock.advance(600_000);
    return (await world.sql("select from events where topic like 'my.%'")).length === 3;
  });
  const listed = await topicsOf(owner);
  expect(listed).toEqual(await counted(world));
  const own = listed.filter(({ platform }) => !platform);
  expect(own).toMatchObject([
    { name: "my.both", events: 2 },
    { name: "my.new", events: 1 },
  ]);
  await world.settled();
  const { body } = await owner("GET /api/v1/events/topics/my.both/events");
  expect(body.data).toHaveLength(2);
  // Empty counts are deleted later.
  await until(async () => {
    world.clock.advance(600_000);
    return (await world.sql("select from topic_counts where events = 0")).length === 0;
  });
  expect(await topicsOf(owner)).toEqual(listed);
});
