import { type Caller, partitionOfCaller } from "#kernel/access/caller.ts";
import type { Platform, ReadContext } from "#kernel/contract.ts";
import { sqlStateOf, StaleRead } from "#kernel/db/errors.ts";
import type { ConditionField } from "#kernel/condition/sql.ts";
import type { SqlParameters } from "#kernel/db/statement.ts";
import { Failure, Invalid } from "#kernel/operation/failure.ts";
import { type ParsedFields, parseFields } from "../columns/parse-fields.ts";
import { type DerivedNameParts, parseDerivedName } from "../derived-name.ts";
import { VERSION_COLUMN } from "../sql-names.ts";
import { findTable } from "../store.ts";
import { type Action, type Rule, noSuchTable } from "../table.ts";
import { checkRules } from "./check-rules.ts";
import { type Grants, resolveGrants, withReferences } from "./grants.ts";
import { type FieldType, type RelatedTables, resolveFieldType } from "./field-type.ts";
import { compileRules } from "./rule-sql.ts";
import { compileRulePath, loadReferences, pathsOfRules, type References } from "./rule-path.ts";
import { storedField } from "./stored-field.ts";
import type { RuleSql } from "./table-field.ts";
import {
  findRelated,
  findTableSchema,
  forgetTables,
  listTableSchemas,
  reloadTableSchema,
  type TableSource,
} from "./table-cache.ts";
import type { TableSchema } from "./table-schema.ts";

type RecordLike = Readonly<Record<string, unknown>>;

/** The context of an open table: the transaction of a call, or the platform on behalf of a caller. */
export type TableContext =
  | Pick<ReadContext, "tx" | "services" | "caller">
  | { readonly platform: Platform; readonly caller: Caller };

/** Opens a table of the caller's partition; throws `NoSuchTable` if it does not exist. */
export async function openTable(
  context: TableContext,
  slug: string,
  options?: { readonly reload?: boolean },
): Promise<OpenTable> {
  const table = await findOpenTable(context, slug, options);
  if (!table) throw noSuchTable(slug, context.caller.environment);
  return table;
}

/** Opens a table of the caller's partition, if there is one. */
export async function findOpenTable(
  context: TableContext,
  slug: string,
  { reload = false }: { readonly reload?: boolean } = {},
): Promise<OpenTable | undefined> {
  const source = sourceOf(context);
  const schema = await (reload ? reloadTableSchema : findTableSchema)(source, slug);
  return schema && new OpenTable(source, context.caller, schema, await findRelated(source, schema));
}

/** Opens all tables of the caller's partition, from the cache. */
export async function listOpenTables(context: TableContext): Promise<readonly OpenTable[]> {
  const source = sourceOf(context);
  const schemas = await listTableSchemas(source);
  return Promise.all(
    schemas.map(
      async (schema) =>
        new OpenTable(source, context.caller, schema, await findRelated(source, schema)),
    ),
  );
}

function sourceOf(context: TableContext): TableSource {
  const partition = partitionOfCaller(context.caller);
  if ("tx" in context) {
    const { services, tx } = context;
    return { services, partition, read: (work) => work(tx) };
  }
  const { platform } = context;
  return { services: platform, partition, read: (work) => platform.db.read(partition, work) };
}

/**
 * A table opened for one caller: schema, grants, and handling of outdated schemas. PostgreSQL rejects a
 * statement with an outdated schema, so the call is repeated with the new schema.
 */
export class OpenTable {
  readonly schema: TableSchema;
  readonly #source: TableSource;
  readonly #caller: Caller;
  readonly #related: RelatedTables;
  readonly #grants = new Map<Action, Grants>();

  constructor(
    source: TableSource,
    caller: Caller,
    schema: TableSchema,
    related: RelatedTables = new Map(),
  ) {
    this.#related = related;
    this.#source = source;
    this.#caller = caller;
    this.schema = schema;
  }

  /** Undefined when no rule limits the caller. */
  grants(action: Action): Grants {
    if (this.schema.rules.length === 0) return undefined;
    if (!this.#grants.has(action)) {
      this.#grants.set(action, resolveGrants(this.schema, action, this.#caller.principal));
    }
    return this.#grants.get(action);
  }

  /** Returns the tables reachable from fields and rules. */
  get relatedSlugs(): readonly string[] {
    return [...this.#related.keys()];
  }

  /** The grants to evaluate these records in memory; reads the values of other records that the rules name. */
  async grantsOn(action: Action, records: readonly RecordLike[]): Promise<Grants> {
    const grants = this.grants(action);
    const paths = [...new Set(grants?.flatMap((grant) => grant.paths))];
    if (paths.length === 0) return grants;
    return withReferences(grants, await this.#load(paths, records));
  }

  /**
   * Reads the values of other records that rules name, to evaluate these records; not limited by the caller's
   * rights.
   */
  loadReferences(action: Action, records: readonly RecordLike[]): Promise<References> {
    const rules = this.schema.rules.filter(({ actions }) => actions.includes(action));
    return this.#load(pathsOfRules(this.schema, rules), records);
  }

  #load(paths: readonly string[], records: readonly RecordLike[]): Promise<References> {
    return this.retryOnSchemaChange(() =>
      loadReferences(this.#source, this.schema, paths, records),
    );
  }

  /** The SQL for the end of a rule path, given the SQL of its first reference. */
  compileRulePath(path: string, reference: string): ConditionField | undefined {
    return compileRulePath(this.schema, path, {
      column: () => reference,
      related: this.#related,
      from: ({ view }) => view,
      level: 0,
    });
  }

  /**
   * Compiles the rows and fields that the caller may read into a statement. `row` is the alias of the table in the
   * statement; a statement that does not run as the application reads the tables directly.
   */
  compileRules(
    parameters: SqlParameters,
    row = this.schema.view,
    from: (table: TableSchema) => string = ({ view }) => view,
  ): RuleSql {
    const principal = this.#caller.principal;
    return compileRules(this.schema, this.grants("read"), parameters, {
      related: this.#related,
      compile: compileRules,
      grants: (table) => resolveGrants(table, "read", principal),
      from,
      row,
      level: 0,
    });
  }

  /** The column that stores a field; undefined if the field is not stored. */
  columnSql(name: string): string | undefined {
    return storedField(this.schema, name)?.sql;
  }

  /** The type of a field or path, regardless of access rules; undefined if it does not exist. */
  fieldType(name: string): FieldType | undefined {
    return resolveFieldType(this.schema, name, this.#related);
  }

  /** Parses the fields of a record that is created or updated by the caller. */
  parseFields(
    action: "create" | "update",
    fields: Readonly<Record<string, unknown>>,
    now: Date,
  ): ParsedFields {
    return parseFields(this.schema, fields, {
      for: action,
      now,
      principal: this.#caller.principal,
    });
  }

  /** The meaning of a constraint or index named in an error of PostgreSQL. */
  parseConstraint(name: string): DerivedNameParts | undefined {
    return parseDerivedName(this.schema, name);
  }

  /** Another table of the partition, for the same caller. */
  async find(slug: string): Promise<OpenTable | undefined> {
    const schema = await findTableSchema(this.#source, slug);
    if (!schema) return undefined;
    const related = await findRelated(this.#source, schema);
    return new OpenTable(this.#source, this.#caller, schema, related);
  }

  /** Another schema of the partition, for the same caller. */
  with(schema: TableSchema): OpenTable {
    return new OpenTable(this.#source, this.#caller, schema);
  }

  /** Checks other rules for this table. */
  checkRules(rules: readonly Rule[]): ReturnType<typeof checkRules> {
    return checkRules({ ...this.schema, rules: [...rules] }, this.#related);
  }

  /** This table with other, validated rules. */
  withRules(rules: Rule[]): OpenTable {
    return new OpenTable(this.#source, this.#caller, { ...this.schema, rules }, this.#related);
  }

  /** The current schemas of all tables of the partition. */
  listSchemas(): Promise<readonly TableSchema[]> {
    return listTableSchemas(this.#source);
  }

  /**
   * Runs statements with the schema; if an outdated schema may be why they fail, the call is retried with a new
   * one.
   */
  async retryOnSchemaChange<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw this.toStaleRead(error) ?? error;
    }
  }

  /** Returns the error that causes a retry if an outdated schema may be the cause. */
  toStaleRead(error: unknown): StaleRead | undefined {
    const code = sqlStateOf(error);
    if (code === undefined || !SCHEMA_ERRORS.has(code)) return undefined;
    if (retried.has(this.#caller) && !namesVersionColumn(error)) return undefined;
    retried.add(this.#caller);
    forgetTables(this.#source);
    return new StaleRead({ cause: error });
  }

  /** Parses a request with the schema; parses it again if it is invalid and the schema is outdated. */
  async parse<T>(parse: () => T): Promise<T> {
    try {
      return parse();
    } catch (error) {
      if (error instanceof Failure && error.type === Invalid) await this.assertCurrent();
      throw error;
    }
  }

  /** Causes a retry of the call if the table has changed, before a request is rejected with the cached schema. */
  async assertCurrent(): Promise<void> {
    if (retried.has(this.#caller) || (await this.isCurrent())) return;
    retried.add(this.#caller);
    throw new StaleRead({ cause: "The table has changed." });
  }

  /** Returns false if the table has changed since; then its cache entry is dropped. */
  async isCurrent(): Promise<boolean> {
    const { id, slug, revision } = this.schema;
    const stored = await this.#source.read((tx) => findTable(tx, slug));
    if (stored?.id === id && stored.revision === revision) return true;
    forgetTables(this.#source);
    return false;
  }
}

/** Returns whether an error was caused by an outdated schema, which is never the caller's mistake. */
function namesVersionColumn(error: unknown): boolean {
  return error instanceof Error && VERSION_COLUMN.test(error.message);
}

/** The callers whose call is being retried. */
const retried = new WeakSet<Caller>();
/** Missing column, table or key, missing value, check violation, or other type. */
const SCHEMA_ERRORS = new Set("42703 42P01 3F000 42P10 23502 23514 42804 22P02".split(" "));
