import { expect, test } from "vitest";
import { until, useWorld } from "#kernel/testing/world.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);
const UNDO = "POST /api/v1/undo";
type Answered = { readonly headers: Record<string, string> };
const correlationOf = ({ headers }: Answered): string => headers["x-correlation-id"] ?? "";
const undoOf = (answer: Answered, more: object = {}, headers: Record<string, string> = {}) =>
  owner(UNDO, { correlationId: correlationOf(answer), ...more }, headers);

const PATH = "/api/v1/tables/parts/records";
await owner("POST /api/v1/tables", {
  name: "parts",
  slug: "parts",
  columns: [
    { name: "name", type: "text" },
    { name: "count", type: "integer" },
  ],
});

const tokenFor = async (scopes: readonly string[]) => {
  const { body } = await owner("POST /api/v1/auth/tokens", {
    name: `For ${scopes.join(" ")}`,
    scopes,
    expiresIn: null,
  });
  return { authorization: `Bearer ${body.data.token}` };
};

test("a token can only undo what its own scopes allow", async () => {
  const { body: made } = await owner("POST /api/v1/knowledge", { title: "VPN", body: "Wait." });
  await owner(`POST /api/v1/knowledge/${made.data.id}/publish`);
  const retired = await owner(`POST /api/v1/knowledge/${made.data.id}/retire`);
  const incident = (await owner("POST /api/v1/itsm/incidents", { title: "Mail" })).body.data;
  const problem = (await owner("POST /api/v1/itsm/problems", { title: "Disk" })).body.data;
  const linked = await owner(`POST /api/v1/itsm/problems/${problem.id}/incidents`, {
    incidentIds: [incident.id],
  });
  const narrow = await tokenFor(["undo:write", "knowledge:read", "problems:read", "events:read"]);
  for (const [act, permission] of [
    [retired, "knowledge:write"],
    [linked, "problems:write"],
  ] as const) {
    const refused = await undoOf(act, {}, narrow);
    expect([refused.status, refused.events, refused.body.errors?.[0]?.message]).toEqual([
      409,
      [],
      `This requires the permission ${permission}.`,
    ]);
    expect((await undoOf(act, { dryRun: true }, narrow)).status).toBe(refused.status);
  }
  const none = await tokenFor(["knowledge:write", "knowledge:read"]);
  expect((await undoOf(retired, {}, none)).status).toBe(403);
  const wide = await tokenFor(["undo:write", "knowledge:write", "knowledge:read"]);
  expect((await undoOf(retired, {}, wide)).events).toEqual(["article.reinstated"]);
});

test("does not find changes from a different environment by any id", async () => {
  const staging = { "x-environment": "staging" };
  const made = await owner(`POST ${PATH}`, { name: "Bolt" });
  const [event] = await world.sql(
    "select type from events where correlation_id = $1 and type = 'record.created'",
    [correlationOf(made)],
  );
  expect(event).toEqual({ type: "record.created" });
  const { body } = await owner(`GET /api/v1/audit?resourceId=${made.body.data.id}&limit=1`);
  const eventId = body.data[0].id;
  expect(eventId).toMatch(/^evt_/);
  for (const what of [{ correlationId: correlationOf(made) }, { eventId }]) {
    const strange = await owner(UNDO, what, staging);
    expect([strange.status, strange.body.code]).toEqual([404, "no_such_change"]);
  }
  expect((await owner(UNDO, { eventId })).events).toEqual(["record.deleted"]);
});

test("rejects more changes than the limit before the first change, with a message", async () => {
  const names = await world.sql(
    "select column_name as name from information_schema.columns where table_schema = 'public' and table_name = 'events'",
  );
  /** Copies the events of a call to new positions, with these column values replaced. */
  const copy = (act: Answered, count: number, instead: Readonly<Record<string, string>>) => {
    const made: Readonly<Record<string, string>> = { seq: "e.seq + 100000 + n", ...instead };
    const columns = names.map(({ name }) => String(name));
    return world.sql(
      `insert into events (${columns.join()}) overriding system value
       select ${columns.map((name) => made[name] ?? `e.${name}`).join()} from events e, generate_series(1, $2::int) n
        where e.correlation_id = $1`,
      [correlationOf(act), count],
    );
  };
  const others = {
    resource_id: "e.resource_id || n",
    data: "e.data || jsonb_build_object('id', e.resource_id || n)",
  };
  const record = await owner(`POST ${PATH}`, { name: "Nut" });
  await copy(record, 30_000, others);
  const macro = await owner("POST /api/v1/itsm/macros", {
    name: "Storm",
    steps: [{ act: "tag", add: ["storm"] }],
  });
  await copy(macro, 500, others);
  const { id } = (await owner("POST /api/v1/itsm/incidents", { title: "Mail" })).body.data;
  const watched = await owner(`POST /api/v1/itsm/incidents/${id}/watchers`);
  await copy(watched, 500, { data: "jsonb_build_object('userId', 'usr_' || n)" });
  for (const act of [record, macro, watched]) {
    const refused = await undoOf(act);
    expect([refused.status, refused.body.code, refused.events]).toEqual([
      422,
      "too_many_changes",
      [],
    ]);
    expect(refused.body.detail ?? refused.body.title).toContain("30000");
  }
});

test("an interrupted undo changes nothing, and a repetition completes", async () => {
  const records = Array.from({ length: 600 }, (_, n) => ({ name: `P${n}`, count: 1 }));
  const made = await owner(`POST ${PATH}/bulk`, { records });
  expect(made.status).toBe(201);
  const filter = { count: { lt: 5 } };
  const act = await owner(`PATCH ${PATH}/bulk`, { filter, set: { count: 2 } });
  expect(act.events).toHaveLength(600);
  const counts = () =>
    world.sql(
      `select count::int, count(*)::int as n from "${schema}".parts where name like 'P%' group by 1`,
    );
  const [place] = await world.sql(
    "select n.nspname as schema from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.relname = 'parts' and c.relkind = 'r'",
  );
  const { schema } = place as { schema: string };
  // The last record to undo is locked, so that the undo waits after most of its writes.
  const [last] = await world.sql(
    "select resource_id as id from events where correlation_id = $1 order by epoch, xid, seq limit 1",
    [correlationOf(act)],
  );
  const held = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const here = { workspace: world.home, environment: "production" as const };
  const holder = world.kernel.db.write(here, async (session) => {
    await session.send(`select from "${schema}".parts where id = $1 for update`, [last?.["id"]]);
    held.resolve();
    await released.promise;
  });
  await held.promise;
  const cut = undoOf(act);
  const waiting = () =>
    world.sql(
      "select pid from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
    );
  await until(async () => (await waiting()).length > 0);
  await world.sql(
    "select pg_terminate_backend(pid) from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
  );
  released.resolve();
  await holder;
  const answer = await cut;
  expect(answer.status).toBeGreaterThanOrEqual(500);
  expect(await counts()).toEqual([{ count: 2, n: 600 }]);
  const undone = await undoOf(act);
  expect([undone.status, undone.events.length]).toEqual([200, 600]);
  expect(await counts()).toEqual([{ count: 1, n: 600 }]);
});
