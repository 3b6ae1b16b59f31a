import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import type { Item } from "./item.ts";

/** What stands behind `select`: an item as the API has it. */
export const SHOWN = `
  id, name, class, status, key, description, attributes, owner_id as "ownerId",
  team_id as "teamId", revision, created_by as "createdBy", created_at as "createdAt",
  updated_at as "updatedAt"`;

/** A row of `SHOWN`. */
export function toItem(row: Readonly<Record<string, unknown>>): Item {
  // The select list names the fields of the type, and checks of the table see to the rest.
  return row as unknown as Item;
}

const COLUMNS = `
  (id text, name text, class text, status text, key text, description text, attributes jsonb,
   "ownerId" text, "teamId" text, "createdBy" text, "createdAt" timestamptz,
   "updatedAt" timestamptz)`;

const INSERT = `
  insert into cmdb_items
    (id, name, class, status, key, description, attributes, owner_id, team_id, created_by,
     created_at, updated_at)
  select id, name, class, status, key, description, attributes, "ownerId", "teamId", "createdBy",
         "createdAt", "updatedAt"
    from json_to_recordset($1::json) as item ${COLUMNS}`;

const UPDATE = `
  update cmdb_items set
    name = item.name, class = item.class, status = item.status, key = item.key,
    description = item.description, attributes = item.attributes, owner_id = item."ownerId",
    team_id = item."teamId", updated_at = item."updatedAt", revision = cmdb_items.revision + 1
   from json_to_recordset($1::json) as item ${COLUMNS}
  where cmdb_items.id = item.id`;

/** Writes new items, whose ids and times are there already. */
export async function insert(tx: Tx, items: readonly Item[]): Promise<void> {
  if (items.length > 0) await queryRows(tx, INSERT, [JSON.stringify(items)]);
}

/** Writes items that are there and locked; each gets its next revision. */
export async function update(tx: Tx, items: readonly Item[]): Promise<void> {
  if (items.length > 0) await queryRows(tx, UPDATE, [JSON.stringify(items)]);
}

export async function get(tx: Tx, id: string): Promise<Item> {
  return found(await queryRows(tx, `select ${SHOWN} from cmdb_items where id = $1`, [id]));
}

/** Locks the row, so that two changes take turns. */
export async function lock(tx: Tx, id: string): Promise<Item> {
  return found(
    await queryRows(tx, `select ${SHOWN} from cmdb_items where id = $1 for update`, [id]),
  );
}

/** What an import knows an item by. */
export interface ItemKey {
  readonly class: string;
  readonly key: string;
}

/** No join: of a table that nobody has analysed yet the planner would make one that takes for ever. */
const BY_KEY = `
  select ${SHOWN} from cmdb_items where class = any($1::text[]) and key = any($2::text[])`;

/** Locks the items with these keys in any of these classes, always in the same order. */
export async function lockByKeys(tx: Tx, keys: readonly ItemKey[]): Promise<Item[]> {
  const text = `${BY_KEY} order by id for update`;
  return (await queryRows(tx, text, keyColumns(keys))).map(toItem);
}

/** The items with these keys in any of these classes. */
export async function findByKeys(tx: Tx, keys: readonly ItemKey[]): Promise<Item[]> {
  return (await queryRows(tx, BY_KEY, keyColumns(keys))).map(toItem);
}

function keyColumns(keys: readonly ItemKey[]): readonly (readonly string[])[] {
  return [[...new Set(keys.map((one) => one.class))], [...new Set(keys.map(({ key }) => key))]];
}

export async function remove(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom("cmdb_items").where("id", "=", id).execute();
}

/** How many items there are. */
export async function count(tx: Tx): Promise<number> {
  const { n } = await tx
    .selectFrom("cmdb_items")
    .select((row) => row.fn.countAll<number>().as("n"))
    .executeTakeFirstOrThrow();
  return n;
}

const COUNT_RELATIONSHIPS = `
  select (select count(*) from cmdb_relationships where from_id = $1)
       + (select count(*) from cmdb_relationships where to_id = $1) as n`;

/** How many relationships an item has, of both directions. */
export async function countRelationships(tx: Tx, id: string): Promise<number> {
  const [row] = await queryRows(tx, COUNT_RELATIONSHIPS, [id]);
  return Number(row?.["n"]);
}

function found([row]: readonly Readonly<Record<string, unknown>>[]): Item {
  if (!row) throw new Failure(NotFound);
  return toItem(row);
}
