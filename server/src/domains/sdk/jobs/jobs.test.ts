import { afterAll, expect, test } from "vitest";
import { startNode, type Node, send } from "#domains/bus/testing/node.ts";
import { until, useWorld } from "#kernel/testing/world.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const JOBS = "/api/v1/sdk/scheduled-jobs";
const ARTIFACTS = "/api/flowsdk/artifacts";

const world = await useWorld();
const owner = await world.member(["owner"]);
// The tests advance the clock by years.
await world.sql("update sessions set expires_at = '2100-01-01'");
afterAll(async () => {
  for (const node of nodes) await node[Symbol.asyncDispose]();
});

let count = 0;
async function scheduled(cron: string, more: object = {}): Promise<string> {
  count += 1;
  const { status, body } = await owner(`POST ${JOBS}`, {
    name: `job ${count}`,
    status: "active",
    detail: { cron, scriptSource: "return { dueAt: input.dueAt };", ...more },
  });
  expect(status).toBe(201);
  return body.data.id;
}
const moveTo = (time: string): void => world.clock.advance(Date.parse(time) - world.clock.nowMs());
/** Starts two working nodes for the first test that needs them. */
const nodes: Node[] = [];
async function working(): Promise<readonly Node[]> {
  while (nodes.length < 2) {
    const node = await startNode(world);
    await node.kernel.startWork();
    nodes.push(node);
    const { onAdvance } = world.clock;
    world.clock.onAdvance = () => {
      onAdvance();
      node.kernel.wakeSignal.raise("jobs");
    };
  }
  return nodes;
}
const executionsOf = (id: string): Promise<any[]> =>
  world.sql("select * from artifact_executions where artifact_id = $1 order by started_at, id", [
    id,
  ]);
const times = async (id: string): Promise<string[]> =>
  (await executionsOf(id)).map(({ due_at }) => due_at.toISOString());
const row = async (id: string): Promise<any> =>
  (await world.sql("select * from scheduled_jobs where artifact_id = $1", [id]))[0];
/** Resolves when it is not running and has this due time. */
const dueAt = (id: string, time: string | null) =>
  until(async () => {
    const { due_at, claim } = await row(id);
    return claim === null && (due_at?.toISOString() ?? null) === time;
  });
const toldOf = async (id: string): Promise<string[]> =>
  (
    await world.sql("select type from events where resource_id = $1 order by epoch, xid, seq", [id])
  ).map(({ type }) => type);

test("run-due executes all due jobs, each with the permissions of the member who saved it", async () => {
  moveTo("2026-11-20T08:59:00Z");
  const reader = await world.member(["member"]);
  await world.sql("update sessions set expires_at = '2100-01-01'");
  const scriptSource = "return { found: (await context.tables.list('nowhere')).length };";
  const failing = await scheduled("0 9 * * *", { scriptSource });
  const working_ = await scheduled("0 9 * * *", { environment: "development" });
  const later = await scheduled("0 10 * * *");
  expect(
    await reader(`POST ${ARTIFACTS.replace("artifacts", "scheduled-jobs")}/run-due`),
  ).toMatchObject({
    status: 200,
    body: { success: true, data: { executed: [] } },
    events: [],
  });
  moveTo("2026-11-20T09:00:01Z");
  const answer = await reader(`POST /api/v1/flowsdk/scheduled-jobs/run-due`);
  expect(answer).toMatchObject({
    status: 200,
    events: ["artifact.executed", "artifact.executed"],
  });
  const executed = answer.body.data.executed.map(({ artifactId, status, dueAt: due }: any) => [
    artifactId,
    status,
    due,
  ]);
  expect(executed.toSorted()).toEqual(
    [
      [failing, "failed", "2026-11-20T09:00:00.000Z"],
      [working_, "completed", "2026-11-20T09:00:00.000Z"],
    ].toSorted(),
  );
  const [refused] = await executionsOf(failing);
  // The owner can read tables, and the table does not exist; the member's permissions are irrelevant.
  expect(refused.outcome.outcome.runtimeError.message).not.toContain("permission");
  expect(await executionsOf(later)).toEqual([]);
  expect((await reader(`POST ${JOBS}/run-due`)).body.data.executed).toEqual([]);
  for (const id of [failing, working_, later]) await owner(`DELETE ${ARTIFACTS}/${id}`);
});

test("one execution replaces due times missed during downtime", async () => {
  moveTo("2026-11-25T10:30:00Z");
  const id = await scheduled("0 * * * *");
  world.clock.advance(50 * HOUR_MS);
  // A changed source keeps the late due time, because the schedule is unchanged.
  await owner(`PATCH ${ARTIFACTS}/${id}`, { detail: { scriptSource: "return { new: true };" } });
  await working();
  await dueAt(id, "2026-11-27T13:00:00.000Z");
  expect(await executionsOf(id)).toMatchObject([
    { version_number: 2, outcome: { outcome: { output: { new: true } } } },
  ]);
  expect(await times(id)).toEqual(["2026-11-25T11:00:00.000Z"]);
  await owner(`DELETE ${ARTIFACTS}/${id}`);
});

test("the platform executes a job once per due time, in a new causal chain", async () => {
  await working();
  moveTo("2026-12-01T08:30:00Z");
  const id = await scheduled("0 9 * * *");
  expect((await row(id)).due_at.toISOString()).toBe("2026-12-01T09:00:00.000Z");
  expect(await executionsOf(id)).toEqual([]);
  moveTo("2026-12-01T09:00:00.100Z");
  await dueAt(id, "2026-12-02T09:00:00.000Z");
  expect(await executionsOf(id)).toMatchObject([
    {
      trigger_type: "schedule",
      status: "completed",
      environment: "production",
      attempt: 1,
      outcome: { outcome: { output: { dueAt: "2026-12-01T09:00:00.000Z" } } },
    },
  ]);
  expect(await toldOf(id)).toEqual(["artifact.created", "artifact.executed"]);
  const [created, executed] = await world.sql(
    "select correlation_id, depth, actor_type from events where resource_id = $1 order by xid, seq",
    [id],
  );
  expect(executed).toMatchObject({ depth: 1, actor_type: "system" });
  expect(executed.correlation_id).not.toBe(created.correlation_id);
  const { body } = await owner(`GET ${JOBS}`);
  expect(body).toMatchObject({
    success: true,
    data: [
      {
        id,
        cron: "0 9 * * *",
        timezone: "UTC",
        environment: "production",
        retries: 0,
        nextDueAt: "2026-12-02T09:00:00.000Z",
        lastExecution: { status: "completed", dueAt: "2026-12-01T09:00:00.000Z", attempt: 1 },
      },
    ],
  });
  await owner(`DELETE ${ARTIFACTS}/${id}`);
});

test("uses the job's time zone: a skipped time runs immediately, a repeated time once", async () => {
  await working();
  moveTo("2027-03-27T12:00:00Z");
  const id = await scheduled("30 2 * * *", { timezone: "Europe/Berlin" });
  await dueAt(id, "2027-03-28T01:00:00.000Z");
  moveTo("2027-03-28T01:00:01Z");
  await dueAt(id, "2027-03-29T00:30:00.000Z");
  expect(await times(id)).toEqual(["2027-03-28T01:00:00.000Z"]);
  // One execution replaces the due times of the skipped months.
  moveTo("2027-10-30T12:00:00Z");
  await dueAt(id, "2027-10-31T00:30:00.000Z");
  moveTo("2027-10-31T00:30:01Z");
  await dueAt(id, "2027-11-01T01:30:00.000Z");
  moveTo("2027-10-31T01:30:01Z");
  expect((await times(id)).slice(-2)).toEqual([
    "2027-03-29T00:30:00.000Z",
    "2027-10-31T00:30:00.000Z",
  ]);
  await owner(`DELETE ${ARTIFACTS}/${id}`);
});

test("each due time is executed once across nodes and run-due calls", async () => {
  await working();
  moveTo("2028-02-01T00:00:00.500Z");
  const ids = await Promise.all(Array.from({ length: 4 }, () => scheduled("* * * * *")));
  const expected: string[] = [];
  const time = (n: number): string =>
    new Date(Date.parse("2028-02-01T00:00:00Z") + n * MINUTE_MS).toISOString();
  for (let turn = 1; turn <= 5; turn += 1) {
    moveTo(time(turn));
    expected.push(time(turn));
    await Promise.all(nodes.map(({ app }) => send(app, owner, `POST ${JOBS}/run-due`)));
    for (const id of ids) await dueAt(id, time(turn + 1));
  }
  for (const id of ids) expect(await times(id)).toEqual(expected);
  for (const id of ids) await owner(`DELETE ${ARTIFACTS}/${id}`);
});

test("retries a failure up to its limit with growing delays, then waits for its next due time", async () => {
  moveTo("2028-02-10T08:59:00Z");
  await working();
  const id = await scheduled("0 9 * * *", {
    retryPolicy: { retries: 2 },
    scriptSource: "throw new Error('No');",
  });
  const tried = (attempt: number) =>
    until(async () => {
      const { attempt: next, claim } = await row(id);
      return next === attempt && claim === null && (await executionsOf(id)).length === attempt - 1;
    });
  moveTo("2028-02-10T09:00:00Z");
  await tried(2);
  const waits: number[] = [];
  const waited = async () =>
    (await row(id)).run_at.getTime() - (await executionsOf(id)).at(-1).started_at.getTime();
  waits.push(await waited());
  world.clock.advance(2_100);
  await tried(3);
  waits.push(await waited());
  world.clock.advance(4_100);
  await dueAt(id, "2028-02-11T09:00:00.000Z");
  expect(waits[0]).toBeGreaterThanOrEqual(2_000);
  expect(waits[1]).toBeGreaterThanOrEqual(4_000);
  expect((await executionsOf(id)).map(({ attempt, status }) => [attempt, status])).toEqual([
    [1, "failed"],
    [2, "failed"],
    [3, "failed"],
  ]);
  expect(new Set(await times(id))).toEqual(new Set(["2028-02-10T09:00:00.000Z"]));
  await owner(`DELETE ${ARTIFACTS}/${id}`);
});

test("applies changes: schedule, environment, off, on, and deletion", async () => {
  await working();
  moveTo("2028-03-01T08:30:00Z");
  const id = await scheduled("0 9 * * *");
  await owner(`PATCH ${ARTIFACTS}/${id}`, { detail: { cron: "0 10 * * *" } });
  await dueAt(id, "2028-03-01T10:00:00.000Z");
  await owner(`POST ${ARTIFACTS}/${id}/restore/1`);
  await dueAt(id, "2028-03-01T09:00:00.000Z");
  await owner(`PATCH ${ARTIFACTS}/${id}`, { status: "disabled" });
  await dueAt(id, null);
  moveTo("2028-03-01T09:00:01Z");
  await owner(`PATCH ${ARTIFACTS}/${id}`, { status: "active", detail: { environment: "staging" } });
  await dueAt(id, "2028-03-02T09:00:00.000Z");
  expect(await times(id)).toEqual([]);
  moveTo("2028-03-02T09:00:01Z");
  await dueAt(id, "2028-03-03T09:00:00.000Z");
  expect((await executionsOf(id)).map(({ environment }) => environment)).toEqual(["staging"]);
  const { body } = await owner(`GET ${ARTIFACTS}/${id}/executions`, undefined, {
    "x-environment": "staging",
  });
  expect(body.data).toHaveLength(1);
  await owner(`DELETE ${ARTIFACTS}/${id}`);
  moveTo("2028-03-03T09:00:01Z");
  const other = await scheduled("0 9 * * *");
  moveTo("2028-03-04T09:00:01Z");
  await dueAt(other, "2028-03-05T09:00:00.000Z");
  expect(await executionsOf(id)).toHaveLength(1);
  await owner(`DELETE ${ARTIFACTS}/${other}`);
});

test("an abandoned claim expires, and another node executes the job", async () => {
  await working();
  moveTo("2028-05-01T08:59:00Z");
  const id = await scheduled("0 9 * * *");
  // The state left by a node that died while the script ran.
  const until5 = new Date("2028-05-01T09:05:00Z");
  await world.sql(
    "update scheduled_jobs set claim = 'gone', began_at = $2, claimed_until = $3 where artifact_id = $1",
    [id, new Date("2028-05-01T09:00:00Z"), until5],
  );
  moveTo("2028-05-01T09:00:01Z");
  await until(async () => {
    const [alarm] = await world.sql("select due_at, claimed_at from jobs where key = $1", [id]);
    return alarm?.claimed_at === null && alarm.due_at.getTime() === until5.getTime();
  });
  expect(await executionsOf(id)).toEqual([]);
  moveTo("2028-05-01T09:05:01Z");
  await dueAt(id, "2028-05-02T09:00:00.000Z");
  expect(await times(id)).toEqual(["2028-05-01T09:00:00.000Z"]);
  await owner(`DELETE ${ARTIFACTS}/${id}`);
});

test("a job that run-due could not start is due immediately, even if the scheduler had postponed it", async () => {
  await working();
  moveTo("2028-06-01T08:59:00Z");
  const id = await scheduled("0 9 * * *");
  await using full = await startNode(world);
  await full.kernel.sandbox.close();
  // The state after the scheduler found the time claimed. Earlier the scheduler could find it due.
  await world.sql("update jobs set due_at = $2 where key = $1", [
    id,
    new Date("2028-06-01T09:05:31Z"),
  ]);
  moveTo("2028-06-01T09:00:01Z");
  const refused = await send(full.app, owner, `POST ${JOBS}/run-due`);
  expect([refused.status, refused.body.code]).toEqual([503, "sandbox_busy"]);
  // Wakes the working nodes long before the postponed time.
  world.clock.advance(1_000);
  await dueAt(id, "2028-06-02T09:00:00.000Z");
  expect(await times(id)).toEqual(["2028-06-01T09:00:00.000Z"]);
  await owner(`DELETE ${ARTIFACTS}/${id}`);
});

test("deletes executions after the retention time", async () => {
  const id = await scheduled("0 9 * * *");
  await owner(`POST ${ARTIFACTS}/${id}/execute`, {});
  expect(await executionsOf(id)).toHaveLength(1);
  await owner(`PATCH ${ARTIFACTS}/${id}`, { status: "disabled" });
  world.clock.advance(31 * 24 * HOUR_MS);
  await working();
  await until(async () => (await executionsOf(id)).length === 0);
});
