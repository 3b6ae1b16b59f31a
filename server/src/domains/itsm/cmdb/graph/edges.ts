import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import type { Item } from "../items/item.ts";
import type { RelationshipType } from "../relationships/relationship.ts";
import type { TraversalStep, TraversalOptions } from "./traverse.ts";

export const DIRECTIONS = ["downstream", "upstream", "both"] as const;
export type Direction = (typeof DIRECTIONS)[number];

/** The relationship types to follow; all by default. */
export interface EdgeFilter {
  readonly direction: Direction;
  readonly types: readonly string[] | undefined;
}

/** Each end has a covering index. */
function hopSql(known: "from_id" | "to_id", typeCondition: string): string {
  const next = known === "from_id" ? "to_id" : "from_id";
  return `
    select ${next} as id, ${known} as via, type from cmdb_relationships
     where ${known} = any($1::text[])${typeCondition}`;
}

function neighbourSql({ direction, types }: EdgeFilter): string {
  const typeCondition = types ? " and type = any($3::text[])" : "";
  const parts = {
    downstream: [hopSql("from_id", typeCondition)],
    upstream: [hopSql("to_id", typeCondition)],
    both: [hopSql("from_id", typeCondition), hopSql("to_id", typeCondition)],
  };
  return `
    select distinct on (id) id, via, type from (${parts[direction].join(" union all ")}) as step
     order by id, via, type limit $2`;
}

/** Builds the query for the neighbours of an item: downstream to its dependencies, upstream to its dependants. */
export function neighbourQuery(tx: Tx, filter: EdgeFilter): TraversalOptions["stepFrom"] {
  const text = neighbourSql(filter);
  const { types } = filter;
  return async (ids, limit) =>
    // The select list has the field names of a step.
    await queryRows<TraversalStep>(tx, text, [ids, limit, ...(types ? [types] : [])]);
}

export interface Edge {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly type: RelationshipType;
}

const EDGES_MAX = 20_000;
/** The maximum number of scanned edges, because many can lead to the same items. */
const SCANNED_EDGES_MAX = 100_000;

/** Lists the relationships between some items, oldest first, up to a limit. */
export async function listEdgesAmong(
  tx: Tx,
  ids: readonly string[],
  types: readonly string[] | undefined,
): Promise<{ readonly edges: Edge[]; readonly truncated: boolean }> {
  const text = `
    select id, from_id as "from", to_id as "to", type from cmdb_relationships
     where from_id = any($1::text[])${types ? " and type = any($3::text[])" : ""} limit $2`;
  const rows = await queryRows<Edge>(tx, text, [
    ids,
    SCANNED_EDGES_MAX + 1,
    ...(types ? [types] : []),
  ]);
  const among = new Set(ids);
  const edges = rows.filter(({ to }) => among.has(to)).toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const truncated = rows.length > SCANNED_EDGES_MAX || edges.length > EDGES_MAX;
  return { edges: edges.slice(0, EDGES_MAX), truncated };
}

export type ItemSummary = Pick<Item, "id" | "name" | "class" | "status">;

/** Finds item summaries by id. */
export async function findSummaries(
  tx: Tx,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ItemSummary>> {
  const text = "select id, name, class, status from cmdb_items where id = any($1::text[])";
  const rows = await queryRows<ItemSummary>(tx, text, [ids]);
  return new Map(rows.map((row) => [row.id, row]));
}

/** Lists the oldest items. */
export async function listFirstItems(tx: Tx, limit: number): Promise<readonly ItemSummary[]> {
  const text = "select id, name, class, status from cmdb_items order by no limit $1";
  return queryRows<ItemSummary>(tx, text, [limit]);
}
