/** The rules of a table, applied to single records. */
import { Failure, failure, type FieldError } from "#kernel/operation/failure.ts";
import {
  checkAccess,
  FIELD_ERRORS_MAX,
  type Grants,
  hideFields,
  type OpenTable,
  visibleFields,
} from "#domains/tables/index.ts";
import { mapInTurns } from "#kernel/work/turn-timer.ts";
import { describeFirst, titleErrors } from "./error-titles.ts";
import { NoSuchRecord, type RecordWrite, type TableRecord } from "./record.ts";

export const RecordForbidden = failure(
  "record_forbidden",
  403,
  "The access rules of this table do not allow this.",
);

/**
 * Returns a record with the fields that its author may see; all fields are hidden if they may write but not read
 * it.
 */
export async function toVisibleRecord(table: OpenTable, record: TableRecord): Promise<TableRecord> {
  const [visible = record] = await toVisibleRecords(table, [record]);
  return visible;
}

/** Returns records with the fields that their author may see. */
export async function toVisibleRecords(
  table: OpenTable,
  records: readonly TableRecord[],
): Promise<readonly TableRecord[]> {
  const grants = await table.grantsOn("read", records);
  if (!grants) return records;
  return mapInTurns(records, (record) => [
    // A record with hidden fields is still a complete record.
    (visibleFields(grants, record) ?? hideFields(record)) as TableRecord,
  ]);
}

/** Throws `NoSuchRecord` if the record is hidden from the caller. */
export async function assertVisible(table: OpenTable, record: TableRecord): Promise<void> {
  const grants = await table.grantsOn("read", [record]);
  if (grants && !visibleFields(grants, record)) throw new Failure(NoSuchRecord);
}

/** The rules that creating a record violates. */
export function createViolations(
  grants: Grants,
  { record, named, path }: RecordWrite,
): FieldError[] {
  if (!grants) return [];
  const { isAllowed, deniedFields } = checkAccess(grants, record, named);
  if (!isAllowed) return [{ path, message: "is a record that you can't create" }];
  return deniedFields.map((field) => deniedField(path, field));
}

/**
 * Returns the violations of access rules by an update. All named fields count, including unchanged ones; otherwise
 * a caller could guess the values of hidden fields.
 */
export function updateViolations(
  grants: Grants,
  before: TableRecord,
  { record, named, path }: RecordWrite,
): FieldError[] {
  if (!grants) return [];
  const { isAllowed, deniedFields } = checkAccess(grants, before, named);
  if (!isAllowed) return [{ path, message: "is a record that you can't update" }];
  if (deniedFields.length > 0) return deniedFields.map((field) => deniedField(path, field));
  if (checkAccess(grants, record).isAllowed) return [];
  return [{ path, message: "would become a record that you can't update" }];
}

/** The rules that deleting a record violates. */
export function deleteViolations(grants: Grants, record: TableRecord, path = ""): FieldError[] {
  if (!grants || checkAccess(grants, record).isAllowed) return [];
  return [{ path, message: "is a record that you can't delete" }];
}

export function assertNoViolations(
  { schema }: Pick<OpenTable, "schema">,
  violations: readonly FieldError[],
): void {
  const errors = titleErrors(schema, violations.slice(0, FIELD_ERRORS_MAX));
  const [first] = errors;
  if (!first) return;
  const sentence = first.path === "" ? `This ${first.message}` : describeFirst(errors);
  throw new Failure(RecordForbidden, { detail: `${sentence}.`, errors });
}

function deniedField(path: string, field: string): FieldError {
  return { path: `${path}/${field}`, message: "is a field that you can't write" };
}
