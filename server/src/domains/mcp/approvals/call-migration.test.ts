import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { type Ask, useWorld } from "#kernel/testing/world.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);
const builder = await world.member(["builder"]);
const [first, second, named] = await Promise.all([
  world.member(["admin"]),
  world.member(["admin"]),
  world.member(["viewer"]),
]);

/** SQL that restores the former schema. */
const FORMER = `
  delete from approvals where subject_kind = 'agent_call';
  drop trigger agent_calls_deleted on agent_calls;
  drop function delete_approvals_of_calls;
  update jobs set kind = 'mcp.expire_agent_call', payload = jsonb_build_object('callId', payload ->> 'subjectId')
   where kind = 'agent_calls.expire_approval'`;

test("pending calls of the former schema can be decided after the migration by the approvers of the policy", async () => {
  const role = await owner("POST /api/v1/settings/roles", {
    name: "Gatekeepers",
    permissions: ["approvals:decide"],
  });
  const gatekeeper = await world.member(["viewer", role.body.data.id]);
  await owner("PUT /api/v1/agents/policy", {
    demands: "drastic",
    operations: [],
    permissions: [],
    approvers: ["admin", "Gatekeepers", named.userId],
    fourEyes: true,
    expiresInHours: 1,
  });
  const token = await builder("POST /api/v1/auth/tokens", {
    name: "Robot",
    expiresIn: "30d",
    scopes: ["mcp:connect", "workflows:read", "workflows:write"],
  });
  const agent = world.asToken(token.body.data.token, "default");
  const ask = async (name: string): Promise<string> => {
    const draft = { name, trigger: { type: "manual" }, nodes: [], edges: [] };
    const { body } = await builder("POST /api/v1/workflows", draft);
    const call = { operation: "workflows.archive", input: { id: body.data.id } };
    return (await agent("POST /api/v1/agent-calls", call)).body.data.id;
  };
  const act = (by: Ask, id: string, action: string) =>
    by(`POST /api/v1/agent-calls/${id}/${action}`);
  const [open, refused, rejected, cancelled] = [
    await ask("Open"),
    await ask("Refused"),
    await ask("Rejected"),
    await ask("Cancelled"),
  ];
  expect((await act(first, rejected, "reject")).events).toEqual(["agent_call.rejected"]);
  expect((await act(agent, cancelled, "cancel")).events).toEqual(["agent_call.cancelled"]);
  const people = [first, second, gatekeeper, named, builder, owner];
  const look = async (by: Ask) =>
    (await by("GET /api/v1/agent-calls")).body.data.map(({ id, status, mayDecide }: any) => [
      id,
      status,
      mayDecide,
    ]);
  const before = await Promise.all(people.map(look));
  expect(before.map((calls) => calls.filter((one: any) => one[2]).length)).toEqual([
    2, 2, 2, 2, 0, 0,
  ]);
  const jobs =
    "select kind, key, payload from jobs where kind = 'agent_calls.expire_approval' order by key";
  const jobsBefore = await world.sql(jobs);
  expect(jobsBefore).toHaveLength(4);
  await world.sql(FORMER);
  const migration = new URL(
    "../../../../migrations/0180_approvals_of_agent_calls.sql",
    import.meta.url,
  );
  await world.sql(await readFile(migration, "utf8"));
  expect(await Promise.all(people.map(look))).toEqual(before);
  expect(await world.sql(jobs)).toEqual(jobsBefore);
  expect((await owner("GET /api/v1/home/waiting")).body.data.counts.agentCalls).toBe(0);
  expect((await act(second, open, "approve")).events).toEqual(["agent_call.approved"]);
  expect((await act(gatekeeper, refused, "reject")).events).toEqual(["agent_call.rejected"]);
});

test("a deleted call leaves no approval", async () => {
  const count = async () =>
    Number((await world.sql("select count(*) as n from approvals"))[0]?.["n"]);
  expect(await count()).toBe(4);
  await world.sql("delete from agent_calls where status <> 'approved'");
  expect(await count()).toBe(1);
  await world.sql("delete from agent_calls");
  expect([await count(), await world.sql("select user_id from approval_people")]).toEqual([0, []]);
});
