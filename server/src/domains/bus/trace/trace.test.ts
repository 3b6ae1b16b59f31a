import { expect, test } from "vitest";
import { contribute } from "#kernel/extension-point.ts";
import { CausalTracerPoint } from "#kernel/contributions/causal-tracer.ts";
import { domain } from "#kernel/domain.ts";
import { event } from "#kernel/log/event.ts";
import { reader } from "#kernel/readers/reader.ts";
import { Note, notes } from "#kernel/testing/notes.ts";
import { until, useWorld } from "#kernel/testing/world.ts";
import { domains } from "../../../app.ts";

const NoteEchoed = event("note.echoed", { resource: "note", summary: "An echo.", data: Note });
const NoteFaded = event("note.faded", { resource: "note", summary: "Its end.", data: Note });

/** Each note emits two echoes, and each echo emits one more event. */
const echo = reader({
  name: "test.echo",
  on: ["note.created", "note.echoed"],
  startsAt: "beginning",
  emits: [NoteEchoed, NoteFaded],
  async handle(ctx, events) {
    for (const one of events) {
      const { emit } = ctx.because(one);
      const resource = { id: one.resource.id };
      if (one.type === "note.echoed") emit(NoteFaded, resource, one.data as never);
      else for (let n = 0; n < 2; n += 1) emit(NoteEchoed, resource, one.data as never);
    }
  },
});

const probe = domain({
  name: "probe",
  summary: "",
  permissions: [],
  events: [NoteEchoed, NoteFaded],
  operations: [],
  readers: [echo],
  contributions: [
    contribute(CausalTracerPoint, {
      kind: "ripple",
      find: async (_tx, eventIds) =>
        eventIds.map((causationId, n) => ({
          id: `ripple_${n}`,
          causationId,
          status: "done",
          summary: "A ripple",
          createdAt: `2026-01-01T00:00:0${n % 10}.000Z`,
        })),
    }),
  ],
});

const world = await useWorld({ work: true, domains: [...domains, notes, probe] });
const owner = await world.member(["owner"]);

const trace = async (id: string) => (await owner(`GET /api/v1/events/${id}/trace`)).body.data;

/** A note with its whole chain. */
async function chain(title: string): Promise<any[]> {
  const { body } = await owner("POST /api/v1/notes", { title, body: "" });
  return until(async () => {
    const audit = await owner(`GET /api/v1/audit?resourceId=${body.data.id}`);
    return audit.body.data.length === 5 && audit.body.data.toReversed();
  });
}

test("a trace from any link shows the root and all effects in order", async () => {
  const events = await chain("Shout");
  await chain("Another");
  expect(events.map(({ type }) => type)).toEqual([
    "note.created",
    "note.echoed",
    "note.echoed",
    "note.faded",
    "note.faded",
  ]);
  const [root] = events;
  for (const { id } of events) {
    const { effects, ...rest } = await trace(id);
    expect(rest).toEqual({
      rootId: root.id,
      correlationId: root.correlationId,
      events,
      truncated: false,
    });
    const ripples = effects.filter(({ kind }: any) => kind === "ripple");
    expect(ripples).toEqual(
      events.map((one, n) => ({
        kind: "ripple",
        id: `ripple_${n}`,
        causationId: one.id,
        status: "done",
        summary: "A ripple",
        createdAt: `2026-01-01T00:00:0${n}.000Z`,
      })),
    );
  }
});

test("groups events of the same transaction", async () => {
  const inviter = await world.member(["admin"]);
  await inviter("POST /api/v1/settings/users/invite", { email: "guest@example.com" });
  const removed = await owner(`DELETE /api/v1/settings/users/${inviter.userId}`);
  expect(removed.events.length).toBeGreaterThan(1);
  const { body } = await owner("GET /api/v1/audit");
  const requestId = removed.headers["x-request-id"];
  const written = body.data.filter((one: any) => one.requestId === requestId).toReversed();
  expect(written.map(({ type }: any) => type)).toEqual(removed.events);
  for (const { id } of written) {
    const { rootId, events } = await trace(id);
    expect(events).toEqual(written);
    expect(rootId).toBe(id);
  }
});

test("groups events of the same transaction even if other events are interleaved", async () => {
  const here = { workspace: world.home, environment: "production" } as const;
  const text = `insert into events (epoch, topic, type, actor_id, actor_type, actor_name, resource_type,
                                    resource_id, correlation_id, created_at, data)
                values (1, 'note', 'note.apart', 'x', 'system', 'x', 'note', $1, 'apart', now(), '{}')`;
  await world.kernel.db.write(here, async (session) => {
    await session.send(text, ["first"]);
    await owner("POST /api/v1/notes", { title: "Meanwhile", body: "" });
    await session.send(text, ["second"]);
  });
  const { body } = await owner("GET /api/v1/audit?type=note.apart");
  const written = body.data.toReversed();
  expect(written.map((one: any) => one.resource.id)).toEqual(["first", "second"]);
  for (const { id } of written) expect((await trace(id)).events).toEqual(written);
});

test("a message without effects is its own trace", async () => {
  const body = { type: "alone", payload: {} };
  const { id } = (await owner("POST /api/v1/events/topics/alone/publish", body)).body.data;
  const { rootId, events, truncated } = await trace(id);
  expect({ rootId, truncated }).toEqual({ rootId: id, truncated: false });
  expect(events.map((one: any) => one.id)).toEqual([id]);
});

test("truncates a long chain, reports it, and keeps its root", async () => {
  const [root] = await chain("Long");
  await world.sql(
    `insert into events (epoch, workspace_id, environment, topic, type, actor_id, actor_type,
                         actor_name, resource_type, resource_id, correlation_id, causation_id,
                         depth, created_at, data)
     select 1, $1, 'production', 'note', 'note.faded', 'x', 'system', 'x', 'note', 'long', $2, $3,
            1, now(), '{}' from generate_series(1, 1100)`,
    [world.home, root.correlationId, root.id],
  );
  const { body } = await owner("GET /api/v1/audit?resourceId=long&limit=1");
  const { rootId, events, effects, truncated } = await trace(body.data[0].id);
  expect({ rootId, truncated }).toEqual({ rootId: root.id, truncated: true });
  expect(events).toHaveLength(1_000);
  expect(events[0]).toEqual(root);
  expect(effects).toHaveLength(1_000);
});

test("only users with access to the audit log can read a trace", async () => {
  const [root] = await chain("Secret");
  const viewer = await world.member(["viewer"]);
  expect(await viewer(`GET /api/v1/events/${root.id}/trace`)).toMatchObject({
    status: 403,
    events: [],
  });
  const auditor = await world.member(["auditor"]);
  expect((await auditor(`GET /api/v1/events/${root.id}/trace`)).status).toBe(200);
});
