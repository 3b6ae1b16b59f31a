import { sqlStateOf, isConnectionLoss, isTimeout, isTransient } from "#kernel/db/errors.ts";
import { Failure, type FieldError } from "#kernel/operation/failure.ts";
import { describePosition, positionAt, type ScriptStatement } from "#domains/queries/index.ts";
import { parseDerivedName, type Table } from "#domains/tables/index.ts";

/** A step that cannot be run, and the reason. */
export class StepError extends Error {
  /** Its index; undefined when no single one is known. */
  readonly step: number | undefined;
  readonly errors: readonly FieldError[];

  constructor(step: number | undefined, errors: readonly FieldError[]) {
    super(errors[0]?.message ?? "A step failed.");
    this.name = "StepError";
    this.step = step;
    this.errors = errors;
  }
}

/** The error of a structural step; undefined for errors that the step did not cause. */
export function toStepError(
  error: unknown,
  step: number | undefined,
  path: string,
): StepError | undefined {
  const timeout = timeoutMessage(error);
  if (timeout !== undefined) return new StepError(step, [{ path, message: timeout }]);
  if (!(error instanceof Failure)) return undefined;
  const { detail, errors = [] } = error.particulars;
  if (errors.length > 0) return new StepError(step, errors);
  return new StepError(step, [{ path, message: detail ?? error.type.title }]);
}

/** The message if a step used up the remaining time of the migration. */
function timeoutMessage(error: unknown): string | undefined {
  return isTimeout(error) ? "the migration exceeded its time limit" : undefined;
}

/** A statement on records, its script, and the tables of the partition. */
interface FailedStatement {
  readonly statement: ScriptStatement;
  readonly sql: string;
  readonly tables: readonly Table[];
}

/**
 * The message of PostgreSQL, without internal names and record values, because readers of the message may not be
 * allowed to read records. Undefined if the statement did not cause the error.
 */
export function stepErrorMessage(
  error: unknown,
  { statement, sql, tables }: FailedStatement,
): string | undefined {
  const timeout = timeoutMessage(error);
  if (timeout !== undefined) return timeout;
  const code = sqlStateOf(error);
  if (code === undefined || isTransient(error) || isConnectionLoss(error)) return undefined;
  if (!STATEMENT_ERRORS.test(code) || !(error instanceof Error)) return undefined;
  const { internalPosition } = error as { internalPosition?: string };
  const position = Number(internalPosition);
  if (Number.isSafeInteger(position) && position > 0) {
    // An error in the text, found before any record was read.
    const at = positionAt(sql, statement.at.position + position - 1);
    return describePosition({ message: hideInternalNames(error.message, tables), at });
  }
  const message = VALUE_ERRORS.test(code)
    ? (VALUE_ERROR_MESSAGES.get(code) ?? "a value is not allowed")
    : hideInternalNames(error.message, tables);
  return describePosition({ message, at: statement.at });
}

/** Errors whose messages may contain a value; a syntax error may concern a path or a search in a value. */
const VALUE_ERRORS = /^(22...|42601|42704)$/;
const VALUE_ERROR_MESSAGES: ReadonlyMap<string, string> = new Map([
  ["22001", "a value is too long"],
  ["22003", "a value is out of range"],
  ["22007", "a value is not a date or time"],
  ["22008", "a date or time is out of range"],
  ["22012", "division by zero"],
  ["22P02", "a value can't be converted to the new type"],
]);

/** Errors of values, constraints, syntax and limits, and errors raised by triggers. */
const STATEMENT_ERRORS = /^(0A|21|22|23|42|44|54|P0)/;

/** Replaces internal names with those of their tables and fields. */
function hideInternalNames(message: string, tables: readonly Table[]): string {
  return message
    .replaceAll(/"([A-Z][a-z]+_[0-9a-f]{16})"/g, (whole, name: string) => {
      for (const table of tables) {
        const meaning = parseDerivedName(table, name);
        if (meaning) return `of ${table.slug} (${meaning.fields.join(", ")})`;
      }
      return whole;
    })
    .replaceAll(/"?tables_[psd]_[0-9a-f]{32}"?\./g, "");
}
