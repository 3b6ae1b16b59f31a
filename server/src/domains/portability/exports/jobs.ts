import Type from "typebox";
import { runHostCommand } from "#domains/installation/index.ts";
import type { Platform } from "#kernel/contract.ts";
import { nullable } from "#kernel/schema/schema.ts";
import { job } from "#kernel/work/job.ts";
import { deleteAcrossWorkspaces, retentionJob } from "#kernel/work/retention-job.ts";
import { passphraseEnvironment } from "../passphrase.ts";
import { ExportFailed, ExportMade } from "./events.ts";
import { EXPORT_JOB, exportObject, getExport, KEPT_DAYS } from "./workspace-export.ts";

const HOURS_MS = 3_600_000;
const TIMEOUT_MS = 12 * HOURS_MS;

/** Creates an archive in a separate process, which records its progress in the row. */
export const exportJob = job({
  kind: EXPORT_JOB,
  payload: Type.Object({ id: Type.String(), sealed: nullable(Type.String()) }),
  emits: [ExportMade, ExportFailed],
  timeoutMs: TIMEOUT_MS,
  attemptsMax: 3,
  concurrency: 1,
  async effect(platform, { id, sealed }, { signal }) {
    const env = passphraseEnvironment(platform, sealed, id);
    const { error } = await runHostCommand(platform.settings, ["run-export", id], { signal, env });
    return { error: error ?? null, place: platform.blobStores.place };
  },
  async run({ send, tx, emit, now }, { id }, { error, place }) {
    const status = error === null ? "made" : "failed";
    await send(
      `update workspace_exports set status = $2, error = $3, place = $4, finished_at = $5
        where id = $1 and status = 'running'`,
      [id, status, error, place, now],
    );
    if (error !== null) return emit(ExportFailed, { id }, { error });
    const { withSecrets, rows, files, bytes } = await getExport(tx, id);
    emit(ExportMade, { id }, { withSecrets, rows, files, bytes });
  },
});

const RETIRE = `
  update workspace_exports set status = 'deleted'
   where status <> 'deleted' and coalesce(finished_at, created_at) < $1 returning id`;
const FIND_DELETED =
  "select id, place from workspace_exports where status = 'deleted' order by id limit 50";
const DELETE_ROWS =
  "delete from workspace_exports where status = 'deleted' and id = any ($1::text[])";

/** Deletes expired and removed archives. The object is deleted before its row. */
export const retireExportsJob = retentionJob({
  kind: "installation.retire_exports",
  rowsMax: 50,
  remove: retireExports,
});

async function retireExports({ db, clock, blobStores }: Platform): Promise<number> {
  await db.system(RETIRE, [new Date(clock.nowMs() - KEPT_DAYS * 24 * HOURS_MS)]);
  const deleted = await db.system<{ id: string; place: string | null }>(FIND_DELETED);
  for (const { id, place } of deleted)
    await blobStores.at(place ?? blobStores.place).remove(exportObject(id));
  if (deleted.length === 0) return 0;
  return deleteAcrossWorkspaces(db, DELETE_ROWS, [deleted.map(({ id }) => id)]);
}
