import { expect, test } from "vitest";
import type { EnvironmentName } from "#kernel/db/database.ts";
import type { Answer } from "#kernel/testing/world.ts";
import {
  exampleDefinition,
  createTestWorkflow,
  startWorkflowWorld,
  listTestVersions,
} from "../testing/world.ts";
import { findDeployment, findEventDeployments } from "./store.ts";
import { useFixture } from "#kernel/testing/world.ts";

const world = await useFixture(startWorkflowWorld());
const owner = await world.member(["owner"]);

async function act(
  id: string,
  what: "publish" | "rollback" | "activate" | "deactivate",
  options: { readonly in?: EnvironmentName; readonly body?: object } = {},
): Promise<Answer> {
  const headers = { "x-environment": options.in ?? "production" };
  return owner(`POST /api/v1/workflows/${id}/${what}`, options.body, headers);
}

async function save(id: string, change: object): Promise<string> {
  const { body } = await owner(`PATCH /api/v1/workflows/${id}`, change);
  return body.data.versions.newest.id;
}

async function statuses(id: string): Promise<unknown[]> {
  return (await listTestVersions(owner, id)).map(({ version, status, activeIn }) => [
    version,
    status,
    activeIn,
  ]);
}

test("the first deployment in an environment activates the trigger; later ones do not change it", async () => {
  const { id, versions } = await createTestWorkflow(owner);
  const first = await act(id, "publish", { in: "staging", body: { label: "One" } });
  expect(first).toMatchObject({
    status: 200,
    events: [
      "workflow.published",
      "deploy.completed",
      "workflow.activated",
      "workflow.version_labelled",
    ],
    body: {
      data: {
        status: "active",
        versions: { newest: { label: "One", status: "active" } },
        environments: {
          production: null,
          staging: { versionId: versions.newest.id, version: 1, enabled: true },
          development: null,
        },
      },
    },
  });
  expect(await act(id, "deactivate", { in: "staging" })).toMatchObject({
    status: 200,
    events: ["workflow.deactivated"],
    body: { data: { status: "inactive", environments: { staging: { enabled: false } } } },
  });
  const second = await save(id, { name: "Two" });
  expect(await act(id, "publish", { in: "staging" })).toMatchObject({
    events: ["workflow.published", "deploy.completed"],
    body: { data: { environments: { staging: { versionId: second, enabled: false } } } },
  });
  expect(await act(id, "activate", { in: "staging" })).toMatchObject({
    events: ["workflow.activated"],
    body: { data: { status: "active", environments: { staging: { enabled: true } } } },
  });
  expect(await act(id, "activate", { in: "staging" })).toMatchObject({ status: 200, events: [] });
  expect(await act(id, "deactivate", { in: "development" })).toMatchObject({
    status: 200,
    events: [],
  });
});

test("the environment log records user, action and version of every change", async () => {
  const { id, versions } = await createTestWorkflow(owner);
  await act(id, "publish", { in: "staging" });
  const { body } = await owner("GET /api/v1/audit?limit=3", undefined, {
    "x-environment": "staging",
  });
  const place = { environment: "staging", versionId: versions.newest.id, version: 1 };
  expect(body.data).toMatchObject([
    { type: "workflow.activated", environment: "staging", data: { id, name: "Greet", ...place } },
    {
      type: "deploy.completed",
      resource: { type: "deployment", id },
      data: { kind: "workflow", id, name: "Greet", ...place },
    },
    { type: "workflow.published", data: { id, ...place, previousVersionId: null } },
  ]);
});

test("activate deploys a version if none is deployed", async () => {
  const { id } = await createTestWorkflow(owner);
  expect(await act(id, "activate")).toMatchObject({
    status: 200,
    events: ["workflow.published", "deploy.completed", "workflow.activated"],
    body: { data: { environments: { production: { version: 1, enabled: true } } } },
  });
});

test("a version moves from staging to production by id, and stays active while any environment uses it", async () => {
  const { id, versions } = await createTestWorkflow(owner);
  const one: string = versions.newest.id;
  await act(id, "publish", { in: "staging" });
  await save(id, { name: "Two" });
  await act(id, "publish", { body: { versionId: one } });
  expect(await statuses(id)).toEqual([
    [2, "draft", []],
    [1, "active", ["production", "staging"]],
  ]);
  await act(id, "publish", { in: "staging" });
  expect(await statuses(id)).toEqual([
    [2, "active", ["staging"]],
    [1, "active", ["production"]],
  ]);
  await act(id, "publish");
  expect(await statuses(id)).toEqual([
    [2, "active", ["production", "staging"]],
    [1, "superseded", []],
  ]);
});

test("a rollback restores the previous version, a second rollback undoes it, and the definition does not change", async () => {
  const { id, versions } = await createTestWorkflow(owner);
  const one: string = versions.newest.id;
  expect(await act(id, "rollback")).toMatchObject({
    status: 409,
    body: { code: "nothing_to_roll_back" },
    events: [],
  });
  await act(id, "publish");
  const two = await save(id, { name: "Two" });
  await act(id, "publish");
  const back = await act(id, "rollback");
  expect(back).toMatchObject({
    status: 200,
    events: ["workflow.rolled_back", "deploy.completed"],
    body: { data: { name: "Two", environments: { production: { versionId: one, version: 1 } } } },
  });
  expect(await statuses(id)).toEqual([
    [2, "superseded", []],
    [1, "active", ["production"]],
  ]);
  expect((await act(id, "rollback")).body.data.environments.production.versionId).toBe(two);
  // A named version can be deployed to an environment without a deployment.
  expect(await act(id, "rollback", { in: "development", body: { versionId: one } })).toMatchObject({
    events: ["workflow.rolled_back", "deploy.completed", "workflow.activated"],
    body: { data: { environments: { development: { version: 1 } } } },
  });
});

test("a version of another workflow, or an archived version, cannot be deployed", async () => {
  const { versions: others } = await createTestWorkflow(owner);
  const { id, versions } = await createTestWorkflow(owner);
  const one: string = versions.newest.id;
  await save(id, { name: "Two" });
  await owner(`POST /api/v1/workflows/${id}/versions/${one}/archive`);
  for (const what of ["publish", "rollback"] as const) {
    expect(await act(id, what, { body: { versionId: others.newest.id } })).toMatchObject({
      status: 422,
      body: { errors: [{ path: "/versionId" }] },
      events: [],
    });
    expect(await act(id, what, { body: { versionId: one } })).toMatchObject({
      status: 409,
      body: { code: "version_archived" },
      events: [],
    });
  }
});

test("a restored definition is published as a new version", async () => {
  const { id, versions } = await createTestWorkflow(owner, { name: "One" });
  await save(id, { name: "Two" });
  await owner(`POST /api/v1/workflows/${id}/versions/${versions.newest.id}/restore`);
  expect(await act(id, "publish", { body: { label: "Again" } })).toMatchObject({
    events: [
      "workflow.version_created",
      "workflow.published",
      "deploy.completed",
      "workflow.activated",
    ],
    body: { data: { name: "One", environments: { production: { version: 3 } } } },
  });
  expect(await listTestVersions(owner, id)).toMatchObject([
    { version: 3, status: "active", label: "Again", changeSummary: "Set name" },
    { version: 2, status: "superseded" },
    { version: 1, status: "superseded", label: null },
  ]);
});

test("an invalid definition is not deployed, and an event records the reason", async () => {
  await owner("POST /api/v1/secrets", { name: "FLEETING", value: "a value" });
  const { id } = await createTestWorkflow(owner, {
    nodes: [
      {
        id: "call",
        type: "http",
        config: { url: "https://example.com", body: "{{ secrets.FLEETING }}" },
      },
    ],
    edges: [],
  });
  await owner("DELETE /api/v1/secrets/FLEETING");
  const reasons = [
    { path: "/nodes/0/config/body", message: "uses the secret FLEETING, which does not exist" },
  ];
  expect(await act(id, "publish")).toMatchObject({
    status: 422,
    body: { code: "definition_invalid", errors: reasons },
    events: ["deploy.failed"],
  });
  const [failed] = (await owner("GET /api/v1/audit?limit=1")).body.data;
  expect(failed.data).toMatchObject({ kind: "workflow", id, environment: "production", reasons });
  expect((await owner(`GET /api/v1/workflows/${id}`)).body.data.environments.production).toBeNull();
});

test("finds deployments by workflow and event trigger topic", async () => {
  const trigger = { type: "event_bus", topic: "orders" };
  const listening = await createTestWorkflow(owner, { trigger });
  const off = await createTestWorkflow(owner, { trigger });
  for (const { id } of [listening, off]) await act(id, "publish", { in: "staging" });
  await act(off.id, "deactivate", { in: "staging" });
  const versionId: string = listening.versions.newest.id;
  await world.kernel.db.read({ workspace: world.home, environment: "staging" }, async (tx) => {
    expect(await findDeployment(tx, listening.id, "staging")).toEqual({
      workflowId: listening.id,
      environment: "staging",
      versionId,
      number: 1,
      previousVersionId: null,
      enabled: true,
      deployedBy: owner.userId,
      permissions: undefined,
      orphaned: false,
      rehearsalGate: null,
    });
    expect(await findDeployment(tx, listening.id, "production")).toBeUndefined();
    expect(await findEventDeployments(tx, "staging", ["orders", "bills"])).toMatchObject([
      { workflowId: listening.id, versionId, deployedBy: owner.userId, topic: "orders" },
    ]);
    expect(await findEventDeployments(tx, "staging", ["bills"])).toEqual([]);
    expect(await findEventDeployments(tx, "production", ["orders"])).toEqual([]);
  });
});

test("shows a workflow as stopped after the deployer leaves, until the next deployment", async () => {
  const builder = await world.member(["admin"]);
  const { id } = await createTestWorkflow(owner, { name: "Left alone" });
  await builder(`POST /api/v1/workflows/${id}/publish`);
  const read = async () => {
    const { body } = await owner(`GET /api/v1/workflows/${id}`);
    const listed = await owner("GET /api/v1/workflows?orphaned=true");
    const { orphaned, deployedBy } = body.data.environments.production;
    return [orphaned, deployedBy.id, listed.body.data.map((one: { id: string }) => one.id)];
  };
  expect(await read()).toEqual([false, builder.userId, []]);
  expect((await owner(`DELETE /api/v1/settings/users/${builder.userId}`)).status).toBe(204);
  expect(await read()).toEqual([true, builder.userId, [id]]);
  const elsewhere = await owner("GET /api/v1/workflows?orphaned=true", undefined, {
    "x-environment": "staging",
  });
  expect(elsewhere.body.data).toEqual([]);
  expect((await act(id, "publish")).status).toBe(200);
  expect(await read()).toEqual([false, owner.userId, []]);
});

test("a deployment keeps the trigger of its version after later changes", async () => {
  const { id } = await createTestWorkflow(owner, { trigger: { type: "event_bus", topic: "kept" } });
  await act(id, "publish");
  await save(id, exampleDefinition({ trigger: { type: "event_bus", topic: "other" } }));
  await world.kernel.db.read({ workspace: world.home, environment: "production" }, async (tx) => {
    const listening = await findEventDeployments(tx, "production", ["kept", "other"]);
    expect(listening).toMatchObject([{ workflowId: id, topic: "kept" }]);
  });
});
