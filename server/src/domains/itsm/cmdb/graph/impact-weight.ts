import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";

/** The weight of items for the risk of a change. */
export interface ImpactWeight {
  /** The classes of the items, one per item. */
  readonly classes: readonly string[];
  /** The number of items that depend directly on one of them. */
  readonly dependants: number;
}

const CLASSES = "select class from cmdb_items where id = any($1::text[])";
const DEPENDANTS = `
  select count(distinct from_id) as count from cmdb_relationships
   where to_id = any($1::text[]) and from_id <> all($1::text[])`;

/** Reads the number of dependants of items. */
export async function readImpactWeight(tx: Tx, itemIds: readonly string[]): Promise<ImpactWeight> {
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
