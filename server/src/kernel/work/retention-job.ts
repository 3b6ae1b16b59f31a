import Type from "typebox";
import type { Platform, JobType } from "../contract.ts";
import type { Database } from "../db/database.ts";
import { job } from "./job.ts";

const MINUTE_MS = 60_000;

/**
 * The rows that one batch may delete. A batch is a transaction, and no reader of the log gets past one that
 * is open: a thousand rows are 10 to 40 ms, and still 20,000 rows a second one after another.
 */
export const RETENTION_ROWS_MAX = 1_000;

/**
 * A recurring job that deletes expired rows, a batch a turn. While there is much the next turn comes at
 * once, so that it keeps up; half a batch is much, since some of a batch may have changed meanwhile, or bear
 * a time from when a clock was wrong.
 */
export function retentionJob(about: {
  readonly kind: string;
  /** A minute by default: little at a time rather than much now and then. */
  readonly everyMs?: number;
  readonly rowsMax?: number;
  /** Deletes at most so many rows; resolves to how many it deleted. */
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

/** Runs a `delete` in all workspaces, as the system; resolves to how many rows it deleted. */
export async function deleteAcrossWorkspaces(
  db: Database,
  statement: string,
  values: readonly unknown[],
): Promise<number> {
  const text = `with deleted as (${statement} returning 1) select count(*)::int as n from deleted`;
  const [row] = await db.system<{ n: number }>(text, values);
  return row?.n ?? 0;
}
