import type { Caller } from "#kernel/access/caller.ts";
import type { PlatformServices } from "#kernel/contract.ts";
import { sqlStateOf } from "#kernel/db/errors.ts";
import { Failure, type FieldError, Invalid } from "#kernel/operation/failure.ts";
import { isSchemaOutdated } from "#domains/tables/schema/table-cache.ts";
import type { TableSchema } from "#domains/tables/schema/table-schema.ts";
import { parseDerivedName } from "#domains/tables/derived-name.ts";
import { recordGrants } from "../record-access.ts";
import { RecordNotUnique, RecordReferenced } from "../table-record.ts";

const NOT_NULL = "23502";
const REFERENCE = "23503";
/** PostgreSQL 18 tells a reference that must not be left without its record apart from others. */
const RESTRICT = "23001";
const UNIQUE = "23505";
const CHECK = "23514";
const TOO_LONG = "54000";

/**
 * What a statement about records failed with, as the failure that its caller can act on. `path` leads
 * to the record in the request. Everything else stays what it is.
 */
export function explainConstraint(
  ctx: { readonly services: PlatformServices; readonly caller: Caller },
  table: TableSchema,
  path = "",
): (error: unknown) => unknown {
  return (error) => isSchemaOutdated(ctx, error) ?? failureOf(table, error, path) ?? error;
}

/**
 * The same of a statement that deletes: what keeps a record is what refers to it, which has a name for
 * those who may read it.
 */
export function explainDeletion(
  ctx: { readonly services: PlatformServices; readonly caller: Caller },
  table: TableSchema,
  tables: readonly TableSchema[],
): (error: unknown) => unknown {
  return (error) => {
    const code = sqlStateOf(error);
    if (code !== REFERENCE && code !== RESTRICT) return explainConstraint(ctx, table)(error);
    const { table: slug } = error as { table?: string };
    const other = tables.find((one) => one.slug === slug);
    const isShown = other && recordGrants(other, "read", ctx.caller)?.length !== 0;
    const name = isShown ? `the table ${other.slug}` : "another table";
    return new Failure(RecordReferenced, { detail: `Records of ${name} refer to it.` });
  };
}

/** Whether an error says that a record does not go together with others, which may be asked about. */
export function isAboutOthers(error: unknown): boolean {
  const code = sqlStateOf(error);
  return code === UNIQUE || code === REFERENCE;
}

export function notUnique(faults: readonly FieldError[]): Failure {
  return new Failure(RecordNotUnique, { detail: sentence(faults), errors: faults });
}

export const VALUE_TAKEN = "is another record's already";
export const NO_RECORD = "is not the id of a record of that table";

function failureOf(table: TableSchema, error: unknown, path: string): Failure | undefined {
  const { constraint = "", column = "" } = error as { constraint?: string; column?: string };
  const broken = parseDerivedName(table, constraint);
  const at = (message: string): FieldError[] =>
    (broken?.fields ?? [column]).map((field) => ({ path: `${path}/${field}`, message }));
  switch (sqlStateOf(error) ?? "") {
    case UNIQUE:
      return broken && notUnique(at(VALUE_TAKEN));
    case REFERENCE:
      return broken && invalidRecord(at(NO_RECORD));
    case CHECK:
      return broken && invalidRecord(at("is not allowed in this column"));
    case NOT_NULL:
      return invalidRecord(at("is required"));
    case TOO_LONG:
      return invalidRecord([
        { path, message: "has texts that are too long for the table's indexes" },
      ]);
    default:
      return undefined;
  }
}

/** Faults of the input, as one failure. */
export function invalidRecord(errors: readonly FieldError[]): Failure {
  return new Failure(Invalid, { detail: sentence(errors), errors });
}

function sentence([first]: readonly FieldError[]): string {
  return first ? `${first.path} ${first.message}`.trim() : "";
}
