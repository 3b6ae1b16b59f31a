import { expect, test } from "vitest";
import {
  exampleDefinition,
  createTestWorkflow,
  startWorkflowWorld,
  listTestVersions,
} from "./testing/world.ts";
import { useFixture } from "#kernel/testing/world.ts";

const world = await useFixture(
  startWorkflowWorld({ env: { MILLRACE_BASE_URL: "https://mill.example.com" } }),
);
const owner = await world.member(["owner"]);

async function lastEvents(count: number): Promise<any[]> {
  return (await owner(`GET /api/v1/audit?limit=${count}`)).body.data;
}

const NOWHERE = { production: null, staging: null, development: null };

test("a new workflow has version 1 as its draft, and runs nowhere", async () => {
  const made = await owner(
    "POST /api/v1/workflows",
    exampleDefinition({ description: "Says hello" }),
  );
  const { id, createdAt, updatedAt, versions } = made.body.data;
  expect(made).toMatchObject({
    status: 201,
    headers: { location: `/api/v1/workflows/${id}`, etag: '"1"' },
    events: ["workflow.created", "workflow.version_created"],
  });
  expect(made.body.data).toEqual({
    ...exampleDefinition({ description: "Says hello" }),
    id,
    status: "inactive",
    versions: {
      newest: { id: expect.stringMatching(/^wfv_/), version: 1, label: null, status: "draft" },
    },
    environments: NOWHERE,
    createdBy: owner.userId,
    createdAt,
    updatedAt,
  });
  expect((await owner(`GET /api/v1/workflows/${id}`)).body).toEqual(made.body);
  expect(await listTestVersions(owner, id)).toEqual([
    {
      id: versions.newest.id,
      workflowId: id,
      version: 1,
      label: null,
      status: "draft",
      activeIn: [],
      author: { id: owner.userId, name: "Somebody" },
      changeSummary: "Created",
      revision: 1,
      createdAt,
    },
  ]);
  const [appended, told] = await lastEvents(2);
  expect(appended).toMatchObject({
    resource: { type: "workflow_version", id: versions.newest.id, number: "1" },
    data: { workflowId: id, version: 1, status: "draft" },
  });
  expect(told).toMatchObject({
    environment: "production",
    resource: { type: "workflow", id, displayName: "Greet" },
    data: { id, name: "Greet", description: "Says hello", trigger: { type: "manual" } },
  });
});

test("a save replaces the given fields and reports what changed", async () => {
  const { id, nodes } = await createTestWorkflow(owner, { description: "Old", timeoutMs: 5_000 });
  const saved = await owner(`PATCH /api/v1/workflows/${id}`, {
    name: "Greet warmly",
    description: null,
    nodes: [nodes[0], { id: "answer", type: "respond", config: { body: "Hi" } }],
    label: "Warm",
  });
  expect(saved).toMatchObject({
    status: 200,
    headers: { etag: '"2"' },
    events: ["workflow.updated", "workflow.version_created"],
    body: {
      data: { name: "Greet warmly", timeoutMs: 5_000, versions: { newest: { version: 2 } } },
    },
  });
  expect(saved.body.data).not.toHaveProperty("description");
  const [, updated] = await lastEvents(2);
  expect(updated.data).toMatchObject({
    before: { name: "Greet", description: "Old" },
    after: { name: "Greet warmly" },
    changes: ["name", "description", "nodes"],
  });
  expect(updated.data.after).not.toHaveProperty("nodes");
  expect(await listTestVersions(owner, id)).toMatchObject([
    {
      version: 2,
      label: "Warm",
      status: "draft",
      changeSummary: "Changed answer. Set name, description",
    },
    { version: 1, status: "superseded" },
  ]);
});

test("saving without changes does not create a version unless requested", async () => {
  const { id, nodes } = await createTestWorkflow(owner);
  // The same content in another key order.
  const same = { nodes: [{ config: nodes[0].config, type: "set", id: "make" }, nodes[1]] };
  expect(await owner(`PATCH /api/v1/workflows/${id}`, same)).toMatchObject({
    status: 200,
    headers: { etag: '"1"' },
    events: [],
  });
  expect(await owner(`PATCH /api/v1/workflows/${id}`, { label: "Kept" })).toMatchObject({
    status: 200,
    events: ["workflow.version_created"],
    body: { data: { versions: { newest: { version: 2, label: "Kept" } } } },
  });
  expect((await listTestVersions(owner, id))[0].changeSummary).toBe("No changes");
});

test("PUT replaces the complete definition", async () => {
  const { id } = await createTestWorkflow(owner, { description: "Gone soon" });
  const replaced = await owner(`PUT /api/v1/workflows/${id}`, exampleDefinition({ name: "Anew" }));
  expect(replaced).toMatchObject({
    status: 200,
    events: ["workflow.updated", "workflow.version_created"],
    body: { data: { name: "Anew" } },
  });
  expect(replaced.body.data).not.toHaveProperty("description");
});

test("concurrent saves both count, and a save with a stale ETag is rejected", async () => {
  const { id } = await createTestWorkflow(owner);
  const [first, second] = await Promise.all([
    owner(`PATCH /api/v1/workflows/${id}`, { name: "Renamed" }),
    owner(`PATCH /api/v1/workflows/${id}`, { description: "Described" }),
  ]);
  expect([first.status, second.status]).toEqual([200, 200]);
  const { headers, body } = await owner(`GET /api/v1/workflows/${id}`);
  expect(body.data).toMatchObject({ name: "Renamed", description: "Described" });
  expect(body.data.versions.newest.version).toBe(3);
  expect(headers["etag"]).toBe('"3"');
  const stale = await owner(`PATCH /api/v1/workflows/${id}`, { name: "X" }, { "if-match": '"2"' });
  expect(stale).toMatchObject({ status: 412, events: [] });
});

test("the webhook address is shown to users who can trigger the workflow, and not in events", async () => {
  const made = await createTestWorkflow(owner, { trigger: { type: "webhook" } });
  const { id, trigger } = made;
  expect(trigger.url).toMatch(/^https:\/\/mill\.example\.com\/hooks\/default\/[\w-]{32}$/);
  const viewer = await world.member(["viewer"]);
  expect((await viewer(`GET /api/v1/workflows/${id}`)).body.data.trigger).toEqual({
    type: "webhook",
  });
  const token = trigger.url.split("/").at(-1);
  const events = await world.sql("select count(*)::int as n from events where data::text like $1", [
    `%${token}%`,
  ]);
  expect(events).toEqual([{ n: 0 }]);
  // A response can be sent back unchanged.
  expect(await owner(`PATCH /api/v1/workflows/${id}`, { trigger })).toMatchObject({
    status: 200,
    events: [],
  });
});

test("an archived workflow is inactive in all environments, not listed, and cannot be changed or deployed", async () => {
  const { id, versions } = await createTestWorkflow(owner);
  const version = `/api/v1/workflows/${id}/versions/${versions.newest.id}`;
  await owner(`POST /api/v1/workflows/${id}/publish`);
  await owner(`POST /api/v1/workflows/${id}/publish`, {}, { "x-environment": "staging" });
  await owner(`POST /api/v1/workflows/${id}/publish`, {}, { "x-environment": "development" });
  await owner(`POST /api/v1/workflows/${id}/deactivate`, undefined, {
    "x-environment": "development",
  });
  const archived = await owner(`DELETE /api/v1/workflows/${id}`);
  expect(archived.status).toBe(204);
  expect(archived.events.toSorted()).toEqual([
    "workflow.archived",
    "workflow.deactivated",
    "workflow.deactivated",
  ]);
  const told = await world.sql(
    "select environment from events where type = 'workflow.deactivated' and resource_id = $1 and request_id = $2 order by environment",
    [id, archived.headers["x-request-id"]],
  );
  expect(told.map(({ environment }) => environment)).toEqual(["production", "staging"]);
  expect((await owner(`GET /api/v1/workflows/${id}`)).body.data).toMatchObject({
    status: "archived",
    environments: { production: { enabled: false }, staging: { enabled: false } },
  });
  const refused = { status: 409, body: { code: "workflow_archived" }, events: [] };
  for (const [route, body] of [
    [`PATCH /api/v1/workflows/${id}`, { name: "X" }],
    [`PUT /api/v1/workflows/${id}`, exampleDefinition()],
    [`POST /api/v1/workflows/${id}/publish`, {}],
    [`POST /api/v1/workflows/${id}/activate`],
    [`POST /api/v1/workflows/${id}/deactivate`],
    [`POST /api/v1/workflows/${id}/rollback`, {}],
    [`POST /api/v1/workflows/${id}/versions`, {}],
    [`POST ${version}/restore`],
  ] as const) {
    expect(await owner(route, body), route).toMatchObject(refused);
  }
  expect(await owner(`DELETE /api/v1/workflows/${id}`)).toMatchObject({ status: 204, events: [] });
  const listed = async (query: string) =>
    (await owner(`GET /api/v1/workflows?limit=200${query}`)).body.data.map((one: any) => one.id);
  expect(await listed("")).not.toContain(id);
  expect(await listed("&status=archived")).toContain(id);
});

test("the list is newest first, paged, filtered by status and name, without graphs", async () => {
  const ids: string[] = [];
  for (const name of ["Listed 100% a", "Listed b", "Listed c"]) {
    ids.push((await createTestWorkflow(owner, { name })).id);
    world.clock.advance(1);
  }
  const [a = "", b = "", c = ""] = ids;
  await owner(`POST /api/v1/workflows/${b}/activate`, undefined, { "x-environment": "staging" });
  const list = async (query: string) => (await owner(`GET /api/v1/workflows?${query}`)).body;
  const idsOf = async (query: string) => (await list(query)).data.map((one: any) => one.id);
  expect(await idsOf("q=LISTED")).toEqual([c, b, a]);
  expect(await idsOf("q=100%25")).toEqual([a]);
  expect(await idsOf("q=listed&status=active")).toEqual([b]);
  expect(await idsOf("q=listed&status=inactive")).toEqual([c, a]);
  const first = await list("q=listed&limit=2");
  expect(first.pagination).toMatchObject({ hasMore: true, limit: 2 });
  const { nextCursor } = first.pagination;
  expect(await idsOf(`q=listed&limit=2&after=${nextCursor}`)).toEqual([a]);
  expect(first.data[1]).toMatchObject({
    id: b,
    name: "Listed b",
    status: "active",
    trigger: { type: "manual" },
    environments: { staging: { version: 1, enabled: true }, production: null },
  });
  expect(first.data[1]).not.toHaveProperty("nodes");
});

test("both spellings of the paths are equivalent", async () => {
  const { body } = await owner("POST /api/workflows", exampleDefinition({ name: "Spelt" }));
  const { id } = body.data;
  for (const base of ["/api/workflows", "/api/v1/workflows"]) {
    expect((await owner(`GET ${base}/${id}`)).body.data.name).toBe("Spelt");
    expect(await owner(`POST ${base}/${id}/versions`)).toMatchObject({
      status: 201,
      events: ["workflow.version_created"],
    });
  }
  const history = await listTestVersions(owner, id);
  expect((await owner(`GET /api/workflows/${id}/versions?limit=200`)).body.data).toEqual(history);
  expect(history.map(({ version }) => version)).toEqual([3, 2, 1]);
  expect(await owner(`POST /api/workflows/${id}/versions/${history[2].id}/restore`)).toMatchObject({
    status: 200,
    events: ["workflow.restored"],
  });
});

test("each node type and trigger is described for console forms", async () => {
  const { body } = await owner("GET /api/v1/workflows/node-types");
  const { nodeTypes, triggerTypes } = body.data;
  expect(triggerTypes.map(({ type }: any) => type)).toEqual([
    "manual",
    "event_bus",
    "schedule",
    "webhook",
    "form",
    "chat",
    "connector",
    "rss",
  ]);
  for (const { type, schema, ...rest } of triggerTypes) {
    expect([schema.type, schema.required[0]]).toEqual(["object", "type"]);
    expect(rest).toMatchObject({ title: expect.any(String), firstConfig: { type } });
    expect(rest.scope.properties).toHaveProperty("type");
  }
  const names =
    "agent approval artifact condition connector delay fail file.read file.write http knowledge_search llm loop merge notify publish_event query race records repeat " +
    "report respond script set state subworkflow switch ticket transform wait_for_call wait_for_event wait_for_form";
  expect(nodeTypes.map(({ type }: any) => type).toSorted()).toEqual(names.split(" "));
  for (const one of nodeTypes) {
    expect(one).toMatchObject({
      type: expect.any(String),
      title: expect.any(String),
      group: expect.any(String),
      icon: expect.stringMatching(/^[a-z-]+$/),
      summary: expect.any(String),
      effect: expect.stringMatching(/^(pure|outside|wait)$/),
      branches: expect.any(Array),
      branchesDependOnConfig: expect.any(Boolean),
      config: expect.objectContaining({ type: "object", properties: expect.any(Object) }),
      firstConfig: expect.any(Object),
      output: expect.any(Object),
    });
  }
  const byType = new Map<string, any>(nodeTypes.map((one: any) => [one.type, one]));
  expect(byType.get("condition")).toMatchObject({ branches: ["true", "false"] });
  expect(byType.get("switch")).toMatchObject({ branchesDependOnConfig: true });
  // A number, or a template that produces one.
  expect(byType.get("delay").config.properties.ms).toMatchObject({
    title: "Duration",
    "x-unit": "ms",
    "x-template": true,
    anyOf: [{ type: "integer" }, { type: "string" }],
  });
});
