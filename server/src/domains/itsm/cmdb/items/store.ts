import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import type { Item } from "./item.ts";

/** The select list of an item. */
export const ITEM_COLUMNS = `
  id, name, class, status, key, description, attributes, owner_id as "ownerId",
  team_id as "teamId", revision, created_by as "createdBy", created_at as "createdAt",
  updated_at as "updatedAt"`;

/** Converts a row of `ITEM_COLUMNS`. */
export function toItem(row: Readonly<Record<string, unknown>>): Item {
  // The select list has the field names, and check constraints guarantee the types.
  return row as unknown as Item;
}

const RECORDSET_COLUMNS = `
  (id text, name text, class text, status text, key text, description text, attributes jsonb,
   "ownerId" text, "teamId" text, "createdBy" text, "createdAt" timestamptz,
   "updatedAt" timestamptz)`;

const INSERT = `
  insert into cmdb_items
    (id, name, class, status, key, description, attributes, owner_id, team_id, created_by,
     created_at, updated_at)
  select id, name, class, status, key, description, attributes, "ownerId", "teamId", "createdBy",
         "createdAt", "updatedAt"
    from json_to_recordset($1::json) as item ${RECORDSET_COLUMNS}`;

const UPDATE = `
  update cmdb_items set
    name = item.name, class = item.class, status = item.status, key = item.key,
    description = item.description, attributes = item.attributes, owner_id = item."ownerId",
    team_id = item."teamId", updated_at = item."updatedAt", revision = cmdb_items.revision + 1
   from json_to_recordset($1::json) as item ${RECORDSET_COLUMNS}
  where cmdb_items.id = item.id`;

/** Inserts items with their ids and times. */
export async function insert(tx: Tx, items: readonly Item[]): Promise<void> {
  if (items.length > 0) await queryRows(tx, INSERT, [JSON.stringify(items)]);
}

/** Updates locked items and increments their revisions. */
export async function update(tx: Tx, items: readonly Item[]): Promise<void> {
  if (items.length > 0) await queryRows(tx, UPDATE, [JSON.stringify(items)]);
}

export async function get(tx: Tx, id: string): Promise<Item> {
  return toFoundItem(
    await queryRows(tx, `select ${ITEM_COLUMNS} from cmdb_items where id = $1`, [id]),
  );
}

/** Locks the row until the transaction ends. */
export async function lock(tx: Tx, id: string): Promise<Item> {
  return toFoundItem(
    await queryRows(tx, `select ${ITEM_COLUMNS} from cmdb_items where id = $1 for update`, [id]),
  );
}

/** The key of an item in an import. */
export interface ItemKey {
  readonly class: string;
  readonly key: string;
}

/** Without a join: for a table without statistics the planner would choose a very slow one. */
const BY_KEY = `
  select ${ITEM_COLUMNS} from cmdb_items where class = any($1::text[]) and key = any($2::text[])`;

/** Locks the items with these keys in any of these classes, ordered by id. */
export async function lockByKeys(tx: Tx, keys: readonly ItemKey[]): Promise<Item[]> {
  const text = `${BY_KEY} order by id for update`;
  return (await queryRows(tx, text, keyColumns(keys))).map(toItem);
}

/** Finds items by key in these classes. */
export async function findByKeys(tx: Tx, keys: readonly ItemKey[]): Promise<Item[]> {
  return (await queryRows(tx, BY_KEY, keyColumns(keys))).map(toItem);
}

function keyColumns(keys: readonly ItemKey[]): readonly (readonly string[])[] {
  return [
    [...new Set(keys.map((itemKey) => itemKey.class))],
    [...new Set(keys.map(({ key }) => key))],
  ];
}

export async function remove(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom("cmdb_items").where("id", "=", id).execute();
}

export async function count(tx: Tx): Promise<number> {
  const { n } = await tx
    .selectFrom("cmdb_items")
    .select((row) => row.fn.countAll<number>().as("n"))
    .executeTakeFirstOrThrow();
  return n;
}

const COUNT_RELATIONSHIPS = `
  select (select count(*) from cmdb_relationships where from_id = $1 and created_at <= $2)
       + (select count(*) from cmdb_relationships where to_id = $1 and created_at <= $2) as n`;

/** Counts the relationships of an item in both directions at a time. */
export async function countRelationships(
  tx: Tx,
  id: string,
  at: Date | "infinity" = "infinity",
): Promise<number> {
  const [row] = await queryRows(tx, COUNT_RELATIONSHIPS, [id, at]);
  return Number(row?.["n"]);
}

function toFoundItem([row]: readonly Readonly<Record<string, unknown>>[]): Item {
  if (!row) throw new Failure(NotFound);
  return toItem(row);
}
