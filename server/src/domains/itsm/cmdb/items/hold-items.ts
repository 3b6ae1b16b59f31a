import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";

/**
 * Which of these ids no configuration item here has. The others stay until the act ends: who writes them
 * down next would otherwise refer to what somebody deletes meanwhile.
 */
export async function missingItems(tx: Tx, ids: readonly string[]): Promise<readonly string[]> {
  if (ids.length === 0) return [];
  const held = await holdItems(tx, ids);
  return ids.filter((id) => !held.has(id));
}

/** Those of these items that there are; none of them can be deleted before the act ends. */
export async function holdItems(tx: Tx, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const text = "select id from cmdb_items where id = any($1::text[]) order by id for key share";
  const rows = await queryRows(tx, text, [ids]);
  return new Set(rows.map(({ id }) => String(id)));
}
