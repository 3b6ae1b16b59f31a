import { existsSync } from "node:fs";
import { chmod, mkdir, rm, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import Type from "typebox";
import { job } from "#kernel/work/job.ts";
import type { Settings } from "#kernel/settings.ts";
import { recordAtHome } from "./access.ts";
import { BackupFailed, BackupMade, BackupVerified } from "./backup-events.ts";
import { runHostCommand } from "./host-command.ts";

const TIMEOUT_MS = 4 * 3_600_000;
const DETAIL_CHARACTERS_MAX = 1_000;
const COMPLETE = /has everything up to (\S+?)\.\n/;

const Payload = Type.Object({ id: Type.String(), file: Type.String() });

export const backupJob = job({
  kind: "installation.backup",
  payload: Payload,
  emits: [BackupMade, BackupFailed],
  timeoutMs: TIMEOUT_MS,
  attemptsMax: 3,
  concurrency: 1,
  async effect({ settings }, { file }, { signal }) {
    const path = backupPath(settings, file);
    // An existing file was written by an attempt that could not report it.
    const result = existsSync(path)
      ? { output: "", error: undefined }
      : await makeBackup(settings, path, signal);
    if (result.error !== undefined) return { error: result.error };
    const { size } = await stat(path);
    return { bytes: size, completeUpTo: COMPLETE.exec(result.output)?.[1] ?? null };
  },
  async run(ctx, { id, file }, result) {
    const isMade = result.error === undefined;
    await ctx.tx
      .updateTable("backups")
      .set({
        status: isMade ? "made" : "failed",
        bytes: isMade ? result.bytes : null,
        complete_up_to: isMade ? result.completeUpTo : null,
        error: isMade ? null : result.error,
        finished_at: ctx.now.toISOString(),
      })
      .where("id", "=", id)
      .execute();
    const resource = { id, displayName: file };
    recordAtHome(ctx, () => {
      if (isMade) {
        const { bytes, completeUpTo } = result;
        ctx.emit(BackupMade, resource, { file, bytes, completeUpTo });
      } else ctx.emit(BackupFailed, resource, { file, error: result.error });
    });
  },
});

async function makeBackup(settings: Settings, path: string, signal: AbortSignal) {
  const folder = join(settings.dataDir, "backups");
  await mkdir(folder, { recursive: true });
  // It contains the whole database.
  await chmod(folder, 0o700);
  return runHostCommand(settings, ["backup", path], { signal });
}

export const verifyBackupJob = job({
  kind: "installation.verify_backup",
  payload: Payload,
  emits: [BackupVerified],
  timeoutMs: TIMEOUT_MS,
  attemptsMax: 3,
  concurrency: 1,
  effect: ({ settings }, { file }, { signal }) =>
    runHostCommand(settings, ["backup", "--verify", backupPath(settings, file)], { signal }),
  async run(ctx, { id, file }, { output, error }) {
    const isWhole = error === undefined;
    const detail = (error ?? output).trim().slice(0, DETAIL_CHARACTERS_MAX);
    await ctx.tx
      .updateTable("backups")
      .set({
        verification: isWhole ? "whole" : "damaged",
        verified_at: ctx.now.toISOString(),
        verified_detail: detail,
      })
      .where("id", "=", id)
      .execute();
    recordAtHome(ctx, () =>
      ctx.emit(BackupVerified, { id, displayName: file }, { file, isWhole, detail }),
    );
  },
});

export const deleteBackupJob = job({
  kind: "installation.delete_backup",
  payload: Payload,
  effect: ({ settings }, { file }) => rm(backupPath(settings, file), { force: true }),
  async run({ tx }, { id }) {
    await tx.deleteFrom("backups").where("id", "=", id).where("status", "=", "deleted").execute();
  },
});

/** The path of backups created through the API. */
function backupPath({ dataDir }: Settings, file: string): string {
  if (basename(file) !== file || file.startsWith("."))
    throw new Error("A backup was to lie outside of the folder of backups.");
  return join(dataDir, "backups", file);
}
