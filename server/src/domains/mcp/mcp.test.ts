import { expect, test } from "vitest";
import { createToken } from "#domains/runs/testing/workflows.ts";
import { useFixture, useWorld } from "#kernel/testing/world.ts";
import { type AgentOptions, connectAgent } from "./testing/agent.ts";

const world = await useWorld({ work: true });
await world.app.listen({ host: "127.0.0.1", port: 0 });
const owner = await world.member(["owner"]);
const SCOPES = [
  "mcp:connect",
  "workflows:read",
  "workflows:write",
  "workflows:trigger",
  "deployments:create",
  "traces:read",
];

const connect = (agentToken: string, options?: AgentOptions) =>
  connectAgent(world, agentToken, options);

const makeToken = async (scopes: readonly string[]): Promise<string> => {
  const { body } = await owner("POST /api/v1/auth/tokens", {
    name: "Robot",
    expiresIn: "30d",
    scopes,
  });
  return body.data.token;
};
const token = await makeToken(SCOPES);
const agent = await useFixture(connect(token, { confirms: true }));

test("lists the allowed tools and searches other operations by text", async () => {
  const { tools } = await agent.client.listTools();
  const names = tools.map(({ name }) => name);
  expect(names).toEqual([
    "find_operations",
    "describe_operation",
    "call_operation",
    "get_call",
    "list_node_types",
    "validate_workflow",
    "create_workflow",
    "test_workflow",
    "rehearse_workflow",
    "publish_workflow",
    "list_runs",
    "get_run",
  ]);
  const { value } = await agent.call("find_operations", { query: "archive workflow" });
  expect(value.operations[0]).toMatchObject({ operation: "workflows.archive", changes: true });
  const found = await agent.call("find_operations", { query: "incident secret user delete" });
  expect(JSON.stringify(found.value)).not.toMatch(/incidents\.|secrets\.|users\./);
  // An operation with several paths appears once, with its own id.
  const versions = (await agent.call("find_operations", { query: "restore version" })).value;
  const ids = versions.operations.map(({ operation }: { operation: string }) => operation);
  expect(ids.filter((id: string) => id.startsWith("workflows.restore_version"))).toEqual([
    "workflows.restore_version",
  ]);
  const described = await agent.call("describe_operation", { operation: "workflows.archive" });
  expect(described.value).toMatchObject({
    asksAPerson: true,
    input: { properties: { id: { type: "string" } }, required: ["id"] },
    events: ["workflow.archived", "workflow.deactivated"],
  });
  expect(await agent.call("describe_operation", { operation: "secrets.get" })).toMatchObject({
    isError: true,
  });
});

test("an agent builds, tests, dry-runs and publishes a workflow only with the protocol, and the log contains its name", async () => {
  const definition = {
    name: "By an agent",
    trigger: { type: "manual" },
    nodes: [{ id: "sum", type: "transform", config: { expression: "trigger.input.a + 1" } }],
    edges: [],
  };
  const bad = { ...definition, nodes: [{ id: "sum", type: "nothing", config: {} }] };
  expect((await agent.call("validate_workflow", bad)).value.data.valid).toBe(false);
  expect((await agent.call("validate_workflow", definition)).value.data.valid).toBe(true);
  const dry = await agent.call("create_workflow", { ...definition, dryRun: true });
  expect(dry.value.data).toMatchObject({ events: [{ type: "workflow.created" }, {}] });
  const { id } = (await agent.call("create_workflow", definition)).value.data;
  const tested = await agent.call("test_workflow", { id, input: { a: 1 } });
  expect(tested.value.data).toMatchObject({ status: "completed", output: 2 });
  const published = await agent.call("publish_workflow", { id });
  expect(published.value.data.environments).toMatchObject({
    staging: { version: 1 },
    production: null,
  });
  const staging = { "x-environment": "staging" };
  await owner(`POST /api/v1/workflows/${id}/trigger`, { input: { a: 1 } }, staging);
  const changed = {
    ...definition,
    nodes: [{ id: "sum", type: "transform", config: { expression: "trigger.input.a + 2" } }],
  };
  const rehearsal = await agent.call("call_operation", {
    operation: "workflows.rehearse",
    input: { id, definition: changed },
    environment: "staging",
  });
  expect(rehearsal.value.data.runs).toMatchObject([
    { verdict: "other_output", difference: { stepId: "sum", before: 2, after: 3 } },
  ]);
  const { body } = await owner(`GET /api/v1/audit?resourceId=${id}&type=workflow.created`);
  expect(body.data).toMatchObject([{ actor: { type: "api_token", name: "Robot" } }]);
});

test("a deployed and offered workflow is a tool with its own schema, limited by scopes and approvals", async () => {
  const offer = (name: string, expression: string, more: object = {}) => ({
    name: `Tool ${name}`,
    description: "Adds one",
    trigger: {
      type: "manual",
      tool: { name },
      inputSchema: { type: "object", required: ["a"], properties: { a: { type: "integer" } } },
      ...more,
    },
    nodes: [{ id: "sum", type: "transform", config: { expression } }],
    edges: [],
  });
  const make = async (definition: object): Promise<string> => {
    const made = await owner("POST /api/v1/workflows", definition);
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    await owner(`POST /api/v1/workflows/${made.body.data.id}/publish`);
    return made.body.data.id;
  };
  const wrong = await owner(
    "POST /api/v1/workflows/validate",
    offer("no_schema", "1", { inputSchema: undefined }),
  );
  expect(wrong.body.data).toMatchObject({ valid: false, errors: [{ path: "/trigger/tool" }] });
  const id = await make(offer("add_one", "trigger.input.a + 1"));
  await make(offer("find_operations", "1"));
  await make(offer("run_sql", "1"));
  await make(offer("add_failing", "$error('No such number')"));
  const { tools } = await agent.client.listTools();
  const offered = tools.filter(({ name }) => name.startsWith("add_"));
  expect(offered).toMatchObject([
    {
      name: "add_one",
      title: "Tool add_one",
      description: "Adds one",
      inputSchema: { type: "object", required: ["a"], properties: { a: { type: "integer" } } },
    },
    { name: "add_failing" },
  ]);
  // A workflow cannot replace a built-in tool.
  expect(tools.filter(({ name }) => name === "find_operations")).toHaveLength(1);
  const answer = await agent.call("add_one", { a: 41 });
  expect(answer).toMatchObject({ isError: false, value: { status: "completed", output: 42 } });
  const { body } = await owner(`GET /api/v1/runs/${answer.value.runId}`);
  expect(body.data.startedBy).toMatchObject({ type: "api_token", name: "Robot" });
  const refused = await agent.call("add_one", { a: "many" });
  expect(refused).toMatchObject({ isError: true, value: { status: 422 } });
  expect(refused.value.errors[0].path).toBe("/input/a");
  expect((await agent.call("add_failing", { a: 1 })).value).toMatchObject({ status: "failed" });
  // If the workspace requires approval, the call waits, and starts a run after approval.
  const demand = (operations: string[]) =>
    owner("PUT /api/v1/agents/policy", {
      demands: "nothing",
      operations,
      permissions: [],
      approvers: ["admin"],
      fourEyes: true,
      expiresInHours: 1,
    });
  await demand(["workflows.trigger"]);
  const pending = await agent.call("add_one", { a: 1 });
  expect(pending.value).toMatchObject({ pending: true, status: "pending" });
  const call = await owner(`GET /api/v1/agent-calls/${pending.value.id}`);
  expect(call.body.data).toMatchObject({
    operation: "workflows.trigger",
    input: { id, input: { a: 1 } },
  });
  await demand([]);
  // Also not if this token may not use the built-in tool.
  await using starter = await connect(await makeToken(["mcp:connect", "workflows:trigger"]));
  const names = (await starter.client.listTools()).tools.map(({ name }) => name);
  expect([names.includes("add_one"), names.includes("run_sql")]).toEqual([true, false]);
  await expect(starter.call("run_sql", { a: 1 })).rejects.toThrow(
    "The tool run_sql does not exist",
  );
  await using reader = await connect(await makeToken(["mcp:connect", "workflows:read"]));
  expect((await reader.client.listTools()).tools.map(({ name }) => name)).not.toContain("add_one");
  await expect(reader.call("add_one", { a: 1 })).rejects.toThrow("The tool add_one does not exist");
  await owner(`POST /api/v1/workflows/${id}/deactivate`);
  await expect(agent.call("add_one", { a: 1 })).rejects.toThrow("The tool add_one does not exist");
});

test("destructive calls ask the user for confirmation, and fail if the client cannot ask", async () => {
  const made = await agent.call("create_workflow", {
    name: "Doomed",
    trigger: { type: "manual" },
    nodes: [],
    edges: [],
  });
  const { id } = made.value.data;
  const archive = { operation: "workflows.archive", input: { id } };
  await using refusing = await connect(token, { confirms: false });
  expect(await refusing.call("call_operation", archive)).toMatchObject({ isError: true });
  expect(refusing.questions).toHaveLength(1);
  await using mute = await connect(token);
  expect((await mute.call("call_operation", archive)).value).toContain(
    "A person must confirm this",
  );
  await using old = await connect(token, { mode: "legacy" });
  expect((await old.call("call_operation", archive)).isError).toBe(true);
  expect((await old.client.listTools()).tools.map(({ name }) => name)).toContain("get_run");
  expect((await owner(`GET /api/v1/workflows/${id}`)).body.data.status).not.toBe("archived");
  const dry = await mute.call("call_operation", { ...archive, dryRun: true });
  expect(dry.isError).toBe(false);
  await agent.call("publish_workflow", { id, environment: "production" });
  expect(agent.questions.at(-1)).toContain("in production?");
  expect((await agent.call("call_operation", archive)).isError).toBe(false);
  expect((await owner(`GET /api/v1/workflows/${id}`)).body.data.status).toBe("archived");
});

test("calls that affect production or change a lot ask the user, whatever their name; a dry run changes nothing", async () => {
  const scopes = [...SCOPES, "cmdb:read", "cmdb:write", "migrations:write"];
  await using mute = await connect(await makeToken(scopes));
  const draft = { name: "Live", trigger: { type: "manual" }, nodes: [], edges: [] };
  const { id } = (await mute.call("create_workflow", draft)).value.data;
  const activate = { operation: "workflows.activate", input: { id } };
  expect((await mute.call("call_operation", activate)).value).toContain("A person must confirm");
  const { body } = await owner(`GET /api/v1/workflows/${id}`);
  expect(body.data.environments.production).toBeNull();
  const staged = await mute.call("call_operation", { ...activate, environment: "staging" });
  expect(staged.isError).toBe(false);
  const apply = await mute.call("describe_operation", { operation: "migrations.apply" });
  expect(apply.value.asksAPerson).toBe(true);
  // An operation with its own dry run.
  const input = { class: "server", items: [{ key: "web-1", name: "web-1" }], dryRun: false };
  const dry = { operation: "cmdb.import", input, dryRun: true };
  expect(await mute.call("call_operation", dry)).toMatchObject({ isError: false });
  expect((await owner("GET /api/v1/cmdb/items")).body.data).toEqual([]);
});

test("resources and prompts", async () => {
  const { resourceTemplates } = await agent.client.listResourceTemplates();
  expect(resourceTemplates.map(({ name }) => name)).toEqual([
    "runs",
    "events",
    "workflows",
    "guides",
    "schemas",
  ]);
  const guide = await agent.client.readResource({ uri: "millrace://guides/workflows" });
  expect(JSON.stringify(guide.contents)).toContain("Simulate a change on past runs");
  await expect(
    agent.client.readResource({ uri: "millrace://events/evt_0100000000g000000000g0" }),
  ).rejects.toThrow();
  const prompt = await agent.client.getPrompt({
    name: "explain_run",
    arguments: { runId: "run_1" },
  });
  expect(JSON.stringify(prompt.messages)).toContain("run_1");
});

test("sessions, anonymous callers and tokens without the scope are rejected, and a 401 names the metadata", async () => {
  const body = { jsonrpc: "2.0", id: 1, method: "ping" };
  expect(await owner("POST /mcp", body)).toMatchObject({ status: 403, events: [] });
  const stranger = await world.stranger("POST /mcp", body);
  expect(stranger.status).toBe(401);
  expect(stranger.headers["www-authenticate"]).toContain("/.well-known/oauth-protected-resource");
  const scoped = await createToken(world, owner, ["workflows:read"]);
  expect((await scoped("POST /mcp", body)).status).toBe(403);
  await using reader = await connect(await makeToken(["mcp:connect", "workflows:read"]));
  const { tools } = await reader.client.listTools();
  expect(tools.map(({ name }) => name)).not.toContain("create_workflow");
  await expect(reader.call("create_workflow", {})).rejects.toThrow("does not exist");
  const refused = await reader.call("call_operation", { operation: "workflows.create", input: {} });
  expect(refused.isError).toBe(true);
});

test("streams are not supported", async () => {
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "agent", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const params = { notifications: { toolsListChanged: true }, _meta: meta };
  const payload = { jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params };
  const headers = {
    authorization: `Bearer ${token}`,
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "subscriptions/listen",
  };
  const answer = await world.app.inject({ method: "POST", url: "/mcp", payload, headers });
  expect(answer.json()).toHaveProperty("error");
});

test("an idempotency key is bound to its message", async () => {
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    "idempotency-key": "once",
  };
  const send = (method: string) =>
    world.app.inject({
      method: "POST",
      url: "/mcp",
      headers,
      payload: { jsonrpc: "2.0", id: 1, method },
    });
  const [first, same, other] = [await send("ping"), await send("ping"), await send("tools/list")];
  expect([first.statusCode, same.body]).toEqual([200, first.body]);
  expect(other.json().code).toBe("idempotency_key_reused");
});

const CALL = { jsonrpc: "2.0", id: 1, method: "tools/call" };
const callOf = (query: unknown) =>
  JSON.stringify({ ...CALL, params: { name: "find_operations", arguments: { query } } });

test.each([
  ["a batch", `[${callOf("a")},${callOf("b")}]`, 400],
  ["a NUL character", callOf("\0"), 422],
  [
    "what is nested too deep",
    callOf("[").replace('"["', "[".repeat(5_000) + "]".repeat(5_000)),
    422,
  ],
  ["a prototype", callOf("a").replace('"query"', '"__proto__"'), 400],
  ["no JSON", "{", 400],
  ["a batch of nothing", "[]", 400],
  ["no method", '{"jsonrpc":"2.0","id":1}', 400],
])("%s is refused", async (_, payload, status) => {
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  const answer = await world.app.inject({ method: "POST", url: "/mcp", payload, headers });
  expect(answer.statusCode).toBe(status);
});
