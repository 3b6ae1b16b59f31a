import { expect, test } from "vitest";
import { startWorker } from "#domains/bus/testing/node.ts";
import { tries } from "#kernel/testing/thorough.ts";
import { until, useWorld } from "#kernel/testing/world.ts";
import { deployWorkflow } from "../testing/workflows.ts";
import { findRuns, SET, readEventTypes } from "../testing/triggers.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const world = await useWorld();
const owner = await world.member(["owner"]);
// The tests move the clock far into the future.
await world.sql("update sessions set expires_at = '2100-01-01'");

const scheduled = (cron: string, timezone?: string, headers: Record<string, string> = {}) =>
  deployWorkflow(owner, [SET], { trigger: { type: "schedule", cron, timezone } }, headers);
const moveTo = (time: string): void => world.clock.advance(Date.parse(time) - world.clock.nowMs());
/** The scheduled times of its runs. */
const times = async (id: string): Promise<string[]> =>
  (await findRuns(world, id)).map(({ trigger }) => trigger.scheduledFor).toSorted();
/** Waits for the next due time. */
const next = async (id: string): Promise<string | undefined> => {
  const rows = await world.sql(
    "select due_at from jobs where kind = 'runs.schedule' and key = $1 and claimed_at is null",
    [id],
  );
  return rows[0]?.due_at.toISOString();
};
const dueAt = (id: string, time: string) => until(async () => (await next(id)) === time);

test("each scheduled time starts one run with its own causal chain, with the platform as actor and the deployer's rights", async () => {
  await using _node = await startWorker(world);
  moveTo("2026-12-01T08:30:00Z");
  const id = await scheduled("0 9 * * *");
  await dueAt(id, "2026-12-01T09:00:00.000Z");
  expect(await times(id)).toEqual([]);
  moveTo("2026-12-01T09:00:00.100Z");
  await dueAt(id, "2026-12-02T09:00:00.000Z");
  const [run] = await until(async () => {
    const runs = await findRuns(world, id);
    return runs[0]?.status === "completed" && runs;
  });
  expect(run).toMatchObject({
    trigger_type: "schedule",
    trigger: { type: "schedule", scheduledFor: "2026-12-01T09:00:00.000Z" },
    actor: { type: "system" },
    run_as: owner.userId,
    causation_id: null,
    depth: 1,
  });
  expect(await readEventTypes(world, [run.id])).toEqual([
    "workflow.run_started",
    "workflow.run_completed",
  ]);
  const chains = await world.sql(
    "select distinct correlation_id as chain from events where resource_id = any($1)",
    [[run.id, id]],
  );
  // One chain for the run, and one for each request that created and published the workflow.
  expect(chains).toHaveLength(3);
  expect(chains).toContainEqual({ chain: run.correlation_id });
});

test("when clocks go forward, a nonexistent time runs at the next existing one", async () => {
  await using _node = await startWorker(world);
  moveTo("2027-03-13T12:00:00Z");
  const newYork = await scheduled("30 2 * * *", "America/New_York");
  const berlin = await scheduled("30 2 * * *", "Europe/Berlin");
  const quarterly = await scheduled("*/15 2-3 * * *", "Europe/Berlin");
  await dueAt(newYork, "2027-03-14T07:00:00.000Z");
  moveTo("2027-03-14T07:00:01Z");
  await dueAt(newYork, "2027-03-15T06:30:00.000Z");
  expect(await times(newYork)).toEqual(["2027-03-14T07:00:00.000Z"]);
  moveTo("2027-03-27T12:00:00Z");
  await dueAt(berlin, "2027-03-28T01:00:00.000Z");
  const before = await times(berlin);
  moveTo("2027-03-28T01:00:01Z");
  await dueAt(berlin, "2027-03-29T00:30:00.000Z");
  expect(await times(berlin)).toEqual([...before, "2027-03-28T01:00:00.000Z"]);
  await dueAt(quarterly, "2027-03-28T01:15:00.000Z");
});

test("when clocks go back, a repeated time runs once", async () => {
  await using _node = await startWorker(world);
  moveTo("2027-10-30T12:00:00Z");
  const berlin = await scheduled("30 2 * * *", "Europe/Berlin");
  const newYork = await scheduled("30 1 * * *", "America/New_York");
  const hourly = await scheduled("0 * * * *", "Europe/Berlin");
  await dueAt(berlin, "2027-10-31T00:30:00.000Z");
  moveTo("2027-10-31T00:30:01Z");
  await dueAt(berlin, "2027-11-01T01:30:00.000Z");
  await dueAt(hourly, "2027-10-31T01:00:00.000Z");
  moveTo("2027-10-31T01:30:01Z");
  // Hourly runs continue each hour, independent of local time.
  await dueAt(hourly, "2027-10-31T02:00:00.000Z");
  expect(await times(berlin)).toEqual(["2027-10-31T00:30:00.000Z"]);
  moveTo("2027-11-06T12:00:00Z");
  await dueAt(newYork, "2027-11-07T05:30:00.000Z");
  const before = await times(newYork);
  moveTo("2027-11-07T05:30:01Z");
  await dueAt(newYork, "2027-11-08T06:30:00.000Z");
  expect(await times(newYork)).toEqual([...before, "2027-11-07T05:30:00.000Z"]);
});

test("times missed while no node was running start one run", async () => {
  moveTo("2028-01-10T10:30:00Z");
  const id = await scheduled("0 * * * *");
  {
    await using _node = await startWorker(world);
    await dueAt(id, "2028-01-10T11:00:00.000Z");
  }
  world.clock.advance(50 * HOUR_MS);
  // A new version with the same schedule also keeps its overdue time.
  await owner(`PATCH /api/v1/workflows/${id}`, { description: "The same, in other words" });
  await owner(`POST /api/v1/workflows/${id}/publish`);
  const late = await scheduled("15 * * * *");
  world.clock.advance(2 * HOUR_MS);
  await using _node = await startWorker(world);
  await dueAt(id, "2028-01-12T15:00:00.000Z");
  expect(await times(id)).toEqual(["2028-01-10T11:00:00.000Z"]);
  await dueAt(late, "2028-01-12T15:15:00.000Z");
  expect(await times(late)).toEqual(["2028-01-12T13:15:00.000Z"]);
});

test("with several nodes each time starts one run", async () => {
  await using _one = await startWorker(world);
  await using _other = await startWorker(world);
  // With a minute between times, nothing becomes due by chance on a slow machine.
  moveTo("2028-02-01T00:00:00.500Z");
  const ids = await Promise.all(Array.from({ length: 5 }, () => scheduled("* * * * *")));
  const expected: string[] = [];
  for (let turn = 1; turn <= tries(3, 6); turn += 1) {
    const time = (n: number): string =>
      new Date(Date.parse("2028-02-01T00:00:00Z") + n * MINUTE_MS).toISOString();
    for (const id of ids) await dueAt(id, time(turn));
    moveTo(time(turn));
    expected.push(time(turn));
    for (const id of ids) await dueAt(id, time(turn + 1));
  }
  for (const id of ids) expect(await times(id)).toEqual(expected);
});

test("a schedule follows its deployment: other times, other environments, activation and deactivation", async () => {
  await using _node = await startWorker(world);
  moveTo("2028-03-01T08:30:00Z");
  const id = await scheduled("0 9 * * *");
  await dueAt(id, "2028-03-01T09:00:00.000Z");
  await owner(`PATCH /api/v1/workflows/${id}`, {
    trigger: { type: "schedule", cron: "0 10 * * *" },
  });
  await owner(`POST /api/v1/workflows/${id}/publish`);
  await dueAt(id, "2028-03-01T10:00:00.000Z");
  await owner(`POST /api/v1/workflows/${id}/rollback`, {});
  await dueAt(id, "2028-03-01T09:00:00.000Z");
  await owner(`POST /api/v1/workflows/${id}/deactivate`);
  moveTo("2028-03-01T09:00:01Z");
  await until(async () => (await next(id)) === undefined);
  expect(await times(id)).toEqual([]);
  await owner(`POST /api/v1/workflows/${id}/activate`);
  await dueAt(id, "2028-03-02T09:00:00.000Z");
  const staged = await scheduled("0 9 * * *", undefined, { "x-environment": "staging" });
  await dueAt(staged, "2028-03-02T09:00:00.000Z");
  moveTo("2028-03-02T09:00:01Z");
  await dueAt(id, "2028-03-03T09:00:00.000Z");
  await dueAt(staged, "2028-03-03T09:00:00.000Z");
  expect((await findRuns(world, id)).map(({ environment }) => environment)).toEqual(["production"]);
  expect((await findRuns(world, staged)).map(({ environment }) => environment)).toEqual([
    "staging",
  ]);
  await owner(`DELETE /api/v1/workflows/${id}`);
  moveTo("2028-03-03T09:00:01Z");
  await dueAt(staged, "2028-03-04T09:00:00.000Z");
  await until(async () => (await next(id)) === undefined);
  expect(await times(id)).toHaveLength(1);
});
