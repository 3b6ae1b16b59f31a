import { sql } from "kysely";
import type { TicketKindName } from "../../tickets/index.ts";
import type { Tx } from "#kernel/db/connection.ts";
import type { Database, Partition } from "#kernel/db/database.ts";
import type { LogPosition } from "#kernel/log/event.ts";
import type { SlaClockState, TimelineEntry } from "./clock-fold.ts";
import type { Snapshot } from "./announcer/settled-until.ts";
import type { Metric } from "../policy.ts";
import type { ClockState } from "./clock-state.ts";

/** The ticket fields stored with its clock, for alerts and lists. */
export interface TicketFields {
  readonly number: string | null;
  readonly title: string | null;
  readonly state: string;
  readonly priority: number | null;
  readonly assigneeId: string | null;
  readonly teamId: string | null;
}

export interface StoredClock {
  readonly policyId: string;
  readonly policyName: string;
  readonly policyRevision: number;
  readonly kind: TicketKindName;
  readonly ticketId: string;
  readonly metric: Metric;
  /** The name of the target in its policy. */
  readonly name: string;
  readonly state: ClockState;
  readonly targetMs: number;
  readonly clock: SlaClockState;
  readonly ticket: TicketFields;
  readonly dueAt: string | null;
  readonly warnAt: string | null;
  readonly nextAt: string | null;
  /** The number of announced warnings in this round. */
  readonly warnings: number;
  readonly warnedAt: string | null;
  readonly breachedAt: string | null;
  readonly stoppedAt: string | null;
  /** The position of the last folded event. */
  readonly position: LogPosition;
}

/** The columns that `toClock` reads. */
export const CLOCK_COLUMNS = `
  ticket_id, policy_id, metric, name, kind, policy_name, policy_revision, state, target_ms, fold, timeline,
  ticket, due_at, warn_at, next_at, warnings, warned_at, breached_at, stopped_at, last_epoch,
  last_xid::text as last_xid, last_seq`;

export interface ClockRow {
  readonly ticket_id: string;
  readonly policy_id: string;
  readonly metric: Metric;
  readonly name: string;
  readonly kind: TicketKindName;
  readonly policy_name: string;
  readonly policy_revision: number;
  readonly state: ClockState;
  readonly target_ms: number;
  readonly fold: Omit<SlaClockState, "timeline">;
  readonly timeline: readonly TimelineEntry[];
  readonly ticket: TicketFields;
  readonly due_at: string | null;
  readonly warn_at: string | null;
  readonly next_at: string | null;
  readonly warnings: number;
  readonly warned_at: string | null;
  readonly breached_at: string | null;
  readonly stopped_at: string | null;
  readonly last_epoch: number;
  readonly last_xid: string;
  readonly last_seq: number;
}

/** Locks the clocks of tickets until the transaction ends. */
export async function lockClocks(tx: Tx, ticketIds: readonly string[]): Promise<StoredClock[]> {
  const { rows } = await sql<ClockRow>`
    select ${sql.raw(CLOCK_COLUMNS)} from sla_clocks
     where ticket_id = any(${ticketIds}::text[])
     order by no for update`.execute(tx);
  return rows.map(toClock);
}

export async function listByTicket(tx: Tx, ticketId: string): Promise<StoredClock[]> {
  const { rows } = await sql<ClockRow>`
    select ${sql.raw(CLOCK_COLUMNS)} from sla_clocks
     where ticket_id = ${ticketId} order by no`.execute(tx);
  return rows.map(toClock);
}

/** Inserts or replaces clocks. */
export async function save(tx: Tx, clocks: readonly StoredClock[], now: Date): Promise<void> {
  if (clocks.length === 0) return;
  const rows = JSON.stringify(clocks.map(toRow));
  await sql`
    insert into sla_clocks
      (ticket_id, policy_id, metric, name, kind, policy_name, policy_revision, state, target_ms, fold,
       timeline, ticket, due_at, warn_at, next_at, warnings, warned_at, breached_at, stopped_at, last_epoch,
       last_xid, last_seq, updated_at)
    select c.*, ${now}::timestamptz
      from json_to_recordset(${rows}::json) as c
        (ticket_id text, policy_id text, metric text, name text, kind text, policy_name text,
         policy_revision integer, state text, target_ms bigint, fold jsonb, timeline jsonb,
         ticket jsonb, due_at timestamptz, warn_at timestamptz, next_at timestamptz,
         warnings smallint, warned_at timestamptz, breached_at timestamptz, stopped_at timestamptz,
         last_epoch smallint, last_xid xid8, last_seq bigint)
    on conflict (workspace_id, environment, ticket_id, policy_id, name) do update
       set metric = excluded.metric, policy_name = excluded.policy_name, policy_revision = excluded.policy_revision,
           state = excluded.state, target_ms = excluded.target_ms, fold = excluded.fold,
           timeline = excluded.timeline, ticket = excluded.ticket, due_at = excluded.due_at,
           warn_at = excluded.warn_at, next_at = excluded.next_at, warnings = excluded.warnings, warned_at = excluded.warned_at,
           breached_at = excluded.breached_at, stopped_at = excluded.stopped_at,
           last_epoch = excluded.last_epoch, last_xid = excluded.last_xid,
           last_seq = excluded.last_seq, updated_at = excluded.updated_at`.execute(tx);
}

/** Locks clocks with something to announce. Skips clocks locked by another node. */
export async function claimDue(tx: Tx, before: Date, limit: number): Promise<StoredClock[]> {
  const { rows } = await sql<ClockRow>`
    select ${sql.raw(CLOCK_COLUMNS)} from sla_clocks
     where next_at < ${before} order by next_at limit ${limit} for update skip locked`.execute(tx);
  return rows.map(toClock);
}

/** The marks of a due clock after it was announced. */
export interface AnnouncedClock extends Pick<
  StoredClock,
  "ticketId" | "policyId" | "name" | "state" | "nextAt" | "warnings" | "warnedAt" | "breachedAt"
> {}

export async function saveAnnounced(
  tx: Tx,
  announced: readonly AnnouncedClock[],
  now: Date,
): Promise<void> {
  if (announced.length === 0) return;
  const column = (of: (clock: AnnouncedClock) => string | number | null) => announced.map(of);
  await sql`
    update sla_clocks c
       set state = s.state, next_at = s.next_at, warnings = s.warnings,
           warned_at = s.warned_at, breached_at = s.breached_at, updated_at = ${now}
      from unnest(${column((clock) => clock.ticketId)}::text[], ${column((clock) => clock.policyId)}::text[],
                  ${column((clock) => clock.name)}::text[], ${column((clock) => clock.state)}::text[],
                  ${column((clock) => clock.nextAt)}::timestamptz[],
                  ${column((clock) => clock.warnings)}::smallint[],
                  ${column((clock) => clock.warnedAt)}::timestamptz[],
                  ${column((clock) => clock.breachedAt)}::timestamptz[])
             as s (ticket_id, policy_id, name, state, next_at, warnings, warned_at, breached_at)
     where c.ticket_id = s.ticket_id and c.policy_id = s.policy_id
       and c.name = s.name`.execute(tx);
}

/** Locks a batch of a policy's open clocks, except those of its current kind and targets. */
export async function lockOpen(
  tx: Tx,
  policyId: string,
  {
    except,
    limit,
  }: {
    readonly except: { readonly kind: string; readonly names: readonly string[] };
    readonly limit: number;
  },
): Promise<StoredClock[]> {
  const { rows } = await sql<ClockRow>`
    select ${sql.raw(CLOCK_COLUMNS)} from sla_clocks
     where policy_id = ${policyId} and stopped_at is null and state <> 'cancelled'
       and not (kind = ${except.kind} and name = any(${except.names}::text[]))
     order by no limit ${limit} for update`.execute(tx);
  return rows.map(toClock);
}

type PartitionRow = Pick<Partition, "environment"> & { readonly workspace_id: string };

const FIRST_DUE_PARTITIONS =
  "select workspace_id, environment from sla_clocks where next_at < $1 order by next_at";
const FIRST_DUE_ROWS_MAX = 1_000;

/** Loose index scan by partition, independent of the number of due clocks. */
const ALL_DUE_PARTITIONS = `
  with recursive place as (
    (select workspace_id, environment, next_at from sla_clocks where next_at is not null
      order by workspace_id, environment, next_at limit 1)
    union all
    select other.* from place cross join lateral
      (select c.workspace_id, c.environment, c.next_at from sla_clocks c
        where c.next_at is not null
          and (c.workspace_id, c.environment) > (place.workspace_id, place.environment)
        order by c.workspace_id, c.environment, c.next_at limit 1) other)
  select workspace_id, environment from place where next_at < $1 order by next_at`;

/** Lists all partitions with due clocks, so that none waits for a partition with more clocks. */
export async function duePartitions(db: Database, before: Date): Promise<Partition[]> {
  const first = await db.system<PartitionRow>(
    `${FIRST_DUE_PARTITIONS} limit ${FIRST_DUE_ROWS_MAX}`,
    [before],
  );
  const rows =
    first.length < FIRST_DUE_ROWS_MAX
      ? first
      : await db.system<PartitionRow>(ALL_DUE_PARTITIONS, [before]);
  const partitions = new Map(rows.map((row) => [`${row.workspace_id} ${row.environment}`, row]));
  return [...partitions.values()].map(({ workspace_id, environment }) => ({
    workspace: workspace_id,
    environment,
  }));
}

const NEXT_DUE = `
  select pg_snapshot_xmin(now.snapshot) as xmin, pg_snapshot_xmax(now.snapshot) as xmax,
         (select next_at from sla_clocks where next_at is not null order by next_at limit 1) as next
    from (select pg_current_snapshot() as snapshot) now`;

/** Reads when the next clock of any partition is due, and the open transactions. */
export async function readNextDue(
  db: Database,
): Promise<{ readonly nextDueMs: number | undefined; readonly snapshot: Snapshot }> {
  const [row] = await db.system<{ xmin: string; xmax: string; next: string | null }>(NEXT_DUE);
  if (!row) throw new Error("A query without a condition returns a row.");
  return {
    nextDueMs: row.next === null ? undefined : Date.parse(row.next),
    snapshot: { xmin: BigInt(row.xmin), xmax: BigInt(row.xmax) },
  };
}

/** Converts a row with `CLOCK_COLUMNS`. */
export function toClock(row: ClockRow): StoredClock {
  return {
    policyId: row.policy_id,
    policyName: row.policy_name,
    policyRevision: row.policy_revision,
    kind: row.kind,
    ticketId: row.ticket_id,
    metric: row.metric,
    name: row.name,
    state: row.state,
    targetMs: row.target_ms,
    clock: { ...toFold(row), timeline: row.timeline },
    ticket: row.ticket,
    dueAt: row.due_at,
    warnAt: row.warn_at,
    nextAt: row.next_at,
    warnings: row.warnings,
    warnedAt: row.warned_at,
    breachedAt: row.breached_at,
    stoppedAt: row.stopped_at,
    position: { epoch: row.last_epoch, xid: Number(row.last_xid), seq: row.last_seq },
  };
}

/** Completes the fold of a clock written by an earlier version. */
function toFold({ fold }: ClockRow): ClockRow["fold"] {
  const isPaused = fold.countingSince === null && fold.stoppedAt === null;
  const earlier: Partial<ClockRow["fold"]> = {
    hasStarted: true,
    isPaused,
    isOver: fold.stoppedAt !== null,
    isResetHeld: false,
    round: 0,
    lateRounds: [],
  };
  return { ...earlier, ...fold };
}

function toRow(stored: StoredClock): ClockRow {
  const { timeline, ...fold } = stored.clock;
  return {
    ticket_id: stored.ticketId,
    policy_id: stored.policyId,
    metric: stored.metric,
    name: stored.name,
    kind: stored.kind,
    policy_name: stored.policyName,
    policy_revision: stored.policyRevision,
    state: stored.state,
    target_ms: stored.targetMs,
    fold,
    timeline,
    ticket: stored.ticket,
    due_at: stored.dueAt,
    warn_at: stored.warnAt,
    next_at: stored.nextAt,
    warnings: stored.warnings,
    warned_at: stored.warnedAt,
    breached_at: stored.breachedAt,
    stopped_at: stored.stoppedAt,
    last_epoch: stored.position.epoch,
    last_xid: String(stored.position.xid),
    last_seq: stored.position.seq,
  };
}
