import Type from "typebox";
import { authorOf } from "#kernel/access/caller.ts";
import type { Platform, WriteContext } from "#kernel/contract.ts";
import { Failure, failure, NotFound } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { accepted, item } from "#kernel/operation/response.ts";
import { newId } from "#kernel/schema/id.ts";
import { id, nullable, object, Time } from "#kernel/schema/schema.ts";
import type { Settings } from "#kernel/settings.ts";
import { operatorAccess, recordAtHome } from "./access.ts";
import { BackupDeleted, BackupRequested, VerificationRequested } from "./backup-events.ts";
import { backupJob, deleteBackupJob, verifyBackupJob } from "./backup-jobs.ts";

const BACKUPS_MAX = 100;

const Backup = Type.Object(
  {
    id: id("bkp"),
    status: Type.Enum(["running", "made", "failed"]),
    file: Type.String({ description: "Name in the folder `backups` of the data folder" }),
    bytes: nullable(Type.Integer()),
    completeUpTo: nullable(Time),
    error: nullable(Type.String()),
    createdAt: Time,
    finishedAt: nullable(Time),
    verification: nullable(Type.Enum(["running", "whole", "damaged"])),
    verifiedAt: nullable(Time),
    verifiedDetail: nullable(Type.String()),
  },
  { title: "Backup" },
);

export const ServerDatabase = failure(
  "server_database",
  409,
  "The database runs on its own server. Back it up with the tools of PostgreSQL, see the guide.",
);
export const BackupRunning = failure(
  "backup_running",
  409,
  "Another backup is already being created or verified.",
);
export const BackupUnfinished = failure(
  "backup_unfinished",
  409,
  "Only a completed backup can be verified or deleted.",
);

const JOBS = [backupJob, verifyBackupJob].map(({ kind }) => `'${kind}'`).join(", ");
const LIST = `
  select id, status, file, bytes::float8 as bytes, complete_up_to as "completeUpTo", error,
         created_at as "createdAt", finished_at as "finishedAt", verification,
         verified_at as "verifiedAt", verified_detail as "verifiedDetail",
         (status = 'running' or verification = 'running') and not exists (
           select from jobs j where j.key = b.id and j.kind in (${JOBS}) and j.failed_at is null) as "isAbandoned"
    from backups b where status <> 'deleted' order by created_at desc, id desc limit ${BACKUPS_MAX}`;

interface BackupRow {
  readonly id: string;
  readonly status: "running" | "made" | "failed";
  readonly file: string;
  readonly bytes: number | null;
  readonly completeUpTo: string | null;
  readonly error: string | null;
  readonly createdAt: string;
  readonly finishedAt: string | null;
  readonly verification: "running" | "whole" | "damaged" | null;
  readonly verifiedAt: string | null;
  readonly verifiedDetail: string | null;
  /** True if its job failed or was deleted, so that nothing else will end it. */
  readonly isAbandoned: boolean;
}

const GIVEN_UP = "The job failed all attempts.";

async function listRows({ db }: Pick<Platform, "db">): Promise<BackupRow[]> {
  const rows = await db.system<BackupRow>(LIST);
  return rows.map((row) => {
    if (!row.isAbandoned) return row;
    if (row.status !== "running") return { ...row, verification: null };
    return { ...row, status: "failed", error: GIVEN_UP };
  });
}

/** Records the end of abandoned backups and verifications, so that they do not block others. */
async function endAbandoned(
  { tx, now }: WriteContext<never>,
  rows: readonly BackupRow[],
): Promise<void> {
  const ids = rows.filter(({ isAbandoned }) => isAbandoned).map((row) => row.id);
  if (ids.length === 0) return;
  const failed = { status: "failed", error: GIVEN_UP, finished_at: now.toISOString() };
  const ofThose = tx.updateTable("backups").where("id", "in", ids);
  await ofThose.set(failed).where("status", "=", "running").execute();
  await ofThose.set({ verification: null }).where("verification", "=", "running").execute();
}

function requireEmbedded({ databaseUrl }: Settings): void {
  if (databaseUrl !== undefined) throw new Failure(ServerDatabase);
}

export const readBackups = query({
  id: "installation.read_backups",
  route: "GET /api/v1/installation/backups",
  summary: "List backups, newest first",
  ...operatorAccess,
  response: item(Type.Object({ backups: Type.Array(Backup) })),
  prepare: listRows,
  run: async (_ctx, _input, backups) => ({ backups }),
});

export const startBackup = command({
  id: "installation.start_backup",
  route: "POST /api/v1/installation/backups",
  summary: "Create a backup of the embedded database",
  description:
    "Runs in a separate process while the installation is in use. Writes to the folder `backups` of the data folder, without the master key. Copy the backup to another disk, and store the key separately.",
  ...operatorAccess,
  response: accepted(Backup),
  emits: [BackupRequested],
  fails: [ServerDatabase, BackupRunning],
  prepare: listRows,
  async run(ctx, _input, rows) {
    requireEmbedded(ctx.services.settings);
    // One at a time, serialised by a lock on the installation's row.
    await ctx.tx.selectFrom("installation").select("epoch").forUpdate().execute();
    await endAbandoned(ctx, rows);
    const running = await ctx.tx
      .selectFrom("backups")
      .select("id")
      .where((where) =>
        where.or([where("status", "=", "running"), where("verification", "=", "running")]),
      )
      .execute();
    if (running.length > 0) throw new Failure(BackupRunning);
    const backupId = newId("bkp", ctx.now.getTime());
    const file = `millrace-${ctx.now.toISOString().replaceAll(/[:.]/g, "-")}.tar.gz`;
    await ctx.tx
      .insertInto("backups")
      .values({
        id: backupId,
        status: "running",
        file,
        requested_by: authorOf(ctx.caller),
        created_at: ctx.now.toISOString(),
      })
      .execute();
    recordAtHome(ctx, () =>
      ctx.emit(BackupRequested, { id: backupId, displayName: file }, { file }),
    );
    ctx.enqueue(backupJob, { id: backupId, file }, { key: backupId });
    const none = { bytes: null, completeUpTo: null, error: null, finishedAt: null };
    return {
      ...none,
      id: backupId,
      status: "running" as const,
      file,
      createdAt: ctx.now.toISOString(),
      verification: null,
      verifiedAt: null,
      verifiedDetail: null,
    };
  },
});

const backupExample = { params: { id: "bkp_01jd0000000000000000000000" } };

export const verifyBackup = command({
  id: "installation.verify_backup",
  route: "POST /api/v1/installation/backups/{id}/verify",
  summary: "Verify a backup",
  description:
    "Restores the backup to a temporary folder, starts it and reads all data, in a separate process.",
  ...operatorAccess,
  params: object({ id: id("bkp") }),
  response: accepted(Backup),
  emits: [VerificationRequested],
  fails: [ServerDatabase, BackupUnfinished, BackupRunning],
  example: backupExample,
  prepare: listRows,
  async run(ctx, { params }, rows) {
    requireEmbedded(ctx.services.settings);
    const backup = rows.find((row) => row.id === params.id);
    if (!backup) throw new Failure(NotFound);
    if (backup.status !== "made") throw new Failure(BackupUnfinished);
    await endAbandoned(ctx, rows);
    const { numUpdatedRows } = await ctx.tx
      .updateTable("backups")
      .set({ verification: "running" })
      .where("id", "=", params.id)
      .where("status", "=", "made")
      .where((where) =>
        where.or([where("verification", "is", null), where("verification", "<>", "running")]),
      )
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw new Failure(BackupRunning);
    recordAtHome(ctx, () =>
      ctx.emit(
        VerificationRequested,
        { id: backup.id, displayName: backup.file },
        { file: backup.file },
      ),
    );
    ctx.enqueue(verifyBackupJob, { id: backup.id, file: backup.file }, { key: backup.id });
    return { ...backup, verification: "running" as const };
  },
});

export const deleteBackup = command({
  id: "installation.delete_backup",
  route: "DELETE /api/v1/installation/backups/{id}",
  summary: "Delete a backup and its file",
  ...operatorAccess,
  params: object({ id: id("bkp") }),
  response: accepted(Backup),
  emits: [BackupDeleted],
  fails: [BackupUnfinished],
  example: backupExample,
  prepare: listRows,
  async run(ctx, { params }, rows) {
    ctx.expectRevision(1);
    const backup = rows.find((row) => row.id === params.id);
    if (!backup) throw new Failure(NotFound);
    await endAbandoned(ctx, rows);
    const { numUpdatedRows } = await ctx.tx
      .updateTable("backups")
      .set({ status: "deleted" })
      .where("id", "=", params.id)
      .where("status", "in", ["made", "failed"])
      .where((where) =>
        where.or([where("verification", "is", null), where("verification", "<>", "running")]),
      )
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw new Failure(BackupUnfinished);
    recordAtHome(ctx, () =>
      ctx.emit(BackupDeleted, { id: backup.id, displayName: backup.file }, { file: backup.file }),
    );
    ctx.enqueue(deleteBackupJob, { id: backup.id, file: backup.file }, { key: backup.id });
    return backup;
  },
});
