/**
 * The files that a step of a run may open by a handle. Handles are values, and anybody writes values: an event, a JSON
 * column or an upstream's answer may name a file that its author could never read, while the run has the rights of its
 * deployer. So a step opens files of its own run and of related ones, and others only where the run was given them.
 */
import { type Caller, partitionOfCaller } from "#kernel/access/caller.ts";
import type { Platform, ReadContext } from "#kernel/contract.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import { type FileRow, RUN } from "../file.ts";
import { findFileRow } from "../file-rows.ts";
import { canReadFile, getReadableRow, type OpenedFile, openRow } from "../open-file.ts";

/** The row of the file that a handle names; 404 where the caller may not open it by one. */
export async function getHandleRow(ctx: ReadContext, fileId: string): Promise<FileRow> {
  const { run } = ctx.caller;
  if (!run || run.givenFiles?.has(fileId) === true) return getReadableRow(ctx, fileId);
  const row = await findFileRow(ctx, fileId);
  if (row?.attached_type !== RUN || !(await canReadFile(withoutPermissions(ctx), row)))
    throw new Failure(NotFound);
  return row;
}

/** Opens the file that a handle names. */
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

/** A context whose caller has nothing but its run. */
function withoutPermissions(ctx: ReadContext): ReadContext {
  return { ...ctx, caller: { ...ctx.caller, permissions: new Set() } };
}
