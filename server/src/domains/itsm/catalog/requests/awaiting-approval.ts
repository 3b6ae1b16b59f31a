import type { Caller } from "#kernel/access/caller.ts";
import type { ReadContext } from "#kernel/contract.ts";
import { queryRows, SqlParameters } from "#kernel/db/statement.ts";
import type { ListCondition } from "#kernel/list/list.ts";
import { RequestsWork } from "../permissions.ts";

/** Counted up to this. */
const COUNTED_MAX = 1_000;

/** Selects the requests on which somebody may decide and has not. */
export function awaitingApprovalBy({ principal, permissions }: Caller): ListCondition {
  return (to) => {
    const me = to.add(principal?.id ?? "", "text");
    const unnamed = permissions.has(RequestsWork.name) ? "cardinality(approver_ids) = 0" : "false";
    return `
      state = 'awaiting_approval' and (${me} = any (approver_ids) or ${unnamed})
      and created_by <> ${me} and requested_for <> ${me}
      and not exists (select from jsonb_array_elements(decisions) d where d ->> 'userId' = ${me})`;
  };
}

/** How many requests the caller may decide on and has not: the number of those that the list shows. */
export async function countAwaitingApproval({ tx, caller }: ReadContext): Promise<number> {
  const parameters = new SqlParameters();
  const rows = await queryRows<{ n: number }>(
    tx,
    `select count(*)::int as n from (
       select 1 from catalog_requests where ${awaitingApprovalBy(caller)(parameters)}
        limit ${COUNTED_MAX}) waiting`,
    parameters.values,
  );
  return rows[0]?.n ?? 0;
}
