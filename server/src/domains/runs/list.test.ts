import { expect, test } from "vitest";
import { readNewestEvents } from "#kernel/log/topic-log.ts";
import { until, useWorld } from "#kernel/testing/world.ts";
import { deployWorkflow, runWorkflow, trigger, waitForRun } from "./testing/workflows.ts";

const world = await useWorld({ work: true });
const owner = await world.member(["owner"]);

const SET = [{ id: "keep", type: "set", config: { values: {} } }];
const FAIL = [
  { id: "no", type: "fail", config: { code: "no_paper", message: "50% of it is gone." } },
];
const SLEEP = [{ id: "sleep", type: "delay", config: { ms: 3_600_000 } }];

const ids = async (query: string) =>
  (await owner(`GET /api/v1/runs?${query}`)).body.data.map(({ id }: any) => id);

test("runs are found by several statuses, error, version, test and order, and counted", async () => {
  const fine = await deployWorkflow(owner, SET);
  const broken = await deployWorkflow(owner, FAIL);
  const slow = await deployWorkflow(owner, SLEEP);
  const done = (await runWorkflow(owner, fine)).id;
  const failed = (await runWorkflow(owner, broken)).id;
  const { runId: waiting } = (await trigger(owner, slow)).body.data;
  await waitForRun(owner, waiting, ["waiting"]);
  const tested = (await owner(`POST /api/v1/workflows/${fine}/test`, {})).body.data.id;
  expect(await ids("")).toEqual([tested, waiting, failed, done]);
  expect(await ids("test=false&order=asc")).toEqual([done, failed, waiting]);
  expect(await ids("test=true")).toEqual([tested]);
  expect(await ids("status=failed,waiting")).toEqual([waiting, failed]);
  expect(await ids("error=50%25 of")).toEqual([failed]);
  expect(await ids("error=NO_PAPER")).toEqual([failed]);
  expect(await ids("error=5%25 of")).toEqual([]);
  expect(await ids(`workflowId=${fine}&version=1&test=false`)).toEqual([done]);
  expect(await ids("version=2")).toEqual([]);
  expect(await ids("triggerType=test,webhook")).toEqual([tested]);
  const seen: string[] = [];
  for (let after = ""; ;) {
    const { body } = await owner(
      `GET /api/v1/runs?status=failed,waiting,completed&order=asc&limit=1${after && `&after=${after}`}`,
    );
    seen.push(...body.data.map(({ id }: any) => id));
    if (!body.pagination.hasMore) break;
    after = body.pagination.nextCursor;
  }
  expect(seen).toEqual([done, failed, waiting, tested]);
  const { body } = await owner("GET /api/v1/runs/counts?test=false");
  expect(body.data).toMatchObject({
    total: 3,
    byStatus: { completed: 1, failed: 1, waiting: 1, queued: 0 },
    truncated: false,
  });
  expect((await owner("GET /api/v1/runs?status=failed,nonsense")).status).toBe(422);

  const listed = await owner("GET /api/v1/workflows?activity=true");
  const activity = Object.fromEntries(
    listed.body.data.map((workflow: any) => [workflow.id, workflow.activity]),
  );
  expect(activity[fine]).toMatchObject({
    lastStatus: "completed",
    lastDay: { total: 1, completed: 1, failed: 0, truncated: false },
    recent: [{ id: done, status: "completed", durationMs: expect.any(Number) }],
  });
  expect(activity[broken]).toMatchObject({
    lastStatus: "failed",
    lastDay: { total: 1, failed: 1 },
  });
  const elsewhere = await owner("GET /api/v1/workflows?activity=true", undefined, {
    "x-environment": "staging",
  });
  expect(elsewhere.body.data.map((workflow: any) => workflow.activity.recent)).toEqual([
    [],
    [],
    [],
  ]);
  const yearly = { trigger: { type: "schedule", cron: "0 0 1 1 *" } };
  const scheduled = await deployWorkflow(owner, [], yearly);
  const readDue = async () =>
    (await owner(`GET /api/v1/workflows?activity=true&ids=${scheduled},${fine}`)).body.data.map(
      ({ id, activity: { nextDueAt } }: any) => [id, nextDueAt?.slice(4)],
    );
  await until(async () => (await readDue())[0][1] !== undefined);
  expect(await readDue()).toEqual([
    [scheduled, "-01-01T00:00:00.000Z"],
    [fine, undefined],
  ]);
  await owner(`POST /api/v1/workflows/${scheduled}/deactivate`);
  expect((await readDue())[0]).toEqual([scheduled, undefined]);
  const plain = await owner("GET /api/v1/workflows");
  expect(plain.body.data[0]).not.toHaveProperty("activity");
});

test("shows the reason for a queued run", async () => {
  const id = await deployWorkflow(owner, SLEEP, { maxConcurrency: 1 });
  const first = (await trigger(owner, id)).body.data.runId;
  await waitForRun(owner, first, ["waiting"]);
  const second = (await trigger(owner, id)).body.data.runId;
  const third = (await trigger(owner, id)).body.data.runId;
  const queueOf = async (runId: string) =>
    (await owner(`GET /api/v1/runs/${runId}`)).body.data.queue;
  expect(await queueOf(second)).toEqual({ limit: 1, running: 1, ahead: 0, key: null });
  expect(await queueOf(third)).toEqual({ limit: 1, running: 1, ahead: 1, key: null });
  expect(await queueOf(first)).toBe(undefined);
});

test("pending approvals are counted in one request, and changes are reported by resource", async () => {
  const agent = await world.member(["agent"]);
  const since = new Date(world.clock.nowMs() - 1).toISOString();
  const ask = await deployWorkflow(owner, [
    { id: "ask", type: "approval", config: { approvers: [agent.userId] } },
  ]);
  await trigger(owner, ask);
  const { body } = await owner("POST /api/v1/itsm/incidents", {
    title: "Broken",
    description: "",
    assigneeId: agent.userId,
  });
  await owner(`PATCH /api/v1/itsm/incidents/${body.data.id}`, { title: "Still broken" });
  const waits = await until(async () => {
    const waiting = (await agent("GET /api/v1/home/waiting")).body.data;
    return waiting.counts.approvals === 1 && waiting;
  });
  expect(waits).toMatchObject({ total: 2, counts: { approvals: 1, incidents: 1, changes: 0 } });
  const changed = await agent(`GET /api/v1/events/changes?since=${since}&others=true`);
  const ticket = changed.body.data.changes.find((one: any) => one.resource.id === body.data.id);
  expect(ticket).toMatchObject({
    resource: { number: body.data.number },
    actor: { id: owner.userId },
  });
  expect(ticket.types).toContain("incident.updated");
  const own = await owner(`GET /api/v1/events/changes?since=${since}&others=true`);
  expect(own.body.data.changes.some((one: any) => one.actor.id === owner.userId)).toBe(false);
  // A thousand events are counted without reading complete rows.
  const light = await world.kernel.db.read(
    { workspace: world.home, environment: "production" },
    (tx) => readNewestEvents(tx, { hidden: [], limit: 10, light: true }),
  );
  expect(light.map(({ data }) => data)).toEqual(light.map(() => ({})));
  const recent = await agent("GET /api/v1/events/recent?topic=incident&limit=2");
  expect(recent.body.data[0].type).toMatch(/^incident\./);
  expect(recent.body.data[0].id > recent.body.data[1].id).toBe(true);
  expect((await agent("GET /api/v1/events/recent?topic=audit")).body.data).toEqual([]);
});
