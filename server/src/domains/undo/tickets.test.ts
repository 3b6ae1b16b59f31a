import { expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";

const world = await useWorld();
const agent = await world.member(["agent"]);
const UNDO = "POST /api/v1/undo";
type Answered = { readonly headers: Record<string, string> };
const undoOf = (answer: Answered, more: object = {}, ask = agent) =>
  ask(UNDO, { correlationId: answer.headers["x-correlation-id"], ...more });
const make = async (path: string, input: object): Promise<any> => {
  const { status, body } = await agent(`POST /api/v1/itsm/${path}`, input);
  expect([status, body.errors]).toEqual([201, undefined]);
  return body.data;
};
const dataOf = async (path: string): Promise<any> =>
  (await agent(`GET /api/v1/itsm/${path}`)).body.data;

test("restores the same link, from whichever side it was removed", async () => {
  const incident = await make("incidents", { title: "Mail" });
  const problem = await make("problems", { title: "Disk" });
  const link = await make(`incidents/${incident.id}/links`, { ticketId: problem.id });
  for (const side of [`incidents/${incident.id}`, `problems/${problem.id}`]) {
    const [kind = ""] = side.split("s/");
    const before = await dataOf(`${side}/links`);
    const removed = await agent(`DELETE /api/v1/itsm/${side}/links/${link.id}`);
    expect([removed.status, removed.headers["x-undoable"]]).toEqual([204, "true"]);
    const dry = await undoOf(removed, { dryRun: true });
    expect([dry.status, dry.events, dry.body.data.things]).toEqual([200, [], 1]);
    const back = await undoOf(removed);
    expect([back.status, back.events]).toEqual([200, [`${kind}.linked`]]);
    // With its id, author and creation time.
    expect(await dataOf(`${side}/links`)).toEqual(before);
    expect(before[0].id).toBe(link.id);
    const gone = await undoOf(back);
    expect(gone.events).toEqual([`${kind}.unlinked`]);
    expect((await undoOf(gone)).events).toEqual([`${kind}.linked`]);
  }
  const history = await world.sql(
    "select data ->> 'id' as id from events where resource_id = $1 and type = 'incident.linked'",
    [incident.id],
  );
  expect(history).toEqual(Array(3).fill({ id: link.id }));
});

test("exactly one of several concurrent undos restores a link", async () => {
  const incident = await make("incidents", { title: "Mail" });
  const problem = await make("problems", { title: "Disk" });
  const link = await make(`incidents/${incident.id}/links`, { ticketId: problem.id });
  const removed = await agent(`DELETE /api/v1/itsm/incidents/${incident.id}/links/${link.id}`);
  const all = await Promise.all([undoOf(removed), undoOf(removed), undoOf(removed)]);
  expect(all.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(all.flatMap(({ events }) => events)).toEqual(["incident.linked"]);
  expect(all.map(({ body }) => body.data.things).toSorted()).toEqual([0, 0, 1]);
});

test("unlinks and links the incidents of a problem again, except a newly created link", async () => {
  const [one, other] = [
    await make("incidents", { title: "No mail" }),
    await make("incidents", { title: "Slow mail" }),
  ];
  const problem = await make("problems", { title: "Disk" });
  const path = `/api/v1/itsm/problems/${problem.id}/incidents`;
  const idsOf = async () =>
    (await dataOf(`problems/${problem.id}`)).incidents.map(({ id }: any) => id);
  const linkIdOf = async (id: string) => (await dataOf(`incidents/${id}/links`))[0]?.id;
  const linked = await agent(`POST ${path}`, { incidentIds: [one.id, other.id] });
  expect([linked.events, linked.headers["x-undoable"]]).toEqual([
    ["problem.incident_linked", "problem.incident_linked"],
    "true",
  ]);
  const linkId = await linkIdOf(one.id);
  const removed = await agent(`DELETE ${path}/${one.id}`);
  expect(removed.events).toEqual(["problem.incident_unlinked"]);
  const dry = await undoOf(removed, { dryRun: true });
  expect([dry.status, dry.events, dry.body.data.things]).toEqual([200, [], 1]);
  expect(await idsOf()).toEqual([other.id]);
  const back = await undoOf(removed);
  expect([back.status, back.events]).toEqual([200, ["problem.incident_linked"]]);
  expect([new Set(await idsOf()), await linkIdOf(one.id)]).toEqual([
    new Set([one.id, other.id]),
    linkId,
  ]);
  // The new link is not the one to remove.
  await agent(`DELETE ${path}/${one.id}`);
  await agent(`POST ${path}`, { incidentIds: [one.id] });
  const refused = await undoOf(linked);
  expect([refused.status, refused.events, refused.body.errors]).toEqual([
    409,
    [],
    [
      {
        path: `/problem_incident/${problem.id}.${one.id}/linkId`,
        message: "was changed later",
      },
    ],
  ]);
  const rest = await undoOf(linked, { onConflict: "skip" });
  expect([rest.status, rest.events]).toEqual([200, ["problem.incident_unlinked"]]);
  expect(await idsOf()).toEqual([one.id]);
});

test("restores child incidents of a major incident and reports parent conflicts", async () => {
  const [flood, storm] = [
    await make("incidents", { title: "Flood" }),
    await make("incidents", { title: "Storm" }),
  ];
  for (const { id } of [flood, storm]) await agent(`POST /api/v1/itsm/incidents/${id}/major`);
  const child = await make("incidents", { title: "Wet feet" });
  const childrenOf = ({ id }: any) => `/api/v1/itsm/incidents/${id}/children`;
  const parentOf = async () => (await dataOf(`incidents/${child.id}`)).parentId;
  const added = await agent(`POST ${childrenOf(flood)}`, { incidentId: child.id });
  expect([added.events, added.headers["x-undoable"]]).toEqual([["incident.child_linked"], "true"]);
  const dry = await undoOf(added, { dryRun: true });
  expect([dry.status, dry.events, dry.body.data.changes]).toEqual([
    200,
    [],
    [{ resource: { type: "incident", id: child.id }, act: "changed", fields: ["parentId"] }],
  ]);
  const alone = await undoOf(added);
  expect([alone.status, alone.events, await parentOf()]).toEqual([
    200,
    ["incident.child_unlinked"],
    null,
  ]);
  const again = await undoOf(alone);
  expect([again.events, await parentOf()]).toEqual([["incident.child_linked"], flood.id]);
  const removed = await agent(`DELETE ${childrenOf(flood)}/${child.id}`);
  expect([removed.status, removed.events]).toEqual([204, ["incident.child_unlinked"]]);
  await agent(`POST ${childrenOf(storm)}`, { incidentId: child.id });
  const refused = await undoOf(removed);
  expect([refused.status, refused.events, refused.body.errors]).toEqual([
    409,
    [],
    [{ path: `/incident/${child.id}/parentId`, message: "was changed later" }],
  ]);
  await agent(`DELETE ${childrenOf(storm)}/${child.id}`);
  // An incident that is no longer major has no children.
  await agent(`DELETE /api/v1/itsm/incidents/${flood.id}/major`);
  const ended = await undoOf(removed);
  expect([ended.status, ended.events, await parentOf()]).toEqual([409, [], null]);
  expect(ended.body.errors[0].message).toContain("major");
});

test("restores tasks, their fields, and the dependencies on them", async () => {
  const change = await make("changes", { title: "Patch", type: "normal" });
  const tasks = `changes/${change.id}/tasks`;
  const path = `/api/v1/itsm/${tasks}`;
  const first = await make(tasks, { title: "Drain" });
  const second = await make(tasks, { title: "Restart", dependsOn: [first.id] });
  const state = async () =>
    (await dataOf(tasks)).map(({ updatedAt: _, revision: __, ...task }: any) => task);
  const before = await state();
  const edited = await agent(`PATCH ${path}/${second.id}`, { title: "Start", required: false });
  expect([edited.events, edited.headers["x-undoable"]]).toEqual([["change.task_updated"], "true"]);
  expect((await undoOf(edited)).events).toEqual(["change.task_updated"]);
  expect(await state()).toEqual(before);
  const removed = await agent(`DELETE ${path}/${first.id}`);
  expect([removed.events, removed.headers["x-undoable"]]).toEqual([
    ["change.task_removed", "change.task_ready"],
    "true",
  ]);
  const dry = await undoOf(removed, { dryRun: true });
  expect([dry.status, dry.events, dry.body.data.things]).toEqual([200, [], 1]);
  const back = await undoOf(removed);
  expect([back.status, back.events]).toEqual([200, ["change.task_added", "change.task_updated"]]);
  expect(await state()).toEqual(before);
  const added = await agent(`POST ${path}`, { title: "Check" });
  await agent(`PATCH ${path}/${added.body.data.id}`, { title: "Check twice" });
  const refused = await undoOf(added);
  expect([refused.status, refused.events, refused.body.errors]).toEqual([
    409,
    [],
    [{ path: `/change_task/${added.body.data.id}/title`, message: "was changed later" }],
  ]);
  await agent(`PATCH ${path}/${added.body.data.id}`, { title: "Check" });
  const gone = await undoOf(added);
  expect([gone.status, gone.events]).toEqual([200, ["change.task_removed"]]);
  expect(await state()).toEqual(before);
});

test("restores watchers and time entries, the latter with their ids", async () => {
  const incident = await make("incidents", { title: "Mail" });
  const path = `/api/v1/itsm/incidents/${incident.id}`;
  const watched = await agent(`POST ${path}/watchers`);
  expect([watched.events, watched.headers["x-undoable"]]).toEqual([
    ["incident.watcher_added"],
    "true",
  ]);
  const left = await undoOf(watched);
  expect(left.events).toEqual(["incident.watcher_removed"]);
  const again = await Promise.all([undoOf(left), undoOf(left)]);
  expect(again.flatMap(({ events }) => events)).toEqual(["incident.watcher_added"]);
  const entry = await make(`incidents/${incident.id}/times`, {
    minutes: 25,
    note: "Read the logs",
  });
  const removed = await agent(`DELETE ${path}/times/${entry.id}`);
  expect(removed.events).toEqual(["incident.time_removed"]);
  expect((await undoOf(removed, { dryRun: true })).events).toEqual([]);
  const back = await undoOf(removed);
  expect([back.status, back.events]).toEqual([200, ["incident.time_added"]]);
  expect(await dataOf(`incidents/${incident.id}/times`)).toEqual([entry]);
  expect((await undoOf(back)).events).toEqual(["incident.time_removed"]);
  // One more than a list shows.
  await world.sql(
    `insert into ticket_times (id, workspace_id, environment, kind, ticket_id, user_id, minutes, spent_on, note, created_by, created_at)
     select 'tim_' || lpad(n::text, 26, '0'), t.workspace_id, t.environment, 'incident', t.id, $2, 1, '2026-01-01', '', $2, now()
       from tickets t, generate_series(1, 1000) n where t.id = $1`,
    [incident.id, entry.userId],
  );
  const late = await agent(`POST ${path}/times`, { minutes: 5 });
  expect((await undoOf(late)).events).toEqual(["incident.time_removed"]);
});

test("undoes a merge until another user has done so, and can repeat it", async () => {
  const [one, other, third] = [
    await make("incidents", { title: "No mail" }),
    await make("incidents", { title: "Mail is down" }),
    await make("incidents", { title: "Down again" }),
  ];
  const path = `/api/v1/itsm/incidents/${one.id}`;
  const merged = await agent(`POST ${path}/merge`, { intoId: other.id });
  expect([merged.status, merged.headers["x-undoable"]]).toEqual([200, "true"]);
  const dry = await undoOf(merged, { dryRun: true });
  expect([dry.events, dry.body.data.changes]).toEqual([
    [],
    [{ resource: { type: "incident", id: one.id }, act: "changed", fields: ["mergedIntoId"] }],
  ]);
  const [apart, late] = await Promise.all([undoOf(merged), undoOf(merged)]);
  const DIVIDED = ["incident.unmerged", "incident.duplicate_removed"];
  expect([...apart.events, ...late.events]).toEqual(DIVIDED);
  expect((await dataOf(`incidents/${one.id}`)).state).toBe("new");
  const first = apart.events.length > 0 ? apart : late;
  const again = await undoOf(first);
  expect(again.events).toEqual(["incident.merged", "incident.duplicate_added"]);
  expect((await undoOf(again)).events).toEqual(DIVIDED);
  await agent(`POST ${path}/merge`, { intoId: third.id });
  const refused = await undoOf(merged);
  expect([refused.status, refused.events, refused.body.errors]).toEqual([
    409,
    [],
    [{ path: `/incident/${one.id}/mergedIntoId`, message: "was changed later" }],
  ]);
});

test("restores the order of tasks unless it has changed since", async () => {
  const change = await make("changes", { title: "Mail" });
  const at = `changes/${change.id}/tasks`;
  const ids: string[] = [];
  for (const title of ["a", "b", "c"]) ids.push((await make(at, { title })).id);
  const order = (taskIds: readonly string[]) => agent(`PUT /api/v1/itsm/${at}/order`, { taskIds });
  const present = async () => (await dataOf(at)).map(({ id }: { id: string }) => id);
  const turned = await order(ids.toReversed());
  expect([turned.status, turned.headers["x-undoable"]]).toEqual([200, "true"]);
  const back = await undoOf(turned);
  expect([back.status, back.events]).toEqual([200, ["change.tasks_reordered"]]);
  expect(await present()).toEqual(ids);
  expect((await undoOf(back)).status).toBe(200);
  expect(await present()).toEqual(ids.toReversed());
  await make(at, { title: "d" });
  const refused = await undoOf(turned);
  expect([refused.status, refused.events, refused.body.errors]).toEqual([
    409,
    [],
    [{ path: `/change_task_order/${change.id}/taskIds`, message: "was changed later" }],
  ]);
});
