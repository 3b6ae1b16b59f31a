import Type from "typebox";
import { deleteFile } from "#domains/files/index.ts";
import type { EnvironmentName } from "#kernel/db/database.ts";
import { job } from "#kernel/work/job.ts";

const EVERY_MS = 60_000;
const MAILS_MAX = 200;
const DAY_MS = 24 * 3_600_000;

const EXPIRED = `
  select id, workspace_id as workspace, environment, file_id as "fileId" from mails
   where created_at < $1 and state <> 'waiting'
   order by created_at limit $2`;

interface ExpiredRow extends Record<string, unknown> {
  readonly id: string;
  readonly workspace: string;
  readonly environment: EnvironmentName;
  readonly fileId: string | null;
}

/** Deletes mails whose time is over, as they came and what is known of them; their tickets stay. */
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
    for (const { id, workspace, environment, fileId } of rows) {
      ctx.switchPartition({ workspace, environment });
      const [gone] = await ctx.send("delete from mails where id = $1 returning 1 as n", [id]);
      if (gone && fileId !== null) await deleteFile(ctx, fileId);
    }
    return rows.length === MAILS_MAX ? "again" : undefined;
  },
});
