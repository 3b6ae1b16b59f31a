import Type from "typebox";
import { recordAtHome, runHostCommand } from "#domains/installation/index.ts";
import type { Platform } from "#kernel/contract.ts";
import { nullable } from "#kernel/schema/schema.ts";
import { job } from "#kernel/work/job.ts";
import { deleteAcrossWorkspaces, retentionJob } from "#kernel/work/retention-job.ts";
import { passphraseEnvironment } from "../passphrase.ts";
import { IDLE_DAYS, IMPORT_JOB, UPLOAD_IDLE_DAYS } from "./archive-import.ts";
import { ImportTaskCompleted, ImportTaskFailed, type Task, TASKS } from "./events.ts";

const HOURS_MS = 3_600_000;
const TIMEOUT_MS = 24 * HOURS_MS;

/** The state after each task. Null after a discard. */
const NEXT_STATES: Readonly<Record<Task, string | null>> = {
  check: "checked",
  load: "loaded",
  activate: "activated",
  discard: null,
};

/** Checks, loads, activates or discards an archive in a separate process, which works as the database owner. */
export const importTaskJob = job({
  kind: IMPORT_JOB,
  payload: Type.Object({
    id: Type.String(),
    task: Type.Enum([...TASKS]),
    sealed: nullable(Type.String()),
  }),
  emits: [ImportTaskCompleted, ImportTaskFailed],
  timeoutMs: TIMEOUT_MS,
  attemptsMax: 5,
  concurrency: 1,
  async effect(platform, { id, task, sealed }, { signal }) {
    const env = passphraseEnvironment(platform, sealed, id);
    const args = ["run-import", id, task];
    const { error } = await runHostCommand(platform.settings, args, { signal, env });
    if (error === undefined && task === "discard") await removeParts(platform, id);
    // An imported workspace is paused until its activation. This process must know it before it reports the result.
    await platform.maintenance.load();
    return error ?? null;
  },
  async run(ctx, { id, task }, error) {
    const next = error === null ? NEXT_STATES[task] : undefined;
    if (next === null) await ctx.send("delete from archive_imports where id = $1", [id]);
    else
      await ctx.send(
        `update archive_imports set task = null, error = $2, state = coalesce($3, state), updated_at = $4
          where id = $1`,
        [id, error, next ?? null, ctx.now],
      );
    recordAtHome(ctx, () => {
      if (error === null) ctx.emit(ImportTaskCompleted, { id }, { task });
      else ctx.emit(ImportTaskFailed, { id }, { task, error });
    });
  },
});

/** Deletes parts whose rows are deleted with the import. */
async function removeParts({ db, blobStores }: Platform, importId: string): Promise<void> {
  const parts = await db.system<{ object: string; place: string }>(
    "select object, place from archive_parts where import_id = $1",
    [importId],
  );
  for (const { object, place } of parts) await blobStores.at(place).remove(object);
}

const FIND_IDLE = `
  select id from archive_imports
   where task is null and not begun and updated_at < case state when 'receiving' then $2::timestamptz else $1 end
   order by id limit 20`;
const DELETE_IDLE =
  "delete from archive_imports where task is null and not begun and id = any ($1::text[])";

/** Deletes abandoned uploads. After loading has started, only an operator can discard the import. */
export const retireImportsJob = retentionJob({
  kind: "installation.retire_imports",
  rowsMax: 20,
  async remove(platform) {
    const { db, clock } = platform;
    const before = (days: number): Date => new Date(clock.nowMs() - days * 24 * HOURS_MS);
    const idle = await db.system<{ id: string }>(FIND_IDLE, [
      before(IDLE_DAYS),
      before(UPLOAD_IDLE_DAYS),
    ]);
    for (const { id } of idle) await removeParts(platform, id);
    if (idle.length === 0) return 0;
    return deleteAcrossWorkspaces(db, DELETE_IDLE, [idle.map(({ id }) => id)]);
  },
});
