import { expect, test } from "vitest";
import { deployWorkflow } from "#domains/runs/testing/workflows.ts";
import { until, useWorld } from "#kernel/testing/world.ts";

const world = await useWorld({ work: true });
const [owner, agent, other, viewer, asker] = await Promise.all([
  world.member(["owner"]),
  world.member(["agent"]),
  world.member(["agent"]),
  world.member(["viewer"]),
  world.member(["requester"]),
]);

const CHANGES = "/api/v1/itsm/changes";
const REQUESTS = "/api/v1/catalog/requests";
const ITEMS = "/api/v1/catalog/items";
let count = 0;

async function request(tasks: readonly object[], more: object = {}) {
  count += 1;
  const form = { type: "object", properties: {} };
  const item = await owner(`POST ${ITEMS}`, { name: `Thing ${count}`, form, tasks, ...more });
  const made = await asker(`POST ${REQUESTS}`, { itemId: item.body.data.id, values: {} });
  return { itemId: item.body.data.id as string, path: `${REQUESTS}/${made.body.data.id}`, made };
}
const tasksOf = async (path: string, by = agent) =>
  (await by(`GET ${path}/tasks`)).body.data as any[];

test("a change created from a template has its tasks, and cannot be completed before they end", async () => {
  const team = await owner("POST /api/v1/itsm/teams", { name: "Web", memberIds: [other.userId] });
  const teamId = team.body.data.id;
  const bad = await owner("POST /api/v1/itsm/change-templates", {
    name: "Restart",
    tasks: [{ title: "a", teamId: "tem_01jzt3n5k8q2x4v6w8y0z2b4d6", dependsOn: [0] }],
  });
  expect([bad.status, bad.body.errors.map(({ path }: any) => path)]).toEqual([
    422,
    ["/tasks/0/teamId", "/tasks/0/dependsOn/0"],
  ]);
  const template = await owner("POST /api/v1/itsm/change-templates", {
    name: "Restart",
    tasks: [
      { title: "Drain it", assigneeId: agent.userId, dueMinutes: 60 },
      { title: "Restart it", teamId, dependsOn: [0] },
      { title: "Tell the press", required: false, internal: true },
    ],
  });
  expect(template.status).toBe(201);
  const templateId = template.body.data.id;
  const made = await other(`POST ${CHANGES}`, { title: "Web 4", templateId, type: "standard" });
  expect([made.status, made.events]).toEqual([
    201,
    ["change.created", "change.task_added", "change.task_added", "change.task_added"],
  ]);
  const path = `${CHANGES}/${made.body.data.id}`;
  const [drain, restart, press] = await tasksOf(path);
  expect([drain.position, drain.assigneeId, drain.required, drain.internal]).toEqual([
    1,
    agent.userId,
    true,
    false,
  ]);
  expect(new Date(drain.dueAt).getTime() - new Date(drain.createdAt).getTime()).toBe(3_600_000);
  expect(restart.blockedBy).toEqual([drain.id]);
  // Members without access to changes can't see internal tasks, even in the timeline.
  expect((await tasksOf(path, viewer)).map(({ title }) => title)).toEqual([
    "Drain it",
    "Restart it",
  ]);
  const seen = await viewer(`GET ${path}/timeline`);
  expect(seen.body.data.filter(({ type }: any) => type === "change.task_added")).toHaveLength(2);

  // The assignee is notified and finds the task in their list. The team finds unassigned tasks.
  await until(async () => {
    const { body } = await agent("GET /api/v1/notifications");
    return body.data.some(({ title }: any) => /has a task for you/.test(title));
  });
  const mine = await agent("GET /api/v1/itsm/tasks?view=mine&ready=true");
  expect(mine.body.data.map(({ id }: any) => id)).toEqual([drain.id]);
  expect(mine.body.data[0].ticket).toMatchObject({ kind: "change", title: "Web 4" });
  const unassigned = await other("GET /api/v1/itsm/tasks?view=unassigned");
  expect(unassigned.body.data.map(({ id }: any) => id)).toEqual([restart.id]);
  expect((await other("GET /api/v1/itsm/tasks?view=unassigned&ready=true")).body.data).toEqual([]);
  const home = await agent("GET /api/v1/home/waiting");
  expect(home.body.data.counts).toMatchObject({ changeTasks: 1, requestTasks: 0 });

  for (const action of ["submit", "implement"]) await agent(`POST ${path}/${action}`, {});
  const early = await agent(`POST ${path}/complete`, {});
  expect([early.status, early.body.code, early.events]).toEqual([409, "tasks_open", []]);
  expect(early.body.tasks.map(({ title }: any) => title)).toEqual(["Drain it", "Restart it"]);
  const blocked = await agent(`POST ${path}/tasks/${restart.id}/complete`);
  expect([blocked.status, blocked.body.code]).toEqual([409, "task_blocked"]);
  expect(blocked.body.tasks).toEqual([{ id: drain.id, title: "Drain it" }]);

  const done = await agent(`POST ${path}/tasks/${drain.id}/complete`, { notes: "No traffic" });
  expect([done.status, done.events]).toEqual([200, ["change.task_completed", "change.task_ready"]]);
  // The waiting team is notified.
  await until(async () => {
    const { body } = await other("GET /api/v1/notifications");
    return body.data.some(({ title }: any) => /has a task that can start/.test(title));
  });
  expect(done.body.data).toMatchObject({
    state: "done",
    notes: "No traffic",
    endedBy: agent.userId,
  });
  const twice = await agent(`POST ${path}/tasks/${drain.id}/complete`);
  expect([twice.status, twice.body.code]).toEqual([409, "task_wrong_state"]);
  const again = await agent(`POST ${path}/tasks/${drain.id}/reopen`);
  expect([again.status, again.events]).toEqual([200, ["change.task_reopened"]]);
  await agent(`POST ${path}/tasks/${drain.id}/complete`);
  const skipped = await agent(`POST ${path}/tasks/${restart.id}/skip`, { notes: "It did itself" });
  expect([skipped.status, skipped.events]).toEqual([200, ["change.task_skipped"]]);
  // An optional task does not block the change, and does not change.
  const end = await agent(`POST ${path}/complete`, {});
  expect([end.status, end.events]).toEqual([200, ["change.completed"]]);
  const late = await agent(`POST ${path}/tasks/${press.id}/complete`);
  expect([late.status, late.body.code]).toEqual([409, "change_wrong_state"]);
});

test("tasks are added, changed and ordered by agents", async () => {
  const { body } = await agent(`POST ${CHANGES}`, { title: "Web 5" });
  const path = `${CHANGES}/${body.data.id}/tasks`;
  const add = (draft: object) => agent(`POST ${path}`, draft);
  const [a, b] = [await add({ title: "a" }), await add({ title: "b" })];
  expect([a.status, a.events]).toEqual([201, ["change.task_added"]]);
  const [aId, bId] = [a.body.data.id, b.body.data.id];
  const given = await agent(`PATCH ${path}/${bId}`, { assigneeId: other.userId, dependsOn: [aId] });
  expect([given.status, given.events, given.body.data.blockedBy]).toEqual([
    200,
    ["change.task_updated"],
    [aId],
  ]);
  const same = await agent(`PATCH ${path}/${bId}`, { dependsOn: [aId] });
  expect([same.status, same.events]).toEqual([200, []]);
  const circle = await agent(`PATCH ${path}/${aId}`, { dependsOn: [bId] });
  expect([circle.status, circle.body.errors[0].path]).toEqual([422, "/dependsOn/0"]);
  const stale = await agent(`PATCH ${path}/${bId}`, { title: "c" }, { "if-match": '"1"' });
  expect(stale.status).toBe(412);
  const some = await agent(`PUT ${path}/order`, { taskIds: [bId] });
  expect(some.status).toBe(422);
  const order = await agent(`PUT ${path}/order`, { taskIds: [bId, aId] });
  expect([order.status, order.events]).toEqual([200, ["change.tasks_reordered"]]);
  expect((await tasksOf(path.replace("/tasks", ""))).map(({ id }) => id)).toEqual([bId, aId]);
  for (const by of [viewer, asker]) {
    expect((await by(`POST ${path}`, { title: "mine" })).status).toBe(403);
    expect((await by(`POST ${path}/${aId}/complete`)).status).toBe(403);
  }
  const removed = await agent(`DELETE ${path}/${aId}`);
  expect([removed.status, removed.events]).toEqual([
    204,
    ["change.task_removed", "change.task_ready"],
  ]);
  expect((await tasksOf(path.replace("/tasks", "")))[0].dependsOn).toEqual([]);
});

test("the requester sees public tasks, but not the plan", async () => {
  const plan = [
    { title: "Check the budget" },
    { title: "Order it", internal: false, dependsOn: [0], assigneeId: agent.userId },
  ];
  const { itemId, path, made } = await request(plan, {
    approval: { required: true, approverIds: [owner.userId] },
  });
  // Work and its tasks start after the approval.
  expect([made.events, await tasksOf(path)]).toEqual([
    ["request.created", "request.approval_requested"],
    [],
  ]);
  const approved = await owner(`POST ${path}/approve`, {});
  expect(approved.events).toEqual([
    "request.approved",
    "request.fulfilment_started",
    "request.task_added",
    "request.task_added",
  ]);
  const own = await tasksOf(path, asker);
  expect(own.map(({ title, blockedBy }) => [title, blockedBy])).toEqual([["Order it", []]]);
  const timeline = await asker(`GET ${path}/timeline`);
  expect(JSON.stringify(timeline.body)).not.toMatch(/budget/);
  expect((await asker(`GET ${ITEMS}/${itemId}/tasks`)).status).toBe(403);
  for (const seen of [await asker(`GET ${ITEMS}/${itemId}`), await asker(`GET ${ITEMS}`)]) {
    expect([seen.status, JSON.stringify(seen.body).includes("budget")]).toEqual([200, false]);
  }
  const { body } = await agent(`GET ${ITEMS}/${itemId}/tasks`);
  expect(body.data.tasks).toHaveLength(2);
  expect((await asker("GET /api/v1/itsm/tasks")).status).toBe(403);
  const stranger = await world.member(["requester"]);
  expect((await stranger(`GET ${path}/tasks`)).status).toBe(404);
  const held = await agent(`POST ${path}/fulfil`, {});
  expect([held.status, held.body.code]).toEqual([409, "tasks_open"]);
  for (const { id } of await tasksOf(path)) await agent(`POST ${path}/tasks/${id}/complete`);
  expect((await agent(`POST ${path}/fulfil`, {})).events).toEqual(["request.fulfilled"]);
});

test("a run that fulfils a request waits for its required tasks", async () => {
  const workflowId = await deployWorkflow(owner, [
    { id: "a", type: "set", config: { values: { price: 7 } } },
  ]);
  const { path } = await request([{ title: "Hand it over" }], { workflowId });
  const read = async () => (await agent(`GET ${path}`)).body.data;
  await until(async () => (await read()).output !== null);
  expect((await read()).state).toBe("fulfilling");
  const [task] = await tasksOf(path);
  const done = await agent(`POST ${path}/tasks/${task.id}/complete`);
  expect(done.events).toEqual(["request.task_completed", "request.fulfilled"]);
  expect(await read()).toMatchObject({ state: "fulfilled", output: { price: 7 } });
});
