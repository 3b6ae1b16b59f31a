import type { Caller } from "#kernel/access/caller.ts";
import type { ReadContext } from "#kernel/contract.ts";
import { queryRows, SqlParameters } from "#kernel/db/statement.ts";

/** Counts stop at this number. */
const COUNTED_MAX = 1_000;

/** SQL condition: the approval `a` waits for a decision of the caller. */
function awaitingSql({ principal, permissions }: Caller, now: Date, to: SqlParameters): string {
  const me = to.add(principal?.id ?? "", "text");
  const held = to.add([...permissions], "text[]");
  const moment = to.add(now, "timestamptz");
  return `
    a.state = 'pending' and not ${me} = any (a.requester_ids)
    and (a.expires_at is null or a.expires_at > ${moment})
    and (a.id = any (array(
           select p.approval_id from approval_people p
            where p.is_asked and p.user_id = any (array(select ${me} union select decides_for(${me}, ${moment})))))
         or a.fallback = any (${held})
            and not exists (select from approval_people p where p.approval_id = a.id and p.is_asked))`;
}

/** SQL condition: the caller can decide the pending approval of the row. */
export function awaitsSql(
  { table, kind }: { readonly table: string; readonly kind: string },
  { caller, now }: Pick<ReadContext, "caller" | "now">,
): (to: SqlParameters) => string {
  return (to) => `
    ${table}.id = any (array(
      select a.subject_id from approvals a
       where a.subject_kind = ${to.add(kind, "text")} and ${awaitingSql(caller, now, to)}))`;
}

/** Lists the rows with an approval that the caller can decide, oldest first. `columns` is SQL. */
export async function listAwaiting<Row extends object>(
  ctx: Pick<ReadContext, "tx" | "caller" | "now">,
  rows: { readonly table: string; readonly kind: string; readonly columns: string },
  limit: number,
): Promise<readonly Row[]> {
  const to = new SqlParameters();
  const condition = awaitsSql(rows, ctx)(to);
  return queryRows<Row>(
    ctx.tx,
    `select ${rows.columns} from ${rows.table} where ${condition} order by created_at limit ${limit}`,
    to.values,
  );
}

/** Finds those of some subjects with an approval that the caller can decide. */
export async function findAwaiting(
  { tx, caller, now }: Pick<ReadContext, "tx" | "caller" | "now">,
  { kind, ids }: { readonly kind: string; readonly ids: readonly string[] },
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const to = new SqlParameters();
  const rows = await queryRows<{ id: string }>(
    tx,
    `select a.subject_id as id from approvals a
      where a.subject_kind = ${to.add(kind, "text")} and a.subject_id = any (${to.add(ids, "text[]")})
        and ${awaitingSql(caller, now, to)}`,
    to.values,
  );
  return new Set(rows.map(({ id }) => id));
}

/** Counts the subjects with an approval that the caller can decide. */
export async function countAwaiting(
  { tx, caller, now }: ReadContext,
  kind: string,
): Promise<number> {
  const to = new SqlParameters();
  const rows = await queryRows<{ n: number }>(
    tx,
    `select count(*)::int as n from (
       select from approvals a
        where a.subject_kind = ${to.add(kind, "text")} and ${awaitingSql(caller, now, to)}
        limit ${COUNTED_MAX}) waiting`,
    to.values,
  );
  return rows[0]?.n ?? 0;
}
