import type { SharedDatabase } from "../nodes/database.ts";
import { descendants } from "./memory.ts";

/** The size of a table with its indexes. */
export interface TableSize {
  readonly table: string;
  readonly heapKiB: number;
  readonly indexKiB: number;
  readonly live: number;
  readonly dead: number;
  readonly vacuums: number;
}

/** The state of the product and its database at one time. */
export interface Sample {
  readonly atMs: number;
  readonly tables: readonly TableSize[];
  /** The age in seconds of the oldest row, for each pruned kind. */
  readonly oldestS: Readonly<Record<string, number>>;
  /** The number of waiting items by name. */
  readonly queues: Readonly<Record<string, number>>;
  readonly jobsFailed: number;
  readonly parked: number;
  readonly connections: number;
  readonly deadlocks: number;
  readonly tempFiles: number;
  readonly walMiB: number;
  readonly children: { readonly count: number; readonly rssMiB: number };
}

const SIZES = `
  select c.relname as table, (pg_table_size(c.oid) / 1024)::int as "heapKiB",
         (pg_indexes_size(c.oid) / 1024)::int as "indexKiB", s.n_live_tup::int as live,
         s.n_dead_tup::int as dead, s.autovacuum_count::int as vacuums
    from pg_class c join pg_stat_user_tables s on s.relid = c.oid
   where c.relkind = 'r'`;

/** Each reads the end of an index, or a table that is normally small. */
const OLDEST = `
  with oldest (kind, at) as (values
    ('events', (select created_at from events order by epoch, xid, seq limit 1)),
    ('deliveries', (select created_at from deliveries where due_at is null order by created_at limit 1)),
    ('runs', (select created_at from runs order by id limit 1)),
    ('artifact_executions', (select min(started_at) from artifact_executions)))
  select kind, extract(epoch from now() - at)::float8 as s from oldest where at is not null
  union all
  select kind, extract(epoch from now() - at)::float8 from (values
    ('idempotency_keys', (select min(expires_at) from idempotency_keys)),
    ('message_keys', (select min(expires_at) from message_keys)),
    ('sessions', (select min(expires_at) from sessions)),
    ('exports', (select min(expires_at) from exports)),
    ('notifications', (select min(created_at) + interval '90 days' from notifications))
  ) as expiring (kind, at) where at is not null`;

const STATE = `
  select (select count(*)::int from runs where due_at <= now()) as "runs due",
         (select count(*)::int from deliveries where due_at <= now()) as "deliveries due",
         (select count(*)::int from jobs where due_at <= now() and failed_at is null) as "jobs due",
         (select count(*)::int from jobs where failed_at is not null) as failed,
         (select count(*)::int from parked_events) as parked,
         d.numbackends as connections, d.deadlocks::int as deadlocks, d.temp_files::int as temp,
         (select sum(size) / 1048576 from pg_ls_waldir())::float8 as wal
    from pg_stat_database d where d.datname = current_database()`;

/** Collects all values once. */
export async function sample(
  database: SharedDatabase,
  product: { readonly pid: number; readonly port: number },
): Promise<Sample> {
  const metrics = await fetch(`http://127.0.0.1:${product.port}/metrics`).then((reply) =>
    reply.text(),
  );
  const [state] = await database.rows(STATE);
  const oldest: { kind: string; s: number }[] = await database.rows(OLDEST);
  return {
    atMs: Date.now(),
    tables: await database.rows(SIZES),
    oldestS: Object.fromEntries(oldest.map(({ kind, s }) => [kind, s])),
    queues: {
      "events behind": largest(metrics, "millrace_reader_events_behind"),
      "waiting for a connection": largest(metrics, "millrace_database_waiting"),
      "runs due": state["runs due"],
      "deliveries due": state["deliveries due"],
      "jobs due": state["jobs due"],
    },
    jobsFailed: state.failed,
    parked: state.parked,
    connections: state.connections,
    deadlocks: state.deadlocks,
    tempFiles: state.temp,
    walMiB: state.wal,
    children: descendants(product.pid),
  };
}

function largest(metrics: string, name: string): number {
  const lines = metrics.split("\n").filter((line) => line.startsWith(name));
  return Math.max(0, ...lines.map((line) => Number(line.slice(line.lastIndexOf(" ") + 1))));
}
