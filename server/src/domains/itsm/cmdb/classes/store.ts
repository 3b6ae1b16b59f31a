import type { Insertable, Selectable, Updateable } from "kysely";
import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import type { Tables } from "../../../../tables.ts";
import { BUILT_IN_CLASSES, EXTENDS_MAX, isBuiltIn, type ItemClass } from "./class.ts";
import { mergedSchema } from "./check-attributes.ts";
import { FREE, type ObjectSchema } from "./schema.ts";

type Row = Selectable<Tables["cmdb_classes"]>;

/** Of every class, built-in ones included, in the order of their names. */
export async function all(tx: Tx): Promise<ItemClass[]> {
  const rows = await tx.selectFrom("cmdb_classes").selectAll().execute();
  const declared = new Set(rows.map(({ name }) => name));
  const others = Object.keys(BUILT_IN_CLASSES).filter((name) => !declared.has(name));
  return [...rows.map(toClass), ...others.map(builtIn)].toSorted((a, b) =>
    a.name < b.name ? -1 : 1,
  );
}

/**
 * Changes of classes take turns in each partition: two at once could extend one another, extend what the
 * other deletes, or together be too many.
 */
export async function takeTurn(tx: Tx): Promise<void> {
  const text = `
    select pg_advisory_xact_lock(hashtextextended(
      'cmdb classes of ' || current_setting('millrace.workspace')
        || current_setting('millrace.environment'), 0))`;
  await queryRows(tx, text, []);
}

/** How many are declared. */
export async function count(tx: Tx): Promise<number> {
  const { n } = await tx
    .selectFrom("cmdb_classes")
    .select((row) => row.fn.countAll<number>().as("n"))
    .executeTakeFirstOrThrow();
  return n;
}

/** A class by its name, declared or built-in. */
export async function find(tx: Tx, name: string): Promise<ItemClass | undefined> {
  const row = await byName(tx, name).executeTakeFirst();
  if (row) return toClass(row);
  return isBuiltIn(name) ? builtIn(name) : undefined;
}

/** One that somebody declared. */
export async function findDeclared(tx: Tx, name: string): Promise<ItemClass | undefined> {
  const row = await byName(tx, name).executeTakeFirst();
  return row && toClass(row);
}

/** Locks a declared class, so that two changes take turns, and no item of it comes in between. */
export async function lock(tx: Tx, name: string): Promise<ItemClass> {
  const row = await byName(tx, name).forUpdate().executeTakeFirst();
  if (!row) throw new Failure(NotFound);
  return toClass(row);
}

export async function insert(tx: Tx, row: Insertable<Tables["cmdb_classes"]>): Promise<ItemClass> {
  return toClass(
    await tx.insertInto("cmdb_classes").values(row).returningAll().executeTakeFirstOrThrow(),
  );
}

export async function update(
  tx: Tx,
  name: string,
  change: Updateable<Tables["cmdb_classes"]>,
): Promise<ItemClass> {
  return toClass(
    await tx
      .updateTable("cmdb_classes")
      .set(change)
      .set((row) => ({ revision: row("revision", "+", 1) }))
      .where("name", "=", name)
      .returningAll()
      .executeTakeFirstOrThrow(),
  );
}

export async function remove(tx: Tx, name: string): Promise<void> {
  await tx.deleteFrom("cmdb_classes").where("name", "=", name).execute();
}

/** Whether items or other classes need this one. */
export async function isNeeded(tx: Tx, name: string): Promise<boolean> {
  const text = `
    select exists (select from cmdb_items where class = $1)
        or exists (select from cmdb_classes where extends = $1) as needed`;
  const [row] = await queryRows(tx, text, [name]);
  return row?.["needed"] === true;
}

const CHAINS = `
  with recursive chain as (
    select name as leaf, name, extends, attributes, 1 as depth
      from cmdb_classes where name = any($1::text[])
    union all
    select chain.leaf, above.name, above.extends, above.attributes, chain.depth + 1
      from chain join cmdb_classes above on above.name = chain.extends
     where chain.depth < $2)
  select leaf, attributes from chain order by depth desc`;

/** Keeps the classes of new items from being deleted until those are there. */
const HOLD = "select from cmdb_classes where name = any($1::text[]) for key share";

/** What the attributes of items of these classes must be; a class that there is not is not in it. */
export async function schemasOf(
  tx: Tx,
  names: readonly string[],
): Promise<ReadonlyMap<string, ObjectSchema>> {
  const [, rows] = await Promise.all([
    queryRows(tx, HOLD, [names]),
    queryRows(tx, CHAINS, [names, EXTENDS_MAX + 1]),
  ]);
  return schemasIn(rows, names);
}

/** The same, for who only reads. */
export async function readSchemas(
  tx: Tx,
  names: readonly string[],
): Promise<ReadonlyMap<string, ObjectSchema>> {
  return schemasIn(await queryRows(tx, CHAINS, [names, EXTENDS_MAX + 1]), names);
}

function schemasIn(
  rows: readonly Readonly<Record<string, unknown>>[],
  names: readonly string[],
): ReadonlyMap<string, ObjectSchema> {
  const schemas = new Map(names.filter(isBuiltIn).map((name) => [name, FREE]));
  for (const [leaf, chain] of Map.groupBy(rows, (row) => String(row["leaf"]))) {
    // Each was read by `readSchema` when it was saved.
    schemas.set(leaf, mergedSchema(chain.map(({ attributes }) => attributes as ObjectSchema)));
  }
  return schemas;
}

function byName(tx: Tx, name: string) {
  return tx.selectFrom("cmdb_classes").selectAll().where("name", "=", name);
}

function toClass(row: Row): ItemClass {
  const { name, label, description, attributes, revision } = row;
  return {
    name,
    label,
    description,
    // A schema is an object.
    attributes: attributes as Record<string, unknown>,
    extends: row.extends,
    builtIn: isBuiltIn(name),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    revision,
  };
}

function builtIn(name: string): ItemClass {
  return {
    name,
    label: BUILT_IN_CLASSES[name] ?? name,
    description: "",
    attributes: { ...FREE },
    extends: null,
    builtIn: true,
    createdAt: null,
    updatedAt: null,
    revision: 0,
  };
}
