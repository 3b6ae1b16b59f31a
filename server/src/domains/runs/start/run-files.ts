/**
 * Files of runs. Users who can see inputs and outputs of the run can read them, and so can steps of the run and its
 * child runs.
 */
import {
  attachFiles,
  findFileIds,
  insertFile,
  isMissingFile,
  openHandle,
  type ReceivedFile,
  REFERENCES_MAX,
  RUN,
} from "#domains/files/index.ts";
import { canSeeTrace, WorkflowsRead } from "#domains/workflows/index.ts";
import type { Caller } from "#kernel/access/caller.ts";
import { invalidField } from "#kernel/operation/failure.ts";
import type { FileOwner } from "#kernel/contributions/file-owner.ts";
import type { Platform, WriteContext } from "#kernel/contract.ts";
import { queryRows } from "#kernel/db/statement.ts";
import type { RunContext } from "../engine/run-context.ts";

export const runFileOwner: FileOwner = {
  type: RUN,
  async canRead({ tx, caller }, { attachedId }) {
    if (caller.run) {
      if (caller.run.id === attachedId) return true;
      const related = await queryRows(tx, FIND_COMMON_ANCESTOR, [attachedId, caller.run.id]);
      if (related.length > 0) return true;
    }
    if (!caller.permissions.has(WorkflowsRead.name)) return false;
    const [run] = await queryRows(tx, "select run_as from runs where id = $1", [attachedId]);
    return run !== undefined && canSeeTrace(caller, run["run_as"] as string | null);
  },
};

/** SQL: a file is readable by a step if its run and the run of the file have a common ancestor. */
export const FIND_COMMON_ANCESTOR = `
  with recursive ancestors (of, id, parent) as (
    select id, id, parent_run_id from runs where id in ($1, $2)
    union
    select a.of, r.id, r.parent_run_id from ancestors a join runs r on r.id = a.parent
  )
  select 1 from ancestors a join ancestors b on a.id = b.id where a.of = $1 and b.of = $2 limit 1`;

/** Creates files from content that arrived with the input of the run. */
export async function insertUploads(
  ctx: WriteContext<never>,
  { id, runAs }: Pick<RunContext, "id" | "runAs">,
  uploads: readonly ReceivedFile[],
): Promise<void> {
  for (const { id: fileId, stored } of uploads) {
    const attachedTo = { type: RUN, id };
    await insertFile(ctx, stored, { id: fileId, attachedTo, createdBy: runAs });
  }
}

/**
 * Throws if the user references a file that the user cannot read. The run has the rights of its deployer, and would
 * otherwise read the file for the user.
 */
export async function assertReadableFiles(
  platform: Platform,
  caller: Caller,
  given: { readonly [field: string]: unknown },
): Promise<void> {
  for (const [field, value] of Object.entries(given)) {
    const path = `/${field}`;
    for (const fileId of listNamedFiles(path, value)) {
      await openHandle(platform, caller, fileId).catch((error: unknown) => {
        if (!isMissingFile(error)) throw error;
        throw invalidField(path, `contains a file that you can't view: ${fileId.slice(0, 60)}`);
      });
    }
  }
}

function listNamedFiles(path: string, value: unknown): readonly string[] {
  const fileIds = findFileIds(value);
  if (fileIds.length <= REFERENCES_MAX) return fileIds;
  throw invalidField(path, `contains more than ${REFERENCES_MAX} files`);
}

/** Stores the uploads passed to a run for as long as the run. */
export async function adoptUploads(
  ctx: Pick<WriteContext, "send" | "caller">,
  { id, trigger }: Pick<RunContext, "id" | "trigger">,
): Promise<void> {
  const fileIds = findFileIds(trigger["input"]);
  if (fileIds.length === 0) return;
  await attachFiles(
    ctx,
    fileIds.map((fileId) => ({ fileId, resource: { type: RUN, id } })),
  );
}
