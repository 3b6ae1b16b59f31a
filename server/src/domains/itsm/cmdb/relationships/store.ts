import type { Tx } from "#kernel/db/connection.ts";
import { SqlParameters, queryRows } from "#kernel/db/statement.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import type { Relationship } from "./relationship.ts";

const SHOWN = `
  id, from_id as "from", to_id as "to", type, created_by as "createdBy", created_at as "createdAt"`;

const INSERT = `
  insert into cmdb_relationships (id, from_id, to_id, type, created_by, created_at)
  select id, "from", "to", type, "createdBy", "createdAt"
    from json_to_recordset($1::json) as relationship
      (id text, "from" text, "to" text, type text, "createdBy" text, "createdAt" timestamptz)`;

/** Writes relationships that are not there yet. */
export async function insert(tx: Tx, all: readonly Relationship[]): Promise<void> {
  await queryRows(tx, INSERT, [JSON.stringify(all)]);
}

const INSERT_NEW = `
  ${INSERT} on conflict on constraint cmdb_relationships_once do nothing returning id`;

/** Writes those that are not there yet, and tells their ids. */
export async function insertNew(
  tx: Tx,
  all: readonly Relationship[],
): Promise<ReadonlySet<string>> {
  const rows = await queryRows(tx, INSERT_NEW, [JSON.stringify(all)]);
  return new Set(rows.map(({ id }) => String(id)));
}

export async function get(tx: Tx, id: string): Promise<Relationship> {
  const [row] = await queryRows(tx, `select ${SHOWN} from cmdb_relationships where id = $1`, [id]);
  if (!row) throw new Failure(NotFound);
  return toRelationship(row);
}

/** Deletes one and tells what it was. */
export async function remove(tx: Tx, id: string): Promise<Relationship> {
  const text = `delete from cmdb_relationships where id = $1 returning ${SHOWN}`;
  const [row] = await queryRows(tx, text, [id]);
  if (!row) throw new Failure(NotFound);
  return toRelationship(row);
}

/** Deletes all of an item, and tells what they were. */
export async function removeAllOf(tx: Tx, itemId: string): Promise<Relationship[]> {
  const text = `
    delete from cmdb_relationships where from_id = $1 or to_id = $1 returning ${SHOWN}`;
  return (await queryRows(tx, text, [itemId])).map(toRelationship);
}

/** What a list of relationships is narrowed to. */
export interface Narrowed {
  readonly item?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly type?: string | undefined;
}

/** A relationship with its place in the list. */
export type Listed = Relationship & { readonly no: number };

export async function list(
  tx: Tx,
  { item, from, to, type }: Narrowed,
  page: { readonly after: number; readonly limit: number },
): Promise<Listed[]> {
  const parameters = new SqlParameters();
  const conditions = [`no > ${parameters.add(page.after, "bigint")}`];
  if (item !== undefined) {
    const place = parameters.add(item, "text");
    conditions.push(`(from_id = ${place} or to_id = ${place})`);
  }
  for (const [column, value] of Object.entries({ from_id: from, to_id: to, type })) {
    if (value !== undefined) conditions.push(`${column} = ${parameters.add(value, "text")}`);
  }
  const text = `
    select no, ${SHOWN} from cmdb_relationships where ${conditions.join(" and ")}
     order by no limit ${page.limit}`;
  const rows = await queryRows(tx, text, parameters.values);
  return rows.map((row) => ({ ...toRelationship(row), no: Number(row["no"]) }));
}

function toRelationship(row: Readonly<Record<string, unknown>>): Relationship {
  // The select list names the fields of the type.
  return row as unknown as Relationship;
}
