import { sqlStateOf, isConnectionLoss } from "#kernel/db/errors.ts";
import { Failure, failure, type FieldError } from "#kernel/operation/failure.ts";
import type { Inspection } from "./guard/guard.ts";
import {
  type GuardError,
  describePosition,
  lengthOf,
  positionAt,
} from "./guard/source-position.ts";
import type { WrappedStatement } from "./wrap-statement.ts";

export const QueryRefused = failure("query_refused", 422, "This can't be run here.");
export const QueryFailed = failure("query_failed", 422, "PostgreSQL could not answer this.");
export const QueryTimedOut = failure("query_timed_out", 422, "It took longer than it may.");

const CANCELLED = "57014";
/** Out of memory, of disk, or of what one statement may have of it. */
const GREEDY = /^(53100|53200|53400|54001)$/;
/** About values, the statement, what is not supported, and limits: all of them the person's own affair. */
const ABOUT_THE_STATEMENT = /^(0A|20|21|22|2F|42|44|54)/;
/** No message with a name of ours is passed on. */
const OURS = /tables_[psd]_[0-9a-f]{8}|millrace[._]/;

/** A statement that did not pass. */
export function refusalOf(complaints: readonly GuardError[], path = "/sql"): Failure {
  const errors = complaints.map((complaint): FieldError => {
    const message = describePosition(complaint);
    return { path, message, ...(complaint.at && { position: complaint.at.position }) };
  });
  return new Failure(QueryRefused, { detail: errors[0]?.message ?? QueryRefused.title, errors });
}

/** What PostgreSQL complained of, in terms of what the person wrote; other errors are as they were. */
export function explained(
  error: unknown,
  {
    sql,
    inspection,
    composed,
  }: {
    readonly sql: string;
    readonly inspection: Inspection;
    readonly composed: WrappedStatement;
  },
): unknown {
  const code = sqlStateOf(error) ?? "";
  if (code === CANCELLED) return new Failure(QueryTimedOut);
  if (GREEDY.test(code)) return failed("it needs more memory or disk than one statement may have");
  if (isConnectionLoss(error) || !ABOUT_THE_STATEMENT.test(code)) return error;
  const { message, hint, position } = error as {
    readonly message: string;
    readonly hint?: string;
    readonly position?: string;
  };
  const words = hint === undefined ? message : `${message} (${hint})`;
  const within = Number(position ?? 0) - 1 - composed.before;
  const isTheirs = within >= 0 && within <= lengthOf(inspection.text);
  const at = isTheirs ? positionAt(sql, inspection.offset + within) : undefined;
  return failed(
    OURS.test(words) ? "a value or a name does not fit" : describePosition({ message: words, at }),
    at,
  );
}

function failed(message: string, at?: { readonly position: number }): Failure {
  const fault: FieldError = { path: "/sql", message, ...(at && { position: at.position }) };
  return new Failure(QueryFailed, { detail: message, errors: [fault] });
}
