import type { Insertable, Selectable, Updateable } from "kysely";
import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import type { Tables } from "../../../../tables.ts";
import { BUILT_IN_CLASSES, EXTENDS_MAX, isBuiltIn, type ItemClass } from "./class.ts";
import { mergeSchemas } from "./check-attributes.ts";
import { ANY_ATTRIBUTES, type ObjectSchema } from "./schema.ts";

type Row = Selectable<Tables["cmdb_classes"]>;

/** Lists all classes by name, including built-in ones. */
export async function listAll(tx: Tx): Promise<ItemClass[]> {
  const rows = await tx.selectFrom("cmdb_classes").selectAll().execute();
  const declared = new Set(rows.map(({ name }) => name));
  const others = Object.keys(BUILT_IN_CLASSES).filter((name) => !declared.has(name));
  return [...rows.map(toClass), ...others.map(builtIn)].toSorted((a, b) =>
    a.name < b.name ? -1 : 1,
  );
}

/**
 * Serialises class changes per partition. Concurrent changes could create a cycle, extend a deleted class, or exceed
 * the limit.
 */
export async function lockClasses(tx: Tx): Promise<void> {
  const text = `
    select pg_advisory_xact_lock(hashtextextended(
      'cmdb classes of ' || current_setting('millrace.workspace')
        || current_setting('millrace.environment'), 0))`;
  await queryRows(tx, text, []);
}

export async function count(tx: Tx): Promise<number> {
  const { n } = await tx
    .selectFrom("cmdb_classes")
    .select((row) => row.fn.countAll<number>().as("n"))
    .executeTakeFirstOrThrow();
  return n;
}

/** Finds a class by its name, declared or built-in. */
export async function find(tx: Tx, name: string): Promise<ItemClass | undefined> {
  const row = await byName(tx, name).executeTakeFirst();
  if (row) return toClass(row);
  return isBuiltIn(name) ? builtIn(name) : undefined;
}

export async function findDeclared(tx: Tx, name: string): Promise<ItemClass | undefined> {
  const row = await byName(tx, name).executeTakeFirst();
  return row && toClass(row);
}

/** Locks a declared class until the transaction ends, also against new items of the class. */
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

export async function isInUse(tx: Tx, name: string): Promise<boolean> {
  const text = `
    select exists (select from cmdb_items where class = $1)
        or exists (select from cmdb_classes where extends = $1) as needed`;
  const [row] = await queryRows(tx, text, [name]);
  return row?.["needed"] === true;
}

const CLASS_CHAINS = `
  with recursive chain as (
    select name as leaf, name, extends, attributes, 1 as depth
      from cmdb_classes where name = any($1::text[])
    union all
    select chain.leaf, above.name, above.extends, above.attributes, chain.depth + 1
      from chain join cmdb_classes above on above.name = chain.extends
     where chain.depth < $2)
  select leaf, attributes from chain order by depth desc`;

/** Prevents deleting the classes of new items until the transaction ends. */
const HOLD_CLASSES = "select from cmdb_classes where name = any($1::text[]) for key share";

/** Reads the attribute schemas of classes, and prevents their deletion. An unknown class has no entry. */
export async function holdSchemas(
  tx: Tx,
  names: readonly string[],
): Promise<ReadonlyMap<string, ObjectSchema>> {
  const [, rows] = await Promise.all([
    queryRows(tx, HOLD_CLASSES, [names]),
    queryRows(tx, CLASS_CHAINS, [names, EXTENDS_MAX + 1]),
  ]);
  return mergeChains(rows, names);
}

/** Reads the attribute schemas of classes without a lock. */
export async function readSchemas(
  tx: Tx,
  names: readonly string[],
): Promise<ReadonlyMap<string, ObjectSchema>> {
  return mergeChains(await queryRows(tx, CLASS_CHAINS, [names, EXTENDS_MAX + 1]), names);
}

function mergeChains(
  rows: readonly Readonly<Record<string, unknown>>[],
  names: readonly string[],
): ReadonlyMap<string, ObjectSchema> {
  const schemas = new Map(names.filter(isBuiltIn).map((name) => [name, ANY_ATTRIBUTES]));
  for (const [leaf, chain] of Map.groupBy(rows, (row) => String(row["leaf"]))) {
    // `parseSchema` validated each schema when it was saved.
    schemas.set(leaf, mergeSchemas(chain.map(({ attributes }) => attributes as ObjectSchema)));
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
    attributes: { ...ANY_ATTRIBUTES },
    extends: null,
    builtIn: true,
    createdAt: null,
    updatedAt: null,
    revision: 0,
  };
}
