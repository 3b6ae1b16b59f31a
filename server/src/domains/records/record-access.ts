/** What a table's rules let a person do with its records. */
import type { Caller } from "#kernel/access/caller.ts";
import { Failure, failure, type FieldError } from "#kernel/operation/failure.ts";
import type { ReadContext } from "#kernel/contract.ts";
import type { TableSchema } from "#domains/tables/schema/table-schema.ts";
import {
  checkAccess,
  ALWAYS_VISIBLE,
  type Grants,
  resolveGrants,
  visibleFields,
} from "#domains/tables/schema/grants.ts";
import { type Action, FIELD_ERRORS_MAX, NoSuchRecord } from "#domains/tables/table.ts";
import type { TableRecord } from "./table-record.ts";

export const RecordForbidden = failure(
  "record_forbidden",
  403,
  "The rules of this table do not allow that.",
);

/** What a caller's rules say about an action. */
export function recordGrants(
  { rules }: TableSchema,
  action: Action,
  { principal }: Caller,
): Grants {
  return resolveGrants(rules, action, principal);
}

/** A record as its author is shown it; of what they may make and not see, nothing but that it is there. */
export function visibleTo(table: TableSchema, caller: Caller, record: TableRecord): TableRecord {
  const grants = recordGrants(table, "read", caller);
  // What is seen of a record is one too, as far as it is shown.
  return grants ? ((visibleFields(grants, record) ?? hideFields(record)) as TableRecord) : record;
}

/** Nothing of a record but that it is there. */
export function hideFields(
  record: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(record).map(([field, value]) => [
      field,
      ALWAYS_VISIBLE.has(field) ? value : null,
    ]),
  );
}

/** Throws unless the caller sees the record: for them there is none otherwise. */
export function assertVisible(
  { caller }: Pick<ReadContext, "caller">,
  table: TableSchema,
  record: TableRecord,
): void {
  const grants = recordGrants(table, "read", caller);
  if (grants && !visibleFields(grants, record)) throw new Failure(NoSuchRecord);
}

/** A record that is written: how it is to be, and what of it the caller has named. */
export interface WriteContextOfRecord {
  readonly record: TableRecord;
  readonly named: readonly string[];
  /** Where it stands in the request. */
  readonly path: string;
}

/** What rules have against making a record. */
export function createViolations(
  grants: Grants,
  { record, named, path }: WriteContextOfRecord,
): FieldError[] {
  if (!grants) return [];
  const { isAllowed: row, deniedFields: fieldsRefused } = checkAccess(grants, record, named);
  if (!row) return [{ path, message: "is a record that you may not make" }];
  return fieldsRefused.map((field) => unwritable(path, field));
}

/**
 * What rules have against changing a record. All fields that are named count, also those that stay as
 * they are: who can't see a field could otherwise guess at it.
 */
export function updateViolations(
  grants: Grants,
  before: TableRecord,
  { record, named, path }: WriteContextOfRecord,
): FieldError[] {
  if (!grants) return [];
  const { isAllowed: row, deniedFields: fieldsRefused } = checkAccess(grants, before, named);
  if (!row) return [{ path, message: "is a record that you may not change" }];
  if (fieldsRefused.length > 0) return fieldsRefused.map((field) => unwritable(path, field));
  if (checkAccess(grants, record).isAllowed) return [];
  return [{ path, message: "would become a record that you may not change" }];
}

/** What rules have against deleting a record. */
export function againstDeleting(grants: Grants, record: TableRecord, path = ""): FieldError[] {
  if (!grants || checkAccess(grants, record).isAllowed) return [];
  return [{ path, message: "is a record that you may not delete" }];
}

/** Throws when rules have something against it. */
export function assertAllowed(faults: readonly FieldError[]): void {
  const [first] = faults;
  if (!first) return;
  throw new Failure(RecordForbidden, {
    detail: `${first.path === "" ? "This" : first.path} ${first.message}.`,
    errors: faults.slice(0, FIELD_ERRORS_MAX),
  });
}

function unwritable(path: string, field: string): FieldError {
  return { path: `${path}/${field}`, message: "is a field that you may not write" };
}
