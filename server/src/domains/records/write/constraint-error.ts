import { sqlStateOf } from "#kernel/db/errors.ts";
import { Failure, type FieldError, Invalid } from "#kernel/operation/failure.ts";
import type { OpenTable, TableSchema } from "#domains/tables/index.ts";
import { describeFirst, titleErrors } from "../error-titles.ts";
import { RecordNotUnique, RecordReferenced } from "../record.ts";

const NOT_NULL = "23502";
const REFERENCE = "23503";
/** PostgreSQL 18 has a separate code for a restricted foreign key. */
const RESTRICT = "23001";
const UNIQUE = "23505";
const CHECK = "23514";
const TOO_LONG = "54000";

export const VALUE_TAKEN = "is already used by another record";
export const NO_RECORD = "is not the id of a record of that table";

/**
 * Converts the error of a statement that writes records: to a retry if the schema has changed, or to a failure for
 * the caller. `path` is the path of the record in the request. Other errors are returned unchanged.
 */
export function explainConstraint(table: OpenTable, path = ""): (error: unknown) => unknown {
  return (error) => table.toStaleRead(error) ?? toFailure(table, error, path) ?? error;
}

/**
 * Converts the error of a statement that deletes records which others refer to. The other table is named only to
 * callers who may read it.
 */
export function explainDeletion(
  table: OpenTable,
  schemas: readonly TableSchema[],
): (error: unknown) => unknown {
  return (error) => {
    const code = sqlStateOf(error);
    if (code !== REFERENCE && code !== RESTRICT) return explainConstraint(table)(error);
    const { table: slug } = error as { table?: string };
    const other = schemas.find((schema) => schema.slug === slug);
    const isVisible = other && table.with(other).grants("read")?.length !== 0;
    const name = isVisible ? `the table ${other.slug}` : "another table";
    return new Failure(RecordReferenced, { detail: `Records of ${name} refer to this record.` });
  };
}

/** Returns whether an error depends on other records: a duplicate value, or a reference to a missing record. */
export function isAboutOthers(error: unknown): boolean {
  const code = sqlStateOf(error);
  return code === UNIQUE || code === REFERENCE;
}

type OfTable = Pick<OpenTable, "schema">;

export function notUnique({ schema }: OfTable, found: readonly FieldError[]): Failure {
  const errors = titleErrors(schema, found);
  return new Failure(RecordNotUnique, { detail: describeFirst(errors), errors });
}

export function invalidRecord({ schema }: OfTable, found: readonly FieldError[]): Failure {
  const errors = titleErrors(schema, found);
  return new Failure(Invalid, { detail: describeFirst(errors), errors });
}

function toFailure(table: OpenTable, error: unknown, path: string): Failure | undefined {
  const { constraint = "", column = "" } = error as { constraint?: string; column?: string };
  const violated = table.parseConstraint(constraint);
  const at = (message: string): FieldError[] =>
    (violated?.fields ?? [column]).map((field) => ({ path: `${path}/${field}`, message }));
  switch (sqlStateOf(error) ?? "") {
    case UNIQUE:
      return violated && notUnique(table, at(VALUE_TAKEN));
    case REFERENCE:
      return violated && invalidRecord(table, at(NO_RECORD));
    case CHECK:
      return violated && invalidRecord(table, at("is not allowed in this column"));
    case NOT_NULL:
      return invalidRecord(table, at("is required"));
    case TOO_LONG:
      return invalidRecord(table, [
        { path, message: "contains texts that are too long for the indexes of the table" },
      ]);
    default:
      return undefined;
  }
}
