import fc from "fast-check";
import { expect, test } from "vitest";
import { openKernel } from "#domains/bus/testing/node.ts";
import {
  compilePlan,
  type Definition,
  nodeTypesOf,
  planOfVersion,
} from "#domains/workflows/index.ts";
import { runAsSystem } from "#kernel/operation/act.ts";
import { newId } from "#kernel/schema/id.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { IS_THOROUGH, tries } from "#kernel/testing/thorough.ts";
import { until, useWorld } from "#kernel/testing/world.ts";
import { domains } from "../../../app.ts";
import {
  executed,
  flowControl,
  predict,
  probes,
  racing,
  workflows,
} from "../testing/scripted-workflows.ts";
import { startInline, writeRunStart } from "../start/start-run.ts";

const world = await useWorld({ domains: [...domains, probes] });
const { userId } = await world.member(["owner"]);

/** A further kernel on the same database, which can be made to die. */
async function openMortal() {
  const kernel = await openKernel(world);
  const state = { writes: 0, dieAt: Number.POSITIVE_INFINITY, after: false, dead: false };
  const write = kernel.db.write.bind(kernel.db);
  const system = kernel.db.system.bind(kernel.db);
  const died = new Error("died");
  kernel.db.write = async (partition, work) => {
    if (state.dead) throw died;
    if (partition.workspace !== world.home) return write(partition, work);
    state.writes += 1;
    const last = state.writes === state.dieAt;
    if (last && !state.after) {
      state.dead = true;
      throw died;
    }
    const value = await write(partition, work);
    if (last) {
      state.dead = true;
      throw died;
    }
    return value;
  };
  kernel.db.system = async (text, values) => {
    if (state.dead) throw died;
    return system(text, values);
  };
  return Object.assign(kernel, { state });
}

/** Simulates a kill whose lease has expired. */
const deleteLeases = () => world.sql("delete from lanes; delete from lane_nodes");

async function deploy(definition: Definition): Promise<string> {
  const [workflow, version] = [newId("wf"), newId("wfv")];
  const values = [workflow, world.home, definition.name, JSON.stringify(definition), userId];
  await world.sql(
    `insert into workflows (id, workspace_id, name, definition, hook_token, created_by, created_at, updated_at)
     values ($1, $2, $3, $4, $1, $5, now(), now())`,
    values,
  );
  await world.sql(
    `insert into workflow_versions (id, workspace_id, workflow_id, number, status, definition,
                                    change_summary, author_id, author_name, created_at)
     values ($1, $2, $3, 1, 'active', $4, '', $5, '', now())`,
    [version, world.home, workflow, JSON.stringify(definition), userId],
  );
  return version;
}

async function startRun(kernel: Kernel, versionId: string): Promise<string> {
  const version = await planOfVersion(kernel, versionId);
  if (!version) throw new Error("The version is gone.");
  const cause = { correlationId: newId("cor"), depth: 1 };
  const actor = { id: userId, name: "Somebody", type: "user" } as const;
  const partition = { workspace: world.home, environment: "production" } as const;
  const prepared = await startInline(kernel, {
    ...partition,
    version,
    triggerType: "manual",
    trigger: { type: "manual", input: {} },
    actor,
    runAs: userId,
    permissions: undefined,
    cause,
  });
  await runAsSystem(kernel, partition, cause, (ctx) => writeRunStart(ctx, prepared));
  return prepared.run.id;
}

async function waitForEnd(id: string) {
  return until(async () => {
    const [row] = await world.sql("select status, error from runs where id = $1", [id]);
    return /completed|failed|cancelled/.test(row?.status) && row;
  });
}

async function journalOf(id: string): Promise<Map<string, any>> {
  const rows = await world.sql("select records from run_journal where run_id = $1 order by entry", [
    id,
  ]);
  const lines = rows.flatMap(({ records }) => records);
  return new Map(lines.map((line: any) => [line.path, line]));
}

/** Reads the events of a run. It must start and end once despite interruptions. */
async function eventsOf(id: string): Promise<string[]> {
  const rows = await world.sql(
    "select type from events where resource_id = $1 order by epoch, xid, seq",
    [id],
  );
  return rows.map(({ type }) => type as string);
}

async function expectPredicted(id: string, definition: Definition): Promise<void> {
  const plan = compilePlan(definition, nodeTypesOf(world.kernel));
  const { result, steps } = predict(plan);
  const row = await waitForEnd(id);
  expect(row.status).toBe(result.status);
  expect(await eventsOf(id)).toEqual(["workflow.run_started", `workflow.run_${result.status}`]);
  // For a failed run the progress of parallel branches is not determined.
  if (result.status !== "completed") return;
  const journal = await journalOf(id);
  for (const [path, { status, attempts, branch }] of steps) {
    expect(journal.get(path), path).toMatchObject({
      status,
      ...(status === "completed" && journal.get(path)?.items === undefined && { attempts }),
      ...(branch !== undefined && { branch }),
    });
  }
}

test("a run killed at any point ends as the interpreter predicts, and repeats no step", async () => {
  await fc.assert(
    fc.asyncProperty(workflows, async (definition) => {
      const version = await deploy(definition);
      const undisturbed = await openMortal();
      await undisturbed.startWork();
      const id = await startRun(undisturbed, version);
      await expectPredicted(id, definition);
      const { writes } = undisturbed.state;
      await undisturbed.close();
      for (const at of momentsOf(writes)) {
        await deleteLeases();
        await testKillAt(version, definition, at);
      }
    }),
    {
      numRuns: tries(4, 40),
      endOnFailure: true,
      examples: [[flowControl], [racing]],
    },
  );
}, 120_000);

interface Moment {
  readonly dieAt: number;
  /** Whether the write was committed although its response was lost. */
  readonly after: boolean;
}

/**
 * The moment before each write. Killing after a write leaves the database in the same state as before the next write,
 * with less unrecorded work. So only the first write, after which the caller does not know the run, and the last one
 * are tested in short runs.
 */
function momentsOf(writes: number): readonly Moment[] {
  const all = Array.from({ length: writes }, (_, n) => n + 1);
  return all.flatMap((dieAt) => [
    { dieAt, after: false },
    ...(IS_THOROUGH || dieAt === 1 || dieAt === writes ? [{ dieAt, after: true }] : []),
  ]);
}

async function testKillAt(version: string, definition: Definition, at: Moment): Promise<void> {
  const first = await openMortal();
  Object.assign(first.state, at);
  await first.startWork();
  const id = await startRun(first, version).catch(() => undefined);
  await until(async () => first.state.dead || (id !== undefined && (await isOver(id))));
  const known = id ?? (await newest(version));
  const before = known === undefined ? new Map() : await journalOf(known);
  const [begunBefore] = [executed.length];
  await deleteLeases();
  const second = await openMortal();
  await second.startWork();
  try {
    if (known !== undefined) {
      await expectPredicted(known, definition);
      const again = executed.slice(begunBefore).filter(({ run }) => run === known);
      const repeated = again.filter(({ path }) => before.get(path)?.status === "completed");
      expect(repeated).toEqual([]);
    }
  } finally {
    first.state.dead = false;
    first.state.dieAt = Number.POSITIVE_INFINITY;
    await Promise.all([first.close(), second.close()]);
  }
}

async function isOver(id: string): Promise<boolean> {
  const [row] = await world.sql("select status from runs where id = $1", [id]);
  return /completed|failed|cancelled/.test(row?.status);
}

/** The run that was written although its caller received no response. */
async function newest(version: string): Promise<string | undefined> {
  const [row] = await world.sql(
    `select id from runs where version_id = $1 and status not in ('completed', 'failed', 'cancelled')
      order by id desc limit 1`,
    [version],
  );
  return row?.id;
}
