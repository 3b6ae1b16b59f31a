import { expect, test } from "vitest";
import {
  exampleDefinition,
  createTestWorkflow,
  startWorkflowWorld,
  listTestVersions,
} from "../testing/world.ts";
import { loadVersions, planOfVersion, plansOfVersions } from "./plan-cache.ts";
import { useFixture } from "#kernel/testing/world.ts";

const world = await useFixture(startWorkflowWorld());
const owner = await world.member(["owner"]);

test("a snapshot of the current definition becomes the draft", async () => {
  const { id } = await createTestWorkflow(owner);
  const taken = await owner(`POST /api/v1/workflows/${id}/versions`, {
    label: "Kept",
    changeSummary: "Before the migration",
  });
  const { id: versionId, createdAt } = taken.body.data;
  expect(taken).toMatchObject({
    status: 201,
    headers: { location: `/api/v1/workflows/${id}/versions/${versionId}`, etag: '"1"' },
    events: ["workflow.version_created"],
  });
  const entry = {
    id: versionId,
    workflowId: id,
    version: 2,
    label: "Kept",
    status: "draft",
    activeIn: [],
    author: { id: owner.userId, name: "Somebody" },
    changeSummary: "Before the migration",
    createdAt,
  };
  expect(taken.body.data).toEqual(entry);
  expect((await owner(`GET /api/v1/workflows/${id}/versions/${versionId}`)).body.data).toEqual({
    ...entry,
    definition: exampleDefinition(),
  });
  expect(await listTestVersions(owner, id)).toMatchObject([
    entry,
    { version: 1, status: "superseded" },
  ]);
});

test("the history is paged, newest first, and a cursor is valid for one workflow", async () => {
  const { id } = await createTestWorkflow(owner);
  const { id: other } = await createTestWorkflow(owner);
  for (const label of ["2", "3", "4", "5"]) {
    await owner(`POST /api/v1/workflows/${id}/versions`, { label });
  }
  const list = (query: string) => owner(`GET /api/v1/workflows/${id}/versions?${query}`);
  const first = (await list("limit=3")).body;
  expect(first.data.map(({ version }: any) => version)).toEqual([5, 4, 3]);
  const { nextCursor } = first.pagination;
  const second = (await list(`limit=3&after=${nextCursor}`)).body;
  expect(second.data.map(({ version }: any) => version)).toEqual([2, 1]);
  expect(second.pagination).toEqual({ nextCursor: null, hasMore: false, limit: 3 });
  const elsewhere = await owner(`GET /api/v1/workflows/${other}/versions?after=${nextCursor}`);
  expect(elsewhere).toMatchObject({ status: 422, body: { errors: [{ path: "?after" }] } });
});

test("only the label of a version can change", async () => {
  const { id, versions } = await createTestWorkflow(owner);
  const path = `/api/v1/workflows/${id}/versions/${versions.newest.id}`;
  expect(await owner(`PATCH ${path}`, { label: "Audited" })).toMatchObject({
    status: 200,
    headers: { etag: '"2"' },
    events: ["workflow.version_labelled"],
    body: { data: { label: "Audited" } },
  });
  const [labelled] = (await owner("GET /api/v1/audit?limit=1")).body.data;
  expect(labelled.data).toMatchObject({
    before: { label: null },
    after: { label: "Audited" },
    changes: ["label"],
  });
  expect(await owner(`PATCH ${path}`, { label: "Audited" })).toMatchObject({
    status: 200,
    events: [],
  });
  expect((await owner(`PATCH ${path}`, { label: null })).body.data.label).toBeNull();
  expect(await owner(`PATCH ${path}`, { changeSummary: "Nothing" })).toMatchObject({
    status: 422,
    events: [],
  });
  // The database rejects changes of version content, even from the application.
  const partition = { workspace: world.home, environment: "production" } as const;
  const forging = world.kernel.db.write(partition, ({ tx }) =>
    tx.updateTable("workflow_versions").set({ definition: "{}" }).execute(),
  );
  await expect(forging).rejects.toThrow(/permission denied/);
});

test("a restore replaces the current definition and does not change the history", async () => {
  const { id, versions } = await createTestWorkflow(owner, { name: "One" });
  const one: string = versions.newest.id;
  await owner(`PATCH /api/v1/workflows/${id}`, { name: "Two", nodes: [], edges: [] });
  await owner(`POST /api/v1/workflows/${id}/publish`);
  const before = await listTestVersions(owner, id);
  const restored = await owner(`POST /api/v1/workflows/${id}/versions/${one}/restore`);
  expect(restored).toMatchObject({
    status: 200,
    events: ["workflow.restored"],
    body: {
      data: {
        ...exampleDefinition({ name: "One" }),
        versions: { newest: { version: 2, status: "active" } },
        environments: { production: { version: 2 } },
      },
    },
  });
  expect(await listTestVersions(owner, id)).toEqual(before);
  const [told] = (await owner("GET /api/v1/audit?limit=1")).body.data;
  expect(told.data).toMatchObject({ id, name: "One", versionId: one, version: 1 });
  expect(await owner("GET /api/v1/workflows?q=One")).toMatchObject({ body: { data: [{ id }] } });
});

test("an archived version stays archived, and its content is restored as a new version", async () => {
  const { id, versions } = await createTestWorkflow(owner);
  const one: string = versions.newest.id;
  const path = `/api/v1/workflows/${id}/versions/${one}`;
  await owner(`POST /api/v1/workflows/${id}/publish`);
  expect(await owner(`POST ${path}/archive`)).toMatchObject({
    status: 409,
    body: { code: "version_active" },
    events: [],
  });
  await owner(`PATCH /api/v1/workflows/${id}`, { name: "Two" });
  await owner(`POST /api/v1/workflows/${id}/publish`);
  expect(await owner(`POST ${path}/archive`)).toMatchObject({
    status: 200,
    events: ["workflow.version_archived"],
    body: { data: { status: "archived" } },
  });
  expect(await owner(`POST ${path}/archive`)).toMatchObject({ status: 200, events: [] });
  expect(await owner(`POST /api/v1/workflows/${id}/rollback`)).toMatchObject({
    status: 409,
    body: { code: "version_archived" },
    events: [],
  });
  await owner(`POST ${path}/restore`);
  await owner(`POST /api/v1/workflows/${id}/publish`);
  expect(await listTestVersions(owner, id)).toMatchObject([
    { version: 3, status: "active" },
    { version: 2, status: "superseded" },
    { version: 1, status: "archived" },
  ]);
});

test("a current definition with an archived newest version is published as a new version", async () => {
  const { id, versions } = await createTestWorkflow(owner);
  await owner(`POST /api/v1/workflows/${id}/versions/${versions.newest.id}/archive`);
  expect(await owner(`POST /api/v1/workflows/${id}/publish`)).toMatchObject({
    events: [
      "workflow.version_created",
      "workflow.published",
      "deploy.completed",
      "workflow.activated",
    ],
    body: { data: { environments: { production: { version: 2 } } } },
  });
});

test("versions are compared by id, by number, or with the current definition", async () => {
  const { id, versions } = await createTestWorkflow(owner);
  const one: string = versions.newest.id;
  const nodes = [
    { id: "answer", type: "respond", name: "Say it", config: { body: "Hi" } },
    { id: "stop", type: "fail", config: { message: "No" } },
  ];
  await owner(`PATCH /api/v1/workflows/${id}`, {
    description: "Curt",
    trigger: { type: "webhook" },
    nodes,
    edges: [{ from: "answer", to: "stop" }],
  });
  const diff = async (a: string, b: string) =>
    (await owner(`GET /api/v1/workflows/${id}/versions/${a}/diff/${b}`)).body.data;
  const { nodes: before } = exampleDefinition();
  const found = await diff(one, "2");
  expect(found).toMatchObject({
    from: { id: one, version: 1 },
    to: { id: expect.stringMatching(/^wfv_/), version: 2 },
    identical: false,
    fields: [{ field: "description", before: null, after: "Curt" }],
    trigger: { before: { type: "manual" }, after: { type: "webhook" } },
    nodes: {
      added: [nodes[1]],
      removed: [before[0]],
      changed: [{ id: "answer", changes: ["config", "name"], before: before[1], after: nodes[0] }],
    },
    edges: {
      added: [{ from: "answer", to: "stop" }],
      removed: [{ from: "make", to: "answer" }],
    },
  });
  expect(await diff(one, "live")).toEqual({ ...found, to: { id: null, version: null } });
  expect(await diff("2", "live")).toMatchObject({ identical: true, trigger: null, fields: [] });
  expect((await owner(`GET /api/v1/workflows/${id}/versions/1/diff/9`)).status).toBe(404);
});

test("a plan is compiled once per version, and not for a missing version", async () => {
  const { id, versions } = await createTestWorkflow(owner);
  const versionId: string = versions.newest.id;
  const plan = await planOfVersion(world.kernel, versionId);
  expect(plan).toMatchObject({
    versionId,
    workflowId: id,
    number: 1,
    definition: exampleDefinition(),
  });
  expect(plan?.plan.graph.nodes.map((node) => node.id)).toEqual(["make", "answer"]);
  const partition = { workspace: world.home, environment: "production" } as const;
  const again = await world.kernel.db.read(partition, (tx) =>
    planOfVersion({ tx, services: world.kernel }, versionId),
  );
  expect(again).toBe(plan);
  const { versions: others } = await createTestWorkflow(owner);
  const absent = "wfv_00000000000000000000000000";
  const all = await plansOfVersions(world.kernel, [versionId, others.newest.id, absent]);
  expect([...all.keys()].toSorted()).toEqual([versionId, others.newest.id].toSorted());
  expect(await planOfVersion(world.kernel, absent)).toBeUndefined();
  expect(await loadVersions(world.kernel.db, [versionId])).toEqual([
    { versionId, workflowId: id, number: 1, definition: exampleDefinition() },
  ]);
});
