import { expect, test } from "vitest";
import { newId } from "#kernel/schema/id.ts";
import { createTestWorkflow, startWorkflowWorld, listTestVersions } from "../testing/world.ts";
import { holdVersion } from "./store.ts";
import { useFixture } from "#kernel/testing/world.ts";

const world = await useFixture(startWorkflowWorld());
const owner = await world.member(["owner"]);

let saves = 0;
async function save(id: string): Promise<void> {
  saves += 1;
  const { status } = await owner(`PATCH /api/v1/workflows/${id}`, { description: `Save ${saves}` });
  expect(status).toBe(200);
}

/** Creates superseded versions like many saves, but faster. */
async function addHistory(id: string, count: number): Promise<void> {
  await world.sql(
    `with added as (
       insert into workflow_versions (id, workspace_id, workflow_id, number, status, definition,
              change_summary, author_id, author_name, created_at)
       select v.id || '_' || n, v.workspace_id, v.workflow_id, w.newest + n, 'superseded',
              v.definition, '', '', '', now()
         from workflows w join workflow_versions v on v.workflow_id = w.id and v.number = 1,
              generate_series(1, $2::int) n
        where w.id = $1)
     update workflows set newest = newest + $2 where id = $1`,
    [id, count],
  );
}

async function addRun(workflowId: string, versionId: string, status: string): Promise<string> {
  const id = newId("run");
  await world.sql(
    `insert into runs (id, workspace_id, environment, workflow_id, version_id, lane, status,
            trigger_type, trigger, actor, run_as, limited, correlation_id, depth, created_at)
     values ($1, $2, 'staging', $3, $4, 0, $5, 'manual', '{}', '{}', '', false, '', 0, now())`,
    [id, world.home, workflowId, versionId, status],
  );
  return id;
}

async function numbers(id: string): Promise<number[]> {
  const rows = await world.sql(
    "select number from workflow_versions where workflow_id = $1 order by number",
    [id],
  );
  return rows.map(({ number }) => number);
}

function span(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

test("the last 50 superseded versions are kept, in addition to the draft", async () => {
  const { id } = await createTestWorkflow(owner);
  for (let count = 0; count < 52; count += 1) await save(id);
  expect(await numbers(id)).toEqual(span(3, 53));
  const [newest, ...rest] = await listTestVersions(owner, id);
  expect([newest.version, newest.status, rest.length]).toEqual([53, "draft", 50]);
});

test("active and archived versions are kept and do not count", async () => {
  const { id, versions } = await createTestWorkflow(owner);
  await owner(`POST /api/v1/workflows/${id}/publish`, {}, { "x-environment": "staging" });
  await save(id);
  const [second] = await listTestVersions(owner, id);
  await owner(`POST /api/v1/workflows/${id}/versions/${second.id}/archive`);
  await addHistory(id, 60);
  await save(id);
  expect(await numbers(id)).toEqual([1, 2, ...span(13, 63)]);
  expect((await listTestVersions(owner, id)).at(-1)).toMatchObject({
    id: versions.newest.id,
    status: "active",
  });
});

test("a workspace of the enterprise plan keeps 200", async () => {
  const far = await world.workspace("enterprise");
  const boss = await world.member(["owner"], far);
  await boss("PATCH /api/v1/workspaces/enterprise", { plan: "enterprise" });
  const { id } = await createTestWorkflow(boss);
  await addHistory(id, 210);
  await boss(`PATCH /api/v1/workflows/${id}`, { name: "Saved" });
  expect(await numbers(id)).toEqual(span(12, 212));
});

test.each(["queued", "running", "waiting", "paused"])(
  "a version used by a %s run is kept until the run ends",
  async (status) => {
    const { id, versions } = await createTestWorkflow(owner);
    const runId = await addRun(id, versions.newest.id, status);
    await addHistory(id, 55);
    await save(id);
    expect(await numbers(id)).toEqual([1, ...span(7, 57)]);
    await world.sql("update runs set status = 'completed' where id = $1", [runId]);
    await save(id);
    expect(await numbers(id)).toEqual(span(8, 58));
  },
);

test("a version with a run that is just starting is skipped", async () => {
  const { id, versions } = await createTestWorkflow(owner);
  await addHistory(id, 51);
  await world.kernel.db.write(
    { workspace: world.home, environment: "production" },
    async ({ tx }) => {
      expect(await holdVersion(tx, versions.newest.id)).toBe(true);
      await save(id);
      expect(await numbers(id)).toEqual([1, ...span(3, 53)]);
    },
  );
  await save(id);
  expect(await numbers(id)).toEqual(span(4, 54));
});
