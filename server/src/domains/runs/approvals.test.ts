import { expect, test } from "vitest";
import { type Ask, until, useWorld } from "#kernel/testing/world.ts";
import {
  deployWorkflow,
  readEventTypes,
  waitForRun,
  stepsOf,
  trigger,
} from "./testing/workflows.ts";

const world = await useWorld({ work: true });
const owner = await world.member(["owner"]);
const member = await world.member(["member"]);

const decision = (config: object) => [
  { id: "ask", type: "approval", config },
  { id: "yes", type: "transform", config: { expression: "steps.ask.output.data.room" } },
  { id: "no", type: "set", config: { values: { no: true } } },
];
const edges = [
  { from: "ask", to: "yes", when: "approved" },
  { from: "ask", to: "no", when: "rejected" },
];

async function asked(config: object): Promise<string> {
  const id = await deployWorkflow(owner, decision(config), { edges });
  const { body, events } = await trigger(owner, id);
  expect(body.data.status).toBe("paused");
  expect(events).toEqual(["workflow.run_started", "workflow.run_paused"]);
  return body.data.runId;
}
const say = (ask: Ask, runId: string, body: object) =>
  ask(`POST /api/v1/runs/${runId}/resume`, body);
const open = async (ask: Ask) =>
  (await ask("GET /api/v1/approvals")).body.data.map(({ runId }: { runId: string }) => runId);

test("an approver without other permissions sees the approval and decides, and the run continues with the decision", async () => {
  const runId = await asked({ approvers: [member.userId], message: "A room?" });
  expect((await member("GET /api/v1/approvals")).body.data).toMatchObject([
    { runId, stepId: "ask", message: "A room?", quorum: 1, decisions: 0, expiresAt: null },
  ]);
  expect(await open(owner)).toEqual([]);
  expect(await say(owner, runId, { approved: true })).toMatchObject({
    status: 403,
    body: { code: "not_an_approver" },
    events: [],
  });
  const answer = await say(member, runId, { approved: true, comment: "Yes", data: { room: 12 } });
  expect(answer).toMatchObject({
    status: 200,
    body: { data: { id: runId } },
    events: ["workflow.run_resumed"],
  });
  const run = await waitForRun(owner, runId);
  expect(run).toMatchObject({ status: "completed", output: 12 });
  expect(stepsOf(run)).toMatchObject({
    ask: {
      branch: "approved",
      output: {
        approved: true,
        decisions: [{ userId: member.userId, approved: true, comment: "Yes", data: { room: 12 } }],
      },
    },
    no: { status: "skipped" },
  });
  expect(await open(member)).toEqual([]);
  expect(await readEventTypes(world, runId)).toEqual([
    "workflow.run_started",
    "workflow.run_paused",
    "workflow.run_resumed",
    "workflow.run_completed",
  ]);
  expect(await say(member, runId, { approved: true })).toMatchObject({
    status: 409,
    body: { code: "run_not_paused" },
    events: [],
  });
});

test("a quorum requires different users, even for roles, and each user can decide once", async () => {
  const { body: role } = await owner("POST /api/v1/settings/roles", {
    name: "Board",
    permissions: ["approvals:decide"],
  });
  const first = await world.member([role.data.id]);
  const second = await world.member([role.data.id, "viewer"]);
  const runId = await asked({ approvers: ["Board", "change_manager"], quorum: 2 });
  expect(await say(first, runId, { approved: true })).toMatchObject({
    status: 200,
    events: ["workflow.run_resumed"],
  });
  expect(await say(first, runId, { approved: true })).toMatchObject({
    status: 409,
    body: { code: "already_decided" },
    events: [],
  });
  expect(await open(first)).toEqual([]);
  expect(await open(second)).toEqual([runId]);
  const half = await owner(`GET /api/v1/runs/${runId}`);
  expect(stepsOf(half.body.data)["ask"]).toMatchObject({
    status: "paused",
    wait: { kind: "approval", quorum: 2, decisions: [{ userId: first.userId }] },
  });
  await say(second, runId, { approved: true, data: { room: 1 } });
  expect(await waitForRun(owner, runId)).toMatchObject({ status: "completed", output: 1 });
});

test("two decisions at the same moment both count", async () => {
  const people = await Promise.all([1, 2, 3].map(() => world.member(["agent"])));
  const runId = await asked({ approvers: ["agent"], quorum: 3 });
  const answers = await Promise.all(people.map((ask) => say(ask, runId, { approved: true })));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  const run = await waitForRun(owner, runId);
  expect(stepsOf(run)["ask"].output.decisions).toHaveLength(3);
});

test("one rejection settles an approval", async () => {
  const runId = await asked({ approvers: ["member", "owner"], quorum: 2 });
  await say(member, runId, { approved: false });
  const run = await waitForRun(owner, runId);
  expect(run).toMatchObject({ status: "completed", output: { no: true } });
  expect(stepsOf(run)["ask"]).toMatchObject({ branch: "rejected", output: { approved: false } });
});

test("an approval that expires fails, and can no longer be decided", async () => {
  const runId = await asked({ approvers: ["member"], expiresMs: 60_000 });
  world.clock.advance(61_000);
  const late = await say(member, runId, { approved: true });
  expect(late).toMatchObject({ status: 409, body: { code: "run_not_paused" }, events: [] });
  expect(await waitForRun(owner, runId)).toMatchObject({
    status: "failed",
    error: { code: "approval_expired", path: "ask" },
  });
});

test("a decision must name the step if several steps wait", async () => {
  const nodes = ["a", "b"].map((id) => ({
    id,
    type: "approval",
    config: { approvers: ["member"] },
  }));
  const { body } = await trigger(owner, await deployWorkflow(owner, nodes, { edges: [] }));
  const { runId } = body.data;
  expect(await say(member, runId, { approved: true })).toMatchObject({
    status: 422,
    body: { errors: [{ path: "/stepId" }] },
    events: [],
  });
  expect(await say(member, runId, { approved: true, stepId: "c" })).toMatchObject({ status: 409 });
  expect((await say(member, runId, { approved: true, stepId: "b" })).status).toBe(200);
  await until(async () => {
    const { body: now } = await owner(`GET /api/v1/runs/${runId}`);
    return stepsOf(now.data)["b"].status === "completed";
  });
  // A single open approval needs no step name.
  expect((await say(member, runId, { approved: true })).status).toBe(200);
  expect(await waitForRun(owner, runId)).toMatchObject({ status: "completed" });
});

test("an owner decides for approvers who left, and the decision counts for all missing ones", async () => {
  const [leaving, staying] = [await world.member(["agent"]), await world.member(["agent"])];
  const approvers = [leaving.userId, staying.userId];
  const runId = await asked({ approvers, quorum: 2 });
  expect(await say(owner, runId, { approved: true })).toMatchObject({ status: 403, events: [] });
  await owner(`DELETE /api/v1/settings/users/${leaving.userId}`);
  expect(await open(owner)).toContain(runId);
  expect(await say(member, runId, { approved: true })).toMatchObject({ status: 403, events: [] });
  expect(await say(staying, runId, { approved: true })).toMatchObject({ status: 200 });
  expect(await open(owner)).toContain(runId);
  expect(await say(owner, runId, { approved: true, data: { room: 3 } })).toMatchObject({
    status: 200,
    events: ["workflow.run_resumed"],
  });
  expect(await waitForRun(owner, runId)).toMatchObject({ status: "completed", output: 3 });
  expect(await open(owner)).not.toContain(runId);
});

test("a decision is visible to its author, the approvers and owners only", async () => {
  const decider = await world.member(["member"]);
  const asked = await world.member(["member"]);
  const stranger = await world.member(["member"]);
  const approvers = [decider.userId, asked.userId];
  const id = await deployWorkflow(owner, decision({ approvers, message: "Go?" }), { edges });
  const { runId } = (await trigger(owner, id)).body.data;
  await say(decider, runId, { approved: false, comment: "Not now" });
  const decided = async (ask: Ask, query = "") =>
    (await ask(`GET /api/v1/approvals/decided${query}`)).body.data.filter(
      (one: { runId: string }) => one.runId === runId,
    );
  for (const ask of [decider, asked, owner]) {
    expect(await decided(ask)).toMatchObject([
      { stepId: "ask", message: "Go?", approved: false, comment: "Not now", workflowId: id },
    ]);
  }
  expect((await decided(decider))[0].decidedBy.id).toBe(decider.userId);
  expect(await decided(stranger)).toEqual([]);
  const elsewhere = { "x-environment": "staging" };
  const away = await decider("GET /api/v1/approvals/decided", undefined, elsewhere);
  expect(away.body.data).toEqual([]);
  const page = await owner("GET /api/v1/approvals/decided?limit=1");
  expect(page.body.data).toHaveLength(1);
  const { nextCursor } = page.body.pagination;
  const next = await owner(`GET /api/v1/approvals/decided?limit=1&after=${nextCursor}`);
  expect(next.body.data[0].id < page.body.data[0].id).toBe(true);
});
