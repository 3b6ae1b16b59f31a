import type { Tx } from "#kernel/db/connection.ts";
import { type SqlRow, queryRows } from "#kernel/db/statement.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import type { ListDefinition } from "#kernel/list/list.ts";
import type { WriteContext } from "#kernel/contract.ts";
import type { Item } from "./item.ts";

const SHOWN = `
  id, name, description, category, icon, form, approval, workflow_id as "workflowId", status,
  created_by as "createdBy", created_at as "createdAt", updated_at as "updatedAt", revision`;

/** What may be asked for, by name. */
export const itemList: ListDefinition = {
  name: "catalog items",
  from: "catalog_items",
  select: SHOWN,
  fields: {
    id: { sql: "id", kind: "text" },
    name: { sql: "name", kind: "text" },
    description: { sql: "description", kind: "text" },
    category: { sql: "category", kind: "text" },
    workflowId: { sql: "workflow_id", kind: "text", nullable: true },
    status: { sql: "status", kind: "text" },
    createdBy: { sql: "created_by", kind: "text" },
    createdAt: { sql: "created_at", kind: "time" },
    updatedAt: { sql: "updated_at", kind: "time" },
  },
  search: ["name", "description", "category"],
  order: "name",
  tieBreaker: "id",
};

/** A row of the list, whose columns have the names of the fields. */
export function toItem(row: SqlRow): Item {
  return row as unknown as Item;
}

export async function find(tx: Tx, id: string): Promise<Item | undefined> {
  const [row] = await queryRows(tx, `select ${SHOWN} from catalog_items where id = $1`, [id]);
  return row && toItem(row);
}

export async function get(tx: Tx, id: string): Promise<Item> {
  return found(await find(tx, id));
}

/** The active one that has a name. */
export async function findByName(tx: Tx, name: string): Promise<Item | undefined> {
  const text = `select ${SHOWN} from catalog_items where name = $1 and status = 'active'`;
  const [row] = await queryRows(tx, text, [name]);
  return row && toItem(row);
}

/** Locks the row, so that two changes take turns. */
export async function lock(tx: Tx, id: string): Promise<Item> {
  const text = `select ${SHOWN} from catalog_items where id = $1 for update`;
  const [row] = await queryRows(tx, text, [id]);
  return found(row && toItem(row));
}

const INSERT = `
  insert into catalog_items
    (id, name, description, category, icon, form, approval, workflow_id, status, created_by, created_at,
     updated_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11)`;

/** Awaited, since another item may have the name. */
export async function insert(ctx: WriteContext<never>, item: Item): Promise<void> {
  await ctx.send(INSERT, [
    item.id,
    item.name,
    item.description,
    item.category,
    item.icon,
    JSON.stringify(item.form),
    JSON.stringify(item.approval),
    item.workflowId,
    item.status,
    item.createdBy,
    ctx.now,
  ]);
}

const UPDATE = `
  update catalog_items
     set name = $2, description = $3, category = $4, icon = $5, form = $6, approval = $7,
         workflow_id = $8, status = $9, revision = $10, updated_at = $11
   where id = $1`;

/** Writes an item as it is now. Awaited, since another one may have the name. */
export async function update(ctx: WriteContext<never>, item: Item): Promise<void> {
  await ctx.send(UPDATE, [
    item.id,
    item.name,
    item.description,
    item.category,
    item.icon,
    JSON.stringify(item.form),
    JSON.stringify(item.approval),
    item.workflowId,
    item.status,
    item.revision,
    item.updatedAt,
  ]);
}

function found(item: Item | undefined): Item {
  if (!item) throw new Failure(NotFound);
  return item;
}
