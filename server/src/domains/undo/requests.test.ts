import { expect, test } from "vitest";
import { deployWorkflow, waitForRun } from "#domains/runs/testing/workflows.ts";
import { until, useWorld } from "#kernel/testing/world.ts";

const world = await useWorld({ work: true });
const owner = await world.member(["owner"]);
const member = await world.member(["member"]);
const agent = await world.member(["agent"]);
const REQUESTS = "/api/v1/catalog/requests";
const form = { type: "object", properties: {} };
const DONE = [{ id: "done", type: "set", config: { values: { ok: true } } }];

async function askFor(item: object): Promise<any> {
  count += 1;
  const { body } = await owner("POST /api/v1/catalog/items", {
    name: `VPN ${count}`,
    form,
    ...item,
  });
  return (await member(`POST ${REQUESTS}`, { itemId: body.data.id, values: {} })).body.data;
}
let count = 0;
const requestOf = async (id: string) => (await owner(`GET ${REQUESTS}/${id}`)).body.data;
const tasksOf = async (id: string) => (await owner(`GET ${REQUESTS}/${id}/tasks`)).body.data;
const momentsOf = async (id: string): Promise<any[]> =>
  (await agent(`GET ${REQUESTS}/${id}/timeline`)).body.data;
const undo = (body: object) => agent("POST /api/v1/undo", body);

test("an approval can't be partly undone: its tasks stay, and the request is not fulfilled", async () => {
  const workflowId = await deployWorkflow(owner, DONE);
  const approval = { required: true, approverIds: [owner.userId] };
  const { id } = await askFor({ workflowId, approval, tasks: [{ title: "Open the port" }] });
  const approved = await owner(`POST ${REQUESTS}/${id}/approve`, {});
  expect(approved.events).toEqual([
    "request.approved",
    "request.fulfilment_started",
    "request.task_added",
  ]);
  await until(
    async () => (await owner(`GET /api/v1/runs/${approved.body.data.runId}`)).status === 200,
  );
  await waitForRun(owner, approved.body.data.runId);
  await world.settled();
  const [task] = await tasksOf(id);
  const added = (await momentsOf(id)).find(({ type }) => type === "request.task_added");
  const targets = [
    { eventId: added.eventId },
    { correlationId: approved.headers["x-correlation-id"] },
  ];
  for (const target of targets) {
    const refused = await undo(target);
    expect([refused.status, refused.events, refused.body.errors]).toEqual([
      409,
      [],
      [
        {
          path: `/request_task/${task.id}`,
          message: "belongs to request.approved, which can't be undone",
        },
      ],
    ]);
    const skipped = await undo({ ...target, onConflict: "skip" });
    expect([skipped.status, skipped.events, skipped.body.data.things]).toEqual([200, [], 0]);
  }
  expect([(await requestOf(id)).state, (await tasksOf(id)).length]).toEqual(["fulfilling", 1]);
  expect((await momentsOf(id)).map(({ undoable }) => undoable)).not.toContain(true);
});

test("rejects undoing an added task if that would fulfil the request", async () => {
  const workflowId = await deployWorkflow(owner, DONE);
  const { id, runId } = await askFor({ workflowId, tasks: [{ title: "Open the port" }] });
  await until(async () => (await owner(`GET /api/v1/runs/${runId}`)).status === 200);
  await waitForRun(owner, runId);
  await world.settled();
  const [planned] = await tasksOf(id);
  const added = await agent(`POST ${REQUESTS}/${id}/tasks`, {
    title: "Tell the caller",
    required: true,
  });
  expect(added.events).toEqual(["request.task_added"]);
  await agent(`POST ${REQUESTS}/${id}/tasks/${planned.id}/complete`, {});
  const refused = await undo({ correlationId: added.headers["x-correlation-id"] });
  expect([refused.status, refused.events, refused.body.errors[0]?.message]).toEqual([
    409,
    [],
    "would also cause request.fulfilled, which can't be undone",
  ]);
  expect([(await requestOf(id)).state, (await tasksOf(id)).length]).toEqual(["fulfilling", 2]);
});

test("a partial approval can't be undone and does not offer Undo", async () => {
  const approval = { required: true, rule: "all", approverIds: [owner.userId, agent.userId] };
  const { id } = await askFor({ approval });
  const given = await owner(`POST ${REQUESTS}/${id}/approve`, {});
  expect(given.events).toEqual(["request.updated"]);
  const refused = await undo({ correlationId: given.headers["x-correlation-id"] });
  expect([refused.status, refused.events, refused.body.errors[0]?.message]).toEqual([
    409,
    [],
    "can't be undone",
  ]);
  expect((await momentsOf(id))[0]).toMatchObject({ type: "request.updated", undoable: false });
  const taken = await agent(`PATCH ${REQUESTS}/${id}`, { assigneeId: agent.userId });
  expect((await momentsOf(id))[0]).toMatchObject({ type: "request.updated", undoable: true });
  expect((await undo({ correlationId: taken.headers["x-correlation-id"] })).events).toEqual([
    "request.updated",
  ]);
});
