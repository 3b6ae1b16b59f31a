import Type from "typebox";
import type { EnvironmentName } from "#kernel/db/database.ts";
import { job } from "#kernel/work/job.ts";

const EVERY_MS = 3_600_000;
const KEPT_MS = 180 * 24 * 3_600_000;
const ROWS_MAX = 500;

const EXPIRED = `
  select id, workspace_id as workspace, environment from article_searches
   where last_at < $1 order by last_at limit $2`;

interface ExpiredRow extends Record<string, unknown> {
  readonly id: string;
  readonly workspace: string;
  readonly environment: EnvironmentName;
}

/** Deletes searches that were not repeated for half a year, because they can contain personal data. */
export const searchRetentionJob = job({
  kind: "knowledge.expire_searches",
  payload: Type.Object({}),
  everyMs: EVERY_MS,
  concurrency: 1,
  effect: ({ db, clock }) =>
    db.system<ExpiredRow>(EXPIRED, [new Date(clock.nowMs() - KEPT_MS), ROWS_MAX]),
  async run(ctx, _payload, rows) {
    for (const { id, workspace, environment } of rows) {
      ctx.switchPartition({ workspace, environment });
      await ctx.send("delete from article_searches where id = $1", [id]);
    }
    return rows.length === ROWS_MAX ? "again" : undefined;
  },
});
