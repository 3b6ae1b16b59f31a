import { sql } from "kysely";
import { expect, test } from "vitest";
import { domains } from "../../app.ts";
import { ReaderGroup } from "./reader-group.ts";
import { advanceReader, reader, readForemost, registerReaders } from "./reader.ts";
import { notes } from "../testing/notes.ts";
import { until, useWorld } from "../testing/world.ts";

let stumbles = 0;
const marking = (name: string, fails = false) =>
  reader({
    name,
    on: ["note.created"],
    startsAt: "beginning",
    async handle({ tx }, events) {
      for (const { data } of events) {
        await sql`insert into marks values (${name}, ${data["title"]})`.execute(tx);
      }
      if (fails && stumbles > 0) {
        stumbles -= 1;
        throw new Error("a stumble");
      }
    },
  });
const [first, second] = [marking("test.first"), marking("test.second", true)];

const world = await useWorld({ domains: [...domains, notes] });
await world.sql("create table marks (reader text, title text); grant all on marks to millrace_app");
const agent = await world.member(["owner"]);
await registerReaders(world.kernel, [first, second]);

const failed: string[] = [];
const together = () =>
  new ReaderGroup({
    platform: world.kernel,
    readers: [first, second],
    onFailure: ({ name }) => void failed.push(name),
    onDeadLetter: () => undefined,
  });
const write = async (title: string) => {
  await agent("POST /api/v1/notes", { title, body: "" });
  await world.settled();
};
const marksOf = async (name: string) =>
  (await world.sql("select title from marks where reader = $1 order by title", [name])).map(
    ({ title }) => title as string,
  );
const places = () =>
  world.sql("select distinct epoch, xid, seq from readers where name like 'test.%'");

test("readers at the same position advance together and handle each event once", async () => {
  const convoy = together();
  await write("a");
  await write("b");
  await convoy.step();
  expect(await marksOf("test.first")).toEqual(["a", "b"]);
  expect(await marksOf("test.second")).toEqual(["a", "b"]);
  expect(await places()).toHaveLength(1);
});

test("a slow reader catches up without new events for other readers", async () => {
  const convoy = together();
  await write("c");
  // Simulates a short lock on its row while the others advanced.
  await world.sql(
    `update readers set (epoch, xid, seq) =
       (select epoch, xid, seq from events order by epoch desc, xid desc, seq desc limit 1)
      where name = 'test.first'`,
  );
  expect(await places()).toHaveLength(2);
  await convoy.step();
  expect(await marksOf("test.second")).toEqual(["a", "b", "c"]);
  expect(await marksOf("test.first")).toEqual(["a", "b"]);
  expect(await places()).toHaveLength(1);
});

test("a reader that lags catches up with the first and then shares batches again", async () => {
  const convoy = together();
  await write("x");
  await world.sql(
    `update readers set (epoch, xid, seq) =
       (select epoch, xid, seq from events order by epoch desc, xid desc, seq desc limit 1)
      where name = 'test.first'`,
  );
  await write("y");
  await convoy.step();
  expect((await marksOf("test.second")).at(-1)).toBe("x");
  expect(await places()).toHaveLength(1);
  await convoy.step();
  expect((await marksOf("test.first")).at(-1)).toBe("y");
  expect((await marksOf("test.second")).slice(-2)).toEqual(["x", "y"]);
  expect(await places()).toHaveLength(1);
  await world.sql("delete from marks where title in ('x', 'y')");
});

test("a cursor between events, such as that of a new reader, does not separate readers", async () => {
  const convoy = together();
  await write("v");
  await world.sql(
    `update readers set (epoch, xid, seq) =
       (select epoch, xid, seq + 1 from events order by epoch desc, xid desc, seq desc limit 1)
      where name = 'test.first'`,
  );
  await write("w");

  await convoy.step();

  expect(await places()).toHaveLength(1);
  await convoy.step();
  expect((await marksOf("test.first")).at(-1)).toBe("w");
  expect((await marksOf("test.second")).slice(-2)).toEqual(["v", "w"]);
  expect(await places()).toHaveLength(1);
  await world.sql("delete from marks where title in ('v', 'w')");
});

test("readers at the same position skip events that concern none of them", async () => {
  const convoy = together();
  await agent("POST /api/v1/variables", { name: "NOBODYS", value: "here" });
  await world.settled();
  const before = await places();
  await convoy.step();
  const after = await places();
  expect(after).toHaveLength(1);
  expect(after).not.toEqual(before);
  expect(after).toEqual(
    await world.sql(
      "select epoch, xid, seq from events order by epoch desc, xid desc, seq desc limit 1",
    ),
  );
});

test("a failing reader does not delay others, and no event is handled twice", async () => {
  const convoy = together();
  stumbles = 2;
  await write("d");
  await convoy.step();
  expect(failed).toEqual(["test.second"]);
  expect(await marksOf("test.first")).toEqual(["a", "b", "d"]);
  expect(await marksOf("test.second")).toEqual(["a", "b", "c"]);
  await until(async () => {
    await convoy.step();
    return (await marksOf("test.second")).length === 4;
  });
  expect(await marksOf("test.second")).toEqual(["a", "b", "c", "d"]);
  expect(await marksOf("test.first")).toEqual(["a", "b", "d"]);
});

test("a slow reader does not delay other readers and handles every event exactly once", async () => {
  await world.sql("delete from marks");
  const { epoch } = world.kernel.commitFeed;
  await world.kernel.db.write({ workspace: world.home, environment: "production" }, (session) =>
    session.send(
      `insert into events (epoch, topic, type, actor_id, actor_type, actor_name,
                           resource_type, resource_id, correlation_id, created_at, data)
       select ${epoch}, 'note', 'note.created', 'x', 'system', 'x', 'note', 'x', 'cor', now(),
              jsonb_build_object('title', 'many ' || n)
         from generate_series(1, 1600) as n`,
      [],
    ),
  );
  await world.settled();
  await world.sql(
    `update readers set (epoch, xid, seq) =
       (select epoch, xid, seq from events order by epoch desc, xid desc, seq desc limit 1)
      where name = 'test.first'`,
  );
  const convoy = together();
  await convoy.step();
  await write("news");
  await convoy.step();
  expect(await marksOf("test.first")).toEqual(["news"]);
  expect((await marksOf("test.second")).length).toBeLessThan(1600);
  await until(async () => {
    await convoy.step();
    return (await places()).length === 1;
  });
  const marks = await marksOf("test.second");
  expect(marks).toHaveLength(1601);
  expect(new Set(marks).size).toBe(1601);
  expect(await marksOf("test.first")).toEqual(["news"]);
});

test("does not move back a cursor that another process has advanced", async () => {
  const earlier = await readForemost(world.kernel, [first]);
  await write("meanwhile");
  await together().step();
  const place = await places();
  await advanceReader(world.kernel, first, { until: earlier });
  expect(await places()).toEqual(place);
  await together().step();
  expect((await marksOf("test.first")).filter((title) => title === "meanwhile")).toHaveLength(1);
});
