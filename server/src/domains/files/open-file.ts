/** The access check and content of a file. */
import { authorOf, type Caller, partitionOfCaller } from "#kernel/access/caller.ts";
import type { ByteSpan } from "#kernel/blob-store/blob-store.ts";
import { FileOwnerPoint } from "#kernel/contributions/file-owner.ts";
import type { Platform, ReadContext } from "#kernel/contract.ts";
import type { Partition } from "#kernel/db/partition.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { contributionsTo } from "#kernel/extension-point.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import { type FileRow, type StoredFile, toFile } from "./file.ts";
import { findFileRow } from "./file-rows.ts";
import { objectName } from "./store-file.ts";

/** A file whose content can be read completely or by range. */
export interface OpenedFile {
  readonly file: StoredFile;
  readonly row: FileRow;
  readonly read: (span?: ByteSpan) => AsyncIterable<Uint8Array>;
}

/** The row of a file that the caller can read. Otherwise 404. */
export async function getReadableRow(ctx: ReadContext, fileId: string): Promise<FileRow> {
  const row = await findFileRow(ctx, fileId);
  if (!row || !(await canReadFile(ctx, row))) throw new Failure(NotFound);
  return row;
}

/** True for readers of the file's resource, and for the uploader of an unattached file. */
export async function canReadFile(ctx: ReadContext, row: FileRow): Promise<boolean> {
  const { attached_type, attached_id, internal, id } = row;
  if (attached_id === null) return row.created_by === authorOf(ctx.caller);
  const owner = contributionsTo(FileOwnerPoint, ctx.services.contributions).find(
    ({ type }) => type === attached_type,
  );
  return owner?.canRead(ctx, { id, attachedId: attached_id, internal }) ?? false;
}

/** Opens a file for a caller with read access. */
export async function openFile(
  platform: Platform,
  caller: Caller,
  fileId: string,
): Promise<OpenedFile> {
  const partition = partitionOfCaller(caller);
  const row = await platform.db.read(partition, (tx) =>
    getReadableRow({ tx, now: platform.clock.now(), caller, services: platform }, fileId),
  );
  return openRow(platform, partition, row);
}

/** Opens a file for the platform itself: an e-mail attachment, or a step with its handle. */
export async function openPartitionFile(
  platform: Platform,
  partition: Partition,
  fileId: string,
): Promise<OpenedFile> {
  const row = await platform.db.read(partition, (tx) => findFileRow({ tx }, fileId));
  if (!row) throw new Failure(NotFound);
  return openRow(platform, partition, row);
}

/** A file whose reader has been checked. */
export function openRow(platform: Platform, partition: Partition, row: FileRow): OpenedFile {
  const read = (span: ByteSpan = { from: 0, to: row.size }): AsyncIterable<Uint8Array> =>
    row.place === "database"
      ? readText(platform, partition, { row, span })
      : platform.blobStores.at(row.place).read(objectName(partition.workspace, row.blob_id), span);
  return { file: toFile(row), row, read };
}

/** A content from before the file store. */
async function* readText(
  { db }: Platform,
  partition: Partition,
  { row, span }: { readonly row: FileRow; readonly span: ByteSpan },
): AsyncIterable<Uint8Array> {
  const [found] = await db.read(partition, (tx) =>
    queryRows(tx, "select bytes from blob_texts where blob_id = $1", [row.blob_id]),
  );
  if (!found) throw new Error(`The content ${row.blob_id} is gone.`);
  yield (found["bytes"] as Buffer).subarray(span.from, span.to);
}
