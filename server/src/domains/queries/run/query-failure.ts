import { sqlStateOf, isConnectionLoss } from "#kernel/db/errors.ts";
import { MemoryExceeded } from "#kernel/db/memory-watch.ts";
import { Failure, failure, type FieldError } from "#kernel/operation/failure.ts";
import type { Inspection } from "../guard/guard.ts";
import {
  type GuardError,
  describePosition,
  characterCount,
  positionAt,
} from "../guard/source-position.ts";
import type { WrappedStatement } from "./wrap-statement.ts";

export const QueryRefused = failure("query_refused", 422, "The statement is not allowed.");
export const QueryFailed = failure("query_failed", 422, "PostgreSQL could not run the statement.");
export const QueryTimedOut = failure(
  "query_timed_out",
  422,
  "The statement exceeded its time limit.",
);

const CANCELLED = "57014";
/** Out of memory or disk space, or beyond the limit of one statement. */
const RESOURCE_LIMITS = /^(53100|53200|53400|54001)$/;
/** Errors of the statement and its values, unsupported features and limits, which the user can fix. */
const STATEMENT_ERRORS = /^(0A|20|21|22|2F|42|44|54)/;
/** Internal names, which must not appear in messages. */
const INTERNAL_NAMES = /tables_[psd]_[0-9a-f]{8}|millrace[._]/;

/** The failure for a statement that the guard has rejected. */
export function toQueryRefused(guardErrors: readonly GuardError[], path = "/sql"): Failure {
  const errors = guardErrors.map((error): FieldError => {
    const message = describePosition(error);
    return { path, message, ...(error.at && { position: error.at.position }) };
  });
  return new Failure(QueryRefused, { detail: errors[0]?.message ?? QueryRefused.title, errors });
}

/** Converts a PostgreSQL error to refer to the user's own text; other errors are returned unchanged. */
export function explainQueryError(
  error: unknown,
  {
    sql,
    inspection,
    wrapped,
  }: {
    readonly sql: string;
    readonly inspection: Inspection;
    readonly wrapped: WrappedStatement;
  },
): unknown {
  const code = sqlStateOf(error) ?? "";
  if (code === CANCELLED) return new Failure(QueryTimedOut);
  if (RESOURCE_LIMITS.test(code) || error instanceof MemoryExceeded)
    return queryFailed("the statement exceeded its memory or disk limit");
  if (isConnectionLoss(error) || !STATEMENT_ERRORS.test(code)) return error;
  const { message, hint, position } = error as {
    readonly message: string;
    readonly hint?: string;
    readonly position?: string;
  };
  const text = hint === undefined ? message : `${message} (${hint})`;
  const offset = Number(position ?? 0) - 1 - wrapped.prefixLength;
  const isInStatement = offset >= 0 && offset <= characterCount(inspection.text);
  const at = isInStatement ? positionAt(sql, inspection.offset + offset) : undefined;
  return queryFailed(
    INTERNAL_NAMES.test(text)
      ? "a value or a name is not valid"
      : describePosition({ message: text, at }),
    at,
  );
}

function queryFailed(message: string, at?: { readonly position: number }): Failure {
  const error: FieldError = { path: "/sql", message, ...(at && { position: at.position }) };
  return new Failure(QueryFailed, { detail: message, errors: [error] });
}
