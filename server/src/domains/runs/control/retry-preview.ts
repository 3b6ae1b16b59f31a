/** Previews a bulk retry: which runs it would skip, and why. */
import Type, { type Static } from "typebox";
import { assertBehind } from "#domains/identity/accounts/index.ts";
import { ArchivedWorkflow, findStartable, planOfVersion } from "#domains/workflows/index.ts";
import type { ReadContext } from "#kernel/contract.ts";
import { Failure, type FailureType } from "#kernel/operation/failure.ts";
import type { RunRow } from "../engine/store.ts";
import { VersionGone } from "../run.ts";
import { readRows } from "../store.ts";
import { type RetryFilter, selectRetries } from "./bulk-retry.ts";

const SAMPLE_RUNS = 5;

export const BulkRetry = Type.Object(
  {
    count: Type.Integer(),
    skipped: Type.Optional(
      Type.Array(
        Type.Object({
          code: Type.String(),
          reason: Type.String(),
          count: Type.Integer(),
          runIds: Type.Array(Type.String(), { description: "Examples" }),
        }),
        { description: "For a dry run: runs that would be skipped" },
      ),
    ),
  },
  { title: "BulkRetry" },
);

type Source = Pick<ReadContext, "tx" | "services">;

/** Counts the runs that would be retried and those that would be skipped. Changes nothing. */
export async function previewRetries(
  ctx: Source,
  filter: RetryFilter,
  limit: number,
): Promise<Static<typeof BulkRetry>> {
  const rows = await readRows(ctx.tx, await selectRetries(ctx.tx, filter, limit));
  // Most runs share a version and a user, so each combination is checked once.
  const answers = new Map<string, FailureType | undefined>();
  const refused: { readonly row: RunRow; readonly type: FailureType }[] = [];
  for (const row of rows) {
    const key = JSON.stringify([row.workflow_id, row.version_id, row.run_as, row.permissions]);
    if (!answers.has(key)) answers.set(key, await findObstacle(ctx, row));
    const type = answers.get(key);
    if (type) refused.push({ row, type });
  }
  const skipped = [...Map.groupBy(refused, ({ type }) => type)].map(([type, group]) => ({
    code: type.code,
    reason: type.title,
    count: group.length,
    runIds: group.slice(0, SAMPLE_RUNS).map(({ row }) => row.id),
  }));
  return { count: rows.length - refused.length, skipped };
}

/** The reason why a run cannot continue with its own version; undefined if it can. */
async function findObstacle(
  { tx, services }: Source,
  row: RunRow,
): Promise<FailureType | undefined> {
  const workflow = await findStartable(tx, row.workflow_id, row.environment);
  if (workflow?.archived) return ArchivedWorkflow;
  if (!(await planOfVersion({ tx, services }, row.version_id))) return VersionGone;
  try {
    const authority = { runAs: row.run_as, permissions: row.permissions ?? undefined };
    await assertBehind({ tx, services }, authority);
    return undefined;
  } catch (error) {
    if (error instanceof Failure) return error.type;
    throw error;
  }
}
