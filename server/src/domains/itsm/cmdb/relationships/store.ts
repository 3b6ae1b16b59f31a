import type { Tx } from "#kernel/db/connection.ts";
import { SqlParameters, queryRows } from "#kernel/db/statement.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import type { Relationship } from "./relationship.ts";

const COLUMNS = `
  id, from_id as "from", to_id as "to", type, created_by as "createdBy", created_at as "createdAt"`;

const INSERT = `
  insert into cmdb_relationships (id, from_id, to_id, type, created_by, created_at)
  select id, "from", "to", type, "createdBy", "createdAt"
    from json_to_recordset($1::json) as relationship
      (id text, "from" text, "to" text, type text, "createdBy" text, "createdAt" timestamptz)`;

export async function insert(tx: Tx, all: readonly Relationship[]): Promise<void> {
  await queryRows(tx, INSERT, [JSON.stringify(all)]);
}

const INSERT_NEW = `
  ${INSERT} on conflict on constraint cmdb_relationships_once do nothing returning id`;

/** Inserts missing relationships, and resolves to their ids. */
export async function insertNew(
  tx: Tx,
  all: readonly Relationship[],
): Promise<ReadonlySet<string>> {
  const rows = await queryRows(tx, INSERT_NEW, [JSON.stringify(all)]);
  return new Set(rows.map(({ id }) => String(id)));
}

export async function get(tx: Tx, id: string): Promise<Relationship> {
  const [row] = await queryRows(tx, `select ${COLUMNS} from cmdb_relationships where id = $1`, [
    id,
  ]);
  if (!row) throw new Failure(NotFound);
  return toRelationship(row);
}

/** Deletes a relationship and returns it. */
export async function remove(tx: Tx, id: string): Promise<Relationship> {
  const text = `delete from cmdb_relationships where id = $1 returning ${COLUMNS}`;
  const [row] = await queryRows(tx, text, [id]);
  if (!row) throw new Failure(NotFound);
  return toRelationship(row);
}

/** Deletes all relationships of an item and returns them. */
export async function removeAllOfItem(tx: Tx, itemId: string): Promise<Relationship[]> {
  const text = `
    delete from cmdb_relationships where from_id = $1 or to_id = $1 returning ${COLUMNS}`;
  return (await queryRows(tx, text, [itemId])).map(toRelationship);
}

export interface RelationshipFilter {
  readonly item?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly type?: string | undefined;
}

/** A relationship with its position in the list. */
export type ListedRelationship = Relationship & { readonly no: number };

export async function list(
  tx: Tx,
  { item, from, to, type }: RelationshipFilter,
  page: { readonly after: number; readonly limit: number },
): Promise<ListedRelationship[]> {
  const parameters = new SqlParameters();
  const conditions = [`no > ${parameters.add(page.after, "bigint")}`];
  if (item !== undefined) {
    const parameter = parameters.add(item, "text");
    conditions.push(`(from_id = ${parameter} or to_id = ${parameter})`);
  }
  for (const [column, value] of Object.entries({ from_id: from, to_id: to, type })) {
    if (value !== undefined) conditions.push(`${column} = ${parameters.add(value, "text")}`);
  }
  const text = `
    select no, ${COLUMNS} from cmdb_relationships where ${conditions.join(" and ")}
     order by no limit ${page.limit}`;
  const rows = await queryRows(tx, text, parameters.values);
  return rows.map((row) => ({ ...toRelationship(row), no: Number(row["no"]) }));
}

function toRelationship(row: Readonly<Record<string, unknown>>): Relationship {
  // The select list has the field names of the type.
  return row as unknown as Relationship;
}
