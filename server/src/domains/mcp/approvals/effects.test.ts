import { expect, test } from "vitest";
import { deployedApp } from "#domains/apps/testing/apps.ts";
import { useWorld } from "#kernel/testing/world.ts";
import { connectAgent } from "../testing/agent.ts";

const world = await useWorld({ work: true, env: { MILLRACE_LOGIN_RATE_LIMIT: "0" } });
await world.app.listen({ host: "127.0.0.1", port: 0 });
const owner = await world.member(["owner"]);
const { body: made } = await owner("POST /api/v1/auth/tokens", {
  name: "Robot",
  expiresIn: "30d",
  scopes: [
    "mcp:connect",
    "artifacts:read",
    "artifacts:write",
    "tables:read",
    "tables:write",
    "records:read",
    "records:write",
    "table_views:own",
    "webhooks:write",
    "secrets:write",
    "connectors:write",
    "apps:read",
    "apps:deploy",
    "portal:write",
  ],
});
const token: string = made.data.token;
const agent = world.asToken(token, "default");
const { call } = await connectAgent(world, token);
await owner("PUT /api/v1/agents/policy", {
  demands: "drastic",
  operations: [],
  permissions: [],
  approvers: ["admin"],
  fourEyes: true,
  expiresInHours: 1,
});

const HELD = { status: 403, body: { code: "approval_required" } };
const JOB = {
  name: "cleanup",
  moduleKey: "jobs",
  detail: { cron: "* * * * *", scriptSource: "context.log.info('cleaned')" },
};

test("activating an artifact requires approval, and so does each change while it is active", async () => {
  const jobs = "POST /api/v1/sdk/scheduled-jobs";
  expect(await agent(jobs, { ...JOB, status: "active" })).toMatchObject(HELD);
  const artifacts = "POST /api/v1/sdk/artifacts";
  const handler = { ...JOB, artifactType: "webhook_handler", status: "active" };
  expect(await agent(artifacts, handler)).toMatchObject(HELD);
  expect((await owner("GET /api/v1/sdk/artifacts")).body.data).toEqual([]);

  const draft = await agent(jobs, JOB);
  expect(draft.status).toBe(201);
  const one = `/api/v1/sdk/artifacts/${draft.body.data.id}`;
  const detail = { ...JOB.detail, scriptSource: "context.log.info('cleaned twice')" };
  expect((await agent(`PATCH ${one}`, { detail })).status).toBe(200);
  expect(await agent(`PATCH ${one}`, { status: "active" })).toMatchObject(HELD);
  await owner(`PATCH ${one}`, { status: "active" });
  expect(await agent(`PATCH ${one}`, { detail: JOB.detail })).toMatchObject(HELD);
  expect(await agent(`POST ${one}/restore/1`)).toMatchObject(HELD);
});

test("a table change requires approval if it drops, converts or opens something", async () => {
  const columns = [
    { name: "who", type: "text" },
    { name: "pay", type: "integer" },
  ];
  const rules = [{ roles: ["owner"], actions: ["read"] }];
  const table = await owner("POST /api/v1/tables", { name: "Pay", columns, rules });
  expect(table.status).toBe(201);
  const change = "PATCH /api/v1/tables/pay";
  const drastic = [
    { rules: [] },
    { dropColumns: ["pay"] },
    { alterColumns: [{ name: "pay", type: "text" }] },
    { renameColumns: { pay: "wage" } },
    { name: "Wages", rules: [] },
  ];
  for (const body of drastic) expect(await agent(change, body)).toMatchObject(HELD);
  const { name, rules: kept } = (await owner("GET /api/v1/tables/pay")).body.data;
  expect([name, kept.length]).toEqual(["Pay", 1]);

  const ordinary = [
    { name: "Payroll" },
    { addColumns: [{ name: "note", type: "text" }] },
    { alterColumns: [{ name: "note", description: "Remarks" }] },
  ];
  for (const body of ordinary) expect((await agent(change, body)).status).toBe(200);
  // In development nothing depends on the name of a column, so the call fails on the table, which exists only in
  // production.
  const elsewhere = { "x-environment": "development" };
  const renaming = await agent(change, { renameColumns: { pay: "wage" } }, elsewhere);
  expect(renaming.body.code).toBe("not_found");
  // A call that the operation rejects fails immediately, without an approval request.
  expect((await agent(change, { rules: "none" })).status).toBe(422);
});

test("the protocol reports the same requirement for a call, based on its input", async () => {
  const update = (input: object) =>
    call("call_operation", { operation: "tables.update", input: { slug: "pay", ...input } });
  expect((await update({ name: "Salaries" })).value.data.name).toBe("Salaries");
  const pending = await update({ dropColumns: ["pay"] });
  expect(pending.value).toMatchObject({ pending: true, status: "pending" });
  expect((await update({ dropColumns: "pay" })).isError).toBe(true);
  const asked = { operation: "tables.update", input: { slug: "pay", name: "Wages" } };
  const refused = await agent("POST /api/v1/agent-calls", asked);
  expect(refused.body.code).toBe("approval_not_needed");
});

test("an operation that makes something public or handles credentials requires approval", async () => {
  const { id } = await deployedApp(owner);
  expect(await agent(`POST /api/v1/apps/${id}/public`)).toMatchObject(HELD);
  const hook = { name: "Out", url: "https://receiver.example.com/", events: ["*"] };
  expect(await agent("POST /api/v1/webhooks", hook)).toMatchObject(HELD);
  const secret = { name: "KEY", value: "abc" };
  expect(await agent("POST /api/v1/secrets", secret)).toMatchObject(HELD);

  const form = { intro: "Hello", fields: [{ name: "who" }] };
  const view = { name: "Ask", table: "pay", kind: "form", form };
  const added = await agent("POST /api/v1/table-views", view);
  expect(added.status).toBe(201);
  const one = `/api/v1/table-views/${added.body.data.id}`;
  expect((await agent(`PATCH ${one}`, { name: "Ask us" })).status).toBe(200);
  expect(await agent(`POST ${one}/publish`)).toMatchObject(HELD);
});
