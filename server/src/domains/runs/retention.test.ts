import { sql } from "kysely";
import { expect, test } from "vitest";
import { newId } from "#kernel/schema/id.ts";
import { until, useWorld } from "#kernel/testing/world.ts";
import { listStatement } from "./store.ts";
import { deployWorkflow, runWorkflow, trigger } from "./testing/workflows.ts";

const DAY_MS = 24 * 3_600_000;
const SET = [{ id: "one", type: "set", config: { values: { v: 1 } } }];

const world = await useWorld({ work: true, env: { MILLRACE_RUN_RETENTION_DAYS: "7" } });
const owner = await world.member(["owner"]);

const count = async (id: string, query = "") =>
  (await owner(`GET /api/v1/workflows/${id}/runs${query}`)).body.data.length as number;

test("runs are part of the workspace statistics", async () => {
  const before = (await owner("GET /api/v1/workspaces/default/stats")).body.data;
  await runWorkflow(owner, await deployWorkflow(owner, SET));
  const after = (await owner("GET /api/v1/workspaces/default/stats")).body.data;
  expect(JSON.stringify(before)).toContain('"runs":0');
  expect(JSON.stringify(after)).toContain('"runs":1');
});

test("the event trace includes all started runs", async () => {
  const id = await deployWorkflow(owner, SET, {
    name: "Follows",
    trigger: { type: "event_bus", topic: "traced" },
  });
  const { body } = await owner("POST /api/v1/events/topics/traced/publish", {
    type: "it.happened",
    payload: {},
  });
  await until(async () => (await count(id, "?status=completed")) === 1);
  const trace = (await owner(`GET /api/v1/events/${body.data.id}/trace`)).body.data;
  expect(trace.effects).toMatchObject([
    { kind: "run", causationId: body.data.id, summary: "Run of Follows: completed" },
  ]);
});

test("old runs are deleted with their journals; unfinished runs stay", async () => {
  const id = await deployWorkflow(owner, SET);
  await runWorkflow(owner, id);
  const waits = await deployWorkflow(owner, [
    { id: "ask", type: "approval", config: { approvers: ["owner"] } },
  ]);
  await trigger(owner, waits);
  world.clock.advance(8 * DAY_MS);
  const fresh = await runWorkflow(owner, id);
  await until(async () => (await count(id)) === 1);
  const { body } = await owner(`GET /api/v1/workflows/${id}/runs`);
  expect(body.data[0].id).toBe(fresh.id);
  expect(await count(waits)).toBe(1);
  const orphans = await world.sql(
    "select from run_journal j where not exists (select from runs r where r.id = j.run_id)",
  );
  expect(orphans).toEqual([]);
});

/** Runs at these times. Most are completed. */
const MANY = `
  insert into runs (id, workspace_id, environment, workflow_id, version_id, lane, status, trigger_type,
                    trigger, actor, run_as, limited, correlation_id, depth, created_at, started_at,
                    finished_at)
  select id, $1, 'production', $2, $3, 0,
         case when n % 2000 = 7 then 'failed' else 'completed' end,
         case when n % 1800 = 5 then 'webhook' when n % 2 = 0 then 'manual' else 'schedule' end,
         '{}', '{}', 'usr', false, 'cor', 1, at, at, at
    from unnest($4::text[], $5::timestamptz[]) with ordinality as t (id, at, n)`;
const RUNS = 20_000;
const APART_MS = 432_000;

test("a list query reads few rows for any filter and any number of runs", async () => {
  const [busy, other] = [await deployWorkflow(owner, SET), await deployWorkflow(owner, SET)];
  const [{ version_id }] = await world.sql(
    "select version_id from workflow_deployments where workflow_id = $1",
    [busy],
  );
  // A hundred days of runs, followed by a gap.
  const since = world.clock.nowMs() - 300 * DAY_MS;
  const times = Array.from({ length: RUNS }, (_, n) => since + n * APART_MS);
  const ids = times.map((time) => newId("run", time));
  await world.sql(MANY, [world.home, busy, version_id, ids, times.map((time) => new Date(time))]);
  await world.sql("analyze runs");
  const at = (days: number) => new Date(since + days * DAY_MS).toISOString();
  const partition = { workspace: world.home, environment: "production" } as const;
  for (const wanted of [
    {},
    { workflowId: busy },
    { workflowId: other },
    { statuses: ["failed"] },
    { statuses: ["completed"] },
    { statuses: ["paused"] },
    { triggerTypes: ["webhook"] },
    { workflowId: busy, statuses: ["failed"] },
    { workflowId: busy, triggerTypes: ["webhook"] },
    { workflowId: other, triggerTypes: ["manual"] },
    { statuses: ["failed"], triggerTypes: ["manual"] },
    { from: at(91) },
    { to: at(1) },
    { from: at(40), to: at(41), statuses: ["failed"] },
    { workflowId: busy, from: at(40), to: at(41) },
    { from: at(99.999) },
    { from: at(99.999), triggerTypes: ["manual"], workflowId: busy },
    { from: at(50), to: at(50.001) },
    { after: ids[500] },
    { statuses: ["failed", "cancelled", "paused"] },
    { workflowId: busy, statuses: ["failed", "paused"] },
    { test: false },
    { order: "asc" },
  ] as const) {
    const { rows } = await world.kernel.db.read(partition, (tx) =>
      sql<any>`explain (analyze, format json) ${listStatement({ ...wanted, limit: 51 })}`.execute(
        tx,
      ),
    );
    expect(visited(rows[0]["QUERY PLAN"][0].Plan), JSON.stringify(wanted)).toBeLessThan(200);
  }
});

/** Counts the visited rows of the table. */
function visited(plan: any): number {
  const own =
    plan["Relation Name"] === "runs"
      ? (plan["Actual Rows"] +
          (plan["Rows Removed by Filter"] ?? 0) +
          (plan["Rows Removed by Index Recheck"] ?? 0)) *
        plan["Actual Loops"]
      : 0;
  return (plan.Plans ?? []).reduce((sum: number, inner: any) => sum + visited(inner), own);
}
