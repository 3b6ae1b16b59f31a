import type { Platform, WriteContext } from "#kernel/contract.ts";
import type { EnvironmentName } from "#kernel/db/database.ts";
import type { Actor } from "#kernel/log/event.ts";
import { findFirstEvents } from "#kernel/log/resource-history.ts";
import type { JournalLine, StepMessage } from "./journal-record.ts";
import type { RunContext, TestRun } from "./run-context.ts";
import type { WrittenEntry } from "./run-journal.ts";

/** Sent when runs became due that this process does not have in memory. */
export const RUNS_DUE_SIGNAL = "runs";

export type RunStatus =
  | "queued"
  | "running"
  | "waiting"
  | "paused"
  | "completed"
  | "failed"
  | "cancelled";

export interface RunRow {
  readonly id: string;
  readonly workspace_id: string;
  readonly environment: EnvironmentName;
  readonly workflow_id: string;
  readonly version_id: string;
  readonly shard: number;
  readonly status: RunStatus;
  readonly trigger_type: string;
  readonly trigger: Readonly<Record<string, unknown>>;
  readonly test: TestRun | null;
  readonly actor: Actor;
  readonly run_as: string;
  readonly correlation_id: string;
  readonly causation_id: string | null;
  readonly depth: number;
  readonly parent_run_id: string | null;
  readonly parent_path: string | null;
  readonly concurrency_key: string | null;
  readonly generation: number;
  readonly permissions: readonly string[] | null;
  readonly deadline_at: string | null;
  readonly entries: number;
  readonly created_at: string;
  readonly started_at: string | null;
}

/** The columns of `RunRow`. */
export const RUN_COLUMNS = `
  r.id, r.workspace_id, r.environment, r.workflow_id, r.version_id, r.lane as shard, r.status, r.trigger_type,
  r.trigger, r.test, r.actor, r.run_as, r.correlation_id, r.causation_id, r.depth, r.parent_run_id,
  r.parent_path, r.concurrency_key, r.generation, r.permissions, r.deadline_at, r.entries, r.created_at, r.started_at`;

/**
 * Finds due runs by shard. The limit per workspace leaves capacity for others. Workspaces are found with a
 * loose index scan.
 */
const FIND_DUE = `
  with recursive busy as (
    (select workspace_id from runs where due_at <= $2 order by workspace_id limit 1)
    union all
    select (select r.workspace_id from runs r where r.due_at <= $2 and r.workspace_id > b.workspace_id
             order by r.workspace_id limit 1)
      from busy b where b.workspace_id is not null
  )
  select ${RUN_COLUMNS}
    from busy b
    cross join lateral
      (select * from runs r where r.workspace_id = b.workspace_id and r.due_at <= $2
          and r.lane = any($1::smallint[]) and r.id <> all($3::text[])
        order by r.due_at, r.id limit $4) r
   where b.workspace_id is not null
   order by r.due_at, r.id`;

const READ_JOURNALS = `
  select run_id, entry, records from run_journal where run_id = any($1::text[]) order by run_id, entry`;
const READ_NEW_ENTRIES = `
  select j.run_id, j.entry, j.records, j.written_at
    from unnest($1::text[], $2::int[]) as known (run_id, entries)
    join run_journal j on j.run_id = known.run_id and j.entry >= known.entries
   order by j.run_id, j.entry`;
const FIND_INTERRUPTED = `
  select r.id from unnest($1::text[], $2::int[]) as known (id, generation)
    join runs r on r.id = known.id
   where r.status in ('completed', 'failed', 'cancelled') or r.generation <> known.generation`;
export interface JournalEntry {
  readonly run_id: string;
  readonly entry: number;
  readonly records: readonly JournalLine[];
}
export type NewEntry = JournalEntry & WrittenEntry;

export function findDueRuns(
  { db }: Platform,
  shards: readonly number[],
  now: Date,
  options: { readonly except: readonly string[]; readonly mostPerWorkspace: number },
): Promise<RunRow[]> {
  return db.system<RunRow>(FIND_DUE, [shards, now, options.except, options.mostPerWorkspace]);
}

export function readJournals({ db }: Platform, runIds: readonly string[]): Promise<JournalEntry[]> {
  return db.system<JournalEntry>(READ_JOURNALS, [runIds]);
}

/** Reads the journal entries written after the known ones. */
export function readNewEntries(
  { db }: Platform,
  known: readonly { readonly id: string; readonly entries: number }[],
): Promise<NewEntry[]> {
  return db.system<NewEntry>(READ_NEW_ENTRIES, [
    known.map(({ id }) => id),
    known.map(({ entries }) => entries),
  ]);
}

/** Finds which of these runs ended or were restarted by a retry. */
export async function findInterrupted(
  { db }: Platform,
  runs: readonly { readonly id: string; readonly generation: number }[],
): Promise<string[]> {
  const values = [runs.map(({ id }) => id), runs.map(({ generation }) => generation)];
  return (await db.system<{ id: string }>(FIND_INTERRUPTED, values)).map(({ id }) => id);
}

/** Finds the start events of runs started without an event, by run id. */
export async function findStartEvents(
  { db }: Platform,
  runs: readonly RunRow[],
): Promise<ReadonlyMap<string, string>> {
  const uncaused = runs.filter(({ causation_id: causationId }) => causationId === null);
  return findFirstEvents(
    db,
    uncaused.map(({ id, workspace_id: workspace, environment }) => ({
      id,
      workspace,
      environment,
    })),
  );
}

const INSERT_RUN = `
  insert into runs
    (id, workflow_id, version_id, lane, status, due_at, trigger_type, trigger, event_id, test, output,
     error, actor, run_as, correlation_id, causation_id, depth, parent_run_id, parent_path,
     concurrency_key, deadline_at, entries, created_at, started_at, finished_at, permissions, limited,
     trigger_id)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20,
          $21, $22, $23, $24, $25, $26, $27, $28)`;
const INSERT_ENTRY = `
  insert into run_journal (run_id, entry, records, written_at) values ($1, $2, $3, $4)`;

/** One durable write of a run: its status and the records since the last write. */
export interface Checkpoint {
  readonly status: RunStatus;
  readonly dueAt: Date | null;
  readonly records: readonly JournalLine[];
  readonly output?: unknown;
  readonly error?: unknown;
}

export function insertRun(
  ctx: WriteContext<never>,
  run: RunContext,
  checkpoint: Checkpoint,
  eventId?: string,
): void {
  const { now } = ctx;
  const { cause, parent, deadlineMs } = run;
  const ended = isOver(checkpoint.status);
  ctx.post(INSERT_RUN, [
    run.id,
    run.workflowId,
    run.versionId,
    run.shard,
    checkpoint.status,
    checkpoint.dueAt,
    run.triggerType,
    JSON.stringify(run.trigger),
    eventId ?? null,
    run.test ? JSON.stringify({ ...run.test, given: undefined }) : null,
    toJson(checkpoint.output),
    toJson(checkpoint.error),
    JSON.stringify(run.actor),
    run.runAs,
    cause.correlationId,
    cause.causationId ?? null,
    cause.depth,
    parent?.runId ?? null,
    parent?.path ?? null,
    run.concurrencyKey ?? null,
    Number.isFinite(deadlineMs) ? new Date(deadlineMs) : null,
    checkpoint.records.length > 0 ? 1 : 0,
    run.createdAt,
    checkpoint.status === "queued" ? null : run.createdAt,
    ended ? now : null,
    run.permissions ?? null,
    run.limited,
    run.trigger["id"] ?? null,
  ]);
  if (checkpoint.records.length > 0) {
    ctx.post(INSERT_ENTRY, [run.id, 0, JSON.stringify(checkpoint.records), now]);
  }
}

const updateRunSql = (condition: string) => `
  update runs
     set status = $3, due_at = $4, entries = $2 + $5, output = coalesce($6, output),
         error = coalesce($7, error), started_at = coalesce(started_at, $8),
         finished_at = case when $9 then $8::timestamptz end
   where id = $1 and entries = $2 and generation = $10
     and status not in ('completed', 'failed', 'cancelled') ${condition}
  returning id`;
const UPDATE_RUN = updateRunSql("");
/** Used after an entry that a crash can lose. Another entry may have taken its number. */
const UPDATE_RUN_AFTER = updateRunSql(
  "and exists (select from run_journal where run_id = $1 and entry = $11 and written_at = $12)",
);

/** The expected row of a run; a checkpoint is written only if it matches. */
interface ExpectedRun {
  readonly id: string;
  readonly entries: number;
  readonly generation: number;
  readonly lastUnflushed?: { readonly entry: number; readonly writtenAt: string } | undefined;
}

/** Writes a checkpoint. Returns false and changes nothing if another write came first or a write was lost. */
export async function writeCheckpoint(
  ctx: WriteContext<never>,
  run: ExpectedRun,
  checkpoint: Checkpoint,
): Promise<boolean> {
  const { now } = ctx;
  const newEntries = checkpoint.records.length > 0 ? 1 : 0;
  const { lastUnflushed: last } = run;
  const updated = ctx.send(last ? UPDATE_RUN_AFTER : UPDATE_RUN, [
    run.id,
    run.entries,
    checkpoint.status,
    checkpoint.dueAt,
    newEntries,
    toJson(checkpoint.output),
    toJson(checkpoint.error),
    now,
    isOver(checkpoint.status),
    run.generation,
    ...(last ? [last.entry, last.writtenAt] : []),
  ]);
  if (newEntries > 0) {
    // Sent together. If the update matches no row, the transaction is rolled back.
    const written = ctx.send(INSERT_ENTRY, [
      run.id,
      run.entries,
      JSON.stringify(checkpoint.records),
      now,
    ]);
    written.catch(() => undefined);
  }
  return (await updated).length > 0;
}

const APPEND_MESSAGES = `
  with run as (
    update runs set due_at = $3, entries = entries + 1
     where id = $1 and status not in ('completed', 'failed', 'cancelled')
    returning id, entries - 1 as entry
  )
  insert into run_journal (run_id, entry, records, written_at) select id, entry, $2, $3 from run
  returning run_id`;

/** Appends messages to the journal of a run and makes it due. Returns false if the run has ended. */
export async function appendMessages(
  ctx: WriteContext<never>,
  runId: string,
  messages: readonly StepMessage[],
): Promise<boolean> {
  const appended = await ctx.send(APPEND_MESSAGES, [runId, JSON.stringify(messages), ctx.now]);
  ctx.onCommit(() => ctx.services.wakeSignal.raise(RUNS_DUE_SIGNAL));
  return appended.length > 0;
}

export function isOver(status: RunStatus): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}

function toJson(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}
