const SERIALIZATION_FAILURE = "40001";
const DEADLOCK = "40P01";
const QUERY_CANCELLED = "57014";
const INTERNAL_ERROR = "XX000";
const UNIQUE_VIOLATION = "23505";
const CHECK_VIOLATION = "23514";

/** The data has changed since it was read. The work must be repeated from the start. */
export class StaleRead extends Error {
  constructor(options: { cause: unknown }) {
    super("The data is out of date.", options);
    this.name = "StaleRead";
  }
}

/** The time limit of the transaction has passed. No further statements are sent. */
export class TransactionTimeout extends Error {
  constructor() {
    super("The transaction exceeded its time limit.");
    this.name = "TransactionTimeout";
  }
}

/** True if a statement or its transaction exceeded its timeout. */
export function isTimeout(error: unknown): boolean {
  return error instanceof TransactionTimeout || sqlStateOf(error) === QUERY_CANCELLED;
}

/** True for errors after which a repeated transaction can succeed. */
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

/** True if two transactions changed a catalog row at once. PostgreSQL waits for the first and then fails the second. */
function isCatalogRace(error: unknown): boolean {
  const code = sqlStateOf(error);
  if (code === INTERNAL_ERROR) return /tuple concurrently (updated|deleted)/.test(String(error));
  return code === UNIQUE_VIOLATION && (error as { schema?: unknown }).schema === "pg_catalog";
}

/** True if a new epoch began after the connection had entered the log's epoch. */
export function isOldEpoch(error: unknown): boolean {
  return (
    sqlStateOf(error) === CHECK_VIOLATION &&
    (error as { readonly constraint?: unknown }).constraint === "events_epoch"
  );
}

/** True if a statement failed only because an earlier one in its transaction failed. */
export function isFollowUpError(error: unknown): boolean {
  return sqlStateOf(error) === "25P02";
}

/** True if a migration changed a table after the statement was prepared. */
export function isStale(error: unknown): boolean {
  return sqlStateOf(error) === "0A000" && /cached plan/.test(String(error));
}

/**
 * 53: out of disk, memory or connections. 58: file I/O errors. 25P03, 25P04, 55P03: timeouts in a transaction
 * or for a lock.
 */
const LOST_STATES = /^(08|53|57P0|58|25P03|25P04|55P03)/;
const LOST_SYSTEM_CODES =
  /^E(CONN|PIPE|NOENT|TIMEDOUT|HOSTUNREACH|HOSTDOWN|NETUNREACH|NETDOWN|ADDRNOTAVAIL|NOTFOUND|AI_AGAIN|MFILE|NFILE)/;

/** True if the connection or database is lost or overloaded, and the statement itself is not the cause. */
export function isConnectionLoss(error: unknown): boolean {
  const code = sqlStateOf(error);
  if (code === undefined) {
    return (
      error instanceof Error && /connect|terminated|not queryable|timeout/i.test(error.message)
    );
  }
  // A standby before its failover.
  if (code === "0A000") return /during recovery/.test(String(error));
  return LOST_STATES.test(code) || LOST_SYSTEM_CODES.test(code);
}

/** SQLSTATE, or the system error code if the connection is broken. */
export function sqlStateOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}
