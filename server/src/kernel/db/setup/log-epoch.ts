/**
 * Transaction ids mean something within one history of one cluster. When a dump is restored into another cluster they
 * begin anew; when a cluster is restored to an earlier moment or a standby takes over, ids that clients have already
 * seen may be used a second time, and PostgreSQL marks that by a new timeline. In all these cases new events must come
 * after all earlier ones, under ids that were never used: a new epoch. `present_epoch()`, see migration 0044, begins
 * it.
 */

/** The cluster and its timeline, as they are kept in `installation.cluster`. */
export const PRESENT_CLUSTER = `
  (select system_identifier || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8) from pg_control_system())`;

/** Begins a new epoch if the history of the cluster is another one, and stores the present one in the session. */
export const ENTER_EPOCH = `
  begin read write;
  select pg_backend_pid() as pid, set_config('millrace.epoch', present_epoch()::text, false) as epoch;
  commit`;

/** Enters the epoch for one transaction alone, for a connection whose server process may be another one each time. */
export const ENTER_EPOCH_LOCALLY =
  "select set_config('millrace.epoch', present_epoch()::text, true)";

/** False for a connection that entered its epoch before another one began; null behind a pooler. */
export const READ_EPOCH_STATE = `
  select epoch = nullif(current_setting('millrace.epoch', true), '')::smallint as present from installation`;
