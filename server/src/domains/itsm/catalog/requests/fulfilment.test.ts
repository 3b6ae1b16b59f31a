import { pino } from "pino";
import { afterAll, expect, test } from "vitest";
import { deployWorkflow, readEventTypes, waitForRun } from "#domains/runs/testing/workflows.ts";
import { Kernel } from "#kernel/kernel.ts";
import { TEST_KEY } from "#kernel/testing/database.ts";
import { type Ask, until, useWorld } from "#kernel/testing/world.ts";
import { domains } from "../../../../app.ts";

let worker: Kernel;
const world = await useWorld();
worker = await startWorker();
const owner = await world.member(["owner"]);
const member = await world.member(["member"]);
afterAll(async () => {
  await worker.close();
});

/** The worker is a separate kernel, which can be stopped and started. */
async function startWorker(): Promise<Kernel> {
  const kernel = await Kernel.open({
    database: world.database,
    settings: world.kernel.settings,
    masterKey: TEST_KEY,
    domains,
    log: pino({ level: "silent" }),
    clock: world.clock,
  });
  await kernel.startWork();
  return kernel;
}

const REQUESTS = "/api/v1/catalog/requests";
let count = 0;

async function itemOf(nodes: readonly object[], more: object = {}, flow: object = {}) {
  count += 1;
  const workflowId = await deployWorkflow(owner, nodes, flow);
  const form = { type: "object", properties: { size: { type: "integer", default: 1 } } };
  const draft = { name: `Thing ${count}`, form, workflowId, ...more };
  const { body } = await owner("POST /api/v1/catalog/items", draft);
  return { itemId: body.data.id as string, workflowId };
}

async function ask(itemId: string, values: object = {}) {
  const { body } = await member(`POST ${REQUESTS}`, { itemId, values });
  return body.data;
}
const inState = (id: string, state: string): Promise<any> =>
  until(async () => {
    const { data } = (await owner(`GET ${REQUESTS}/${id}`)).body;
    return data.state === state && data;
  });
const act = (by: Ask, id: string, action: string, body?: object) =>
  by(`POST ${REQUESTS}/${id}/${action}`, body);

const DOUBLE = [
  { id: "double", type: "transform", config: { expression: "trigger.input.values.size * 2" } },
];
const FAIL = [{ id: "stop", type: "fail", config: { message: "Out of stock" } }];
const WAIT = [
  { id: "ask", type: "approval", config: { approvers: ["owner"] } },
  { id: "done", type: "set", config: { values: { by: "{{ trigger.input.number }}" } } },
];
const YES = [{ from: "ask", to: "done", when: "approved" }];

test("a request is approved, then fulfilled by a run with its own approval, and follows the run", async () => {
  const approval = { required: true, approverIds: [owner.userId] };
  const { itemId, workflowId } = await itemOf(WAIT, { approval }, { edges: YES });
  const { id, number } = await ask(itemId);
  const told = await until(async () => {
    const { body } = await owner("GET /api/v1/notifications");
    return body.data.find((one: any) => one.resource?.id === id);
  });
  expect(told.title).toBe(`${number} waits for your approval`);
  const approved = await act(owner, id, "approve");
  const { runId } = approved.body.data;
  expect(runId).toMatch(/^run_/);
  const run = await until(async () => {
    const { status, body } = await owner(`GET /api/v1/runs/${runId}`);
    return status === 200 && body.data.status === "paused" && body.data;
  });
  expect(run).toMatchObject({
    workflowId,
    triggerType: "request",
    startedBy: { id: owner.userId },
  });
  expect(await act(owner, id, "fulfil")).toMatchObject({
    status: 409,
    body: { code: "request_automated" },
    events: [],
  });
  await owner(`POST /api/v1/runs/${runId}/resume`, { approved: true, comment: "In stock" });
  expect(await inState(id, "fulfilled")).toMatchObject({
    runId,
    output: { by: number },
    reason: null,
  });
  expect(await readEventTypes(world, id)).toEqual([
    "request.created",
    "request.approval_requested",
    "request.approved",
    "request.fulfilment_started",
    "request.step_decided",
    "request.fulfilled",
  ]);
  const { body: timeline } = await member(`GET ${REQUESTS}/${id}/timeline`);
  const decided = timeline.data.find(({ type }: any) => type === "request.step_decided");
  expect(decided.data).toMatchObject({
    approved: true,
    comment: "In stock",
    decidedById: owner.userId,
  });
  expect(await readEventTypes(world, runId)).toEqual([
    "workflow.run_started",
    "workflow.run_paused",
    "workflow.run_resumed",
    "workflow.run_completed",
  ]);
});

test("without named approvers, those who work on requests are notified, except the requester", async () => {
  const agent = await world.member(["agent"]);
  const { itemId } = await itemOf(DOUBLE, { approval: { required: true } });
  const { body } = await agent(`POST ${REQUESTS}`, { itemId, values: {} });
  const { id } = body.data;
  const told = await until(async () => {
    const rows = await world.sql("select user_id from notifications where resource_id = $1", [id]);
    return rows.length > 0 && rows.map(({ user_id }) => user_id);
  });
  expect(told).toContain(owner.userId);
  expect(told).not.toContain(agent.userId);
  expect(told).not.toContain(member.userId);
});

test("a rejected step of the run appears on the request, but does not reject it", async () => {
  const { itemId } = await itemOf(WAIT, { tasks: [{ title: "Open the port" }] }, { edges: YES });
  const { id, runId } = await ask(itemId);
  await until(
    async () => (await owner(`GET /api/v1/runs/${runId}`)).body.data?.status === "paused",
  );
  await owner(`POST /api/v1/runs/${runId}/resume`, { approved: false, comment: "No MFA" });
  await waitForRun(owner, runId);
  const decided = await until(async () => {
    const { body } = await member(`GET ${REQUESTS}/${id}/timeline`);
    return body.data.find(({ type }: { type: string }) => type === "request.step_decided");
  });
  expect(decided).toMatchObject({ data: { approved: false, comment: "No MFA" } });
  expect((await owner(`GET ${REQUESTS}/${id}`)).body.data.state).toBe("fulfilling");
});

test("a run that fails fails the request, which a retry fulfils by another run", async () => {
  const { itemId, workflowId } = await itemOf(FAIL);
  const { id, runId } = await ask(itemId, { size: 21 });
  const failed = await inState(id, "failed");
  expect(failed).toMatchObject({ runId, reason: expect.stringContaining("Out of stock") });
  expect(await act(member, id, "retry")).toMatchObject({ status: 403, events: [] });
  const edit = { nodes: DOUBLE, edges: [] };
  await owner(`PATCH /api/v1/workflows/${workflowId}`, edit);
  await owner(`POST /api/v1/workflows/${workflowId}/publish`, {});
  const again = await act(owner, id, "retry");
  expect(again).toMatchObject({
    status: 200,
    events: ["request.fulfilment_started"],
    body: { data: { state: "fulfilling", reason: null, endedAt: null } },
  });
  expect(again.body.data.runId).not.toBe(runId);
  expect(await inState(id, "fulfilled")).toMatchObject({ output: 42 });
  expect(await readEventTypes(world, id)).toEqual([
    "request.created",
    "request.fulfilment_started",
    "request.failed",
    "request.fulfilment_started",
    "request.fulfilled",
  ]);
});

test("a request follows its run when that is retried or cancelled", async () => {
  const { itemId, workflowId } = await itemOf(FAIL);
  const { id, runId } = await ask(itemId, { size: 4 });
  await inState(id, "failed");
  await owner(`PATCH /api/v1/workflows/${workflowId}`, { nodes: DOUBLE, edges: [] });
  await owner(`POST /api/v1/workflows/${workflowId}/publish`, {});
  await owner(`POST /api/v1/runs/${runId}/retry`, { from: "start", version: "latest" });
  expect(await inState(id, "fulfilled")).toMatchObject({ runId, output: 8 });

  const waiting = await itemOf(WAIT, {}, { edges: YES });
  const second = await ask(waiting.itemId);
  await until(async () => (await owner(`GET /api/v1/runs/${second.runId}`)).status === 200);
  await owner(`POST /api/v1/runs/${second.runId}/cancel`);
  expect(await inState(second.id, "failed")).toMatchObject({ reason: "The run was cancelled." });
});

test("cancelling a request cancels its run", async () => {
  const { itemId } = await itemOf(WAIT, {}, { edges: YES });
  const { id, runId } = await ask(itemId);
  await until(async () => (await owner(`GET /api/v1/runs/${runId}`)).status === 200);
  expect((await act(member, id, "cancel")).events).toEqual(["request.cancelled"]);
  expect(await waitForRun(owner, runId)).toMatchObject({ status: "cancelled" });
  await world.settled();
  expect((await owner(`GET ${REQUESTS}/${id}`)).body.data.state).toBe("cancelled");
});

test("a workflow that is not deployed fails the request with the reason", async () => {
  const { itemId, workflowId } = await itemOf(DOUBLE);
  const staging = { "x-environment": "staging" };
  const { body } = await member(`POST ${REQUESTS}`, { itemId, values: {} }, staging);
  const { id } = body.data;
  const failed = await until(async () => {
    const { data } = (await owner(`GET ${REQUESTS}/${id}`, undefined, staging)).body;
    return data.state === "failed" && data;
  });
  expect(failed).toMatchObject({ reason: `${workflowId} is not deployed here.`, runId: null });
});

test("a run that ends while no worker is running is applied after a worker starts", async () => {
  const { itemId } = await itemOf(WAIT, {}, { edges: YES });
  const { id, runId, number } = await ask(itemId);
  await until(
    async () => (await owner(`GET /api/v1/runs/${runId}`)).body.data?.status === "paused",
  );
  await worker.close();
  await owner(`POST /api/v1/runs/${runId}/resume`, { approved: true });
  const late = await ask((await itemOf(DOUBLE)).itemId, { size: 5 });
  expect((await owner(`GET ${REQUESTS}/${id}`)).body.data.state).toBe("fulfilling");
  // Starts a second worker. Each event takes effect on one of them.
  const second = await startWorker();
  worker = await startWorker();
  expect(await inState(id, "fulfilled")).toMatchObject({ output: { by: number } });
  expect(await inState(late.id, "fulfilled")).toMatchObject({ output: 10 });
  await second.close();
  for (const [one, decided] of [
    [id, ["request.step_decided"]],
    [late.id, []],
  ] as const) {
    expect(await readEventTypes(world, one)).toEqual([
      "request.created",
      "request.fulfilment_started",
      ...decided,
      "request.fulfilled",
    ]);
  }
  const runs = await world.sql("select id from runs where id = $1", [late.runId]);
  expect(runs).toHaveLength(1);
});

test("a ticket that is created to fulfil a request is linked to it", async () => {
  const fields = { title: "Set up VPN", impact: 3, urgency: 3 };
  const config = { operation: "create", kind: "incident", fields };
  const { itemId } = await itemOf([{ id: "make", type: "ticket", config }]);
  const { id } = await ask(itemId);
  const { output } = await inState(id, "fulfilled");
  const links = (await owner(`GET ${REQUESTS}/${id}/links`)).body.data;
  expect(links).toMatchObject([{ type: "relates_to", direction: "in", ticket: { id: output.id } }]);
  expect(await readEventTypes(world, output.id)).toEqual(["incident.created", "incident.linked"]);
  const byHand = await owner("POST /api/v1/itsm/incidents", fields);
  expect(byHand.events).toEqual(["incident.created"]);
});
