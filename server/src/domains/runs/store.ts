import { type RawBuilder, sql } from "kysely";
import { type RunCount, WorkflowsRead } from "#domains/workflows/index.ts";
import type { SearchSource } from "#kernel/contributions/search-source.ts";
import type { Tx } from "#kernel/db/connection.ts";
import type { EnvironmentName } from "#kernel/db/database.ts";
import type { Actor } from "#kernel/log/event.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import { firstIdAt } from "#kernel/schema/id.ts";
import { retentionJob } from "#kernel/work/retention-job.ts";
import type { TestRun } from "./engine/run-context.ts";
import { type JournalEntry, RUN_COLUMNS, type RunRow } from "./engine/store.ts";
import type { Run, RunStatus } from "./run.ts";

/** The filters and the page of a list. */
export interface RunQuery {
  readonly workflowId?: string | undefined;
  readonly statuses?: readonly RunStatus[] | undefined;
  readonly triggerTypes?: readonly string[] | undefined;
  readonly versionId?: string | undefined;
  /** The number of a version. */
  readonly version?: number | undefined;
  readonly test?: boolean | undefined;
  readonly parentRunId?: string | undefined;
  readonly ids?: readonly string[] | undefined;
  /** Part of an error's code or message. */
  readonly error?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** The id of the run before the page. */
  readonly after?: string | undefined;
  readonly order?: "asc" | "desc" | undefined;
  readonly limit: number;
}

/** A run with the columns needed for its trace. */
export interface StoredRun extends Run {
  readonly trigger: Readonly<Record<string, unknown>>;
  readonly output: unknown;
  readonly testRun: TestRun | null;
  readonly entries: number;
  /** The user in whose name the run acts. */
  readonly runAs: string;
}

const LIST_COLUMNS = sql`
  r.id, r.environment, r.workflow_id, r.version_id, r.status, r.trigger_type, r.trigger_id, r.test is not null as test,
  r.actor, r.event_id, r.parent_run_id, r.correlation_id, r.error, r.created_at, r.started_at,
  r.finished_at, r.entries, w.name as workflow_name, v.number as version`;
const JOIN_NAMES = sql`
  join workflows w on w.id = r.workflow_id left join workflow_versions v on v.id = r.version_id`;

/** Newest first by default. */
export async function list(tx: Tx, query: RunQuery): Promise<(Run & Pick<StoredRun, "entries">)[]> {
  const { rows } = await listStatement(query).execute(tx);
  return rows.map((row) => ({ ...toRun(row), entries: row.entries }));
}

/** The statement of a list. Names are joined only to the rows of the page. */
export function listStatement(query: RunQuery): RawBuilder<Row> {
  const { statuses = [], order = "desc", limit } = query;
  const direction = sql.raw(order);
  // Each status uses its own index. A combined query would have to sort all rows.
  const parts = (statuses.length > 1 ? statuses.map((status) => [status]) : [statuses]).map(
    (some) => sql`(select * from runs where ${toConditions({ ...query, statuses: some })}
                    order by id ${direction} limit ${limit})`,
  );
  return sql<Row>`
    select ${LIST_COLUMNS}
      from (select * from (${sql.join(parts, sql` union all `)}) r
             order by id ${direction} limit ${limit}) r
      ${JOIN_NAMES}
     order by r.id ${direction}`;
}

/** Counts stop at this number. */
const FACET_RUNS_MAX = 50_000;

/** Counts the newest runs by status, and whether more runs exist than were counted. */
export async function countByStatus(
  tx: Tx,
  query: Omit<RunQuery, "limit" | "order">,
): Promise<{ readonly counts: Readonly<Record<string, number>>; readonly truncated: boolean }> {
  const { rows } = await sql<{ status: string; n: number }>`
    select status, count(*)::int as n
      from (select status from runs where ${toConditions(query)}
             order by id desc limit ${FACET_RUNS_MAX}) r
     group by status`.execute(tx);
  const counts = Object.fromEntries(rows.map(({ status, n }) => [status, n]));
  const total = rows.reduce((sum, { n }) => sum + n, 0);
  return { counts, truncated: total === FACET_RUNS_MAX };
}

/** The ids of ended runs, oldest first. */
export async function listIds(tx: Tx, query: RunQuery): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from runs where ${toConditions(query)} and test is null
     order by id limit ${query.limit}`.execute(tx);
  return rows.map(({ id }) => id);
}

export async function find(tx: Tx, id: string): Promise<StoredRun | undefined> {
  const { rows } = await sql<FullRow>`
    select ${LIST_COLUMNS}, r.trigger, r.output, r.test as test_run, r.run_as
      from runs r ${JOIN_NAMES} where r.id = ${id}`.execute(tx);
  const [row] = rows;
  return (
    row && {
      ...toRun(row),
      trigger: row.trigger,
      output: row.output,
      testRun: row.test_run,
      entries: row.entries,
      runAs: row.run_as,
    }
  );
}

/** Finds the latest run of a workflow or trigger in the current environment. Excludes test runs. */
export async function findLatest(tx: Tx, workflowId: string, triggerId?: string) {
  return (
    tx
      .selectFrom("runs")
      .select(["id", "trigger_type as triggerType", "created_at as createdAt"])
      // A check constraint guarantees the type.
      .select(sql<RunStatus>`status`.as("status"))
      .where("workflow_id", "=", workflowId)
      .where("test", "is", null)
      .$if(triggerId !== undefined, (found) => found.where("trigger_id", "=", triggerId ?? null))
      .orderBy("id", "desc")
      .limit(1)
      .executeTakeFirst()
  );
}

/** Counts the unfinished runs of a workflow by version and status. Excludes test runs. */
export async function countUnfinished(tx: Tx, workflowId: string): Promise<RunCount[]> {
  const { rows } = await sql<RunCount>`
    select r.version_id as "versionId", v.number as version, r.status, count(*)::integer as count
      from runs r left join workflow_versions v on v.id = r.version_id
     where r.workflow_id = ${workflowId} and r.test is null
       and r.status in ('queued', 'running', 'waiting', 'paused')
     group by 1, 2, 3 order by 2, 3`.execute(tx);
  return rows;
}

export async function get(tx: Tx, id: string): Promise<StoredRun> {
  const run = await find(tx, id);
  if (!run) throw new Failure(NotFound);
  return run;
}

/** Reads runs for the engine, without a lock. */
export async function readRows(tx: Tx, ids: readonly string[]): Promise<RunRow[]> {
  const { rows } = await sql<RunRow>`
    select ${sql.raw(RUN_COLUMNS)} from runs r where r.id = any (${ids}::text[]) order by r.id`.execute(
    tx,
  );
  return rows;
}

/** Counts the active runs with the same key, and the runs queued before this one. */
export async function countQueue(
  tx: Tx,
  { id, workflowId }: Pick<Run, "id" | "workflowId">,
): Promise<{ readonly running: number; readonly ahead: number; readonly key: string | null }> {
  const { rows } = await sql<{ running: number; ahead: number; key: string | null }>`
    select q.concurrency_key as key,
           (select count(*)::int from runs r
             where r.workflow_id = ${workflowId} and r.concurrency_key is not distinct from q.concurrency_key
               and r.limited and r.status in ('running', 'waiting', 'paused')) as running,
           (select count(*)::int from runs r
             where r.workflow_id = ${workflowId} and r.concurrency_key is not distinct from q.concurrency_key
               and r.status = 'queued' and r.id < q.id) as ahead
      from runs q where q.id = ${id}`.execute(tx);
  return rows[0] ?? { running: 0, ahead: 0, key: null };
}

/** Locks the run until the transaction ends. Returns it in the form of the engine. */
export async function lock(tx: Tx, id: string): Promise<RunRow> {
  const [row] = await lockAll(tx, [id]);
  if (!row) throw new Failure(NotFound);
  return row;
}

/** Locks several runs, ordered by id. */
export async function lockAll(tx: Tx, ids: readonly string[]): Promise<RunRow[]> {
  const { rows } = await sql<RunRow>`
    select ${sql.raw(RUN_COLUMNS)} from runs r where r.id = any (${ids}::text[])
     order by r.id for update`.execute(tx);
  return rows;
}

/** Reads the journal of a run from an entry. */
export async function readEntries(tx: Tx, id: string, from = 0): Promise<JournalEntry[]> {
  const { rows } = await sql<JournalEntry>`
    select run_id, entry, records from run_journal where run_id = ${id} and entry >= ${from}
     order by entry`.execute(tx);
  return rows;
}

/** Counts stop at this number. */
const COUNTED_MAX = 1_000_000;

export async function count(tx: Tx): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from (select from runs limit ${COUNTED_MAX}) r`.execute(tx);
  return rows[0]?.n ?? 0;
}

/** Literals, because a partial index on statuses cannot be used with a parameter. */
const STATUS_CONDITIONS: Readonly<Record<RunStatus, RawBuilder<boolean>>> = {
  queued: sql`status = 'queued'`,
  running: sql`status = 'running'`,
  waiting: sql`status = 'waiting'`,
  paused: sql`status = 'paused'`,
  completed: sql`status = 'completed'`,
  failed: sql`status = 'failed'`,
  cancelled: sql`status = 'cancelled'`,
};

function toConditions(query: Omit<RunQuery, "limit">): RawBuilder<unknown> {
  const { workflowId, statuses = [], triggerTypes = [], from, to, after, order } = query;
  const { versionId, version, test, error, parentRunId, ids } = query;
  const conditions = [
    workflowId !== undefined && sql`workflow_id = ${workflowId}`,
    statuses.length > 0 &&
      sql`(${sql.join(
        statuses.map((status) => STATUS_CONDITIONS[status]),
        sql` or `,
      )})`,
    triggerTypes.length === 1 && sql`trigger_type = ${triggerTypes[0]}`,
    triggerTypes.length > 1 && sql`trigger_type = any (${triggerTypes}::text[])`,
    versionId !== undefined && sql`version_id = ${versionId}`,
    version !== undefined &&
      sql`version_id in (select v.id from workflow_versions v where v.number = ${version})`,
    test !== undefined && (test ? sql`test is not null` : sql`test is null`),
    ids !== undefined && sql`id = any (${ids}::text[])`,
    parentRunId !== undefined && sql`parent_run_id = ${parentRunId}`,
    error !== undefined &&
      sql`status in ('failed', 'cancelled') and concat(error ->> 'code', ' ', error ->> 'message')
            ilike ${`%${error.replaceAll(/[\\%_]/g, "\\$&")}%`}`,
    // Ids contain the time, so one sort order works for both.
    from !== undefined && sql`id >= ${firstIdAt("run", Date.parse(from))}`,
    to !== undefined && sql`id < ${firstIdAt("run", Date.parse(to))}`,
    after !== undefined && (order === "asc" ? sql`id > ${after}` : sql`id < ${after}`),
  ].filter((condition) => typeof condition === "object");
  return conditions.length > 0 ? sql.join(conditions, sql` and `) : sql`true`;
}

interface Row {
  readonly id: string;
  readonly environment: EnvironmentName;
  readonly workflow_id: string;
  readonly workflow_name: string;
  readonly version_id: string;
  readonly version: number | null;
  readonly status: RunStatus;
  readonly trigger_type: string;
  readonly trigger_id: string | null;
  readonly test: boolean;
  readonly actor: Actor;
  readonly event_id: string | null;
  readonly parent_run_id: string | null;
  readonly correlation_id: string;
  readonly error: Run["error"];
  readonly created_at: string;
  readonly started_at: string | null;
  readonly finished_at: string | null;
  readonly entries: number;
}

interface FullRow extends Row {
  readonly trigger: Readonly<Record<string, unknown>>;
  readonly output: unknown;
  readonly test_run: TestRun | null;
  readonly run_as: string;
}

function toRun(row: Row): Run {
  return {
    id: row.id,
    workflowId: row.workflow_id,
    workflowName: row.workflow_name,
    versionId: row.version_id,
    version: row.version,
    environment: row.environment,
    status: row.status,
    triggerType: row.trigger_type,
    triggerId: row.trigger_id,
    test: row.test,
    startedBy: row.actor,
    eventId: row.event_id,
    parentRunId: row.parent_run_id,
    correlationId: row.correlation_id,
    error: row.error,
    createdAt: row.created_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    durationMs: elapsedMs(row.started_at, row.finished_at),
  };
}

/** Returns null if a time is unknown. */
export function elapsedMs(
  startedAt: string | null | undefined,
  finishedAt: string | null | undefined,
): number | null {
  if (!startedAt || !finishedAt) return null;
  return Date.parse(finishedAt) - Date.parse(startedAt);
}

const DAY_MS = 24 * 3_600_000;
/** Runs per batch. Their journals are deleted with them. */
const RUNS_MAX = 500;

/**
 * Ids sort by time, so the primary key finds the oldest runs first. The outer condition repeats the inner one, so
 * that a run retried in the meantime is kept.
 */
const DELETE_EXPIRED = `
  with gone as (
    delete from runs r
     where r.ctid = any (array(
             select o.ctid from runs o where o.id < $3 and o.finished_at < $1 order by o.id limit $2))
       and r.finished_at < $1
    returning r.workspace_id, r.environment, r.id
  ), released as (
    update files f set expires_at = $4 from gone
     where f.workspace_id = gone.workspace_id and f.environment = gone.environment
       and f.attached_type = 'run' and f.attached_id = gone.id
  )
  select count(*)::int as n from gone`;

/** Deletes runs that ended before the retention time, with their journals. Their files expire. */
export const runRetentionJob = retentionJob({
  kind: "runs.prune",
  rowsMax: RUNS_MAX,
  async remove({ db, settings, clock }, rowsMax) {
    if (settings.runRetentionDays === 0) return 0;
    const beforeMs = clock.nowMs() - settings.runRetentionDays * DAY_MS;
    const [row] = await db.system<{ n: number }>(DELETE_EXPIRED, [
      new Date(beforeMs),
      rowsMax,
      firstIdAt("run", beforeMs),
      clock.now(),
    ]);
    return row?.n ?? 0;
  },
});

/** Search finds runs by id only. */
export const runSource: SearchSource = {
  kind: "run",
  permission: WorkflowsRead,
  async search({ tx }, { raw }) {
    const run = raw.startsWith("run_") ? await find(tx, raw) : undefined;
    return run ? [{ id: run.id, title: run.workflowName, detail: run.status }] : [];
  },
};
