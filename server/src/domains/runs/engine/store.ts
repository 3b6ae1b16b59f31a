import type { Platform, WriteContext } from "#kernel/contract.ts";
import type { EnvironmentName } from "#kernel/db/database.ts";
import type { Actor } from "#kernel/log/event.ts";
import type { JournalLine, JournalDecision } from "./journal-record.ts";
import type { RunContext, TestRun } from "./run-context.ts";

/** What is raised when runs became due that this process does not know of. */
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
  readonly lane: number;
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

/** What the runner reads of a run. */
export const RUN_COLUMNS = `
  r.id, r.workspace_id, r.environment, r.workflow_id, r.version_id, r.lane, r.status, r.trigger_type,
  r.trigger, r.test, r.actor, r.run_as, r.correlation_id, r.causation_id, r.depth, r.parent_run_id,
  r.parent_path, r.concurrency_key, r.generation, r.permissions, r.deadline_at, r.entries, r.created_at, r.started_at`;

/**
 * Runs that are due, of those lanes: at most so many of each workspace, so that one which has many
 * leaves room for the others. The workspaces are found by leaping along the index.
 */
const FIND = `
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

const JOURNAL = `
  select run_id, entry, records from run_journal where run_id = any($1::text[]) order by run_id, entry`;
const TOLD = `
  select j.run_id, j.entry, j.records
    from unnest($1::text[], $2::int[]) as known (run_id, entries)
    join run_journal j on j.run_id = known.run_id and j.entry >= known.entries
   order by j.run_id, j.entry`;
const GONE = `
  select r.id from unnest($1::text[], $2::int[]) as known (id, generation)
    join runs r on r.id = known.id
   where r.status in ('completed', 'failed', 'cancelled') or r.generation <> known.generation`;
export interface JournalEntry {
  readonly run_id: string;
  readonly entry: number;
  readonly records: readonly JournalLine[];
}

export function findDueRuns(
  { db }: Platform,
  lanes: readonly number[],
  now: Date,
  more: { readonly except: readonly string[]; readonly mostPerWorkspace: number },
): Promise<RunRow[]> {
  return db.system<RunRow>(FIND, [lanes, now, more.except, more.mostPerWorkspace]);
}

export function readJournals({ db }: Platform, runIds: readonly string[]): Promise<JournalEntry[]> {
  return db.system<JournalEntry>(JOURNAL, [runIds]);
}

/** What was written to journals beyond what is known of them. */
export function readNewEntries(
  { db }: Platform,
  known: readonly { readonly id: string; readonly entries: number }[],
): Promise<JournalEntry[]> {
  return db.system<JournalEntry>(TOLD, [
    known.map(({ id }) => id),
    known.map(({ entries }) => entries),
  ]);
}

/** Which of these runs are over, or were taken up anew by a retry. */
export async function findGone(
  { db }: Platform,
  runs: readonly { readonly id: string; readonly generation: number }[],
): Promise<string[]> {
  const values = [runs.map(({ id }) => id), runs.map(({ generation }) => generation)];
  return (await db.system<{ id: string }>(GONE, values)).map(({ id }) => id);
}

const INSERT = `
  insert into runs
    (id, workflow_id, version_id, lane, status, due_at, trigger_type, trigger, event_id, test, output,
     error, actor, run_as, correlation_id, causation_id, depth, parent_run_id, parent_path,
     concurrency_key, deadline_at, entries, created_at, started_at, finished_at, permissions, limited)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20,
          $21, $22, $23, $24, $25, $26, $27)`;
const WRITE = `
  insert into run_journal (run_id, entry, records, written_at) values ($1, $2, $3, $4)`;

/** What becomes of a run: written at its beginning and at each turn. */
export interface Checkpoint {
  readonly status: RunStatus;
  readonly dueAt: Date | null;
  readonly records: readonly JournalLine[];
  readonly output?: unknown;
  readonly error?: unknown;
}

export function insertRun(
  ctx: WriteContext<never>,
  facts: RunContext,
  turn: Checkpoint,
  eventId?: string,
): void {
  const { now } = ctx;
  const { cause, parent, deadlineMs } = facts;
  const over = isOver(turn.status);
  void ctx.send(INSERT, [
    facts.id,
    facts.workflowId,
    facts.versionId,
    facts.lane,
    turn.status,
    turn.dueAt,
    facts.triggerType,
    JSON.stringify(facts.trigger),
    eventId ?? null,
    facts.test ? JSON.stringify(facts.test) : null,
    jsonOf(turn.output),
    jsonOf(turn.error),
    JSON.stringify(facts.actor),
    facts.runAs,
    cause.correlationId,
    cause.causationId ?? null,
    cause.depth,
    parent?.runId ?? null,
    parent?.path ?? null,
    facts.concurrencyKey ?? null,
    Number.isFinite(deadlineMs) ? new Date(deadlineMs) : null,
    turn.records.length > 0 ? 1 : 0,
    facts.createdAt,
    turn.status === "queued" ? null : facts.createdAt,
    over ? now : null,
    facts.permissions ?? null,
    facts.limited,
  ]);
  if (turn.records.length > 0) {
    void ctx.send(WRITE, [facts.id, 0, JSON.stringify(turn.records), now]);
  }
}

const UPDATE = `
  update runs
     set status = $3, due_at = $4, entries = $2 + $5, output = coalesce($6, output),
         error = coalesce($7, error), started_at = coalesce(started_at, $8),
         finished_at = case when $9 then $8::timestamptz end
   where id = $1 and entries = $2 and generation = $10
     and status not in ('completed', 'failed', 'cancelled')
  returning id`;

/** Writes a turn unless somebody else has written since: then false, and nothing is changed. */
export async function writeCheckpoint(
  ctx: WriteContext<never>,
  run: { readonly id: string; readonly entries: number; readonly generation: number },
  turn: Checkpoint,
): Promise<boolean> {
  const { now } = ctx;
  const more = turn.records.length > 0 ? 1 : 0;
  const updated = ctx.send(UPDATE, [
    run.id,
    run.entries,
    turn.status,
    turn.dueAt,
    more,
    jsonOf(turn.output),
    jsonOf(turn.error),
    now,
    isOver(turn.status),
    run.generation,
  ]);
  if (more > 0) {
    // In the same message; should the update have hit nothing, all of it is undone.
    const written = ctx.send(WRITE, [run.id, run.entries, JSON.stringify(turn.records), now]);
    written.catch(() => undefined);
  }
  return (await updated).length > 0;
}

const TELL = `
  with run as (
    update runs set due_at = $3, entries = entries + 1
     where id = $1 and status not in ('completed', 'failed', 'cancelled')
    returning id, entries - 1 as entry
  )
  insert into run_journal (run_id, entry, records, written_at) select id, entry, $2, $3 from run
  returning run_id`;

/** Leaves word for a run that is not over, and makes it due; false when it is over. */
export async function queueCommand(
  ctx: WriteContext<never>,
  runId: string,
  words: readonly JournalDecision[],
): Promise<boolean> {
  const told = await ctx.send(TELL, [runId, JSON.stringify(words), ctx.now]);
  ctx.onCommit(() => ctx.services.wakeSignal.raise(RUNS_DUE_SIGNAL));
  return told.length > 0;
}

export function isOver(status: RunStatus): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}

function jsonOf(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}
