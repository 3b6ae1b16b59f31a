import { sql } from "kysely";
import { expect, test } from "vitest";
import { domains } from "../../app.ts";
import { domain } from "../domain.ts";
import { ReaderLoop } from "./reader-loop.ts";
import { deadLetterEvent, reader, registerReaders } from "./reader.ts";
import { notes } from "../testing/notes.ts";
import { useWorld } from "../testing/world.ts";

/** Fails on the name Poison, and on a row locked by another transaction. */
const squeamish = reader({
  name: "test.squeamish",
  on: ["note.created"],
  startsAt: "end",
  async handle({ tx }, events) {
    await sql`select from doors for update nowait`.execute(tx);
    for (const { id, data } of events) {
      await sql`insert into eaten (event_id, title) values (${id}, ${data["title"]})`.execute(tx);
      if (data["title"] === "Poison") throw new Error("It was poison.");
    }
  },
});
const probe = domain({
  name: "probe",
  summary: "",
  permissions: [],
  events: [],
  operations: [],
  readers: [squeamish],
});

const world = await useWorld({ domains: [...domains, notes, probe] });
await world.sql(`
    create table doors (name text);
    insert into doors values ('front');
    create table eaten (event_id text primary key, title text not null);
    grant select, update on doors to millrace_app;
    grant select, insert on eaten to millrace_app`);
const owner = await world.member(["owner"]);
await registerReaders(world.kernel, [squeamish]);

const write = async (...titles: string[]): Promise<void> => {
  for (const title of titles) {
    expect((await owner("POST /api/v1/notes", { title, body: "" })).status).toBe(201);
  }
  await world.settled();
};
const eaten = async () =>
  (await world.sql("select title from eaten order by event_id")).map(({ title }) => title);
const parked = () =>
  world.sql(
    `select p.reader, p.error, p.workspace_id, p.environment, e.data->>'title' as title
       from parked_events p join events e on (e.epoch, e.xid, e.seq) = (p.epoch, p.xid, p.seq)`,
  );

/** Steps until it succeeds and returns the number of failures. */
async function failuresOf(follower: ReaderLoop): Promise<number> {
  for (let failures = 0; ; failures += 1) {
    const failed = await follower.step().then(
      () => false,
      () => true,
    );
    if (!failed) return failures;
    if (failures > 50) throw new Error("It fails for ever.");
  }
}

test("an event becomes a dead letter after eight failures, and the others are handled", async () => {
  const told: unknown[] = [];
  const follower = new ReaderLoop(world.kernel, squeamish, (error) => told.push(error));
  await write("Bread", "Poison", "Butter", "Cheese");
  // Seven failures are thrown. The previous event was already handled separately.
  expect(await failuresOf(follower)).toBe(2);
  expect(await eaten()).toEqual(["Bread"]);
  expect(await failuresOf(follower)).toBe(7);
  expect(told).toMatchObject([{ message: "It was poison." }]);
  expect(await parked()).toEqual([
    {
      reader: "test.squeamish",
      error: "It was poison.",
      workspace_id: world.home,
      environment: "production",
      title: "Poison",
    },
  ]);
  while ((await follower.step()) === "again");
  expect(await eaten()).toEqual(["Bread", "Butter", "Cheese"]);
  await write("Milk");
  await follower.step();
  expect(await eaten()).toEqual(["Bread", "Butter", "Cheese", "Milk"]);
  expect(await parked()).toHaveLength(1);
});

test("database failures do not count as attempts of an event", async () => {
  const told: unknown[] = [];
  const follower = new ReaderLoop(world.kernel, squeamish, (error) => told.push(error));
  await write("Honey");
  const before = await eaten();
  const open = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const partition = { workspace: world.home, environment: "production" } as const;
  const holder = world.kernel.db.write(partition, async (session) => {
    await session.send("select from doors for update", []);
    held.resolve();
    await open.promise;
  });
  await held.promise;
  for (let n = 0; n < 20; n += 1) {
    await expect(follower.step()).rejects.toMatchObject({ code: "55P03" });
  }
  expect(await parked()).toHaveLength(1);
  open.resolve();
  await holder;
  expect(await failuresOf(follower)).toBe(0);
  expect(await eaten()).toEqual([...before, "Honey"]);
  expect(told).toEqual([]);
});

test("an event that another node has passed does not become a dead letter", async () => {
  const tried = { epoch: 1, xid: 1, seq: 1 };
  await write("Jam");
  const isParked = await deadLetterEvent(
    world.kernel,
    squeamish,
    { handledUntil: undefined, attemptedUntil: tried },
    "Too late.",
  );
  expect([isParked, (await parked()).length]).toEqual([false, 1]);
});
