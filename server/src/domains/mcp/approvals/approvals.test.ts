import { expect, test } from "vitest";
import { deployedApp } from "#domains/apps/testing/apps.ts";
import {
  refreshBody,
  register,
  tokensFor,
} from "#domains/identity/oauth/testing/authorization-flow.ts";
import { type Ask, until, useFixture, useWorld } from "#kernel/testing/world.ts";
import { connectAgent } from "../testing/agent.ts";

const world = await useWorld({ work: true, env: { MILLRACE_LOGIN_RATE_LIMIT: "0" } });
await world.app.listen({ host: "127.0.0.1", port: 0 });
const owner = await world.member(["owner"]);
const builder = await world.member(["builder"]);
const approver = await world.member(["admin"]);
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
const callOf = async (id: string, reader: Ask = owner) =>
  (await reader(`GET /api/v1/agent-calls/${id}`)).body.data;

/** A call that waits. */
async function ask(by = agent): Promise<{ readonly id: string; readonly workflow: string }> {
  const workflow = await makeWorkflow();
  const { value } = await by.call("call_operation", archiveOf(workflow));
  expect(value).toMatchObject({ pending: true, status: "pending" });
  return { id: value.id, workflow };
}
const approve = (id: string, by: Ask = approver) => by(`POST /api/v1/agent-calls/${id}/approve`);
const ended = (id: string) =>
  until(async () => {
    const call = await callOf(id);
    return call.status === "performed" || call.status === "failed" ? call : undefined;
  });

await owner("PUT /api/v1/agents/policy", POLICY);

test("a call waits with its dry run, is performed once after approval, and the log links them", async () => {
  const { id, workflow } = await ask();
  expect(await statusOf(workflow)).not.toBe("archived");
  const shown = await callOf(id, approver);
  expect(shown).toMatchObject({
    operation: "workflows.archive",
    environment: "production",
    input: { id: workflow },
    workflow: { id: workflow, name: `Flow ${count}` },
    agent: { id: agent.id, name: "Robot", person: { id: builder.userId } },
    mayDecide: true,
    answer: null,
  });
  expect(shown.preview.events.map(({ type }: { type: string }) => type)).toEqual([
    "workflow.archived",
  ]);
  const waits = await approver("GET /api/v1/home/waiting");
  expect(waits.body.data.counts.agentCalls).toBe(1);
  // Repeating the call returns the pending one.
  const again = await agent.call("call_operation", archiveOf(workflow));
  expect(again.value.id).toBe(id);
  const waiting = agent.call("get_call", { id, waitSeconds: 60 });
  const approved = await approver(`POST /api/v1/agent-calls/${id}/approve`, { comment: "Fine." });
  expect(approved).toMatchObject({ status: 200, events: ["agent_call.approved"] });
  await ended(id);
  const polled = (await waiting).value.data;
  expect(polled).toMatchObject({
    status: "performed",
    outcome: { status: 204, code: null },
    decidedBy: { id: approver.userId },
  });
  expect(await statusOf(workflow)).toBe("archived");
  expect((await callOf(id, approver)).answer).toBeNull();
  const audit = async (query: string) => (await owner(`GET /api/v1/audit?${query}`)).body.data;
  const [archived, ...others] = await audit(`resourceId=${workflow}&type=workflow.archived`);
  expect(others).toEqual([]);
  expect(archived.actor).toEqual({ id: agent.id, name: "Robot", type: "api_token" });
  const [cause] = await audit(`resourceId=${id}&type=agent_call.approved`);
  expect(archived.causationId).toBe(cause.id);
  expect(archived.correlationId).toBe(approved.headers["x-correlation-id"]);
  expect(cause.actor).toMatchObject({ id: approver.userId, type: "user" });
});

test("one of several concurrent decisions counts, and a decision is not repeated", async () => {
  const { id, workflow } = await ask();
  const other = await world.member(["admin"]);
  const answers = await Promise.all([
    approve(id),
    approve(id, other),
    approve(id),
    other(`POST /api/v1/agent-calls/${id}/approve`),
  ]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409]);
  await ended(id);
  expect(await approve(id)).toMatchObject({ status: 409, events: [] });
  expect(await approver(`POST /api/v1/agent-calls/${id}/reject`)).toMatchObject({ status: 409 });
  const log = await world.sql(
    "select type from events where resource_id in ($1, $2) and type ~ 'archived|agent_call' order by epoch, xid, seq",
    [id, workflow],
  );
  expect(log.map(({ type }) => type)).toEqual([
    "agent_call.requested",
    "agent_call.approved",
    "workflow.archived",
    "agent_call.performed",
  ]);
});

test("members cannot approve their own agents, and neither can agents, tokens, outsiders or members not named by the policy", async () => {
  const own = await useFixture(makeAgent(approver));
  const { id, workflow } = await ask(own);
  expect((await approve(id)).body.code).toBe("agent_call_own");
  expect((await callOf(id, approver)).mayDecide).toBe(false);
  expect((await approve(id, owner)).body.code).toBe("agent_call_not_asked");
  const { body } = await approver("POST /api/v1/auth/tokens", {
    name: "Proxy",
    expiresIn: "1d",
    scopes: ["approvals:decide"],
  });
  expect((await approve(id, world.asToken(body.data.token, "default"))).body.code).toBe(
    "agent_required",
  );
  const requester = await world.member(["requester"]);
  expect((await approve(id, requester)).status).toBe(404);
  expect((await requester("GET /api/v1/agent-calls")).body.data).toEqual([]);
  expect((await builder(`GET /api/v1/agent-calls/${id}`)).status).toBe(404);
  expect((await agent.call("get_call", { id })).isError).toBe(true);
  const elsewhere = await world.member(["owner"], await world.workspace("elsewhere"));
  expect((await approve(id, elsewhere)).status).toBe(404);
  expect((await elsewhere("GET /api/v1/agent-calls")).body.data).toEqual([]);
  expect(await statusOf(workflow)).not.toBe("archived");
  const second = await world.member(["admin"]);
  expect((await approve(id, second)).status).toBe(200);
  await ended(id);
});

test("rejected, cancelled and expired calls are not performed", async () => {
  const rejected = await ask();
  const no = await approver(`POST /api/v1/agent-calls/${rejected.id}/reject`, { comment: "No." });
  expect(no).toMatchObject({ status: 200, events: ["agent_call.rejected"] });
  expect((await agent.call("get_call", { id: rejected.id })).value.data).toMatchObject({
    status: "rejected",
    comment: "No.",
  });
  const cancelled = await ask();
  const back = await agent.ask(`POST /api/v1/agent-calls/${cancelled.id}/cancel`);
  expect(back).toMatchObject({ status: 200, events: ["agent_call.cancelled"] });
  expect((await approve(cancelled.id)).status).toBe(409);
  const late = await ask();
  world.clock.advance(3_601_000);
  expect((await approve(late.id)).body.code).toBe("agent_call_decided");
  await until(async () => (await callOf(late.id)).status === "expired");
  for (const { workflow } of [rejected, cancelled, late]) {
    expect(await statusOf(workflow)).not.toBe("archived");
  }
});

test("a call of an agent without access cannot be approved; a lost permission rejects the call when it is performed", async () => {
  const doomed = await useFixture(makeAgent());
  const gone = await ask(doomed);
  await builder(`DELETE /api/v1/auth/tokens/${doomed.id}`);
  expect((await approve(gone.id)).body.code).toBe("agent_gone");
  const leaver = await world.member(["builder"]);
  const left = await ask(await useFixture(makeAgent(leaver)));
  await owner(`DELETE /api/v1/settings/users/${leaver.userId}`);
  expect((await approve(left.id)).body.code).toBe("agent_gone");
  const person = await world.member(["builder", "viewer"]);
  const weakened = await ask(await useFixture(makeAgent(person)));
  await owner(`DELETE /api/v1/settings/users/${person.userId}/roles/builder`);
  await approve(weakened.id);
  expect(await ended(weakened.id)).toMatchObject({ status: "failed", outcome: { status: 401 } });
  for (const { workflow } of [gone, left, weakened]) {
    expect(await statusOf(workflow)).not.toBe("archived");
  }
});

test("a call that requires approval is also rejected over HTTP, and so is creating a token that would not count as an agent", async () => {
  const workflow = await makeWorkflow();
  const path = `DELETE /api/v1/workflows/${workflow}`;
  expect((await agent.ask(path)).body.code).toBe("approval_required");
  expect((await agent.ask(`${path}?dryRun=true`)).status).toBe(200);
  const escape = { name: "Free", expiresIn: "1d", scopes: ["workflows:write"] };
  expect((await agent.ask("POST /api/v1/auth/tokens", escape)).body.code).toBe("approval_required");
  expect((await agent.ask("PUT /api/v1/agents/policy", POLICY)).status).toBe(403);
  expect((await builder("PUT /api/v1/agents/policy", POLICY)).status).toBe(403);
  expect((await agent.ask("POST /api/v1/workflows", { ...DRAFT, name: "Harmless" })).status).toBe(
    201,
  );
  expect((await builder(path)).status).toBe(204);
  const asked = await builder("POST /api/v1/agent-calls", archiveOf(workflow));
  expect(asked.body.code).toBe("agent_required");
});

test("an app performs nothing for an agent that requires approval, and a refreshed token still belongs to an agent", async () => {
  const table = await owner("POST /api/v1/tables", {
    name: "Things",
    columns: [{ name: "name", type: "text" }],
  });
  const { slug } = table.body.data;
  const component = {
    id: "add",
    type: "button",
    label: "Add",
    action: { type: "create_record", table: slug, values: { name: "x" } },
  };
  const app = await deployedApp(owner, {
    pages: [{ path: "/", title: "Things", components: [component] }],
  });
  const act = (by: Ask) =>
    by(`POST /apps/default/${app.slug}/_act`, { page: "/", componentId: "add", action: "/action" });
  const rows = async () => (await owner(`GET /api/v1/tables/${slug}/records`)).body.data.length;
  const scopes = ["mcp:connect", "apps:use", "records:read", "records:write", "workflows:write"];
  const { body } = await owner("POST /api/v1/auth/tokens", {
    name: "Clicker",
    expiresIn: "1d",
    scopes,
  });
  await owner("PUT /api/v1/agents/policy", { ...POLICY, demands: "changes" });
  const clicked = await act(world.asToken(body.data.token));
  expect(JSON.stringify(clicked.body)).toContain("A person must approve this call");
  expect(await rows()).toBe(0);
  await owner("PUT /api/v1/agents/policy", { ...POLICY, demands: "nothing" });
  await act(world.asToken(body.data.token));
  expect(await rows()).toBe(1);
  await owner("PUT /api/v1/agents/policy", POLICY);
  const application = await register(owner, { name: "Shrinking", allowedScopes: SCOPES });
  const scope = "mcp:connect workflows:write";
  const first = await tokensFor(world, builder.token, application, { scope });
  const refreshed = await world.stranger("POST /api/v1/oauth/token", {
    ...refreshBody(first, application),
    scope: "workflows:write",
  });
  expect(refreshed.body.scope.split(" ").toSorted()).toEqual(["mcp:connect", "workflows:write"]);
  const shrunk = world.asToken(refreshed.body.access_token, "default");
  const archived = await shrunk(`DELETE /api/v1/workflows/${await makeWorkflow()}`);
  expect(archived.body.code).toBe("approval_required");
});

test("if the policy demands anything, it also covers ways around it: giving access and performing other operations", async () => {
  await owner("PUT /api/v1/agents/policy", {
    ...POLICY,
    demands: "nothing",
    operations: ["workflows.archive"],
  });
  const { body } = await owner("POST /api/v1/auth/tokens", {
    name: "Climber",
    expiresIn: "1d",
    scopes: ["mcp:connect", "users:write", "roles:assign", "undo:write", "macros:run"],
  });
  const climber = world.asToken(body.data.token, "default");
  const answers = await Promise.all([
    climber("POST /api/v1/settings/users/invite", { email: "me@example.com", roleIds: ["admin"] }),
    climber(`POST /api/v1/settings/users/${builder.userId}/roles`, { roleId: "admin" }),
    climber("POST /api/v1/undo", { correlationId: "cor_01jd0000000000000000000000" }),
    climber("POST /api/v1/itsm/tickets/bulk", {}),
  ]);
  for (const answer of answers) expect(answer.body.code).toBe("approval_required");
  await owner("PUT /api/v1/agents/policy", POLICY);
});

test("a call that the operation would reject is not sent for approval, and secrets are masked", async () => {
  const wrong = await agent.call("call_operation", {
    operation: "workflows.archive",
    input: { id: "wf_01jd0000000000000000000000" },
  });
  expect(wrong).toMatchObject({ isError: true, value: { status: 404 } });
  await owner("PUT /api/v1/agents/policy", {
    ...POLICY,
    demands: "nothing",
    operations: ["secrets.*", "connectors.*"],
    permissions: ["workflows:write"],
  });
  const { body } = await owner("POST /api/v1/auth/tokens", {
    name: "Keeper",
    expiresIn: "1d",
    scopes: ["mcp:connect", "secrets:write", "connectors:write", "workflows:write"],
  });
  await using keeper = await connectAgent(world, body.data.token);
  const secret = { operation: "secrets.create", input: { name: "KEY", value: "hunter2hunter2" } };
  const { value } = await keeper.call("call_operation", secret);
  expect(value.pending).toBe(true);
  const shown = await callOf(value.id);
  expect(shown.input).toEqual({ name: "KEY", value: "•••" });
  const connector = await keeper.call("call_operation", {
    operation: "connectors.create",
    input: {
      type: "http",
      name: "Shop",
      config: { baseUrl: "https://shop.example.com", headers: { "X-Api-Key": "hunter2hunter2" } },
      auth: { kind: "api_key", name: "X-Key", value: "hunter2hunter2" },
    },
  });
  expect((await callOf(connector.value.id)).input).toMatchObject({
    config: { baseUrl: "https://shop.example.com", headers: { "X-Api-Key": "•••" } },
    auth: { kind: "api_key", name: "X-Key", value: "•••" },
  });
  const stored = await world.sql(
    "select (select json_agg(c)::text from agent_calls c) || (select json_agg(e)::text from events e) as all",
  );
  expect(stored[0].all).not.toContain("hunter2hunter2");
  expect((await approve(value.id)).status).toBe(200);
  await ended(value.id);
  const { value: looked } = await keeper.call("get_call", { id: value.id });
  expect(looked.data).toMatchObject({ status: "performed", answer: { data: { name: "KEY" } } });
  // A permission in the policy covers all commands that require it.
  expect((await keeper.call("create_workflow", { ...DRAFT, name: "x" })).value.pending).toBe(true);
  const bad = { ...POLICY, operations: ["everything"], permissions: ["no:such"] };
  const refused = await owner("PUT /api/v1/agents/policy", bad);
  expect(refused.body.errors.map(({ path }: { path: string }) => path)).toEqual([
    "/operations/0",
    "/permissions/0",
  ]);
  await owner("PUT /api/v1/agents/policy", POLICY);
});

test("an application with the agent scope is an agent, with its own name in the log", async () => {
  const application = await register(owner, { name: "Desk bot", allowedScopes: SCOPES });
  const scope = "mcp:connect workflows:write";
  const { access_token } = await tokensFor(world, builder.token, application, { scope });
  await using bot = await connectAgent(world, access_token);
  const workflow = await makeWorkflow();
  const { value } = await bot.call("call_operation", archiveOf(workflow));
  await approve(value.id);
  await ended(value.id);
  const path = `GET /api/v1/audit?resourceId=${workflow}&type=workflow.archived`;
  expect((await owner(path)).body.data).toMatchObject([{ actor: { name: "Desk bot" } }]);
  const second = await bot.call("call_operation", archiveOf(await makeWorkflow()));
  await builder(`DELETE /api/v1/oauth/consents/${application.clientId}`);
  expect((await approve(second.value.id)).body.code).toBe("agent_gone");
});

test("members see and revoke own agents; policy editors see all agents; only owners revoke an owner's agent", async () => {
  const made = await useFixture(makeAgent());
  const list = async (by: Ask) => (await by("GET /api/v1/agents")).body.data;
  const names = (agents: { readonly id: string }[]) => agents.map(({ id }) => id);
  expect(names(await list(builder))).toContain(made.id);
  const [newest] = await list(approver);
  expect(newest).toMatchObject({
    id: made.id,
    kind: "token",
    person: { id: builder.userId },
    scopes: SCOPES,
    isOwn: false,
    pendingCalls: 0,
  });
  const other = await world.member(["builder"]);
  expect(await list(other)).toEqual([]);
  expect((await other(`DELETE /api/v1/agents/${made.id}`)).status).toBe(404);
  expect((await made.ask(`DELETE /api/v1/agents/${made.id}`)).status).toBe(403);
  const owners = await useFixture(makeAgent(owner));
  expect((await approver(`DELETE /api/v1/agents/${owners.id}`)).status).toBe(403);
  const ended = await approver(`DELETE /api/v1/agents/${made.id}`);
  expect(ended).toMatchObject({ status: 204, events: ["audit.token.revoked"] });
  await expect(made.call("list_runs")).rejects.toThrow();
});
