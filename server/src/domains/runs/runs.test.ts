import { expect, test } from "vitest";
import { until, useWorld } from "#kernel/testing/world.ts";
import { deployWorkflow, readEventTypes, waitForRun, trigger } from "./testing/workflows.ts";

const ADD = [
  { id: "sum", type: "transform", config: { expression: "trigger.input.a + trigger.input.b" } },
  { id: "answer", type: "respond", config: { body: { sum: "{{ steps.sum.output }}" } } },
];
const DELAY = [{ id: "sleep", type: "delay", config: { ms: 60_000 } }];
const STARTED = ["workflow.run_started", "workflow.run_completed"];

const world = await useWorld({ work: true });
const owner = await world.member(["owner"]);

test("a run that only computes has ended when the response is sent", async () => {
  const id = await deployWorkflow(owner, ADD);
  const { status, body, events, headers } = await trigger(owner, id, { a: 1, b: 2 }, "?wait=5000");
  expect({ status, events }).toEqual({ status: 200, events: STARTED });
  expect(body.data).toMatchObject({
    id: body.data.runId,
    workflowId: id,
    version: 1,
    status: "completed",
    environment: "production",
    triggerType: "manual",
    startedBy: { id: owner.userId, type: "user" },
    output: { status: 200, body: { sum: 3 } },
    error: null,
  });
  expect(headers["location"]).toBe(`/api/v1/runs/${body.data.runId}`);
  const run = await owner(`GET /api/v1/runs/${body.data.runId}`);
  expect(run.body.data).toMatchObject({
    trigger: { type: "manual", input: { a: 1, b: 2 } },
    output: { status: 200, body: { sum: 3 } },
    trace: {
      total: 2,
      truncated: false,
      steps: [
        {
          id: "sum",
          nodeId: "sum",
          type: "transform",
          status: "completed",
          output: 3,
          attempts: 1,
        },
        { id: "answer", type: "respond", status: "completed", logs: [] },
      ],
    },
  });
  expect(run.body.data.trace.steps[0]).toMatchObject({
    startedAt: expect.any(String),
    finishedAt: expect.any(String),
    durationMs: expect.any(Number),
  });
  const unchanged = { "if-none-match": run.headers["etag"] ?? "" };
  const again = await owner(`GET /api/v1/runs/${body.data.runId}`, undefined, unchanged);
  expect(again.status).toBe(304);
});

test("without wait the response is 202 with the id and without the output", async () => {
  const id = await deployWorkflow(owner, ADD);
  const { status, body, events } = await owner(`POST /api/workflows/${id}/trigger`, {
    input: { a: 1, b: 1 },
  });
  expect({ status, events }).toEqual({ status: 202, events: STARTED });
  expect(body.data).toMatchObject({ runId: expect.stringMatching(/^run_/), status: "completed" });
  expect(body.data).not.toHaveProperty("output");
});

test("a waiting caller gets the result at the end, or the current state at the timeout", async () => {
  const id = await deployWorkflow(owner, DELAY);
  const short = await trigger(owner, id, null, "?wait=50");
  expect(short).toMatchObject({
    status: 202,
    body: { data: { status: "waiting" } },
    events: ["workflow.run_started"],
  });
  const long = trigger(owner, id, null, "?wait=60000");
  await until(async () => {
    const { body } = await owner(`GET /api/v1/runs?workflowId=${id}&status=waiting`);
    return body.data.length === 2;
  });
  world.clock.advance(61_000);
  expect(await long).toMatchObject({ status: 200, body: { data: { status: "completed" } } });
});

test("a repeated request gets the response of the first one", async () => {
  const id = await deployWorkflow(owner, [{ id: "sleep", type: "delay", config: { ms: 1 } }]);
  const key = { "idempotency-key": "waited-for" };
  const route = `POST /api/v1/workflows/${id}/trigger?wait=20000`;
  const first = await owner(route, {}, key);
  expect(first).toMatchObject({ status: 200, body: { data: { status: "completed" } } });
  const second = await owner(route, {}, key);
  expect(second).toMatchObject({ status: 200, body: first.body, events: [] });
  expect(second.headers["idempotency-replayed"]).toBe("true");
});

test("a trigger is rejected without a deployment, for an archived workflow and for an unknown version", async () => {
  const id = await deployWorkflow(owner, ADD);
  const staged = await owner(
    `POST /api/v1/workflows/${id}/trigger`,
    {},
    { "x-environment": "staging" },
  );
  expect(staged).toMatchObject({ status: 409, body: { code: "not_deployed" }, events: [] });
  expect(staged.body.detail).toContain("staging");
  const other = await owner(`GET /api/v1/workflows/${await deployWorkflow(owner, ADD)}/versions`);
  const foreign = await owner(`POST /api/v1/workflows/${id}/trigger`, {
    versionId: other.body.data[0].id,
  });
  expect(foreign).toMatchObject({ status: 422, body: { errors: [{ path: "/versionId" }] } });
  await owner(`DELETE /api/v1/workflows/${id}`);
  expect(await trigger(owner, id)).toMatchObject({
    status: 409,
    body: { code: "workflow_archived" },
    events: [],
  });
});

test("a named version runs as the caller; a deployed version runs as its deployer", async () => {
  const id = await deployWorkflow(owner, ADD);
  const builder = await world.member(["builder"]);
  const { body: patched } = await builder(`PATCH /api/v1/workflows/${id}`, {
    nodes: [{ id: "two", type: "set", config: { values: { two: 2 } } }],
    edges: [],
  });
  const versionId = patched.data.versions.newest.id;
  const named = await builder(`POST /api/v1/workflows/${id}/trigger?wait=0`, { versionId });
  expect(named).toMatchObject({
    status: 200,
    body: { data: { versionId, version: 2, output: { two: 2 } } },
  });
  const live = await builder(`POST /api/v1/workflows/${id}/trigger`, {});
  expect(live.body.data.version).toBe(1);
  const rows = await world.sql("select run_as from runs where id = any($1) order by id", [
    [named.body.data.runId, live.body.data.runId],
  ]);
  expect(rows).toEqual([{ run_as: builder.userId }, { run_as: owner.userId }]);
  await owner(`POST /api/v1/workflows/${id}/versions/${versionId}/archive`);
  const gone = await builder(`POST /api/v1/workflows/${id}/trigger`, { versionId });
  expect(gone).toMatchObject({ status: 409, body: { code: "version_archived" }, events: [] });
});

test("lists are filtered, newest first, and paged without loss", async () => {
  const id = await deployWorkflow(owner, ADD);
  const ids: string[] = [];
  for (let n = 0; n < 5; n += 1) {
    ids.unshift((await trigger(owner, id, { a: n, b: n })).body.data.runId);
  }
  const pages: string[] = [];
  let after = "";
  for (;;) {
    const { body } = await owner(`GET /api/v1/workflows/${id}/runs?limit=2${after}`);
    pages.push(...body.data.map((run: { id: string }) => run.id));
    expect(body.data[0]).not.toHaveProperty("trace");
    if (!body.pagination.hasMore) break;
    after = `&after=${body.pagination.nextCursor}`;
  }
  expect(pages).toEqual(ids);
  const listed = async (query: string) =>
    (await owner(`GET /api/v1/runs?workflowId=${id}${query}`)).body.data.length;
  const { createdAt } = (await owner(`GET /api/v1/runs/${ids[2]}`)).body.data;
  const next = new Date(Date.parse(createdAt) + 1).toISOString();
  expect(await listed("&status=failed")).toBe(0);
  expect(await listed("&triggerType=manual&status=completed")).toBe(5);
  expect(await listed("&triggerType=schedule")).toBe(0);
  expect((await listed(`&from=${createdAt}`)) + (await listed(`&to=${createdAt}`))).toBe(5);
  expect(await listed(`&from=${createdAt}&to=${next}`)).toBeGreaterThan(0);
  expect(await owner("GET /api/v1/runs?after=guessed")).toMatchObject({ status: 422 });
  const staged = await owner("GET /api/v1/runs", undefined, { "x-environment": "staging" });
  expect(staged.body.data).toEqual([]);
});

test("run events name the workflow, with the workflow as actor", async () => {
  const id = await deployWorkflow(owner, ADD, { name: "Adds up" });
  const { body } = await trigger(owner, id, { a: 1, b: 1 });
  await waitForRun(owner, body.data.runId);
  expect(await readEventTypes(world, body.data.runId)).toEqual(STARTED);
  const rows = await world.sql(
    "select resource_name as display_name, actor_type, data from events where resource_id = $1 order by seq",
    [body.data.runId],
  );
  expect(rows).toMatchObject([
    { display_name: "Adds up", actor_type: "workflow", data: { status: "running" } },
    { data: { status: "completed", trigger: "manual", workflowId: id } },
  ]);
  expect(JSON.stringify(rows)).not.toContain("input");
});
