const SERIALIZATION_FAILURE = "40001";
const DEADLOCK = "40P01";
const QUERY_CANCELLED = "57014";
const INTERNAL_ERROR = "XX000";
const UNIQUE_VIOLATION = "23505";
const CHECK_VIOLATION = "23514";

/** The work was based on data that has changed meanwhile: it is to be repeated from the beginning. */
export class StaleRead extends Error {
  constructor(options: { cause: unknown }) {
    super("The data is out of date.", options);
    this.name = "StaleRead";
  }
}

/** The time of a transaction is over: no statement is sent any more. */
export class TransactionTimeout extends Error {
  constructor() {
    super("The transaction took longer than it may.");
    this.name = "TransactionTimeout";
  }
}

/** True when a statement or its whole transaction took longer than it may. */
export function isTimeout(error: unknown): boolean {
  return error instanceof TransactionTimeout || sqlStateOf(error) === QUERY_CANCELLED;
}

/** True for errors after which the same transaction may well succeed. */
export function isTransient(error: unknown): boolean {
  const code = sqlStateOf(error);
  return (
    code === SERIALIZATION_FAILURE ||
    code === DEADLOCK ||
    isStale(error) ||
    isCatalogRace(error) ||
    isOldEpoch(error) ||
    error instanceof StaleRead
  );
}

/**
 * True when two transactions changed the same row of the catalog at once, which PostgreSQL waits for and then refuses.
 */
function isCatalogRace(error: unknown): boolean {
  const code = sqlStateOf(error);
  if (code === INTERNAL_ERROR) return /tuple concurrently (updated|deleted)/.test(String(error));
  return code === UNIQUE_VIOLATION && (error as { schema?: unknown }).schema === "pg_catalog";
}

/** True when the connection entered the log's epoch before another one began. */
export function isOldEpoch(error: unknown): boolean {
  return (
    sqlStateOf(error) === CHECK_VIOLATION &&
    (error as { readonly constraint?: unknown }).constraint === "events_epoch"
  );
}

/** True when a statement failed only because an earlier one of its transaction had. */
export function isFollowUpError(error: unknown): boolean {
  return sqlStateOf(error) === "25P02";
}

/** True when the statement was prepared before a migration changed its table. */
export function isStale(error: unknown): boolean {
  return sqlStateOf(error) === "0A000" && /cached plan/.test(String(error));
}

/**
 * 53: no disk, memory or connection left. 58: its files can't be read or written. 25P03, 25P04, 55P03: it
 * waited too long, in a transaction or for a lock.
 */
const LOST_STATES = /^(08|53|57P0|58|25P03|25P04|55P03)/;
const LOST_SYSTEM_CODES =
  /^E(CONN|PIPE|NOENT|TIMEDOUT|HOSTUNREACH|HOSTDOWN|NETUNREACH|NETDOWN|ADDRNOTAVAIL|NOTFOUND|AI_AGAIN|MFILE|NFILE)/;

/** True when the connection or the database is gone or too busy, rather than the statement wrong. */
export function isConnectionLoss(error: unknown): boolean {
  const code = sqlStateOf(error);
  if (code === undefined) {
    return (
      error instanceof Error && /connect|terminated|not queryable|timeout/i.test(error.message)
    );
  }
  // A standby, before its failover.
  if (code === "0A000") return /during recovery/.test(String(error));
  return LOST_STATES.test(code) || LOST_SYSTEM_CODES.test(code);
}

/** The SQLSTATE of an error, or the system's code of a broken connection. */
export function sqlStateOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}
