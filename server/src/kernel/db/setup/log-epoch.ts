/**
 * Transaction ids are unique within one history of one cluster. A dump restored into another cluster starts
 * them again. A cluster restored to an earlier time, or a standby after failover, can reuse ids that clients
 * have already seen; PostgreSQL marks this by a new timeline. In all these cases new events must sort after all
 * earlier ones: a new epoch begins. `present_epoch()` starts it, see migration 0044.
 */

/** The cluster and its timeline, as stored in `installation.cluster`. */
export const PRESENT_CLUSTER = `
  (select system_identifier || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8) from pg_control_system())`;

/** Begins a new epoch if the history of the cluster has changed, and stores the current epoch in the session. */
export const ENTER_EPOCH = `
  begin read write;
  select pg_backend_pid() as pid, set_config('millrace.epoch', present_epoch()::text, false) as epoch;
  commit`;

/** Enters the epoch for one transaction, for connections whose server process can change. */
export const ENTER_EPOCH_LOCALLY =
  "select set_config('millrace.epoch', present_epoch()::text, true)";

/** False if a new epoch began after the connection entered its epoch. Null behind a pooler. */
export const READ_EPOCH_STATE = `
  select epoch = nullif(current_setting('millrace.epoch', true), '')::smallint as present from installation`;
