import type { Tx } from "#kernel/db/connection.ts";

/** Which of these ids no configuration item here has. */
export async function missingItems(tx: Tx, ids: readonly string[]): Promise<readonly string[]> {
  if (ids.length === 0) return [];
  const rows = await tx.selectFrom("cmdb_items").select("id").where("id", "in", ids).execute();
  const known = new Set(rows.map(({ id }) => id));
  return ids.filter((id) => !known.has(id));
}
