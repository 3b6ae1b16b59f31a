import { findFileIds } from "#domains/files/index.ts";
import { assertBehind, authorityOf, NobodyBehind } from "#domains/identity/accounts/index.ts";
import {
  agent,
  findDeployment,
  findStartable,
  findTrigger,
  holdVersion,
  nodeAt,
  type ExecutionPlan,
  planOfVersion,
  type PlannedVersion,
  resetFrom,
  ArchivedWorkflow,
} from "#domains/workflows/index.ts";
import { Failure, invalidField } from "#kernel/operation/failure.ts";
import type { WriteContext } from "#kernel/contract.ts";
import type { RunContext } from "../engine/run-context.ts";
import { givenFilesPart } from "../start/given-files.ts";
import { toRunContext } from "../start/queued-start.ts";
import {
  foldJournal,
  isStepMessage,
  type JournalLine,
  type JournalRecord,
  newStepRecord,
} from "../engine/journal-record.ts";
import { shardOf } from "../start/queued-start.ts";
import { isOver, type RunRow } from "../engine/store.ts";
import { RUNS_DUE_SIGNAL } from "../engine/store.ts";
import { runRef, toRunSummary } from "../engine/run-summary.ts";
import { RunRetried } from "../events.ts";
import { NotDeployed, RunNotFailed, RunNotOver, TestRunFinal, VersionGone } from "../run.ts";
import { readEntries } from "../store.ts";
import { assertFittingInput } from "./trigger-run.ts";

type RetryContext = WriteContext<typeof RunRetried>;

/** The step from which a retry starts, and the version to use. */
export interface RetryInput {
  /** `failed`, `start`, or the path of a step. */
  readonly from: string;
  readonly version: "same" | "latest";
  /** The new input; replaces the original one. */
  readonly input?: unknown;
}

/** Triggers with a replaceable input: everyone who can start the workflow could send one. */
const REPLACEABLE: ReadonlySet<string> = new Set(["manual", "webhook", "subworkflow"]);

const RESTART_RUN = `
  update runs
     set status = $2, due_at = $3, version_id = $4, run_as = $5, permissions = $6, lane = $7,
         limited = $8, deadline_at = $9,
         concurrency_key = case when $10 then concurrency_key end, entries = entries + 1,
         generation = generation + 1, output = null, error = null, finished_at = null,
         trigger = coalesce($11::jsonb, trigger)
   where id = $1`;
const INSERT_ENTRY =
  "insert into run_journal (run_id, entry, records, written_at) values ($1, $2, $3, $4)";

/**
 * Restarts an ended run: reverts the journal records of the steps to repeat, and makes the run due. Each retry is
 * a new generation, because a receiver that remembers idempotency keys would repeat its earlier responses. All checks
 * run before the first write.
 */
export async function restartRun(ctx: RetryContext, row: RunRow, input: RetryInput): Promise<void> {
  assertRetriable(row, input);
  const { tx, now } = ctx;
  const isInputReplaced = input.input !== undefined;
  const workflow = await findStartable(tx, row.workflow_id, row.environment);
  if (workflow?.archived) throw new Failure(ArchivedWorkflow);
  const { version, ...authority } = await resolveVersion(ctx, row, input);
  if (isInputReplaced) {
    // A replaced input counts as manual input, so the trigger applies its usual rules.
    const { definition } = version;
    const named = findTrigger(definition, triggerIdOf(row)) ?? findTrigger(definition);
    if (named) assertFittingInput(named.trigger, input.input);
  }
  const reset = await readResetLines(ctx, row, version, input);
  const run = {
    ...toRunContext({ ...row, version_id: version.versionId }, version),
    ...authority,
  };
  const { limited } = run;
  const { timeoutMs } = version.definition;
  const status = limited ? "queued" : "running";
  const lines = reset.map((line) => withAgentTime(line, version, limited ? undefined : now));
  // A queued run gets its deadline on admission.
  const hasDeadline = timeoutMs !== undefined && !limited;
  if (!(await holdVersion(tx, version.versionId))) throw new Failure(VersionGone);
  void ctx.send(RESTART_RUN, [
    row.id,
    status,
    now,
    version.versionId,
    run.runAs,
    run.permissions ?? null,
    shardOf(run),
    limited,
    hasDeadline ? new Date(now.getTime() + timeoutMs) : null,
    input.version === "same",
    isInputReplaced ? JSON.stringify(replaceInput(row, input.input)) : null,
  ]);
  void ctx.send(INSERT_ENTRY, [row.id, row.entries, JSON.stringify(lines), now]);
  ctx.emit(RunRetried, runRef(run), {
    ...toRunSummary(run, { status }, now),
    ...(isInputReplaced && { inputReplaced: true }),
  });
  ctx.onCommit(() => ctx.services.wakeSignal.raise(RUNS_DUE_SIGNAL));
}

/**
 * The journal line that reopens an agent. The agent gets its complete time limit again. For a queued run the time
 * starts at admission.
 */
function withAgentTime(
  line: JournalLine,
  { plan }: PlannedVersion,
  startedAt: Date | undefined,
): JournalLine {
  if (isStepMessage(line) || line.forgotten) return line;
  if (nodeAt(plan.graph, line.path)?.type.type !== agent.type) return line;
  const { startedAt: _, ...rest } = line;
  return { ...rest, ...(startedAt && { startedAt: startedAt.toISOString() }) };
}

/** Returns the trigger with another input. The user must be able to read its files: `assertReadableFiles`. */
function replaceInput({ trigger }: RunRow, input: unknown): object {
  const { givenFiles: _, ...rest } = Object(trigger) as { readonly givenFiles?: unknown };
  return { ...rest, input, ...givenFilesPart(findFileIds(input)) };
}

function triggerIdOf({ trigger }: RunRow): string | undefined {
  const { id } = Object(trigger) as { readonly id?: unknown };
  return typeof id === "string" ? id : undefined;
}

function assertRetriable(
  { status, test, trigger_type: triggerType }: RunRow,
  { from, input }: RetryInput,
): void {
  if (test) throw new Failure(TestRunFinal);
  if (!isOver(status))
    throw new Failure(RunNotOver, { detail: `The status of the run is ${status}.` });
  if (status === "completed" && from === "failed") throw new Failure(RunNotFailed);
  if (input === undefined) return;
  if (from !== "start") {
    throw invalidField(
      "/input",
      "requires `from` to be `start`, because completed steps have used the previous input",
    );
  }
  if (!REPLACEABLE.has(triggerType)) {
    throw invalidField("/input", `can't be changed for a run with the trigger \`${triggerType}\``);
  }
}

/** The version to run, with the authority of its deployment or of the earlier run. */
async function resolveVersion(
  { tx, services, caller }: RetryContext,
  row: RunRow,
  input: RetryInput,
): Promise<{ readonly version: PlannedVersion } & Pick<RunContext, "runAs" | "permissions">> {
  if (input.version === "same") {
    const version = await planOfVersion({ tx, services }, row.version_id);
    if (!version) throw new Failure(VersionGone);
    const authority = { runAs: row.run_as, permissions: row.permissions ?? undefined };
    await assertBehind({ tx, services }, authority);
    if (input.input === undefined) return { version, ...authority };
    const deployed = await findDeployment(tx, row.workflow_id, row.environment);
    const isOffered = deployed?.versionId === row.version_id && deployed.deployedBy === row.run_as;
    if (isOffered) return { version, ...authority };
    // A deployed version accepts input from everyone who may start it. Any other version runs with the rights of the
    // user who sends the input.
    const { runAs, permissions } = authorityOf(caller);
    return { version, runAs, permissions: permissions ?? undefined };
  }
  const deployment = await findDeployment(tx, row.workflow_id, row.environment);
  const version = deployment && (await planOfVersion({ tx, services }, deployment.versionId));
  if (!deployment || !version) throw new Failure(NotDeployed);
  if (deployment.orphaned) throw new Failure(NobodyBehind);
  return { version, runAs: deployment.deployedBy, permissions: deployment.permissions };
}

/** The journal lines that revert steps and reopen loops. */
async function readResetLines(
  { tx, services }: RetryContext,
  row: RunRow,
  version: PlannedVersion,
  { from }: RetryInput,
): Promise<JournalLine[]> {
  const entries = await readEntries(tx, row.id);
  const steps = foldJournal(entries.flatMap(({ records }) => records));
  const former =
    version.versionId === row.version_id
      ? version
      : await planOfVersion({ tx, services }, row.version_id);
  const stale = [...steps.values()].filter(
    (record) => isUnfinished(record) || isOfOtherVersion(record, former?.plan, version),
  );
  for (const { path } of stale) steps.delete(path);
  const reset = resetFrom(version.plan, steps, from);
  if (!reset) throw invalidField("/from", "must be `failed`, `start` or a step of the workflow");
  const forgottenPaths = [...stale.map(({ path }) => path), ...reset.forget];
  return [...forgottenPaths.map(toForgottenRecord), ...reset.reopen];
}

/** True for a step that was unfinished when the run ended: its wait was deleted, so its response may be lost. */
function isUnfinished({ status, items }: JournalRecord): boolean {
  if (status === "running") return items === undefined;
  return status === "waiting" || status === "paused" || status === "ready";
}

/** True for a skipped step, and for a step that the version lacks or has with another type. */
function isOfOtherVersion(
  { path, status }: JournalRecord,
  former: ExecutionPlan | undefined,
  { plan }: PlannedVersion,
): boolean {
  if (former === plan) return false;
  const node = nodeAt(plan.graph, path);
  const formerNode = former && nodeAt(former.graph, path);
  // Compared by name, because each plan has its own type objects.
  const hasOtherType = formerNode !== undefined && formerNode.type.type !== node?.type.type;
  return !node || status === "skipped" || hasOtherType;
}

function toForgottenRecord(path: string): JournalRecord {
  return { ...newStepRecord(path), forgotten: true };
}
