import { randomUUID } from "node:crypto";
import pg from "pg";
import { afterEach, beforeEach, expect, inject, test } from "vitest";
import { eventIdOf } from "../../log/event.ts";
import { TEST_KEY } from "../../testing/database.ts";
import { startWorld, until } from "../../testing/world.ts";
import { withOwnerClient } from "./owner-connection.ts";
import { prepareDatabase } from "./prepare-database.ts";
import { roleNames } from "./roles.ts";

let name: string;
let owner: pg.ClientConfig;
beforeEach(async () => {
  name = `millrace_epoch_${randomUUID().replaceAll("-", "").slice(0, 16)}`;
  const { owner: server, template } = inject("database");
  owner = { ...server, database: name };
  await withOwnerClient(server, (client) =>
    client.query(`create database ${name} template ${template}`),
  );
  await prepareDatabase(owner, TEST_KEY);
});
afterEach(async () => {
  await withOwnerClient(inject("database").owner, async (client) => {
    await client.query(`drop database ${name} with (force)`);
    for (const role of Object.values(roleNames(name))) await client.query(`drop role ${role}`);
  });
});

const rows = (text: string): Promise<any[]> =>
  withOwnerClient(owner, async (client) => (await client.query(text)).rows);
const epoch = async (): Promise<number> => (await rows("select epoch from installation"))[0].epoch;
const pretend = (cluster: string) => rows(`update installation set cluster = ${cluster}`);
const append = (at: number) =>
  rows(`
    insert into events (epoch, workspace_id, environment, topic, type, actor_id, actor_type,
                        actor_name, resource_type, resource_id, correlation_id, depth, data, created_at)
    values (${at}, gen_random_uuid(), 'production', 't', 't.happened', 'a', 'system', 'a', 't', 'r',
            'c', 0, '{}', now())`);

test("restarts on the same history keep the epoch, also if its timeline was not stored", async () => {
  await prepareDatabase(owner, TEST_KEY);
  expect(await epoch()).toBe(1);
  await pretend("split_part(cluster, '/', 1)");
  await prepareDatabase(owner, TEST_KEY);
  expect(await epoch()).toBe(1);
  expect((await rows("select cluster from installation"))[0].cluster).toMatch(/^\d+\/[0-9A-F]{8}$/);
});

test("a cluster restored to an earlier time starts one new epoch and rejects writes to the old one", async () => {
  await pretend("split_part(cluster, '/', 1) || '/0000FFFF'");
  await append(1);
  await Promise.all([prepareDatabase(owner, TEST_KEY), prepareDatabase(owner, TEST_KEY)]);
  expect(await epoch()).toBe(2);
  await expect(append(1)).rejects.toThrow("events_epoch");
  await append(2);
  await pretend("'another/00000001'");
  await prepareDatabase(owner, TEST_KEY);
  expect(await epoch()).toBe(3);
  await expect(append(2)).rejects.toThrow("events_epoch");
  await append(3);
  const kept = await rows("select epoch from events where topic = 't' order by epoch");
  expect(kept).toEqual([{ epoch: 1 }, { epoch: 2 }, { epoch: 3 }]);
});

test("replaces connections of an older epoch without failed writes and reports lost events to the operator", async () => {
  await using world = await startWorld();
  const agent = await world.member(["owner"]);
  const write = (title: string) => agent("POST /api/v1/notes", { title, body: "" });
  const metrics = async (): Promise<string> => (await world.stranger("GET /metrics")).body;
  await Promise.all(Array.from({ length: 12 }, (_, n) => write(`Before ${n}`)));
  await world.kernel.commitFeed.catchUp();
  const [lost] = await world.sql(`
    delete from events where seq = (select max(seq) from events) returning epoch, xid, seq`);
  await world.sql("update installation set cluster = split_part(cluster, '/', 1) || '/0000FFFF'");
  expect(await world.sql("select present_epoch() as epoch")).toEqual([{ epoch: 2 }]);

  expect(await world.stranger("GET /readyz")).toMatchObject({
    status: 503,
    body: { status: "old epoch" },
  });
  expect(await world.stranger("GET /readyz")).toMatchObject({ status: 200 });
  const after = await Promise.all(Array.from({ length: 12 }, (_, n) => write(`After ${n}`)));
  expect(after.map(({ status, events }) => [status, ...events])).toEqual(
    after.map(() => [201, "note.created"]),
  );

  const told = await until(async () => world.lines.find((line) => line.includes("are lost")));
  const id = eventIdOf({ epoch: lost.epoch, xid: Number(lost.xid), seq: Number(lost.seq) });
  expect(JSON.parse(told)).toMatchObject({ epoch: 2, lost: 1, firstLost: id, lastLost: id });
  expect(await metrics()).toContain("millrace_events_lost 1");

  await world.sql("update installation set epoch = 3");
  await world.sql(`alter table events drop constraint events_epoch,
    add constraint events_epoch check (epoch >= 3) not valid`);
  const later = await Promise.all(Array.from({ length: 12 }, (_, n) => write(`Later ${n}`)));
  expect(later.map(({ status, events }) => [status, ...events])).toEqual(
    later.map(() => [201, "note.created"]),
  );
  expect(
    await world.sql(
      `select epoch, count(*)::int from events where type = 'note.created' group by epoch order by epoch`,
    ),
  ).toEqual([
    { epoch: 1, count: 11 },
    { epoch: 2, count: 12 },
    { epoch: 3, count: 12 },
  ]);

  await until(async () => (await metrics()).includes("millrace_log_epoch 3"));
});

test("grants access to no other roles if the roles exist before the database", async () => {
  const mayConnect = async (): Promise<boolean> =>
    (
      await rows(`select exists (select from pg_database d, aclexplode(d.datacl) a
       where d.datname = current_database() and a.grantee = 0) as may`)
    )[0].may;
  await rows(`grant connect on database ${name} to public`);
  await prepareDatabase(owner, TEST_KEY);
  // The operator granted this access.
  expect(await mayConnect()).toBe(true);
  const { app, system, sql } = roleNames(name);
  await rows(`revoke connect on database ${name} from ${app}, ${system}, ${sql}`);
  await prepareDatabase(owner, TEST_KEY);
  expect(await mayConnect()).toBe(false);
});
