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
  // Who may not work on incidents gets none.
  memberIds: [...people, viewer.userId],
});
const teamId = team.data.id as string;
const rule = async (more: object): Promise<any> =>
  (await owner(`POST ${ITSM}/assignment-rules`, { entity: "incident", ...more })).body.data;
const raise = (category: string, more: object = {}) =>
  ann(`POST ${ITSM}/incidents`, { title: "No link", category, ...more });
const later = (ms: number) => new Date(world.clock.now().getTime() + ms).toISOString();

test("tickets made at once go to everyone in turn, with the rule that did it", async () => {
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
  // Who names somebody is not overruled, and another team is left alone.
  const named = await raise("turn", { assigneeId: viewer.userId });
  expect(named.events).toEqual(["incident.created", "incident.assigned"]);
});

test("who is absent is passed over, and comes back; the team alone gets what nobody can", async () => {
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

test("least load looks at what is open; reopened and moved tickets find somebody who is there", async () => {
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
