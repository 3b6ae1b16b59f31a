import { expect, test } from "vitest";
import { startWorker } from "#domains/bus/testing/node.ts";
import { type Ask, until, useWorld } from "#kernel/testing/world.ts";
import { createToken, deployWorkflow } from "../testing/workflows.ts";
import { BYTES_PER_MINUTE, keepBudgetOf } from "../inbound/kept/keep-budget.ts";
import { keptRequestsJob } from "../inbound/kept/kept-request.ts";
import { findRuns, publish, SET } from "../testing/triggers.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);
await world.sql("update sessions set expires_at = '2100-01-01'");

const TOPIC = "orders";
const publishOrder = (n: number): Promise<string> =>
  publish(owner, TOPIC, { type: "orders.paid", payload: { n, large: n > 5 } });
const backfill = (id: string, body: object) => owner(`POST /api/v1/workflows/${id}/backfill`, body);
const ended = (id: string) =>
  until(async () => {
    const { body } = await owner(`GET /api/v1/backfills/${id}`);
    return body.data.state !== "running" && body.data;
  });
const runEvents = async (id: string): Promise<string[]> =>
  (await findRuns(world, id)).map(({ event_id }) => event_id).toSorted();

test("a backfill starts a run per past event in small batches and sets the event as the cause", async () => {
  const from = new Date(world.clock.nowMs() - 1_000).toISOString();
  const ids: string[] = [];
  for (let n = 0; n < 10; n += 1) ids.push(await publishOrder(n));
  const workflow = await deployWorkflow(owner, [SET], {
    trigger: { type: "event_bus", topic: TOPIC, eventType: "orders.paid" },
  });
  await world.settled();
  const dry = await backfill(workflow, { from, filter: { "data.large": true }, dryRun: true });
  expect([dry.status, dry.events, dry.body.data.matched]).toEqual([200, [], 4]);
  expect(dry.body.data.things.map(({ thing }: any) => thing)).toEqual(ids.slice(6));
  const answer = await backfill(workflow, { from, maxConcurrency: 2 });
  expect([answer.status, answer.events]).toEqual([202, ["workflow.backfill_started"]]);
  const { id } = answer.body.data.backfill;
  await using _node = await startWorker(world);
  const done = await ended(id);
  expect(done).toMatchObject({ state: "completed", started: 10, scanned: 10 });
  expect(await runEvents(workflow)).toEqual(ids.toSorted());
  // The log and the runs are the record of what was started. The backfill deletes its own rows.
  expect(await world.sql("select from backfill_runs")).toEqual([]);
  const types = await world.sql("select type from events where resource_id = $1 order by seq", [
    id,
  ]);
  expect(types.map(({ type }: any) => type).toSorted()).toEqual([
    "workflow.backfill_completed",
    "workflow.backfill_started",
  ]);
  const causes = await world.sql(
    "select count(*)::int as n from events where type = 'workflow.run_started' and causation_id = any($1)",
    [ids],
  );
  expect(causes[0].n).toBe(10);
});

test("a backfill runs a schedule for past times; a cancelled backfill starts no more runs", async () => {
  const workflow = await deployWorkflow(owner, [SET], {
    trigger: { type: "schedule", cron: "0 9 * * *" },
  });
  const span = { from: "2026-03-01T00:00:00Z", to: "2026-03-04T00:00:00Z" };
  const { body } = await backfill(workflow, span);
  {
    await using _node = await startWorker(world);
    expect((await ended(body.data.backfill.id)).started).toBe(3);
    const times = (await findRuns(world, workflow)).map(({ trigger }) => trigger.scheduledFor);
    expect(times.toSorted()).toEqual(
      ["01", "02", "03"].map((day) => `2026-03-${day}T09:00:00.000Z`),
    );
  }
  const second = await backfill(workflow, span);
  const path = `/api/v1/backfills/${second.body.data.backfill.id}`;
  const cancelled = await owner(`POST ${path}/cancel`);
  expect([cancelled.body.data.state, cancelled.events]).toEqual([
    "cancelled",
    ["workflow.backfill_cancelled"],
  ]);
  expect((await owner(`POST ${path}/cancel`)).body.code).toBe("backfill_over");
  const { data } = (await owner(`GET /api/v1/workflows/${workflow}/backfills`)).body;
  expect(data.map(({ state }: any) => state)).toEqual(["cancelled", "completed"]);
  const stranger = await world.member(["owner"], await world.workspace("elsewhere"));
  expect((await stranger(`GET ${path}`)).status).toBe(404);
  const narrow = await createToken(world, owner, ["workflows:read"]);
  expect((await narrow(`POST /api/v1/workflows/${workflow}/backfill`, span)).status).toBe(403);
  expect((await backfill(workflow, { ...span, to: "2099-01-01T00:00:00Z" })).status).toBe(422);
});

test("times that are not stored are generated once, each up to a limit, or not at all", async () => {
  const deploy = (missed: string) =>
    deployWorkflow(owner, [SET], { trigger: { type: "schedule", cron: "0 * * * *", missed } });
  const ids = [await deploy("one"), await deploy("all"), await deploy("none"), await deploy("all")];
  {
    await using _node = await startWorker(world);
    await until(async () => {
      const text = "select from jobs where kind = 'runs.schedule' and key = any($1)";
      return (await world.sql(text, [ids])).length === ids.length;
    });
  }
  // Only two of the thousand times are left.
  await world.sql("update jobs set payload = payload || '{\"madeUp\": 998}' where key = $1", [
    ids[3],
  ]);
  world.clock.advance(3 * 3_600_000);
  await using _node = await startWorker(world);
  await until(async () => {
    const text =
      "select from jobs where kind = 'runs.schedule' and key = any($1) and due_at > $2 and claimed_at is null";
    return (await world.sql(text, [ids, new Date(world.clock.nowMs())])).length === ids.length;
  });
  const counts = await Promise.all(ids.map(async (id) => (await findRuns(world, id)).length));
  expect(counts).toEqual([1, 3, 0, 2]);
});

test("a workflow activated from a past time gets each event once, from the backfill or from the trigger", async () => {
  const topic = "late";
  const publishLate = () => publish(owner, topic, { type: "late.one" });
  const workflow = await deployWorkflow(owner, [SET], {
    trigger: { type: "event_bus", topic, eventType: "late.one" },
  });
  const path = `POST /api/v1/workflows/${workflow}`;
  expect((await owner(`${path}/deactivate`)).status).toBe(200);
  await publishLate();
  world.clock.advance(10);
  const from = new Date(world.clock.nowMs()).toISOString();
  // The trigger is active for a while and receives one event directly.
  await owner(`${path}/activate`);
  const ids = [await publishLate()];
  {
    await using _node = await startWorker(world);
    await until(async () => (await runEvents(workflow)).length === 1);
  }
  await owner(`${path}/deactivate`);
  ids.push(await publishLate(), await publishLate());
  expect((await owner(`${path}/activate`, { from: "2999-01-01T00:00:00Z" })).status).toBe(422);
  const narrow = await createToken(world, owner, ["workflows:read", "deployments:create"]);
  expect((await narrow(`${path}/activate`, { from })).status).toBe(403);
  const activated = await owner(`${path}/activate`, { from });
  expect(activated).toMatchObject({
    status: 200,
    events: ["workflow.activated", "workflow.backfill_started"],
  });
  expect((await owner(`${path}/activate`, { from })).body.code).toBe("already_active");
  expect((await owner(`${path}/activate`)).events).toEqual([]);
  ids.push(await publishLate());
  await world.settled();
  await using _node = await startWorker(world);
  const [{ id }] = (await owner(`GET /api/v1/workflows/${workflow}/backfills`)).body.data;
  expect(await ended(id)).toMatchObject({ state: "completed", started: 2 });
  await until(async () => (await runEvents(workflow)).length === ids.length);
  expect(await runEvents(workflow)).toEqual(ids.toSorted());
});

test("a schedule activated from a past time runs for the times that it missed only", async () => {
  const hour = 3_600_000;
  const workflow = await deployWorkflow(owner, [SET], {
    trigger: { type: "schedule", cron: "0 * * * *", missed: "all" },
  });
  const path = `POST /api/v1/workflows/${workflow}`;
  const from = new Date(world.clock.nowMs()).toISOString();
  const times = async () =>
    (await findRuns(world, workflow)).map((run) => run.trigger.scheduledFor as string).toSorted();
  const planned = async (count: number) => {
    await using _node = await startWorker(world);
    await until(async () => {
      const text = "select from jobs where kind = 'runs.schedule' and key = $1";
      return (await world.sql(text, [workflow])).length === count;
    });
  };
  await planned(1);
  // The schedule is active for two hours, then inactive for two.
  world.clock.advance(2 * hour);
  {
    await using _node = await startWorker(world);
    await until(async () => (await times()).length === 2);
  }
  await owner(`${path}/deactivate`);
  world.clock.advance(2 * hour);
  await planned(0);
  const activated = await owner(`${path}/activate`, { from });
  expect(activated.events).toEqual(["workflow.activated", "workflow.backfill_started"]);
  await using _node = await startWorker(world);
  const [{ id }] = (await owner(`GET /api/v1/workflows/${workflow}/backfills`)).body.data;
  expect(await ended(id)).toMatchObject({ state: "completed", started: 2 });
  const all = await times();
  expect([all.length, new Set(all).size]).toEqual([4, 4]);
});

test("a schedule job from before the activation leaves its time to the backfill", async () => {
  const hour = 3_600_000;
  const workflow = await deployWorkflow(owner, [SET], {
    trigger: { type: "schedule", cron: "0 * * * *" },
  });
  const path = `POST /api/v1/workflows/${workflow}`;
  const from = new Date(world.clock.nowMs()).toISOString();
  const jobs = (condition: string) =>
    world.sql(
      `select from jobs where kind = 'runs.schedule' and key = $1 and claimed_at is null and due_at ${condition} $2`,
      [workflow, new Date(world.clock.nowMs())],
    );
  {
    await using _node = await startWorker(world);
    await until(async () => (await jobs(">")).length === 1);
  }
  // The time passes while no worker runs. The workflow is then deactivated and activated.
  world.clock.advance(hour);
  expect(await jobs("<=")).toHaveLength(1);
  await owner(`${path}/deactivate`);
  await owner(`${path}/activate`, { from });
  const [{ id }] = (await owner(`GET /api/v1/workflows/${workflow}/backfills`)).body.data;
  // The backfill comes first; the reader of the activation has not moved the job yet.
  const [before] = await world.sql("select due_at, payload from jobs where key = $1", [workflow]);
  await using _node = await startWorker(world);
  expect(await ended(id)).toMatchObject({ state: "completed", started: 1 });
  await until(async () => (await jobs(">")).length === 1);
  await world.sql(
    "update jobs set due_at = $2, payload = $3 where key = $1 and claimed_at is null",
    [workflow, before.due_at, before.payload],
  );
  await until(async () => (await jobs(">")).length === 1);
  expect(await findRuns(world, workflow)).toHaveLength(1);
});

test("stored requests run again once per backfill, and are deleted after the retention time", async () => {
  const hook = (more: object) => ({ trigger: { type: "webhook", ...more } });
  const workflow = await deployWorkflow(owner, [SET], hook({ keep: { days: 30 } }));
  const { trigger } = (await owner(`GET /api/v1/workflows/${workflow}`)).body.data;
  const { pathname } = new URL(trigger.url);
  const from = new Date(world.clock.nowMs() - 1_000).toISOString();
  for (const n of [1, 2, 3])
    expect((await world.stranger(`POST ${pathname}`, { n })).status).toBe(202);
  const large = await world.stranger(`POST ${pathname}`, { text: "x".repeat(300_000) });
  expect(large.status).toBe(202);
  const dry = await backfill(workflow, { from, dryRun: true });
  expect(dry.body.data).toMatchObject({ matched: 3, truncated: false });
  const filtered = await backfill(workflow, { from, filter: { "data.n": 1 } });
  expect(filtered).toMatchObject({ status: 422, body: { errors: [{ path: "/filter" }] } });
  const answer = await backfill(workflow, { from, maxConcurrency: 1 });
  {
    await using _node = await startWorker(world);
    const done = await ended(answer.body.data.backfill.id);
    expect(done).toMatchObject({ state: "completed", started: 3, triggerType: "webhook" });
  }
  const bodies = (await findRuns(world, workflow)).map((run) => run.trigger.input.body.n);
  expect(bodies.filter(Boolean).toSorted()).toEqual([1, 1, 2, 2, 3, 3]);
  // The stored requests already have a run, so an activation repeats none of them.
  await owner(`POST /api/v1/workflows/${workflow}/deactivate`);
  const late = await owner(`POST /api/v1/workflows/${workflow}/activate`, { from });
  expect(late).toMatchObject({ status: 409, body: { code: "nothing_to_backfill" }, events: [] });
  await owner(`POST /api/v1/workflows/${workflow}/activate`);
  // A version with another input schema skips the stored requests.
  const { body } = await owner(`GET /api/v1/workflows/${workflow}`);
  const inputSchema = { type: "object", required: ["order"] };
  await owner(`PATCH /api/v1/workflows/${workflow}`, {
    trigger: { ...hook({ keep: { days: 30 } }).trigger, inputSchema },
    nodes: body.data.nodes,
  });
  await owner(`POST /api/v1/workflows/${workflow}/publish`, {});
  expect((await backfill(workflow, { from, dryRun: true })).body.data.matched).toBe(0);
  await owner(`PATCH /api/v1/workflows/${workflow}`, hook({}));
  await owner(`POST /api/v1/workflows/${workflow}/publish`, {});
  expect((await backfill(workflow, { from })).body.code).toBe("nothing_to_backfill");
  await world.sql("update kept_requests set expires_at = now() - interval '1 second'");
  await keptRequestsJob.effect?.(world.kernel, {} as never, {} as never);
  expect(await world.sql("select from kept_requests")).toEqual([]);
});

test("stored requests of a public webhook are limited in bytes, and are deleted with the workflow", async () => {
  const trigger = { type: "webhook", keep: { days: 30 } };
  const workflow = await deployWorkflow(owner, [SET], { trigger });
  const { url } = (await owner(`GET /api/v1/workflows/${workflow}`)).body.data.trigger;
  const { pathname } = new URL(url);
  const text = "x".repeat(260_000);
  const send = async (n: number) =>
    expect((await world.stranger(`POST ${pathname}`, { n, text })).status).toBe(202);
  await send(0);
  // Simulate so many requests in this minute that only five more fit.
  const [{ key }] = await world.sql(
    "select workflow_id || ' ' || trigger_id as key from kept_requests where workflow_id = $1",
    [workflow],
  );
  const taken = BYTES_PER_MINUTE - 6.5 * text.length;
  expect(keepBudgetOf(world.kernel).take(key, taken, world.clock.nowMs())).toBe(true);
  for (let n = 1; n < 9; n += 1) await send(n);
  const kept = async () =>
    (
      await world.sql(
        "select id, bytes, (input -> 'body' ->> 'n')::int as n from kept_requests order by id",
      )
    ).map(({ n }) => n as number);
  const first = await kept();
  // All requests were answered, but only some were stored.
  expect(first).toEqual([0, 1, 2, 3, 4, 5]);
  world.clock.advance(61_000);
  await send(1_000);
  expect((await kept()).at(-1)).toBe(1_000);
  // Simulate much longer requests. The newest stay within the limit.
  await world.sql("update kept_requests set bytes = 100 * 1048576");
  const retire = () => keptRequestsJob.effect?.(world.kernel, {} as never, {} as never);
  await retire();
  expect(await kept()).toEqual([first.at(-1), 1_000]);
  expect((await world.stranger("GET /metrics")).body).toMatch(/millrace_kept_request_bytes [1-9]/);
  await owner(`DELETE /api/v1/workflows/${workflow}`);
  await retire();
  expect(await kept()).toHaveLength(2);
  world.clock.advance(25 * 3_600_000);
  await retire();
  expect(await kept()).toEqual([]);
});

test("filters do not reveal events hidden from the author, and long schedules do not block other workflows", async () => {
  const from = new Date(world.clock.nowMs() - 1_000).toISOString();
  await owner("POST /api/v1/tables", {
    name: "wages",
    slug: "wages",
    columns: [
      { name: "who", type: "text" },
      { name: "wage", type: "integer" },
    ],
    rules: [
      { roles: ["agent"], actions: ["read"], fields: ["who"], where: { who: { ne: "Boss" } } },
    ],
  });
  for (const [who, wage] of [
    ["Ann", 10],
    ["Boss", 99],
  ]) {
    await owner("POST /api/v1/tables/wages/records", { who, wage });
  }
  const workflow = await deployWorkflow(owner, [SET], {
    trigger: { type: "event_bus", topic: "platform.events", eventType: "record.created" },
  });
  const agent = await world.member(["agent"]);
  await world.settled();
  const dryRun = async (filter: object | undefined, ask: Ask = agent) => {
    const body = { from, dryRun: true, ...(filter && { filter }) };
    const answer = await ask(`POST /api/v1/workflows/${workflow}/backfill`, body);
    return answer.body.data ? [answer.body.data.matched, answer.body.data.things.length] : answer;
  };
  expect(await dryRun({ "data.wage": { gte: 50 } }, owner)).toEqual([1, 1]);
  expect(await dryRun({ "data.wage": { gte: 1 } })).toEqual([0, 0]);
  expect(await dryRun({ "data.who": "Boss" })).toEqual([0, 0]);
  expect(await dryRun({ "data.who": "Ann" })).toEqual([1, 1]);
  expect(await dryRun(undefined)).toEqual([2, 1]);
  const deaf = await createToken(world, owner, ["workflows:trigger"]);
  expect(await dryRun({ "data.wage": 99 }, deaf)).toMatchObject({ status: 403 });
  const started = await agent(`POST /api/v1/workflows/${workflow}/backfill`, {
    from,
    filter: { "data.wage": { gte: 1 } },
  });
  {
    await using _node = await startWorker(world);
    expect((await ended(started.body.data.backfill.id)).started).toBe(0);
  }
  const minutes = await deployWorkflow(owner, [SET], {
    trigger: { type: "schedule", cron: "* * * * *", timezone: "Europe/Berlin" },
  });
  const year = { from: "2025-03-01T00:00:00Z", to: "2026-03-01T00:00:00Z" };
  const dry = await backfill(minutes, { ...year, dryRun: true });
  expect(dry.body.data).toMatchObject({ matched: 1_000, truncated: true });
  expect((await backfill(minutes, { ...year, from: "0001-01-01T00:00:00Z" })).status).toBe(422);
  for (let n = 0; n < 20; n += 1) expect((await backfill(minutes, year)).status).toBe(202);
  expect((await backfill(minutes, year)).body.code).toBe("too_many_backfills");
});
