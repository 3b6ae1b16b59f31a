import Type from "typebox";
import { deleteFile } from "#domains/files/index.ts";
import type { EnvironmentName } from "#kernel/db/database.ts";
import { job } from "#kernel/work/job.ts";
import { byMailbox } from "../intake/accept.ts";

const EVERY_MS = 60_000;
const MAILS_MAX = 200;
const DAY_MS = 24 * 3_600_000;

const EXPIRED = `
  select id, workspace_id as workspace, environment, mailbox_id as "mailboxId", file_id as "fileId" from mails
   where created_at < $1 and state <> 'waiting'
   order by created_at limit $2`;

interface ExpiredRow extends Record<string, unknown> {
  readonly id: string;
  readonly workspace: string;
  readonly environment: EnvironmentName;
  readonly mailboxId: string;
  readonly fileId: string | null;
}

/** Deletes old mails and their metadata. Their tickets are kept. */
export const mailRetentionJob = job({
  kind: "mail.expire",
  payload: Type.Object({}),
  everyMs: EVERY_MS,
  concurrency: 1,
  effect: ({ db, clock, settings }) =>
    db.system<ExpiredRow>(EXPIRED, [
      new Date(clock.nowMs() - settings.mailRetentionDays * DAY_MS),
      MAILS_MAX,
    ]),
  async run(ctx, _payload, rows) {
    for (const { id, workspace, environment, mailboxId, fileId } of rows.toSorted(byMailbox)) {
      ctx.switchPartition({ workspace, environment });
      const [gone] = await ctx.send<{ size: number }>(
        "delete from mails where id = $1 returning size::float8 as size",
        [id],
      );
      if (!gone) continue;
      const room = "update mailboxes set mail_bytes = greatest(0, mail_bytes - $2) where id = $1";
      void ctx.send(room, [mailboxId, gone.size]);
      if (fileId !== null) await deleteFile(ctx, fileId);
    }
    return rows.length === MAILS_MAX ? "again" : undefined;
  },
});
