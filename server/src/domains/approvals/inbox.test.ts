import { expect, test } from "vitest";
import { createPeople, createSubmittedChange } from "#domains/itsm/changes/testing/changes.ts";
import { deployWorkflow, trigger } from "#domains/runs/testing/workflows.ts";
import { type Ask, useWorld } from "#kernel/testing/world.ts";

const world = await useWorld({ work: true });
const {
  owner,
  requester,
  managers: [boss, deputy],
} = await createPeople(world);
const member = await world.member(["member"]);
const builder = await world.member(["builder"]);
const HOUR_MS = 3_600_000;

const inboxOf = async (by: Ask, query = ""): Promise<any[]> =>
  (await by(`GET /api/v1/approvals/inbox${query}`)).body.data;
const shown = async (by: Ask) =>
  (await inboxOf(by)).map(({ kind, id, path }) => [kind, id, path]).toSorted();
const counted = async (by: Ask) => {
  const { counts } = (await by("GET /api/v1/home/waiting")).body.data;
  const kinds = ["approvals", "agentCalls", "changeApprovals", "requestApprovals"];
  return kinds.reduce((sum, kind) => sum + (counts[kind] ?? 0), 0);
};

async function startRun(): Promise<string> {
  const nodes = [
    { id: "ask", type: "approval", config: { approvers: [boss.userId], message: "A room?" } },
  ];
  const id = await deployWorkflow(owner, nodes, { edges: [] });
  return (await trigger(owner, id)).body.data.runId;
}

async function submitRequest(): Promise<any> {
  const { body } = await owner("POST /api/v1/catalog/items", {
    name: "Laptop",
    form: { type: "object", properties: {} },
    approval: { required: true, approverIds: [boss.userId], expiresAfterHours: 2 },
  });
  const input = { itemId: body.data.id, values: {} };
  return (await member("POST /api/v1/catalog/requests", input)).body.data;
}

async function requestCall(): Promise<string> {
  await owner("PUT /api/v1/agents/policy", {
    demands: "drastic",
    operations: [],
    permissions: [],
    approvers: [boss.userId],
    fourEyes: true,
    expiresInHours: 24,
  });
  const { body } = await builder("POST /api/v1/auth/tokens", {
    name: "Robot",
    expiresIn: "1d",
    scopes: ["mcp:connect", "workflows:write"],
  });
  const draft = { name: "Doomed", trigger: { type: "manual" }, nodes: [], edges: [] };
  const workflow = (await builder("POST /api/v1/workflows", draft)).body.data.id;
  const call = { operation: "workflows.archive", input: { id: workflow } };
  const agent = world.asToken(body.data.token, "default");
  return (await agent("POST /api/v1/agent-calls", call)).body.data.id;
}

test("lists all pending decisions of the approver or delegate", async () => {
  const [runId, request, callId] = [await startRun(), await submitRequest(), await requestCall()];
  const approval = { rule: "count", value: 1, approverIds: [boss.userId] };
  const change = await createSubmittedChange(requester, { approval });
  const own = [
    ["agent_call", callId, "/approvals?tab=agents"],
    ["change", change.id, `/changes/${change.number}`],
    ["request", request.id, `/tickets/${request.number}`],
  ];
  const run = ["run", `${runId}:ask`, `/approvals?open=${runId}%3Aask`];
  expect(await shown(boss)).toEqual([...own, run]);
  expect(await counted(boss)).toBe(4);
  expect(await inboxOf(boss)).toMatchObject([
    { kind: "request", title: "Laptop", number: request.number, about: null },
    { kind: "agent_call", title: expect.stringMatching(/: Doomed$/), number: null },
    { kind: "run", title: "A room?" },
    { kind: "change", number: change.number, expiresAt: null },
  ]);
  const first = await boss("GET /api/v1/approvals/inbox?limit=3");
  const rest = await inboxOf(boss, `?limit=3&after=${first.body.pagination.nextCursor}`);
  expect([first.body.data.length, rest.map(({ kind }) => kind)]).toEqual([3, ["change"]]);
  for (const other of [deputy, member, builder, owner]) expect(await shown(other)).toEqual([]);
  await boss("PUT /api/v1/approvals/delegations", {
    toUserId: deputy.userId,
    from: new Date(world.clock.nowMs() - HOUR_MS).toISOString(),
    to: new Date(world.clock.nowMs() + HOUR_MS).toISOString(),
  });
  // Workflow steps name their approvers themselves, so a delegate does not decide them.
  expect(await shown(deputy)).toEqual(own);
  expect(await counted(deputy)).toBe(3);
  const decided = await deputy(`POST /api/v1/catalog/requests/${request.id}/approve`, {});
  expect(decided.events).toEqual(["request.approved", "request.fulfilment_started"]);
  expect((await shown(boss)).map(([kind]) => kind)).toEqual(["agent_call", "change", "run"]);
  const stranger = await world.member(["owner"], await world.workspace("inbox-elsewhere"));
  expect(await shown(stranger)).toEqual([]);
});
