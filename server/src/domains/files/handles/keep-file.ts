/** Files created by a step, which belong to its run, or by another call. */
import {
  authorOf,
  type Caller,
  type CallingRun,
  partitionOfCaller,
} from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import { runAsSystem } from "#kernel/operation/act.ts";
import { FileUploaded, RUN, UNATTACHED_MS } from "../file.ts";
import { insertFile } from "../file-rows.ts";
import { storeFile } from "../store-file.ts";
import { type FileHandle, toHandle } from "./file-handle.ts";
import { getHandleRow } from "./open-handle.ts";

/**
 * Streams a content to the store. A step's file belongs to its run, has its access rules and is deleted with it.
 * Otherwise it becomes the caller's upload.
 */
export async function keepFile(
  platform: Platform,
  caller: Caller,
  content: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  about: { readonly name: string },
): Promise<FileHandle> {
  const partition = partitionOfCaller(caller);
  const stored = await storeFile(platform, partition, content, about);
  const { run } = caller;
  if (run?.leftovers) await (run.leftovers.dropped ??= dropLeftovers(platform, caller, run));
  const file = await runAsSystem(platform, partition, caller.cause, async (ctx) => {
    const createdBy = authorOf(caller);
    if (run) {
      const attachedTo = { type: RUN, id: run.id, ...(run.leftovers && { step: run.step }) };
      return insertFile(ctx, stored, { attachedTo, createdBy });
    }
    ctx.setActor(caller.actor);
    const { revision: _, ...uploaded } = await insertFile(ctx, stored, { createdBy });
    ctx.emit(FileUploaded, { id: uploaded.id, displayName: uploaded.name }, uploaded);
    return uploaded;
  });
  return toHandle(file);
}

/** Deletes the files of an interrupted attempt: its output is not in the journal, so they cannot be referenced. */
function dropLeftovers(
  platform: Platform,
  caller: Caller,
  { id, step }: CallingRun,
): Promise<unknown> {
  return runAsSystem(platform, partitionOfCaller(caller), caller.cause, ({ send, now }) =>
    send(
      `with gone as (
         delete from files where attached_type = '${RUN}' and attached_id = $1 and step = $2 returning blob_id
       ), counted as (select blob_id, count(*)::int as n from gone group by blob_id)
       update blobs b set refs = b.refs - c.n, unused_at = case when b.refs = c.n then $3::timestamptz end
         from counted c where b.id = c.blob_id`,
      [id, step, now],
    ),
  );
}

/**
 * Creates an upload of the caller, with a chosen id, from the content of an accessible file. It expires like any
 * upload unless it is attached.
 */
export async function copyFile(
  platform: Platform,
  caller: Caller,
  { fileId, copyId }: { readonly fileId: string; readonly copyId: string },
): Promise<string> {
  const partition = partitionOfCaller(caller);
  return runAsSystem(platform, partition, caller.cause, async ({ tx, now, send }) => {
    const row = await getHandleRow({ tx, now, caller, services: platform }, fileId);
    const copied = await send(COPY, [
      copyId,
      row.id,
      authorOf(caller),
      now,
      new Date(now.getTime() + UNATTACHED_MS),
    ]);
    if (
      copied.length === 0 &&
      (await send("select 1 from files where id = $1", [copyId])).length === 0
    )
      throw new Failure(NotFound);
    return copyId;
  });
}

const COPY = `
  with copied as (
    insert into files (id, blob_id, name, media_type, size, width, height, created_by, created_at, expires_at)
    select $1, blob_id, name, media_type, size, width, height, $3, $4, $5 from files where id = $2
    on conflict (id) do nothing returning id, blob_id
  )
  update blobs b set refs = b.refs + 1, unused_at = null from copied c where b.id = c.blob_id returning c.id`;
