import type { ColumnSchema, TableSchema } from "#domains/tables/schema/table-schema.ts";
import { quotedColumn } from "#domains/tables/sql-names.ts";
import { versionColumn } from "#domains/tables/sql-names.ts";
import { refersToUsers } from "#domains/tables/columns/reference.ts";
import { listOf, selectList } from "./record.ts";

/** What the statements about one table's records are made of, put together once. */
export interface RecordStatements {
  /** The column whose text stands for a record. */
  readonly title: string | undefined;
  /** Those that callers fill. */
  readonly writable: readonly ColumnSchema[];
  /** Those that the database fills. */
  readonly generated: readonly ColumnSchema[];
  /** Those that hold the ids of people. */
  readonly people: readonly ColumnSchema[];
  /** Those in which no two records may agree. */
  readonly unique: readonly ColumnSchema[];
  /** All columns with the revision, for a `select` or `returning`. */
  readonly all: string;
  /** The same, as they were before an update. */
  readonly old: string;
  readonly insertOne: string;
  readonly insertMany: string;
  /** The same, in two parts: what should become of conflicts stands between them. */
  readonly insertManyParts: readonly [insert: string, returning: string];
  /** By the fields that they write. */
  readonly updates: Map<string, string>;
}

const plans = new WeakMap<TableSchema, RecordStatements>();

/** The plan of a table; a definition that was read anew gets a new one. */
export function recordStatements(table: TableSchema): RecordStatements {
  let plan = plans.get(table);
  if (!plan) plans.set(table, (plan = makePlan(table)));
  return plan;
}

/** The platform's own columns in the order in which an insert has them. */
const OWN = ["id", "createdAt", "updatedAt", "createdBy"].map(quotedColumn).join(", ");

function makePlan(table: TableSchema): RecordStatements {
  const { columns, view } = table;
  const writable = columns.filter(({ columnType }) => !columnType.generated);
  const generated = columns.filter(({ columnType }) => columnType.generated);
  const names = writable.map((column) => `, ${column.quoted}`).join("");
  const into = cachedBySchema(table, `insert into ${view} (${OWN}, revision${names})`);
  const returning = `returning ${["id", ...generated.map((one) => one.quoted)].join(", ")}`;
  const many =
    `${into} select r.id, $1::timestamptz, $1::timestamptz, $2::text, 1` +
    `${writable.map(({ columnType }, index) => `, ${fromList(columnType.parameterType, `r.c${index}`)}`).join("")} ` +
    `from ${listsOf(writable, 3)}`;
  return {
    title: columns.find(({ type }) => type === "text")?.name,
    writable,
    generated,
    people: columns.filter(refersToUsers),
    unique: writable.filter(({ unique }) => unique),
    all: `${selectList(table)}, revision`,
    old: `${listOf(table, "old.")}, old.revision`,
    insertOne:
      `${into} values ($1, $2, $2, $3, 1` +
      `${writable.map(({ columnType }, index) => `, $${index + 4}::${columnType.parameterType}`).join("")})` +
      (generated.length === 0 ? "" : ` ${returning}`),
    insertMany: generated.length === 0 ? many : `${many} ${returning}`,
    insertManyParts: [many, returning],
    updates: new Map(),
  };
}

/**
 * A statement that writes by this definition of a table: once its columns are others, PostgreSQL refuses
 * it. For what is said of the shape it plans nothing. Tables that an earlier release made do not tell theirs
 * before they are changed.
 */
export function cachedBySchema(table: TableSchema, text: string): string {
  if (table.shape === 0) return text;
  const said = `with shape as (select ${versionColumn(table)} from ${table.view})`;
  return text.startsWith(WITH) ? `${said}, ${text.slice(WITH.length)}` : `${said} ${text}`;
}

const WITH = "with ";

/** Rows out of lists: `$n` is the ids, and what follows is one list for each column. */
export function listsOf(columns: readonly ColumnSchema[], first: number): string {
  const lists = columns.map(
    ({ columnType }, index) => `, $${first + 1 + index}::${listTypeOf(columnType.parameterType)}`,
  );
  const names = columns.map((_, index) => `, c${index}`);
  return `unnest($${first}::text[]${lists.join("")}) as r (id${names.join("")})`;
}

/** A list of lists would be taken apart down to its texts, so each of them travels as a text. */
function listTypeOf(parameterType: string): string {
  return parameterType.endsWith("[]") ? "text[]" : `${parameterType}[]`;
}

/** The value of a column, given its place in such rows. */
export function fromList(parameterType: string, place: string): string {
  return parameterType.endsWith("[]") ? `${place}::${parameterType}` : place;
}
