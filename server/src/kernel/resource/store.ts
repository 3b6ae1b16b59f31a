import type { Tx } from "../db/connection.ts";
import { queryRows, type SqlRow } from "../db/statement.ts";
import { Failure, NotFound } from "../operation/failure.ts";

/** A row of a resource for the mechanism. The declaration's types have checked its fields. */
export type StoredItem = Readonly<Record<string, unknown>> & {
  readonly id: string;
  /** Increases with each change. Always 1 for resources without revisions. */
  readonly revision: number;
};

/** How the resources are stored in their table. */
export interface ResourceTable {
  readonly table: string;
  /** All fields that are read, by default from the column with the name in snake case. */
  readonly fields: readonly string[];
  /** Fields with a different column name. */
  readonly columns: Readonly<Partial<Record<string, string>>>;
  /** Fields read by expressions from other tables, which the domain writes. */
  readonly computed: Readonly<Partial<Record<string, string>>>;
  /** Fields stored as JSON. */
  readonly json: readonly string[];
  readonly hasRevision: boolean;
  readonly toItem: (row: SqlRow) => StoredItem;
}

export interface ResourceStore<Item> {
  /** The select list for custom statements, whose rows `toItem` parses. */
  readonly columns: string;
  readonly toItem: (row: SqlRow) => Item;
  readonly find: (tx: Tx, id: string) => Promise<Item | undefined>;
  readonly findBy: (tx: Tx, field: keyof Item & string, value: string) => Promise<Item | undefined>;
  /** Throws `NotFound` if it does not exist. */
  readonly get: (tx: Tx, id: string) => Promise<Item>;
  /** Locks the row until the transaction ends. Throws `NotFound` if it does not exist. */
  readonly lock: (tx: Tx, id: string) => Promise<Item>;
  /** Prevents deletion of rows until the transaction ends. Resolves to the existing ids. */
  readonly hold: (tx: Tx, ids: readonly string[]) => Promise<ReadonlySet<string>>;
  /** The items matching a SQL condition, which can include an order, a limit and a lock. */
  readonly select: (tx: Tx, condition: string, values: readonly unknown[]) => Promise<Item[]>;
  readonly insert: (tx: Tx, fields: Partial<Item>) => Promise<Item>;
  /** Writes these fields and increases the revision. */
  readonly update: (tx: Tx, id: string, fields: Partial<Item>) => Promise<Item>;
  readonly remove: (tx: Tx, id: string) => Promise<void>;
  readonly count: (tx: Tx) => Promise<number>;
  /** Counts under an exclusive workspace lock until the transaction ends. */
  readonly countExclusively: (tx: Tx) => Promise<number>;
}

export function resourceStore(about: ResourceTable): ResourceStore<StoredItem> {
  const { table, toItem } = about;
  const columns = selectSql(about);
  const select = async (tx: Tx, condition: string, values: readonly unknown[]) =>
    (await queryRows(tx, `select ${columns} from ${table} where ${condition}`, values)).map(toItem);
  const first = async (tx: Tx, condition: string, value: string) =>
    (await select(tx, condition, [value]))[0];
  const count = async (tx: Tx): Promise<number> => {
    const [row] = await queryRows(tx, `select count(*) as count from ${table}`, []);
    return Number(row?.["count"]);
  };
  return {
    columns,
    toItem,
    find: (tx, id) => first(tx, "id = $1", id),
    findBy: (tx, field, value) => first(tx, `${columnSql(about, field)} = $1`, value),
    get: async (tx, id) => assertFound(await first(tx, "id = $1", id)),
    lock: async (tx, id) => assertFound(await lockRow(tx, about, id)),
    async hold(tx, ids) {
      if (ids.length === 0) return new Set();
      const text = `select id from ${table} where id = any($1::text[]) order by id for share`;
      return new Set((await queryRows(tx, text, [ids])).map((row) => String(row["id"])));
    },
    select,
    ...rowWriter(about, columns),
    count,
    async countExclusively(tx) {
      const key = `hashtextextended($1 || current_setting('millrace.workspace'), 0)`;
      await queryRows(tx, `select pg_advisory_xact_lock(${key})`, [`${table} of `]);
      return count(tx);
    },
  };
}

function rowWriter(
  about: ResourceTable,
  columns: string,
): Pick<ResourceStore<StoredItem>, "insert" | "update" | "remove"> {
  const { table, hasRevision, toItem } = about;
  /** The domain writes the computed fields elsewhere. */
  const write = async (tx: Tx, text: string, values: readonly unknown[], fields: object) => {
    const [row] = await queryRows(tx, `${text} returning ${columns}`, values);
    const pending = Object.entries(fields).filter(([field]) => field in about.computed);
    return assertFound(row && toItem({ ...row, ...Object.fromEntries(pending) }));
  };
  return {
    insert(tx, { revision: _, ...fields }) {
      const entries = columnEntries(about, fields);
      const names = entries.map(([name]) => name).join(", ");
      const places = entries.map((_entry, index) => `$${index + 1}`).join(", ");
      const values = entries.map(([, value]) => value);
      return write(tx, `insert into ${table} (${names}) values (${places})`, values, fields);
    },
    update(tx, id, fields) {
      const entries = columnEntries(about, fields);
      const set = entries.map(([name], index) => `${name} = $${index + 2}`);
      if (hasRevision) set.push("revision = revision + 1");
      const values = [id, ...entries.map(([, value]) => value)];
      return write(tx, `update ${table} set ${set.join(", ")} where id = $1`, values, fields);
    },
    async remove(tx, id) {
      await queryRows(tx, `delete from ${table} where id = $1`, [id]);
    },
  };
}

/**
 * After waiting for a lock, a statement sees the current row but old versions of other tables, so fields computed from
 * them need a separate statement.
 */
async function lockRow(tx: Tx, about: ResourceTable, id: string): Promise<StoredItem | undefined> {
  const from = `from ${about.table} where id = $1`;
  const isComputed = Object.keys(about.computed).length > 0;
  const texts = isComputed
    ? [`select ${from} for update`, `select ${selectSql(about)} ${from}`]
    : [`select ${selectSql(about)} ${from} for update`];
  const results = await Promise.all(texts.map((text) => queryRows(tx, text, [id])));
  const row = results.at(-1)?.[0];
  return row && about.toItem(row);
}

/** The select list: each field under its name. */
export function selectSql(about: ResourceTable): string {
  const fields = about.fields.map((field) => `${columnSql(about, field)} as "${field}"`);
  return [...fields, about.hasRevision ? "revision" : "1 as revision"].join(", ");
}

/** The column or expression of a field: "createdAt" → "created_at". */
export function columnSql({ columns, computed }: ResourceTable, field: string): string {
  return (
    computed[field] ??
    columns[field] ??
    field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  );
}

function columnEntries(about: ResourceTable, fields: object): (readonly [string, unknown])[] {
  return Object.entries(fields)
    .filter(([field, value]) => value !== undefined && !(field in about.computed))
    .map(([field, value]) => {
      const isJson = about.json.includes(field) && value !== null;
      return [columnSql(about, field), isJson ? JSON.stringify(value) : value] as const;
    });
}

function assertFound<Item>(item: Item | undefined): Item {
  if (!item) throw new Failure(NotFound);
  return item;
}
