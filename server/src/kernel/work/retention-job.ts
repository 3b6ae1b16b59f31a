import Type from "typebox";
import type { Platform, JobType } from "../contract.ts";
import type { Database } from "../db/database.ts";
import { job } from "./job.ts";

const MINUTE_MS = 60_000;

/**
 * The maximum number of rows per batch. A batch is a transaction, and readers of the log wait for open ones: a
 * thousand rows take 10 to 40 ms, which still allows 20,000 rows per second.
 */
export const RETENTION_ROWS_MAX = 1_000;

/**
 * A recurring job that deletes expired rows, one batch per turn. While there are many, the next turn starts
 * immediately. Half a batch counts as many, because some rows may have changed since, or have a time from a wrong
 * clock.
 */
export function retentionJob(about: {
  readonly kind: string;
  /** Default: one minute, for small amounts often instead of large ones rarely. */
  readonly everyMs?: number;
  readonly rowsMax?: number;
  /** Deletes up to this number of rows. Resolves to the number of deleted rows. */
  remove(platform: Platform, rowsMax: number): Promise<number>;
}): JobType {
  const { kind, everyMs = MINUTE_MS, rowsMax = RETENTION_ROWS_MAX } = about;
  return job({
    kind,
    payload: Type.Object({}),
    everyMs,
    concurrency: 1,
    effect: (platform) => about.remove(platform, rowsMax),
    run: async (_ctx, _payload, removed) => (removed >= rowsMax / 2 ? "again" : undefined),
  });
}

/** Runs a `delete` in all workspaces as the system role. Resolves to the number of deleted rows. */
export async function deleteAcrossWorkspaces(
  db: Database,
  statement: string,
  values: readonly unknown[],
): Promise<number> {
  const text = `with deleted as (${statement} returning 1) select count(*)::int as n from deleted`;
  const [row] = await db.system<{ n: number }>(text, values);
  return row?.n ?? 0;
}
