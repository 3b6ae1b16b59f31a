/**
 * Deletes unused data: uploads without a resource, files removed from their resource, contents without a file, and
 * rests of failed uploads. A content is kept a day longer than its last file, so that running downloads complete and a
 * backup with older rows still finds it. Its object is deleted before its row, so an interrupted deletion is repeated.
 */
import type { Platform } from "#kernel/contract.ts";
import { deleteAcrossWorkspaces, retentionJob } from "#kernel/work/retention-job.ts";
import { UNATTACHED_MS } from "./file.ts";
import { objectName } from "./store-file.ts";

const UNUSED_MS = 24 * 3_600_000;
/** Longer than any upload takes. */
const PENDING_MS = 24 * 3_600_000;
const OBJECTS_MAX = 200;
/** The number of concurrent deletions, because external stores are slow. */
const CONCURRENCY = 8;

const EXPIRE_FILES = `
  with gone as (
    delete from files where id = any (array(
      select id from files where attached_id is null and expires_at < $1
       order by expires_at limit $2 for update skip locked)) or id = any (array(
      select id from files where attached_id is not null and expires_at is not null and expires_at < $1
       order by expires_at limit $2 for update skip locked)) returning blob_id
  ), counted as (select blob_id, count(*)::int as n from gone group by blob_id)
  update blobs b set refs = b.refs - c.n, unused_at = case when b.refs = c.n then $1 end
    from counted c where b.id = c.blob_id returning b.id`;

const RETIRE_CONTENTS = `
  with retired as (
    update blobs set state = 'deleted' where id = any (array(
      select id from blobs where state = 'stored' and refs = 0 and unused_at < $1
       order by unused_at limit $2 for update skip locked)) and refs = 0 and state = 'stored'
    returning workspace_id, size
  ), counted as (
    select workspace_id, count(*)::int as n, sum(size) as bytes from retired group by workspace_id
  )
  update file_usage u set blobs = u.blobs - c.n, bytes = u.bytes - c.bytes
    from counted c where u.workspace_id = c.workspace_id returning u.workspace_id`;

const RETIRE_BROKEN = `
  update blobs set state = 'deleted' where id = any (array(
    select id from blobs where state = 'pending' and created_at < $1
     order by created_at limit $2 for update skip locked)) and state = 'pending'
  returning id`;

interface DeletedBlob {
  readonly id: string;
  readonly workspace_id: string;
  readonly place: string;
}

const FIND_DELETED = `
  select id, workspace_id, place from blobs where state = 'deleted' order by id limit ${OBJECTS_MAX}`;
const DELETE_ROWS = "delete from blobs where state = 'deleted' and id = any ($1::text[])";

/** Deletes unused data in batches. */
export const collectFilesJob = retentionJob({
  kind: "files.collect",
  rowsMax: OBJECTS_MAX,
  remove: collectFiles,
});

/** One turn. Resolves to the number of deleted objects. */
export async function collectFiles(platform: Platform, rowsMax: number): Promise<number> {
  const { db, clock } = platform;
  const before = (ms: number): Date => new Date(clock.nowMs() - ms);
  await db.system(EXPIRE_FILES, [clock.now(), rowsMax]);
  await db.system(RETIRE_CONTENTS, [before(UNUSED_MS), rowsMax]);
  await db.system(RETIRE_BROKEN, [before(PENDING_MS), rowsMax]);
  const deleted = await db.system<DeletedBlob & Record<string, unknown>>(FIND_DELETED);
  const removed: string[] = [];
  for (let start = 0; start < deleted.length; start += CONCURRENCY) {
    const part = deleted.slice(start, start + CONCURRENCY);
    await Promise.all(part.map((blob) => removeObject(platform, blob)));
    removed.push(...part.map(({ id }) => id));
  }
  if (removed.length === 0) return 0;
  return deleteAcrossWorkspaces(db, DELETE_ROWS, [removed]);
}

async function removeObject(
  { blobStores }: Platform,
  { id, workspace_id, place }: DeletedBlob,
): Promise<void> {
  if (place !== "database") await blobStores.at(place).remove(objectName(workspace_id, id));
}

/** The maximum time that unused content is kept. */
export const COLLECTED_AFTER_MS = UNATTACHED_MS + UNUSED_MS;
