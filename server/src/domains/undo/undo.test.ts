import { expect, test } from "vitest";
import { type Ask, useWorld } from "#kernel/testing/world.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);
const agent = await world.member(["agent"]);

const UNDO = "POST /api/v1/undo";
const correlationOf = ({ headers }: { headers: Record<string, string> }): string =>
  headers["x-correlation-id"] ?? "";
const undoOf = (answer: { headers: Record<string, string> }, more: object = {}, ask: Ask = owner) =>
  ask(UNDO, { correlationId: correlationOf(answer), ...more });

const TEAMS = "/api/v1/tables/teams/records";
const PEOPLE = "/api/v1/tables/people/records";
await owner("POST /api/v1/tables", {
  name: "teams",
  slug: "teams",
  columns: [
    { name: "number", type: "autonumber", unique: true },
    { name: "name", type: "text" },
    { name: "facts", type: "json" },
  ],
});
await owner("POST /api/v1/tables", {
  name: "people",
  slug: "people",
  columns: [
    { name: "name", type: "text", unique: true },
    { name: "age", type: "integer" },
    { name: "team", type: "reference", options: { table: "teams" }, onDelete: "set_null" },
    { name: "chief", type: "reference", options: { table: "people" }, onDelete: "cascade" },
  ],
  rules: [{ roles: ["agent"], actions: ["read", "create", "update"], fields: ["name", "team"] }],
});

/** All records without fields that every write changes. */
async function readState(): Promise<unknown> {
  const pages = await Promise.all(
    [TEAMS, PEOPLE].map((path) => owner(`GET ${path}?limit=1000&sort=id`)),
  );
  return pages.map(({ body }) =>
    body.data.map(({ updatedAt: _, revision: __, ...record }: any) => record),
  );
}

/** Reproducible random numbers. */
function sequence(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state % below;
  };
}

test("undoing a series of record changes restores the original state, and undoing that restores the changes", async () => {
  const next = sequence(7);
  const pick = async (path: string): Promise<any> => {
    const { body } = await owner(`GET ${path}?limit=1000`);
    return body.data[next(Math.max(body.data.length, 1))];
  };
  await owner(`POST ${TEAMS}/bulk`, { records: [{ name: "Red" }, { name: "Blue", facts: [1] }] });
  const states = [await readState()];
  const acts: string[] = [];
  let n = 0;
  for (let round = 0; round < 40; round += 1) {
    n += 1;
    const [team, person] = [await pick(TEAMS), await pick(PEOPLE)];
    const answer = await [
      () => owner(`POST ${PEOPLE}`, { name: `P${n}`, age: n, team: team?.id ?? null }),
      () =>
        owner(`POST ${PEOPLE}/bulk`, {
          records: [{ name: `B${n}` }, { name: `C${n}`, chief: person?.id ?? null }],
        }),
      () => owner(`PATCH ${PEOPLE}/${person?.id}`, { age: next(9), team: team?.id ?? null }),
      () => owner(`PATCH ${PEOPLE}/bulk`, { filter: { age: { lt: n } }, set: { age: next(50) } }),
      () => owner(`DELETE ${PEOPLE}/${person?.id}`),
      () => owner(`DELETE ${TEAMS}/${team?.id}`),
      () => owner(`POST ${TEAMS}`, { name: `T${n}`, facts: { a: { b: [n, null] } } }),
      () =>
        owner(`PUT ${PEOPLE}/bulk`, {
          key: "name",
          records: [{ name: `P${n - 1}`, age: 1 }, { name: `U${n}` }],
        }),
    ][next(8)]!();
    if (answer.status >= 400 || answer.events.length === 0) continue;
    acts.push(correlationOf(answer));
    states.push(await readState());
  }
  expect(acts.length).toBeGreaterThan(25);
  const undone: string[] = [];
  for (const [index, correlationId] of [...acts.entries()].toReversed()) {
    const answer = await owner(UNDO, { correlationId });
    expect([answer.status, answer.body.errors]).toEqual([200, undefined]);
    undone.push(correlationOf(answer));
    expect(await readState()).toEqual(states[index]);
  }
  for (const [index, correlationId] of undone.toReversed().entries()) {
    expect((await owner(UNDO, { correlationId })).status).toBe(200);
    expect(await readState()).toEqual(states[index + 1]);
  }
});

test("rejects or skips a changed field with the field path; emits normal events with a cause", async () => {
  const { body } = await owner(`POST ${PEOPLE}/bulk`, {
    records: [
      { name: "Ada", age: 1 },
      { name: "Bob", age: 1 },
      { name: "Cyd", age: 1 },
    ],
  });
  const [ada, bob, cyd] = body.data.map(({ id }: any) => id as string);
  const act = await owner(`PATCH ${PEOPLE}/bulk`, {
    filter: { name: { in: ["Ada", "Bob", "Cyd"] } },
    set: { age: 2 },
  });
  await owner(`PATCH ${PEOPLE}/${ada}`, { age: 3 });
  await owner(`DELETE ${PEOPLE}/${cyd}`);
  const refused = await undoOf(act);
  expect([refused.status, refused.body.code, refused.events]).toEqual([409, "undo_refused", []]);
  expect(refused.body.errors.toSorted((a: any, b: any) => (a.path < b.path ? -1 : 1))).toEqual([
    { path: `/record/${ada}/age`, message: "was changed later" },
    { path: `/record/${cyd}`, message: "was deleted later" },
  ]);
  const dry = await undoOf(act, { onConflict: "skip", dryRun: true });
  expect([dry.body.data.things, dry.body.data.conflictCount, dry.events]).toEqual([1, 2, []]);
  const skipped = await undoOf(act, { onConflict: "skip" });
  expect(skipped.events).toEqual(["record.updated"]);
  expect(skipped.body.data).toMatchObject({
    things: 1,
    changes: [{ resource: { type: "record", id: bob }, act: "changed", fields: ["age"] }],
  });
  const [event] = await world.sql(
    `select u.correlation_id, c.type as cause_type, c.request_id as cause_request
       from events u join events c on c.request_id = $2 and c.resource_id = $3
      where u.request_id = $1`,
    [skipped.headers["x-request-id"], act.headers["x-request-id"], ada],
  );
  expect(event).toMatchObject({
    correlation_id: skipped.body.data.correlationId,
    cause_type: "record.updated",
  });
  const { body: trace } = await owner(
    `GET /api/v1/audit?resourceId=${bob}&type=record.updated&limit=1`,
  );
  expect(trace.data[0].causationId).toMatch(/^evt_/);
  const again = await undoOf(act, { onConflict: "skip" });
  expect([again.status, again.body.data.things, again.events]).toEqual([200, 0, []]);
});

test("concurrent undos undo once, and keep a change made in between", async () => {
  const { body } = await owner(`POST ${PEOPLE}`, { name: "Dan", age: 1 });
  const act = await owner(`PATCH ${PEOPLE}/${body.data.id}`, { age: 2 });
  const both = await Promise.all([undoOf(act), undoOf(act), undoOf(act)]);
  expect(both.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(both.flatMap(({ events }) => events)).toEqual(["record.updated"]);
  const later = await owner(`PATCH ${PEOPLE}/${body.data.id}`, { age: 5 });
  const [undone, changed] = await Promise.all([
    undoOf(later),
    owner(`PATCH ${PEOPLE}/${body.data.id}`, { age: 9 }),
  ]);
  expect(changed.status).toBe(200);
  expect([200, 409]).toContain(undone.status);
  expect((await owner(`GET ${PEOPLE}/${body.data.id}`)).body.data.age).toBe(9);
});

test("an undo has the caller's permissions: table rules, scopes, workspaces and requesters", async () => {
  const made = await owner(`POST ${PEOPLE}`, { name: "Eve", age: 40 });
  const id = made.body.data.id as string;
  const act = await owner(`PATCH ${PEOPLE}/${id}`, { age: 41 });
  // Invisible changes are not found.
  expect((await undoOf(act, {}, agent)).status).toBe(404);
  expect((await undoOf(made, {}, agent)).body.code).toBe("undo_refused");
  const stranger = await world.member(["owner"], await world.workspace("other"));
  expect((await undoOf(act, {}, stranger)).status).toBe(404);
  const requester = await world.member(["requester"]);
  expect((await undoOf(act, {}, requester)).status).toBe(403);
  const { body } = await owner("POST /api/v1/auth/tokens", {
    name: "reader",
    scopes: ["undo:write", "records:read"],
    expiresIn: null,
  });
  const scoped = { authorization: `Bearer ${body.data?.token}` };
  const narrow = await owner(UNDO, { correlationId: correlationOf(act) }, scoped);
  expect([narrow.status, narrow.body.errors?.[0]?.message]).toEqual([
    409,
    "This requires the permission records:write.",
  ]);
  expect((await owner(UNDO, { eventId: `evt_${"0".repeat(22)}` })).status).toBe(404);
  expect((await owner(UNDO, {})).status).toBe(422);
  expect((await owner(`GET ${PEOPLE}/${id}`)).body.data.age).toBe(41);
});

test("restores declared resources, deleted ones with their id", async () => {
  const input = { name: "Storm", steps: [{ act: "tag", add: ["storm"] }] };
  const made = await owner("POST /api/v1/itsm/macros", input);
  expect(made.status).toBe(201);
  const { id, updatedAt: _, ...before } = made.body.data;
  const path = `/api/v1/itsm/macros/${id}`;
  const changed = await owner(`PATCH ${path}`, { name: "Flood" });
  expect((await undoOf(changed)).events).toEqual(["macro.updated"]);
  const deleted = await owner(`DELETE ${path}`);
  const back = await undoOf(deleted);
  expect([back.status, back.events]).toEqual([200, ["macro.created"]]);
  expect((await owner(`GET ${path}`)).body.data).toMatchObject({ id, ...before });
  expect((await undoOf(back)).events).toEqual(["macro.deleted"]);
  expect((await undoOf(made)).body.data).toMatchObject({ things: 0 });
});

test("restores ticket fields, tags and links, and reports changes without an inverse", async () => {
  const { body } = await agent("POST /api/v1/itsm/incidents", { title: "Mail", impact: 2 });
  const other = await agent("POST /api/v1/itsm/problems", { title: "Disk" });
  const id = body.data.id as string;
  const path = `/api/v1/itsm/incidents/${id}`;
  const edited = await agent(`PATCH ${path}`, { impact: 1, tags: ["storm"], title: "No mail" });
  const undone = await undoOf(edited, {}, agent);
  expect([undone.status, undone.events]).toEqual([200, ["incident.updated"]]);
  const { data } = (await agent(`GET ${path}`)).body;
  expect([data.title, data.impact, data.tags, data.priority]).toEqual([
    "Mail",
    2,
    [],
    body.data.priority,
  ]);
  const linked = await agent(`POST ${path}/links`, { ticketId: other.body.data.id });
  const unlinked = await undoOf(linked, {}, agent);
  expect(unlinked.events).toEqual(["incident.unlinked"]);
  expect((await undoOf(unlinked, {}, agent)).events).toEqual(["incident.linked"]);
  const resolved = await agent(`POST ${path}/resolve`, {
    resolution: "Done",
    resolutionCode: "solved",
  });
  const none = await undoOf(resolved, {}, agent);
  expect([none.status, none.body.code, none.body.detail]).toEqual([
    409,
    "nothing_to_undo",
    expect.stringContaining("incident.resolved"),
  ]);
});

test("uses dedicated operations for undo if they exist, and names changes without one", async () => {
  const span = { from: "2030-12-21T00:00:00Z", until: "2031-01-04T00:00:00Z" };
  const absence = await owner("POST /api/v1/itsm/absences", span);
  expect((await undoOf(absence)).events).toEqual(["absence.deleted"]);
  const view = await owner("POST /api/v1/table-views", { name: "Mine", table: "people" });
  const changed = await owner(`PATCH /api/v1/table-views/${view.body.data.id}`, { name: "Ours" });
  expect((await undoOf(changed)).events).toEqual(["table_view.updated"]);
  expect((await undoOf(view)).events).toEqual(["table_view.deleted"]);
  const other = await agent("POST /api/v1/table-views", { name: "Hers", table: "people" });
  const deleted = await agent(`DELETE /api/v1/table-views/${other.body.data.id}`);
  expect((await undoOf(deleted)).body.code).toBe("nothing_to_undo");
  const item = await owner("POST /api/v1/catalog/items", {
    name: "Laptop",
    form: { type: "object", properties: {} },
  });
  expect([item.status, (await undoOf(item)).body.code]).toEqual([201, "nothing_to_undo"]);
});

test("conflicts reveal no data that the caller cannot see", async () => {
  const SECRETS = "/api/v1/tables/secrets/records";
  await owner("POST /api/v1/tables", {
    name: "secrets",
    slug: "secrets",
    columns: [
      { name: "name", type: "text" },
      { name: "place", type: "text" },
      { name: "wage", type: "integer" },
    ],
    rules: [
      { roles: ["agent"], actions: ["read"], fields: ["name"], where: { place: { ne: "vault" } } },
      { roles: ["agent"], actions: ["create", "update", "delete"] },
    ],
  });
  const made = await agent(`POST ${SECRETS}`, { name: "A", place: "hall" });
  const path = `${SECRETS}/${made.body.data.id}`;
  await owner(`PATCH ${path}`, { wage: 7 });
  const refused = await undoOf(made, {}, agent);
  expect([refused.status, refused.events]).toEqual([409, []]);
  expect(JSON.stringify(refused.body.errors)).toContain("by changes that you can't see");
  expect(JSON.stringify(refused.body)).not.toContain("wage");
  await owner(`PATCH ${path}`, { wage: null, place: "vault" });
  const hidden = await undoOf(made, { onConflict: "skip" }, agent);
  expect([hidden.body.data.things, hidden.body.data.conflicts.length, hidden.events]).toEqual([
    0,
    1,
    [],
  ]);
  expect(JSON.stringify(hidden.body)).not.toContain("place");
  expect((await owner(`GET ${path}`)).status).toBe(200);
});

test("a response to a user states whether the whole call can be undone", async () => {
  const offers = async (answer: Promise<{ headers: Record<string, string> }>) =>
    (await answer).headers["x-undoable"] === "true";
  const made = await owner(`POST ${TEAMS}`, { name: "Offered" });
  const path = `${TEAMS}/${made.body.data.id}`;
  const incident = await owner("POST /api/v1/itsm/incidents", { title: "Printer" });
  const ticket = `/api/v1/itsm/incidents/${incident.body.data.id}`;
  const { body } = await owner("POST /api/v1/auth/tokens", {
    name: "writer",
    scopes: ["records:write", "records:read"],
    expiresIn: null,
  });
  const program = { authorization: `Bearer ${body.data?.token}` };
  expect([
    made.headers["x-undoable"],
    await offers(owner(`PATCH ${path}`, { name: "Renamed" })),
    await offers(owner(`PATCH ${path}`, { name: "By a program" }, program)),
    await offers(owner(`PATCH ${path}?dryRun=true`, { name: "Not done" })),
    await offers(owner(`PATCH ${path}`, { nothing: 1 })),
    await offers(owner(`DELETE ${path}`)),
    await offers(owner(`PATCH ${ticket}`, { title: "Printer on fire" })),
    // An event that repeats a change is undone with it; resolving a ticket is not undone.
    await offers(owner(`POST ${ticket}/take`)),
    await offers(owner(`POST ${ticket}/resolve`, { resolution: "Put out." })),
  ]).toEqual(["true", true, false, false, false, true, true, true, false]);
});

test("rejects more changes than fit in memory before reading them", async () => {
  const made = await owner(`POST ${TEAMS}`, { name: "Huge" });
  await world.sql(
    `insert into events overriding system value
     select copy.* from events e, generate_series(1, 70) n,
            jsonb_populate_record(e, jsonb_build_object('seq', e.seq + 1000 + n,
              'data', e.data || jsonb_build_object('facts', repeat('x', 1000000)))) copy
      where e.correlation_id = $1`,
    [correlationOf(made)],
  );
  expect((await undoOf(made)).body.code).toBe("too_many_changes");
});
