import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import type { Item } from "../items/item.ts";
import type { RelationshipType } from "../relationships/relationship.ts";
import type { Step, TraversalOptions } from "./traverse.ts";

export const DIRECTIONS = ["downstream", "upstream", "both"] as const;
export type Direction = (typeof DIRECTIONS)[number];

/** Which relationships count; all types where none is named. */
export interface EdgeFilter {
  readonly direction: Direction;
  readonly types: readonly string[] | undefined;
}

/** Both ends are served by an index that holds all that is read here. */
function hop(known: "from_id" | "to_id", typed: string): string {
  const next = known === "from_id" ? "to_id" : "from_id";
  return `
    select ${next} as id, ${known} as via, type from cmdb_relationships
     where ${known} = any($1::text[])${typed}`;
}

function hopText({ direction, types }: EdgeFilter): string {
  const typed = types ? " and type = any($3::text[])" : "";
  const parts = {
    downstream: [hop("from_id", typed)],
    upstream: [hop("to_id", typed)],
    both: [hop("from_id", typed), hop("to_id", typed)],
  };
  return `
    select distinct on (id) id, via, type from (${parts[direction].join(" union all ")}) as step
     order by id, via, type limit $2`;
}

/** How a walk goes on: downstream to what is needed, upstream to who needs it. */
export function neighboursOf(tx: Tx, followed: EdgeFilter): TraversalOptions["stepFrom"] {
  const text = hopText(followed);
  const { types } = followed;
  return async (ids, limit) =>
    // The select list names the fields of a step.
    (await queryRows(tx, text, [ids, limit, ...(types ? [types] : [])])) as unknown as Step[];
}

export interface Edge {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly type: RelationshipType;
}

const EDGES_MAX = 20_000;
/** So many are looked at, of which most may lead elsewhere. */
const LOOKED_AT_MAX = 100_000;

/** The relationships between some items, oldest first, as far as there is room. */
export async function edgesAmong(
  tx: Tx,
  ids: readonly string[],
  types: readonly string[] | undefined,
): Promise<{ readonly edges: Edge[]; readonly truncated: boolean }> {
  const text = `
    select id, from_id as "from", to_id as "to", type from cmdb_relationships
     where from_id = any($1::text[])${types ? " and type = any($3::text[])" : ""} limit $2`;
  const rows = await queryRows(tx, text, [ids, LOOKED_AT_MAX + 1, ...(types ? [types] : [])]);
  const among = new Set(ids);
  const edges = (rows as unknown as Edge[])
    .filter(({ to }) => among.has(to))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const truncated = rows.length > LOOKED_AT_MAX || edges.length > EDGES_MAX;
  return { edges: edges.slice(0, EDGES_MAX), truncated };
}

export type Summary = Pick<Item, "id" | "name" | "class" | "status">;

/** What is shown of items in a graph, by id. */
export async function summariesOf(
  tx: Tx,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Summary>> {
  const text = "select id, name, class, status from cmdb_items where id = any($1::text[])";
  const rows = (await queryRows(tx, text, [ids])) as unknown as Summary[];
  return new Map(rows.map((row) => [row.id, row]));
}

/** The items that were entered first. */
export async function firstItems(tx: Tx, limit: number): Promise<readonly Summary[]> {
  const text = "select id, name, class, status from cmdb_items order by no limit $1";
  return (await queryRows(tx, text, [limit])) as unknown as Summary[];
}
