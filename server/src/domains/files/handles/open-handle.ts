/**
 * Files that a run step can open by a handle. Handles are values that anyone can write: an event, a JSON column or an
 * external response may name a file that its author cannot read, while the run has the permissions of its deployer. So
 * a step opens files of its own and related runs, and others only if they were given to the run.
 */
import { type Caller, partitionOfCaller } from "#kernel/access/caller.ts";
import type { Platform, ReadContext } from "#kernel/contract.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import { type FileRow, RUN } from "../file.ts";
import { findFileRow } from "../file-rows.ts";
import { canReadFile, getReadableRow, type OpenedFile, openRow } from "../open-file.ts";

/** The row of a handle's file. 404 if the caller cannot open it by handle. */
export async function getHandleRow(ctx: ReadContext, fileId: string): Promise<FileRow> {
  const { run } = ctx.caller;
  if (!run || run.givenFiles?.has(fileId) === true) return getReadableRow(ctx, fileId);
  const row = await findFileRow(ctx, fileId);
  if (row?.attached_type !== RUN || !(await canReadFile(withoutPermissions(ctx), row)))
    throw new Failure(NotFound);
  return row;
}

/** Opens the file of a handle. */
export async function openHandle(
  platform: Platform,
  caller: Caller,
  fileId: string,
): Promise<OpenedFile> {
  const partition = partitionOfCaller(caller);
  const row = await platform.db.read(partition, (tx) =>
    getHandleRow({ tx, now: platform.clock.now(), caller, services: platform }, fileId),
  );
  return openRow(platform, partition, row);
}

/** A context whose caller has only the rights of its run. */
function withoutPermissions(ctx: ReadContext): ReadContext {
  return { ...ctx, caller: { ...ctx.caller, permissions: new Set() } };
}
