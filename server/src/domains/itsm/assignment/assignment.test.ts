import { expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";

const world = await useWorld();
const [owner, ann, ben, cas, viewer] = await Promise.all([
  world.member(["owner"]),
  world.member(["agent"]),
  world.member(["agent"]),
  world.member(["agent"]),
  world.member(["viewer"]),
]);
const ITSM = "/api/v1/itsm";
const HOUR_MS = 3_600_000;
const people = [ann, ben, cas].map(({ userId }) => userId).toSorted();
const { body: team } = await owner(`POST ${ITSM}/teams`, {
  name: "Network",
  // A member who cannot work on incidents gets none.
  memberIds: [...people, viewer.userId],
});
const teamId = team.data.id as string;
const rule = async (more: object): Promise<any> =>
  (await owner(`POST ${ITSM}/assignment-rules`, { entity: "incident", ...more })).body.data;
const raise = (category: string, more: object = {}) =>
  ann(`POST ${ITSM}/incidents`, { title: "No link", category, ...more });
const later = (ms: number) => new Date(world.clock.now().getTime() + ms).toISOString();

test("concurrent tickets are assigned in turn, and show the rule", async () => {
  const { id, name } = await rule({
    name: "In turn",
    conditions: { category: "turn" },
    method: "round_robin",
    teamId,
  });
  const raised = await Promise.all(Array.from({ length: 12 }, () => raise("turn")));
  for (const { events } of raised) {
    expect(events).toEqual(["incident.created", "incident.assigned", "incident.routed"]);
  }
  const assignees = raised.map(({ body }) => body.data.assigneeId);
  expect(people.map((one) => assignees.filter((id2) => id2 === one).length)).toEqual([4, 4, 4]);
  expect(raised.every(({ body }) => body.data.teamId === teamId)).toBe(true);
  const [first] = raised;
  const { body } = await ann(`GET ${ITSM}/incidents/${first?.body.data.id}/timeline`);
  const routed = body.data.find(({ type }: any) => type === "incident.routed");
  expect(routed.data).toMatchObject({ ruleId: id, ruleName: name, cause: "created" });
  // A manual assignee is kept, and a rule for another team does not apply.
  const named = await raise("turn", { assigneeId: viewer.userId });
  expect(named.events).toEqual(["incident.created", "incident.assigned"]);
});

test("absent members are skipped until they return; without a present member only the team is assigned", async () => {
  await rule({
    name: "Away",
    conditions: { category: "away" },
    method: "fixed",
    userIds: [ben.userId, cas.userId],
    teamId,
  });
  const assignee = async () => (await raise("away")).body.data.assigneeId;
  expect(await assignee()).toBe(ben.userId);
  const away = { from: later(-HOUR_MS), until: later(HOUR_MS), note: "Dentist" };
  expect(await ben(`POST ${ITSM}/absences`, away)).toMatchObject({
    status: 201,
    events: ["absence.created"],
  });
  expect(await assignee()).toBe(cas.userId);
  const forOther = { ...away, userId: cas.userId };
  expect(await ben(`POST ${ITSM}/absences`, forOther)).toMatchObject({ status: 403, events: [] });
  await owner(`POST ${ITSM}/absences`, forOther);
  const nobody = await raise("away");
  expect(nobody.events).toEqual(["incident.created", "incident.routed"]);
  expect(nobody.body.data).toMatchObject({ assigneeId: null, teamId });
  world.clock.advance(2 * HOUR_MS);
  expect(await assignee()).toBe(ben.userId);
});

test("rules assign changes, problems and requests too, with an event", async () => {
  const form = { type: "object", properties: {} };
  const item = await owner("POST /api/v1/catalog/items", { name: "Laptop", form });
  const kinds = {
    change: [`${ITSM}/changes`, { title: "Routed" }],
    problem: [`${ITSM}/problems`, { title: "Routed" }],
    request: [
      "/api/v1/catalog/requests",
      { itemId: item.body.data.id, values: {}, description: "Routed" },
    ],
  } as const;
  for (const [entity, [path, draft]] of Object.entries(kinds)) {
    const conditions =
      entity === "request" ? { description: "Routed", title: "Laptop" } : { title: "Routed" };
    await rule({ name: entity, entity, conditions, method: "round_robin", teamId });
    const made = await Promise.all(people.map(() => ann(`POST ${path}`, draft)));
    expect(made.map(({ body }) => body.data.assigneeId).toSorted()).toEqual(people);
    for (const { body, events } of made) {
      expect(body.data.teamId).toBe(teamId);
      expect(events.slice(0, 2)).toEqual([`${entity}.created`, `${entity}.routed`]);
    }
    // A ticket without a matching rule stays unassigned.
    const other = {
      ...draft,
      ...(entity === "request" ? { description: "" } : { title: "Other" }),
    };
    expect((await ann(`POST ${path}`, other)).body.data.assigneeId).toBeNull();
  }
});

test("rules are simulated on past tickets, with the assignees and their counts", async () => {
  const names = { name: "Tried", entity: "incident", conditions: { category: "tried" } };
  const past: any[] = [];
  for (let n = 0; n < 6; n += 1) past.push((await raise("tried")).body.data);
  await ann(`PATCH ${ITSM}/incidents/${past[0].id}`, { assigneeId: cas.userId });
  await raise("tried", { assigneeId: viewer.userId });
  const simulate = (body: object) =>
    owner(`POST ${ITSM}/assignment-rules/simulate`, { entity: "incident", ...body });
  const draft = { ...names, method: "round_robin", userIds: people, position: 1 };
  const { status, events, body } = await simulate({ rule: draft });
  expect([status, events]).toEqual([200, []]);
  const { data } = body;
  expect(data.rules[0]).toEqual({ ruleId: null, name: "Tried", tickets: 6 });
  // Each ticket assigned by a rule counts as the same or as changed.
  expect(data.sameCount + data.changedCount).toBe(data.assigned + data.toTeam);
  const given = data.changed.filter(({ rule: by }: any) => by === "Tried");
  expect(given.map(({ ticketId }: any) => past.some(({ id }) => id === ticketId))).not.toContain(
    false,
  );
  const ofCas = data.people.find(({ userId }: any) => userId === cas.userId);
  expect(ofCas.after).toBeGreaterThanOrEqual(2);
  expect(data.assigned + data.toTeam + data.untouched).toBe(data.tickets);
  // The simulation assigned nothing.
  const still = await ann(`GET ${ITSM}/incidents/${past[1].id}`);
  expect(still.body.data.assigneeId).toBeNull();
  const saved = await rule(draft);
  const replaced = await simulate({
    rule: { ...draft, method: "fixed", userIds: [ben.userId] },
    replaces: saved.id,
  });
  expect(replaced.body.data.rules[0]).toEqual({ ruleId: saved.id, name: "Tried", tickets: 6 });
  // Only one of these six tickets has an assignee, Cas. With rules that always choose Cas it stays the same.
  const kept = await simulate({
    rule: { ...draft, method: "fixed", userIds: [cas.userId] },
    replaces: saved.id,
  });
  const moved = kept.body.data.changed.filter(({ rule: by }: any) => by === "Tried");
  expect(moved.map(({ ticketId }: any) => ticketId)).not.toContain(past[0].id);
  expect(kept.body.data.sameCount).toBe(replaced.body.data.sameCount + 1);
  const ofBen = replaced.body.data.people.find(({ userId }: any) => userId === ben.userId);
  expect(ofBen.openMax).toBeGreaterThanOrEqual(6);
  const wrong = await simulate({ rule: { ...draft, method: "fixed", userIds: [] } });
  expect([wrong.status, wrong.body.errors[0].path]).toEqual([422, "/rule/userIds"]);
  const asker = await world.member(["requester"]);
  expect(
    (await asker(`POST ${ITSM}/assignment-rules/simulate`, { entity: "incident" })).status,
  ).toBe(403);
});

test("only the absent member and planners read the note of an absence", async () => {
  const made = await ben(`POST ${ITSM}/absences`, {
    from: "2031-01-01T00:00:00Z",
    until: "2031-02-01T00:00:00Z",
    note: "Clinic",
  });
  const path = `${ITSM}/absences/${made.body.data.id}`;
  for (const [by, note] of [
    [ben, "Clinic"],
    [owner, "Clinic"],
    [viewer, null],
    [ann, null],
  ] as const) {
    expect((await by(`GET ${path}`)).body.data.note).toBe(note);
    const { body } = await by(`GET ${ITSM}/absences?current=true&userId=${ben.userId}`);
    expect(body.data.map((one: any) => one.note)).toEqual([note]);
  }
  const found = await viewer(`GET ${ITSM}/absences?q=Clinic`);
  expect(found.body.data).toEqual([]);
  const filter = encodeURIComponent('{"note":"Clinic"}');
  expect((await viewer(`GET ${ITSM}/absences?filter=${filter}`)).status).toBe(422);
});

test("least load counts open tickets; reopened and moved tickets go to a present member", async () => {
  await rule({
    name: "Load",
    conditions: { category: "load" },
    method: "least_load",
    userIds: people,
    on: ["created", "reopened"],
  });
  const open = await ann(`GET ${ITSM}/tickets?limit=100&open=true`);
  const loads = new Map(people.map((one) => [one, 0]));
  for (const { assigneeId } of open.body.data) {
    if (loads.has(assigneeId)) loads.set(assigneeId, (loads.get(assigneeId) ?? 0) + 1);
  }
  const { body } = await raise("load");
  expect(loads.get(body.data.assigneeId)).toBe(Math.min(...loads.values()));
  const { id, assigneeId } = body.data;
  await ann(`POST ${ITSM}/incidents/${id}/resolve`, { resolution: "Done" });
  const kept = await ann(`POST ${ITSM}/incidents/${id}/reopen`);
  expect(kept).toMatchObject({ events: ["incident.reopened"], body: { data: { assigneeId } } });
  await ann(`POST ${ITSM}/incidents/${id}/resolve`, { resolution: "Done" });
  await owner(`POST ${ITSM}/absences`, {
    userId: assigneeId,
    from: later(-HOUR_MS),
    until: later(HOUR_MS),
  });
  const given = await ann(`POST ${ITSM}/incidents/${id}/reopen`);
  expect(given.events).toEqual(["incident.reopened", "incident.assigned", "incident.routed"]);
  expect(given.body.data.assigneeId).not.toBe(assigneeId);

  await rule({
    name: "Moved",
    conditions: { category: "moved" },
    method: "round_robin",
    on: ["team_changed"],
  });
  const { body: moved } = await raise("moved");
  expect(moved.data.assigneeId).toBeNull();
  const to = await ann(`PATCH ${ITSM}/incidents/${moved.data.id}`, { teamId });
  expect(to.events).toEqual(["incident.updated", "incident.assigned", "incident.routed"]);
  expect(people).toContain(to.body.data.assigneeId);
});
