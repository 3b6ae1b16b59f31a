import { type ColumnSchema, SYSTEM_COLUMNS, type TableSchema } from "#domains/tables/index.ts";

/** Table statements built once from the schema. */
export interface RecordStatements {
  /** The column whose text names a record. */
  readonly title: string | undefined;
  /** The columns that callers fill. */
  readonly writable: readonly ColumnSchema[];
  /** The columns that the database fills. */
  readonly generated: readonly ColumnSchema[];
  /** The columns that hold the ids of users. */
  readonly users: readonly ColumnSchema[];
  /** The columns that hold the ids of files. */
  readonly files: readonly ColumnSchema[];
  /** The columns of the unique key. */
  readonly unique: readonly ColumnSchema[];
  /** All columns with the revision, for a `select` or `returning`. */
  readonly all: string;
  /** All columns and the revision, before an update. */
  readonly old: string;
  readonly insertOne: string;
  readonly insertMany: string;
  /** `insertMany` in two parts, for a conflict clause in between. */
  readonly insertManyParts: readonly [insert: string, returning: string];
  /** Updates by the fields that they write. */
  readonly updates: Map<string, string>;
}

const statements = new WeakMap<TableSchema, RecordStatements>();

/** The statements of a table. A reloaded schema gets new ones. */
export function recordStatements(schema: TableSchema): RecordStatements {
  let built = statements.get(schema);
  if (!built) statements.set(schema, (built = buildStatements(schema)));
  return built;
}

/** All fields of a table's records, in display order. */
export function fieldsOf({ columnNames }: TableSchema): readonly string[] {
  return [...SYSTEM_FIELDS, ...columnNames];
}

const SYSTEM_FIELDS: readonly string[] = SYSTEM_COLUMNS.map(([field]) => field);

const selectLists = new WeakMap<TableSchema, string>();

/** The select list of all fields. */
export function selectList(schema: TableSchema): string {
  let list = selectLists.get(schema);
  if (list === undefined) selectLists.set(schema, (list = buildSelectList(schema, "")));
  return list;
}

/** `prefix` is the row alias in the statement with a dot: `old.` */
function buildSelectList({ columns }: TableSchema, prefix: string): string {
  const system = SYSTEM_COLUMNS.map(([field, column]) => `${prefix}"${column}" as "${field}"`);
  return [...system, ...columns.map(({ quoted }) => prefix + quoted)].join(", ");
}

const SYSTEM_LIST = SYSTEM_COLUMNS.map(([, column]) => `"${column}"`).join(", ");

function buildStatements(schema: TableSchema): RecordStatements {
  const { columns, view } = schema;
  const writable = columns.filter(({ columnType }) => !columnType.generated);
  const generated = columns.filter(({ columnType }) => columnType.generated);
  const names = writable.map((column) => `, ${column.quoted}`).join("");
  const insert = withVersion(schema, `insert into ${view} (${SYSTEM_LIST}, revision${names})`);
  const returning = `returning ${["id", ...generated.map(({ quoted }) => quoted)].join(", ")}`;
  const insertMany =
    `${insert} select r.id, $1::timestamptz, $1::timestamptz, $2::text, 1` +
    `${writable.map(({ columnType }, index) => `, ${unnestedValue(columnType.parameterType, `r.c${index}`)}`).join("")} ` +
    `from ${unnestSql(writable, 3)}`;
  return {
    title: columns.find(({ type }) => type === "text")?.name,
    writable,
    generated,
    users: columns.filter(({ refersToUsers }) => refersToUsers),
    files: columns.filter(({ type }) => type === "file" || type === "image"),
    unique: writable.filter(({ unique }) => unique),
    all: `${selectList(schema)}, revision`,
    old: `${buildSelectList(schema, "old.")}, old.revision`,
    insertOne:
      `${insert} values ($1, $2, $2, $3, 1` +
      `${writable.map(({ columnType }, index) => `, $${index + 4}::${columnType.parameterType}`).join("")})` +
      (generated.length === 0 ? "" : ` ${returning}`),
    insertMany: generated.length === 0 ? insertMany : `${insertMany} ${returning}`,
    insertManyParts: [insertMany, returning],
    updates: new Map(),
  };
}

/**
 * A statement that PostgreSQL rejects if the table has another schema: it names the version column, at no cost in
 * the plan. Tables of an earlier release have no such column until they are changed.
 */
export function withVersion({ shape, versionColumn, view }: TableSchema, text: string): string {
  if (shape === 0) return text;
  const clause = `with shape as (select ${versionColumn} from ${view})`;
  return text.startsWith(WITH) ? `${clause}, ${text.slice(WITH.length)}` : `${clause} ${text}`;
}

const WITH = "with ";

/** Rows `r` from lists: parameter `first` contains the ids, followed by one list for each column. */
export function unnestSql(columns: readonly ColumnSchema[], first: number): string {
  const lists = columns.map(
    ({ columnType }, index) => `, $${first + 1 + index}::${listTypeOf(columnType.parameterType)}`,
  );
  const names = columns.map((_, index) => `, c${index}`);
  return `unnest($${first}::text[]${lists.join("")}) as r (id${names.join("")})`;
}

/** `unnest` would flatten a list of lists completely, so each inner list is passed as text. */
function listTypeOf(parameterType: string): string {
  return parameterType.endsWith("[]") ? "text[]" : `${parameterType}[]`;
}

/** The value of a column in unnested rows. */
export function unnestedValue(parameterType: string, sql: string): string {
  return parameterType.endsWith("[]") ? `${sql}::${parameterType}` : sql;
}
