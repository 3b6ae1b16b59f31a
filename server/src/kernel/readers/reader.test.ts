import { sql } from "kysely";
import { expect, test } from "vitest";
import { domains } from "../../app.ts";
import { domain } from "../domain.ts";
import { event } from "../log/event.ts";
import { advanceReader, reader } from "./reader.ts";
import type { Reader } from "../contract.ts";
import { Note, notes } from "../testing/notes.ts";
import { until, useWorld } from "../testing/world.ts";

const NoteEchoed = event("note.echoed", { resource: "note", summary: "An echo.", data: Note });

const echo = reader({
  name: "test.echo",
  on: ["note.created"],
  startsAt: "beginning",
  emits: [NoteEchoed],
  async handle(ctx, events) {
    for (const one of events) {
      ctx.because(one).emit(NoteEchoed, { id: one.resource.id }, one.data as never);
    }
  },
});

let failures = 0;
const stumbling = reader({
  name: "test.stumbling",
  on: ["note.*"],
  startsAt: "beginning",
  async handle({ tx }, events) {
    for (const one of events) {
      await sql`insert into marks (event_id, type) values (${one.id}, ${one.type})`.execute(tx);
    }
    if (failures < 3) {
      failures += 1;
      throw new Error("a stumble");
    }
  },
});

const late: Reader = reader({
  name: "test.late",
  on: ["note.*"],
  startsAt: "end",
  async handle({ tx }, events) {
    for (const one of events) {
      await sql`insert into late_marks (event_id) values (${one.id})`.execute(tx);
    }
  },
});

const probe = domain({
  name: "probe",
  summary: "",
  permissions: [],
  events: [NoteEchoed],
  operations: [],
  readers: [echo, stumbling, late],
});

const world = await useWorld({ domains: [...domains, notes, probe] });
await world.sql(`
    create table marks (event_id text primary key, type text);
    create table late_marks (event_id text primary key);
    grant select, insert on marks, late_marks to millrace_app`);
const agent = await world.member(["owner"]);
await agent("POST /api/v1/notes", { title: "Before", body: "" });
// The settled position can be delayed by an open transaction in another test.
await world.settled();
await world.kernel.startWork();

test("an event emitted by a reader has its cause, one level deeper in the same chain", async () => {
  const { body } = await agent("POST /api/v1/notes", { title: "Shout", body: "" });
  const echoed = await until(async () => {
    const audit = await agent(`GET /api/v1/audit?resourceId=${body.data.id}&type=note.echoed`);
    return audit.body.data[0];
  });
  const [cause] = (await agent(`GET /api/v1/audit?resourceId=${body.data.id}&type=note.created`))
    .body.data;
  expect(echoed).toMatchObject({
    causationId: cause.id,
    correlationId: cause.correlationId,
    depth: 1,
    actor: { type: "system" },
  });
});

test("a failed batch stores nothing and is repeated until it succeeds once", async () => {
  await agent("POST /api/v1/notes", { title: "Stumble", body: "" });
  await until(async () => failures === 3);
  const rows = await until(async () => {
    const marks = await world.sql("select type from marks order by event_id");
    const logged = await world.sql(
      "select type from events where type like 'note.%' order by epoch, xid, seq",
    );
    return marks.length === logged.length && { marks, logged };
  });
  expect(rows.marks).toEqual(rows.logged);
});

test("a reader that starts at the end gets no earlier event", async () => {
  const { body } = await agent("POST /api/v1/notes", { title: "After", body: "" });
  const [after] = (await agent(`GET /api/v1/audit?resourceId=${body.data.id}&type=note.created`))
    .body.data;
  await until(async () => {
    const rows = await world.sql("select from late_marks where event_id = $1", [after.id]);
    return rows.length === 1;
  });
  const before = await world.sql(
    "select e.seq from events e where type = 'note.created' and data->>'title' = 'Before'",
  );
  expect(before).toHaveLength(1);
  const rows = await world.sql("select min(event_id) as first from late_marks");
  const [old] = (await agent("GET /api/v1/audit?type=note.created&limit=200")).body.data.slice(-1);
  expect(old.data.title).toBe("Before");
  expect(rows[0].first > old.id).toBe(true);
});

test("events of a transaction that commits late are neither skipped nor read out of order", async () => {
  const partition = { workspace: world.home, environment: "production" } as const;
  const gate = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  // Takes its position first and commits last.
  const slow = world.kernel.db.write(partition, async (session) => {
    await session.send(
      `insert into events (epoch, topic, type, actor_id, actor_type, actor_name, resource_type,
                           resource_id, correlation_id, created_at, data)
       values (1, 'note', 'note.updated', 'x', 'system', 'x', 'note', 'slow', 'cor', now(), '{}')`,
      [],
    );
    begun.resolve();
    await gate.promise;
  });
  await begun.promise;
  const { body } = await agent("POST /api/v1/notes", { title: "Fast", body: "" });
  const [fast] = (await agent(`GET /api/v1/audit?resourceId=${body.data.id}`)).body.data;
  const marked = () => world.sql("select from marks where event_id = $1", [fast.id]);
  // The event is committed and visible, but readers must not pass the position of the slow transaction.
  await advanceReader(world.kernel, stumbling);
  expect(await marked()).toEqual([]);
  gate.resolve();
  await slow;
  await until(async () => (await marked()).length === 1);
  const missing = await world.sql(
    `select from events e where e.resource_id = 'slow' and not exists
       (select from marks m where m.type = 'note.updated')`,
  );
  expect(missing).toEqual([]);
});
