import { expect, test } from "vitest";
import { type Ask, until, useFixture, useWorld } from "#kernel/testing/world.ts";
import { connectAgent } from "../testing/agent.ts";

const world = await useWorld({
  work: true,
  env: { MILLRACE_LOGIN_RATE_LIMIT: "0" },
});
await world.app.listen({ host: "127.0.0.1", port: 0 });
const owner = await world.member(["owner"]);
const builder = await world.member(["builder"]);
const SCOPES = ["mcp:connect", "workflows:read", "workflows:write", "tokens:write"];
const POLICY = {
  demands: "drastic",
  operations: [],
  permissions: [],
  approvers: ["admin"],
  fourEyes: true,
  expiresInHours: 1,
};

async function makeAgent(person: Ask = builder) {
  const { body } = await person("POST /api/v1/auth/tokens", {
    name: "Robot",
    expiresIn: "30d",
    scopes: SCOPES,
  });
  const { token, id } = body.data as { readonly token: string; readonly id: string };
  return { id, token, ask: world.asToken(token, "default"), ...(await connectAgent(world, token)) };
}
const agent = await useFixture(makeAgent());

const DRAFT = { trigger: { type: "manual" }, nodes: [], edges: [] };
let count = 0;
async function makeWorkflow(): Promise<string> {
  count += 1;
  const { body } = await builder("POST /api/v1/workflows", { ...DRAFT, name: `Flow ${count}` });
  return body.data.id;
}
const archiveOf = (id: string) => ({ operation: "workflows.archive", input: { id } });
const statusOf = async (id: string): Promise<string> =>
  (await owner(`GET /api/v1/workflows/${id}`)).body.data.status;
/** A call that waits. */
async function ask(by = agent): Promise<string> {
  const { value } = await by.call("call_operation", archiveOf(await makeWorkflow()));
  expect(value).toMatchObject({ pending: true, status: "pending" });
  return value.id;
}

await owner("PUT /api/v1/agents/policy", POLICY);

test("notifies approvers named by member, role id or role name, but not the agent's own member", async () => {
  const role = await owner("POST /api/v1/settings/roles", {
    name: "Gatekeepers",
    permissions: ["approvals:decide"],
  });
  const gatekeeper = await world.member(["viewer", role.body.data.id]);
  const named = await world.member(["viewer"]);
  const bystander = await world.member(["admin"]);
  const approvers = ["Gatekeepers", named.userId, "builder"];
  await owner("PUT /api/v1/agents/policy", { ...POLICY, approvers });
  const id = await ask();
  const told = async (person: Ask) => {
    const { data } = (await person("GET /api/v1/notifications?limit=200")).body;
    return data.filter(({ resource }: any) => resource?.id === id);
  };
  for (const person of [gatekeeper, named]) {
    const [note] = await until(async () => {
      const found = await told(person);
      return found.length > 0 && found;
    });
    expect(note).toMatchObject({
      title: "Robot asks for an approval",
      eventType: "agent_call.requested",
    });
  }
  expect([...(await told(builder)), ...(await told(bystander))]).toEqual([]);
  await owner("PUT /api/v1/agents/policy", POLICY);
});

test("an agent whose member lost the permission for agents is still bound by the policy", async () => {
  const person = await world.member(["builder"]);
  await using left = await makeAgent(person);
  const workflow = await makeWorkflow();
  const permissions = ["workflows:read", "workflows:write"];
  const role = await owner("POST /api/v1/settings/roles", { name: "Makers", permissions });
  await world.sql("update memberships set roles = $2 where user_id = $1", [
    person.userId,
    [role.body.data.id],
  ]);
  // Any change to the role makes the server check the token's permissions again.
  await owner(`PATCH /api/v1/settings/roles/${role.body.data.id}`, { name: "Builders without" });
  const refused = await until(async () => {
    const answer = await left.ask(`DELETE /api/v1/workflows/${workflow}`);
    return answer.status !== 401 && answer;
  });
  expect(refused).toMatchObject({ status: 403, body: { code: "approval_required" }, events: [] });
  expect(await statusOf(workflow)).not.toBe("archived");
});

test("repeated requests and cancellations by an agent are limited", async () => {
  await using busy = await makeAgent();
  const id = await ask(busy);
  await world.sql(
    `insert into agent_calls select (jsonb_populate_record(c, jsonb_build_object(
       'id', 'agc_' || lpad(n::text, 26, '0'), 'status', 'cancelled'))).*
       from agent_calls c, generate_series(1, 199) n where c.id = $1`,
    [id],
  );
  const workflow = await makeWorkflow();
  const refused = await busy.call("call_operation", archiveOf(workflow));
  expect(JSON.stringify(refused.value)).toContain("too_many_agent_calls");
});

test("a change of the policy, a new approver and a delegation apply to pending calls", async () => {
  const [leaving, joining, deputy] = await Promise.all([
    world.member(["viewer", "admin"]),
    world.member(["builder"]),
    world.member(["builder"]),
  ]);
  const id = await ask();
  const decides = async (by: Ask) =>
    (await by(`GET /api/v1/agent-calls/${id}`)).body.data?.mayDecide === true;
  expect([await decides(leaving), await decides(joining)]).toEqual([true, false]);
  await owner("PUT /api/v1/agents/policy", { ...POLICY, approvers: [joining.userId] });
  // The list is updated by a job; the decision reads the policy itself.
  const refused = await leaving(`POST /api/v1/agent-calls/${id}/approve`);
  expect(refused).toMatchObject({
    status: 403,
    body: { code: "agent_call_not_asked" },
    events: [],
  });
  await until(async () => (await decides(joining)) && !(await decides(leaving)));
  const span = {
    from: new Date(world.clock.nowMs() - 3_600_000).toISOString(),
    to: new Date(world.clock.nowMs() + 3_600_000).toISOString(),
  };
  await joining("PUT /api/v1/approvals/delegations", { toUserId: deputy.userId, ...span });
  expect(await decides(deputy)).toBe(true);
  // Calls belong to no environment, so they wait in each.
  const counted = async (by: Ask) =>
    (await by("GET /api/v1/home/waiting", undefined, { "x-environment": "staging" })).body.data
      .counts.agentCalls;
  expect(await counted(deputy)).toBe(await counted(joining));
  const approved = await deputy(`POST /api/v1/agent-calls/${id}/approve`);
  expect(approved).toMatchObject({ status: 200, events: ["agent_call.approved"] });
  await owner("PUT /api/v1/agents/policy", POLICY);
});
