/**
 * Files of records. They are in the file store, attached to the record; members who may see the field may read
 * them.
 */
import {
  attachFiles,
  type FileAttachment,
  PICTURES,
  readFiles,
  releaseFiles,
} from "#domains/files/index.ts";
import {
  FIELD_ERRORS_MAX,
  findTableById,
  type Json,
  openTable,
  type OpenTable,
} from "#domains/tables/index.ts";
import type { FileOwner } from "#kernel/contributions/file-owner.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { queryRows, SqlParameters } from "#kernel/db/statement.ts";
import type { FieldError } from "#kernel/operation/failure.ts";
import { recordStatements } from "../record-statements.ts";
import type { RecordWrite, TableRecord } from "../record.ts";
import { invalidRecord } from "../write/constraint-error.ts";

const TYPE = "record";
const SEPARATOR = ".";

/** The id under which files are attached to a record. It contains the table id. */
function toAttachmentId({ schema }: OpenTable, recordId: string): string {
  return `${schema.id}${SEPARATOR}${recordId}`;
}

interface NamedFile extends FileAttachment {
  readonly path: string;
  readonly isPicture: boolean;
}

/**
 * Attaches the files in new or changed records, and releases those that were removed. Throws if a file is not an
 * upload of the caller, or is attached to something else.
 */
export async function settleFiles(
  ctx: WriteContext<never>,
  table: OpenTable,
  writes: readonly (RecordWrite & { readonly before?: TableRecord })[],
): Promise<void> {
  const { files } = recordStatements(table.schema);
  if (files.length === 0) return;
  const named: NamedFile[] = [];
  const released: { type: string; id: string; fileIds: string[] }[] = [];
  for (const { record, before, path } of writes) {
    const resource = { type: TYPE, id: toAttachmentId(table, record.id) };
    const kept = new Set(files.flatMap(({ name }) => toIds(record[name])));
    const left = files.flatMap(({ name }) => toIds(before?.[name])).filter((id) => !kept.has(id));
    if (left.length > 0) released.push({ ...resource, fileIds: left });
    for (const { name, type } of files) {
      const known = new Set(toIds(before?.[name]));
      const added = toIds(record[name]).filter((id) => !known.has(id));
      named.push(
        ...added.map((fileId) => ({
          fileId,
          resource,
          path: `${path}/${name}`,
          isPicture: type === "image",
        })),
      );
    }
  }
  const attached = await attachFiles(ctx, named);
  const errors = named.flatMap(({ fileId, resource, path, isPicture }): FieldError[] => {
    const found = attached.get(fileId);
    if (found?.attachedId !== resource.id)
      return [
        { path, message: "refers to a file that you did not upload, or that is used elsewhere" },
      ];
    return isPicture && !PICTURES.has(found.mediaType)
      ? [{ path, message: "refers to a file that is not an image" }]
      : [];
  });
  if (errors.length > 0) throw invalidRecord(table, errors.slice(0, FIELD_ERRORS_MAX));
  await releaseFiles(ctx, released);
}

/** Marks the files of deleted records as expiring. Until then, a restored record gets them back. */
export async function releaseRecordFiles(
  ctx: WriteContext<never>,
  table: OpenTable,
  records: readonly TableRecord[],
): Promise<void> {
  if (recordStatements(table.schema).files.length === 0) return;
  await releaseFiles(
    ctx,
    records.map(({ id }) => ({ type: TYPE, id: toAttachmentId(table, id) })),
  );
}

/** Removes files from a record that are no longer in the store. */
export async function keepPresentFiles(
  ctx: WriteContext<never>,
  { schema }: OpenTable,
  record: TableRecord,
): Promise<TableRecord> {
  const { files } = recordStatements(schema);
  const present = await readFiles(
    ctx,
    files.flatMap(({ name }) => toIds(record[name])),
  );
  const kept = files.map(({ name }): [string, Json] => {
    const value = record[name];
    return [name, Array.isArray(value) ? toIds(value).filter((id) => present.has(id)) : null];
  });
  return { ...record, ...Object.fromEntries(kept) };
}

/** Members can read a record's file if they can read the field. */
export const recordFileOwner: FileOwner = {
  type: TYPE,
  async canRead(ctx, { id, attachedId }) {
    if (!ctx.caller.permissions.has("records:read")) return false;
    const [tableId = "", recordId = ""] = attachedId.split(SEPARATOR);
    const found = await findTableById(ctx.tx, tableId);
    if (!found) return false;
    const table = await openTable(ctx, found.slug);
    const parameters = new SqlParameters();
    const rules = table.compileRules(parameters);
    const fields = recordStatements(table.schema).files.flatMap(
      ({ name }) => rules.field(name)?.sql ?? [],
    );
    if (fields.length === 0) return false;
    const [record, file] = [parameters.add(recordId, "text"), parameters.add(id, "text")];
    const text =
      `select 1 from ${table.schema.view} where id = ${record} and (${rules.where ?? "true"}) ` +
      `and (${fields.map((sql) => `${sql} @> array[${file}]`).join(" or ")})`;
    const rows = await table.retryOnSchemaChange(() => queryRows(ctx.tx, text, parameters.values));
    return rows.length > 0;
  },
};

function toIds(value: unknown): readonly string[] {
  return Array.isArray(value) ? (value as readonly string[]) : [];
}
