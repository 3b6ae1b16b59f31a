import type { Caller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import { isUnrestricted, type OpenTable } from "#domains/tables/index.ts";
import { type QueryPlan, toPlanNodes } from "./query-plan.ts";
import { executeStatement, type SqlQuery, withCheckedQuery } from "./run-query.ts";

const PLAN_ONLY = "explain (format json) ";
const RUN_TOO = "explain (format json, analyze, buffers off) ";

/** The plan of a query; with `isRun` the query is executed, and actual rows and times are included. */
export async function explainQuery(
  platform: Platform,
  caller: Caller,
  query: SqlQuery & { readonly isRun: boolean },
): Promise<QueryPlan> {
  return withCheckedQuery(caller, query, async (checked) => {
    const prefix = query.isRun ? RUN_TOO : PLAN_ONLY;
    const { result, tables, hasViews, durationMs } = await executeStatement(
      platform,
      caller,
      checked,
      prefix,
    );
    const { relations, expressions } = checked.inspection;
    // A platform view reads internal tables with internal conditions.
    const isLimited = hasViews || (await mayBeLimited(caller, tables));
    const names = isLimited ? new Set([...relations.keys(), ...expressions]) : undefined;
    return { ...toPlanNodes(result, { hasFigures: !isLimited, names }), isLimited, durationMs };
  });
}

/**
 * Returns whether access rules may hide rows from the caller: a plan node counts rows before rules remove some, and
 * estimates include all rows. A lookup reads further tables, so the rules of all tables count.
 */
async function mayBeLimited(
  { principal }: Caller,
  [table]: readonly OpenTable[],
): Promise<boolean> {
  if (!table || !principal || isUnrestricted(principal)) return false;
  return (await table.listSchemas()).some(({ rules }) => rules.length > 0);
}
