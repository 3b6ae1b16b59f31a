import {
  findDeployment,
  holdVersion,
  nodeAt,
  type ExecutionPlan,
  planOfVersion,
  type PlannedVersion,
  resetFrom,
} from "#domains/workflows/index.ts";
import { Failure, invalidField } from "#kernel/operation/failure.ts";
import type { WriteContext } from "#kernel/contract.ts";
import type { RunContext } from "../engine/run-context.ts";
import { runContextOf } from "../start/queued-start.ts";
import { foldJournal, type JournalRecord, type JournalLine } from "../engine/journal-record.ts";
import { shardOf } from "../start/queued-start.ts";
import { isOver, type RunRow } from "../engine/store.ts";
import { RUNS_DUE_SIGNAL } from "../engine/store.ts";
import { runRef, summaryOf } from "../engine/run-summary.ts";
import { RunRetried } from "../events.ts";
import { NotDeployed, RunNotFailed, RunNotOver, TestRunFinal, VersionGone } from "../run.ts";
import { readEntries } from "../store.ts";

type Retrying = WriteContext<typeof RunRetried>;

/** From where, and with which version. */
export interface Retry {
  /** `failed`, `start`, or the path of a step. */
  readonly from: string;
  readonly version: "same" | "latest";
}

const GO_ON = `
  update runs
     set status = $2, due_at = $3, version_id = $4, run_as = $5, permissions = $6, lane = $7,
         limited = $8, deadline_at = $9,
         concurrency_key = case when $10 then concurrency_key end, entries = entries + 1,
         generation = generation + 1, output = null, error = null, finished_at = null
   where id = $1`;
const NOTE = "insert into run_journal (run_id, entry, records, written_at) values ($1, $2, $3, $4)";

/**
 * Makes a run that is over go on: what is to be done again is taken back in its journal, and the run
 * is due. Each retry is a generation of its own, since whoever remembers the keys of the last one
 * would answer as it did then. Nothing is written before all is known to be well.
 */
export async function restartRun(ctx: Retrying, row: RunRow, asked: Retry): Promise<void> {
  assertRetriable(row, asked.from);
  const { tx, now } = ctx;
  const { version, ...authority } = await versionFor(ctx, row, asked);
  const lines = await linesOf(ctx, row, version, asked);
  const facts = {
    ...runContextOf({ ...row, version_id: version.versionId }, version),
    ...authority,
  };
  const { limited } = facts;
  const { timeoutMs } = version.definition;
  const status = limited ? "queued" : "running";
  // Of one that queues it is set when it is admitted.
  const timed = timeoutMs !== undefined && !limited;
  if (!(await holdVersion(tx, version.versionId))) throw new Failure(VersionGone);
  void ctx.send(GO_ON, [
    row.id,
    status,
    now,
    version.versionId,
    facts.runAs,
    facts.permissions ?? null,
    shardOf(facts),
    limited,
    timed ? new Date(now.getTime() + timeoutMs) : null,
    asked.version === "same",
  ]);
  void ctx.send(NOTE, [row.id, row.entries, JSON.stringify(lines), now]);
  ctx.emit(RunRetried, runRef(facts), summaryOf(facts, { status }, now));
  ctx.onCommit(() => ctx.services.wakeSignal.raise(RUNS_DUE_SIGNAL));
}

function assertRetriable({ status, test }: RunRow, from: string): void {
  if (test) throw new Failure(TestRunFinal);
  if (!isOver(status)) throw new Failure(RunNotOver, { detail: `Its status is ${status}.` });
  if (status === "completed" && from !== "start") throw new Failure(RunNotFailed);
}

/** A version that somebody deployed runs as that person. */
async function versionFor(
  { tx, services }: Retrying,
  row: RunRow,
  asked: Retry,
): Promise<{ readonly version: PlannedVersion } & Pick<RunContext, "runAs" | "permissions">> {
  if (asked.version === "same") {
    const version = await planOfVersion({ tx, services }, row.version_id);
    if (!version) throw new Failure(VersionGone);
    return { version, runAs: row.run_as, permissions: row.permissions ?? undefined };
  }
  const deployment = await findDeployment(tx, row.workflow_id, row.environment);
  const version = deployment && (await planOfVersion({ tx, services }, deployment.versionId));
  if (!deployment || !version) throw new Failure(NotDeployed);
  return { version, runAs: deployment.deployedBy, permissions: deployment.permissions };
}

/** What the journal is told: which steps have not happened, and which loops go on. */
async function linesOf(
  { tx, services }: Retrying,
  row: RunRow,
  version: PlannedVersion,
  { from }: Retry,
): Promise<JournalLine[]> {
  const entries = await readEntries(tx, row.id);
  const steps = foldJournal(entries.flatMap(({ records }) => records));
  const former =
    version.versionId === row.version_id
      ? version
      : await planOfVersion({ tx, services }, row.version_id);
  const stale = [...steps.values()].filter(
    (record) => isUnfinished(record) || isForeign(record, former?.plan, version),
  );
  for (const { path } of stale) steps.delete(path);
  const reset = resetFrom(version.plan, steps, from);
  if (!reset)
    throw invalidField("/from", "is neither `failed` nor `start` nor a step of the workflow");
  const gone = [...stale.map(({ path }) => path), ...reset.forget];
  return [...gone.map(forgotten), ...reset.reopen];
}

/**
 * A step that waited when the run was ended: what it waited for may have come and gone, and the run
 * is no longer among those who wait.
 */
function isUnfinished({ status, items }: JournalRecord): boolean {
  if (status === "running") return items === undefined;
  return status === "waiting" || status === "paused" || status === "ready";
}

/** A step that the version does not have, or which is something else there; so are ways not taken. */
function isForeign(
  { path, status }: JournalRecord,
  former: ExecutionPlan | undefined,
  { plan }: PlannedVersion,
): boolean {
  if (former === plan) return false;
  const node = nodeAt(plan.graph, path);
  const before = former && nodeAt(former.graph, path);
  return !node || status === "skipped" || (before !== undefined && before.type !== node.type);
}

function forgotten(path: string): JournalRecord {
  const node = path.slice(path.lastIndexOf(".") + 1);
  return { path, node, status: "ready", attempts: 0, forgotten: true };
}
