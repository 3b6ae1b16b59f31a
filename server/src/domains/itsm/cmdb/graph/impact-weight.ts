import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";

/** What may break with some items. */
export interface Weight {
  /** The classes of the items, one for each item. */
  readonly classes: readonly string[];
  /** How many others need one of them directly. */
  readonly dependants: number;
}

const CLASSES = "select class from cmdb_items where id = any($1::text[])";
const DEPENDANTS = `
  select count(distinct from_id) as count from cmdb_relationships
   where to_id = any($1::text[]) and from_id <> all($1::text[])`;

/** How much hangs on some items. */
export async function weightOf(tx: Tx, itemIds: readonly string[]): Promise<Weight> {
  if (itemIds.length === 0) return { classes: [], dependants: 0 };
  const [classes, dependants] = await Promise.all([
    queryRows(tx, CLASSES, [itemIds]),
    queryRows(tx, DEPENDANTS, [itemIds]),
  ]);
  return {
    classes: classes.map((row) => String(row["class"])),
    dependants: Number(dependants[0]?.["count"]),
  };
}
