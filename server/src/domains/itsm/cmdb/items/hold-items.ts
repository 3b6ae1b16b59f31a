import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";

/**
 * Finds the ids without a configuration item. Existing items cannot be deleted until the transaction ends, so that no
 * ticket references a deleted item.
 */
export async function missingItems(tx: Tx, ids: readonly string[]): Promise<readonly string[]> {
  if (ids.length === 0) return [];
  const held = await holdItems(tx, ids);
  return ids.filter((id) => !held.has(id));
}

/** Finds existing items and prevents deleting them until the transaction ends. */
export async function holdItems(tx: Tx, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const text = "select id from cmdb_items where id = any($1::text[]) order by id for key share";
  const rows = await queryRows(tx, text, [ids]);
  return new Set(rows.map(({ id }) => String(id)));
}
