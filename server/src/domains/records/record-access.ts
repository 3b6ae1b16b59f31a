/** What a table's rules let a person do with its records. */
import type { Caller } from "#kernel/access/caller.ts";
import { Failure, failure, type Fault } from "#kernel/operation/failure.ts";
import type { ReadContext } from "#kernel/operation/operation.ts";
import type { KnownTable } from "#domains/tables/table-schema.ts";
import {
  allows,
  ALWAYS_SEEN,
  type Grants,
  grantsOf,
  seenBy,
} from "#domains/tables/rules/grants.ts";
import { type Action, FAULTS_MAX, NoSuchRecord } from "#domains/tables/table.ts";
import type { TableRecord } from "./table-record.ts";

export const RecordForbidden = failure(
  "record_forbidden",
  403,
  "The rules of this table do not allow that.",
);

/** What a caller's rules say about an action. */
export function grantsFor({ rules }: KnownTable, action: Action, { person }: Caller): Grants {
  return grantsOf(rules, action, person);
}

/** A record as its author is shown it; of what they may make and not see, nothing but that it is there. */
export function shownTo(table: KnownTable, caller: Caller, record: TableRecord): TableRecord {
  const grants = grantsFor(table, "read", caller);
  // What is seen of a record is one too, as far as it is shown.
  return grants ? ((seenBy(grants, record) ?? blank(record)) as TableRecord) : record;
}

/** Nothing of a record but that it is there. */
export function blank(
  record: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(record).map(([field, value]) => [field, ALWAYS_SEEN.has(field) ? value : null]),
  );
}

/** Throws unless the caller sees the record: for them there is none otherwise. */
export function assertSeen(
  { caller }: Pick<ReadContext, "caller">,
  table: KnownTable,
  record: TableRecord,
): void {
  const grants = grantsFor(table, "read", caller);
  if (grants && !seenBy(grants, record)) throw new Failure(NoSuchRecord);
}

/** A record that is written: how it is to be, and what of it the caller has named. */
export interface Writing {
  readonly record: TableRecord;
  readonly named: readonly string[];
  /** Where it stands in the request. */
  readonly path: string;
}

/** What rules have against making a record. */
export function againstCreating(grants: Grants, { record, named, path }: Writing): Fault[] {
  if (!grants) return [];
  const { row, fieldsRefused } = allows(grants, record, named);
  if (!row) return [{ path, message: "is a record that you may not make" }];
  return fieldsRefused.map((field) => unwritable(path, field));
}

/**
 * What rules have against changing a record. All fields that are named count, also those that stay as
 * they are: who can't see a field could otherwise guess at it.
 */
export function againstUpdating(
  grants: Grants,
  before: TableRecord,
  { record, named, path }: Writing,
): Fault[] {
  if (!grants) return [];
  const { row, fieldsRefused } = allows(grants, before, named);
  if (!row) return [{ path, message: "is a record that you may not change" }];
  if (fieldsRefused.length > 0) return fieldsRefused.map((field) => unwritable(path, field));
  if (allows(grants, record).row) return [];
  return [{ path, message: "would become a record that you may not change" }];
}

/** What rules have against deleting a record. */
export function againstDeleting(grants: Grants, record: TableRecord, path = ""): Fault[] {
  if (!grants || allows(grants, record).row) return [];
  return [{ path, message: "is a record that you may not delete" }];
}

/** Throws when rules have something against it. */
export function assertAllowed(faults: readonly Fault[]): void {
  const [first] = faults;
  if (!first) return;
  throw new Failure(RecordForbidden, {
    detail: `${first.path === "" ? "This" : first.path} ${first.message}.`,
    errors: faults.slice(0, FAULTS_MAX),
  });
}

function unwritable(path: string, field: string): Fault {
  return { path: `${path}/${field}`, message: "is a field that you may not write" };
}
