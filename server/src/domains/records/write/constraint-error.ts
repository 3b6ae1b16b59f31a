import type { Caller, Services } from "#kernel/access/caller.ts";
import { codeOf } from "#kernel/db/errors.ts";
import { Failure, type Fault, Invalid } from "#kernel/operation/failure.ts";
import { outdated } from "#domains/tables/table-cache.ts";
import type { KnownTable } from "#domains/tables/table-schema.ts";
import { meaningOf } from "#domains/tables/derived-name.ts";
import { grantsFor } from "../record-access.ts";
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
export function explained(
  ctx: { readonly services: Services; readonly caller: Caller },
  table: KnownTable,
  path = "",
): (error: unknown) => unknown {
  return (error) => outdated(ctx, error) ?? failureOf(table, error, path) ?? error;
}

/**
 * The same of a statement that deletes: what keeps a record is what refers to it, which has a name for
 * those who may read it.
 */
export function deletionExplained(
  ctx: { readonly services: Services; readonly caller: Caller },
  table: KnownTable,
  tables: readonly KnownTable[],
): (error: unknown) => unknown {
  return (error) => {
    const code = codeOf(error);
    if (code !== REFERENCE && code !== RESTRICT) return explained(ctx, table)(error);
    const { table: slug } = error as { table?: string };
    const other = tables.find((one) => one.slug === slug);
    const isShown = other && grantsFor(other, "read", ctx.caller)?.length !== 0;
    const name = isShown ? `the table ${other.slug}` : "another table";
    return new Failure(RecordReferenced, { detail: `Records of ${name} refer to it.` });
  };
}

/** Whether an error says that a record does not go together with others, which may be asked about. */
export function isAboutOthers(error: unknown): boolean {
  const code = codeOf(error);
  return code === UNIQUE || code === REFERENCE;
}

export function notUnique(faults: readonly Fault[]): Failure {
  return new Failure(RecordNotUnique, { detail: sentence(faults), errors: faults });
}

export const TAKEN = "is another record's already";
export const NO_RECORD = "is not the id of a record of that table";

function failureOf(table: KnownTable, error: unknown, path: string): Failure | undefined {
  const { constraint = "", column = "" } = error as { constraint?: string; column?: string };
  const broken = meaningOf(table, constraint);
  const at = (message: string): Fault[] =>
    (broken?.fields ?? [column]).map((field) => ({ path: `${path}/${field}`, message }));
  switch (codeOf(error) ?? "") {
    case UNIQUE:
      return broken && notUnique(at(TAKEN));
    case REFERENCE:
      return broken && invalid(at(NO_RECORD));
    case CHECK:
      return broken && invalid(at("is not allowed in this column"));
    case NOT_NULL:
      return invalid(at("is required"));
    case TOO_LONG:
      return invalid([{ path, message: "has texts that are too long for the table's indexes" }]);
    default:
      return undefined;
  }
}

/** Faults of the input, as one failure. */
export function invalid(errors: readonly Fault[]): Failure {
  return new Failure(Invalid, { detail: sentence(errors), errors });
}

function sentence([first]: readonly Fault[]): string {
  return first ? `${first.path} ${first.message}`.trim() : "";
}
