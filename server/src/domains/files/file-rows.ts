/** The rows of files, in the transaction of their resource. */
import { authorOf } from "#kernel/access/caller.ts";
import type { ReadContext, WriteContext } from "#kernel/contract.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import { newId } from "#kernel/schema/id.ts";
import {
  FILE_SELECT,
  FileAttached,
  type FileRow,
  NotAttachable,
  QuotaExceeded,
  ShareExceeded,
  type StoredFile,
  toFile,
  UNATTACHED_MS,
} from "./file.ts";
import type { StoredContent } from "./store-file.ts";

/** The resource that a file is attached to. */
export interface Attachment {
  /** The resource type in events. */
  readonly type: string;
  readonly id: string;
  /** True if only agents may see the file. */
  readonly internal?: boolean;
  /** For runs: the step that created it. */
  readonly step?: string;
}

type FileWriter = Pick<WriteContext, "tx" | "send" | "now" | "caller" | "services">;

// One upload of a content at a time per workspace: the first object is kept, the others are deleted.
const LOCK_CONTENT =
  "select pg_advisory_xact_lock(hashtextextended(current_setting('millrace.workspace') || $1, 0))";
const USE_KNOWN = `
  update blobs set refs = refs + 1, unused_at = null
   where sha256 = $1 and state = 'stored' and workspace_id = current_setting('millrace.workspace')::uuid
  returning id, place`;
const KEEP_NEW = `
  update blobs set state = 'stored', sha256 = $2, size = $3, refs = 1
   where id = $1 and state = 'pending' returning id, place`;
const DROP_NEW = "update blobs set state = 'deleted' where id = $1 and state = 'pending'";
const ADD_USAGE = `
  insert into file_usage as u (blobs, bytes) values (1, $1)
  on conflict (workspace_id) do update set blobs = u.blobs + 1, bytes = u.bytes + excluded.bytes
  returning bytes::float8 as bytes`;
const INSERT = `
  insert into files (id, blob_id, name, media_type, size, width, height, attached_type, attached_id, internal,
                     created_by, created_at, expires_at, step)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`;

export interface InsertOptions {
  readonly attachedTo?: Attachment;
  /** The id, if chosen earlier. */
  readonly id?: string;
  /** The owner. Default: the caller. */
  readonly createdBy?: string;
}

/** Creates a file for a stored content, owned by the caller, optionally attached to a resource. */
export async function insertFile(
  ctx: FileWriter,
  stored: StoredContent,
  options: InsertOptions = {},
): Promise<StoredFile & { readonly revision: number }> {
  const { attachedTo, id = newId("file", ctx.now.getTime()), createdBy } = options;
  await assertShare(ctx, stored.size);
  const blob = await claimContent(ctx, stored);
  const row: FileRow = {
    id,
    blob_id: blob.id,
    name: stored.name,
    media_type: stored.mediaType,
    size: stored.size,
    width: stored.width,
    height: stored.height,
    attached_type: attachedTo?.type ?? null,
    attached_id: attachedTo?.id ?? null,
    internal: attachedTo?.internal ?? false,
    revision: 1,
    created_by: createdBy ?? authorOf(ctx.caller),
    created_at: ctx.now.toISOString(),
    expires_at: attachedTo ? null : new Date(ctx.now.getTime() + UNATTACHED_MS).toISOString(),
    place: blob.place,
    sha256: stored.sha256.toString("hex"),
  };
  void ctx.send(INSERT, [
    row.id,
    row.blob_id,
    row.name,
    row.media_type,
    row.size,
    row.width,
    row.height,
    row.attached_type,
    row.attached_id,
    row.internal,
    row.created_by,
    row.created_at,
    row.expires_at,
    attachedTo?.step ?? null,
  ]);
  return toFile(row);
}

/** The maximum share of a workspace's storage for files of one requester. */
const ASKER_SHARE = 0.05;

/** Throws a 507 if a requester exceeds their share of the storage. */
async function assertShare({ caller, services, send }: FileWriter, size: number): Promise<void> {
  const quota = services.settings.fileQuotaBytes;
  const { principal } = caller;
  const isAsker = principal?.roles.every((role) => role === "requester") === true;
  if (quota === 0 || !isAsker || principal.roles.length === 0) return;
  const [taken] = await send<{ bytes: number }>(TAKEN, [principal.id]);
  if ((taken?.bytes ?? 0) + size > quota * ASKER_SHARE) throw new Failure(ShareExceeded);
}

const TAKEN = "select coalesce(sum(size), 0)::float8 as bytes from files where created_by = $1";

interface BlobRow {
  readonly id: string;
  readonly place: string;
}

async function claimContent(
  { send, services }: FileWriter,
  { blobId, sha256, size }: StoredContent,
): Promise<BlobRow> {
  void send(LOCK_CONTENT, [sha256.toString("hex")]);
  const [known] = await send<BlobRow>(USE_KNOWN, [sha256]);
  if (known) {
    void send(DROP_NEW, [blobId]);
    return known;
  }
  const [kept] = await send<BlobRow>(KEEP_NEW, [blobId, sha256, size]);
  if (!kept) throw new Error("The content waited too long for its file, and was collected.");
  const [usage] = await send<{ bytes: number }>(ADD_USAGE, [size]);
  const quota = services.settings.fileQuotaBytes;
  if (quota > 0 && (usage?.bytes ?? 0) > quota) throw new Failure(QuotaExceeded);
  return kept;
}

const ATTACH = `
  update files f set attached_type = $2, attached_id = $3, internal = $4, expires_at = null,
         revision = f.revision + 1
    from blobs b
   where f.id = $1 and f.attached_id is null and f.created_by = $5 and b.id = f.blob_id`;

/**
 * Attaches an upload of the caller to a resource for the resource's lifetime. Fails if it is attached already or
 * belongs to another user, with the same error as for a missing file.
 */
export async function attachFile(
  ctx: FileWriter,
  { fileId, resource }: { readonly fileId: string; readonly resource: Attachment },
): Promise<StoredFile & { readonly revision: number }> {
  const [row] = await ctx.send<FileRow & Record<string, unknown>>(
    `${ATTACH} ${FILE_SELECT.replace("select", "returning")}`,
    [fileId, resource.type, resource.id, resource.internal ?? false, authorOf(ctx.caller)],
  );
  if (row) return toFile(row);
  const present = await findFileRow(ctx, fileId);
  const isOwn = present?.created_by === authorOf(ctx.caller);
  throw new Failure(isOwn ? FileAttached : NotAttachable);
}

/** The row of a file in the partition, without an access check. */
export async function findFileRow(
  { tx }: Pick<ReadContext, "tx">,
  fileId: string,
): Promise<FileRow | undefined> {
  const text = `${FILE_SELECT} from files f join blobs b on b.id = f.blob_id where f.id = $1`;
  const [row] = await queryRows(tx, text, [fileId]);
  // The columns match the statement.
  return row as FileRow | undefined;
}

const DELETE = `
  with gone as (
    delete from files f using blobs b where f.id = $1 and b.id = f.blob_id ${FILE_SELECT.replace("select", "returning")}
  ), released as (
    update blobs set refs = refs - 1, unused_at = case when refs = 1 then $2::timestamptz end
     where id = (select blob_id from gone)
  )
  select * from gone`;

/** Deletes a file. Its content is deleted a day later, unless another file uses it. */
export async function deleteFile(
  ctx: Pick<FileWriter, "send" | "now">,
  fileId: string,
): Promise<StoredFile & { readonly revision: number }> {
  const [row] = await ctx.send<FileRow & Record<string, unknown>>(DELETE, [fileId, ctx.now]);
  if (!row) throw new Failure(NotFound);
  return toFile(row);
}
