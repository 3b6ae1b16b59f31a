/**
 * Computed fields as SQL on one row. Records of other tables are read with the caller's rights: a hidden record
 * counts as missing, and a hidden field is null.
 */
import { conditionToSql } from "#kernel/condition/sql.ts";
import { parseCondition } from "#kernel/condition/parse-condition.ts";
import { toTypedCondition } from "#kernel/condition/typed-condition.ts";
import type { SqlParameters } from "#kernel/db/statement.ts";
import type { ColumnSchema } from "../columns/column-type.ts";
import {
  findRelation,
  parseRollup,
  type RollupFunction,
} from "../columns/relations/computed-column.ts";
import { compileFormula } from "../formula/compile-formula.ts";
import { resolveFieldType } from "./field-type.ts";
import type { FieldBatch, RuleSql, TableField, TableRelations } from "./table-field.ts";
import type { TableSchema } from "./table-schema.ts";
import { compileVectorSource, vectorsOfRowSql } from "../vectors/vector-source.ts";
import type { ColumnTypeName } from "../table.ts";

/** A row whose fields are compiled. */
export interface RowScope {
  readonly table: TableSchema;
  readonly rules: RuleSql;
  readonly parameters: SqlParameters;
  readonly relations: TableRelations;
  /** The referenced records by reference name; their rules are compiled once. */
  readonly entered: Map<string, InnerRow>;
}

/** The maximum number of records that a list of ids shows; aggregates include all of them. */
const LISTED_RECORDS_MAX = 1_000;

/** Compiles a computed field; undefined if it does not exist. */
export function compileComputed(scope: RowScope, name: string): TableField | undefined {
  const { table, relations } = scope;
  // Resolve the type first: if compilation stopped halfway, its parameters would be unused in the statement.
  const type = resolveFieldType(table, name, relations.related);
  if (!type) return undefined;
  const column = table.computed.get(name);
  const field = column ? WRITERS[column.type]?.(scope, column) : compilePath(scope, name);
  return field && { ...type, ...field };
}

type ComputedField = Pick<TableField, "sql" | "batch" | "join">;
type ComputedWriter = (scope: RowScope, column: ColumnSchema) => ComputedField | undefined;

const WRITERS: Readonly<Partial<Record<ColumnTypeName, ComputedWriter>>> = {
  lookup({ rules }, { options }) {
    const { sql, join } = rules.field(String(options["path"])) ?? {};
    return sql === undefined ? undefined : { sql, ...(join && { join }) };
  },
  formula({ rules }, { options }) {
    const compiled = compileFormula(String(options["expression"]), rules.field);
    return "error" in compiled ? undefined : { sql: compiled.sql };
  },
  backlinks: (scope, { name }) => compileBacklinks(scope, name),
  rollup: (scope, column) => compileRollup(scope, column),
  embedding: compileEmbedding,
};

/** Returns whether the vectors match the current texts; null if there is nothing to embed, or a text is hidden. */
function compileEmbedding(
  { table, rules, relations: { row } }: RowScope,
  { name }: ColumnSchema,
): ComputedField | undefined {
  const source = compileVectorSource(table, name, row);
  if (!source) return undefined;
  const guards = source.columns.map((column) => rules.guard(column));
  const isThere = joinAnd([`${source.sql} <> ''`, ...guards]);
  const isDone = `exists (select from ${vectorsOfRowSql(table, name, { row, source })})`;
  return {
    sql: `case when ${isThere} then case when ${isDone} then 'embedded' else 'pending' end end`,
  };
}

/** The end of a path that begins with a reference. */
function compilePath(scope: RowScope, path: string): ComputedField | undefined {
  const [first = "", ...rest] = path.split(".");
  const { table, relations } = scope;
  const column = table.byName.get(first);
  const target = relations.related.get(column?.target ?? "");
  if (!column || !target) return undefined;
  const inner = scope.entered.get(first) ?? openRow(scope, target);
  scope.entered.set(first, inner);
  const field = inner.rules.field(rest.join("."));
  if (!field) return undefined;
  const where = [`${inner.row}.id = ${relations.row}.${column.quoted}`, inner.rules.where];
  const record = `${target.view} as ${inner.row} where ${joinAnd(where)}`;
  const sql = `(select ${field.sql} from ${record})`;
  // Only the row of the outer statement can be joined.
  if (relations.level > 0) return { sql };
  return { sql, join: { record, value: field.sql, show: (value) => value } };
}

function compileBacklinks(scope: RowScope, via: string): ComputedField | undefined {
  const inner = openRelated(scope, via);
  if (!inner) return undefined;
  const ids = `select ${inner.row}.id from ${inner.from} where ${inner.where}`;
  return { sql: `array(${ids} order by ${inner.row}.id limit ${LISTED_RECORDS_MAX})` };
}

function compileRollup(scope: RowScope, column: ColumnSchema): ComputedField | undefined {
  const { via, field: name, function: key, filter } = parseRollup(column);
  const inner = openRelated(scope, via);
  const field = name === undefined ? undefined : inner?.rules.field(name);
  if (!inner || (name !== undefined && !field)) return undefined;
  const figure = AGGREGATES[key](field?.sql ?? "*");
  const condition = filter && filterSql(inner, filter);
  const sql = `(select ${figure} from ${inner.from} where ${joinAnd([inner.where, condition])})`;
  // A link list is a field too and can be hidden.
  const guard = scope.rules.guard(via);
  if (guard !== undefined) return { sql: `case when ${guard} then ${sql} end` };
  const { reference } = inner;
  if (reference === undefined || scope.relations.level > 0) return { sql };
  const seen = joinAnd([inner.visible, condition]);
  const allWhere = seen === "" ? "" : ` where ${seen}`;
  const batch: FieldBatch = {
    sql: (rows, id) => {
      const where = joinAnd([`${reference} = ${rows}.${id}`, inner.visible, condition]);
      return `(select ${reference} as k, ${figure} as v from ${inner.from}, ${rows} where ${where} group by 1)`;
    },
    all: `(select ${reference} as k, ${figure} as v from ${inner.from}${allWhere} group by 1)`,
    none: key === "count" ? "0" : "null",
  };
  return { sql, batch };
}

const AGGREGATES: Readonly<Record<RollupFunction, (value: string) => string>> = {
  count: (value) => `count(${value})::numeric`,
  sum: (value) => `sum(${value})::numeric`,
  avg: (value) => `avg(${value})::numeric`,
  min: (value) => `min(${value})`,
  max: (value) => `max(${value})`,
  any: (value) => `bool_or(${value})`,
  all: (value) => `bool_and(${value})`,
  unique: (value) =>
    `to_jsonb((array_agg(distinct ${value}) filter (where ${value} is not null))[1:${LISTED_RECORDS_MAX}])`,
};

/** The records of a relation. */
interface RelatedRows extends InnerRow {
  /** The SQL after `from` and after `where`. */
  readonly from: string;
  readonly where: string;
  /** The condition that leaves out how they refer to the row. */
  readonly visible: string | undefined;
  /** The column that refers to the row, if any. */
  readonly reference: string | undefined;
}

function openRelated(scope: RowScope, via: string): RelatedRows | undefined {
  const { table, relations } = scope;
  const relation = findRelation(table, via);
  const target = relations.related.get(relation?.table ?? "");
  if (!relation || !target) return undefined;
  const inner = openRow(scope, target);
  const { row, rules } = inner;
  const from = `${target.view} as ${row}`;
  if (relation.column === undefined) {
    const own = table.byName.get(via);
    const isListed = `${row}.id = any(${relations.row}.${own?.quoted})`;
    const where = joinAnd([isListed, rules.where]);
    return { ...inner, from, where, visible: rules.where, reference: undefined };
  }
  const column = target.byName.get(relation.column);
  const refers =
    column?.linkTarget === undefined
      ? `${row}.${column?.quoted} = ${relations.row}.id`
      : `${row}.${column.quoted} @> array[${relations.row}.id]`;
  if (!column || (column.target ?? column.linkTarget) !== table.slug) return undefined;
  // A hidden reference cannot be followed in either direction.
  const seen = [rules.where, rules.guard(column.name)];
  return {
    ...inner,
    from,
    where: joinAnd([refers, ...seen]),
    visible: seen.every((one) => one === undefined) ? undefined : joinAnd(seen),
    reference: column.linkTarget === undefined ? `${row}.${column.quoted}` : undefined,
  };
}

function filterSql({ target, rules, scope }: InnerRow, filter: object): string {
  const kindOf = (name: string) => resolveFieldType(target, name, scope.relations.related)?.kind;
  const typed = toTypedCondition(filter, kindOf);
  // The filter was validated when it was saved; a field deleted since then is null.
  if ("errors" in typed) return "false";
  return conditionToSql(parseCondition(typed.condition).tree, rules.field, scope.parameters);
}

/** A subquery row from another table. */
export interface InnerRow {
  readonly target: TableSchema;
  readonly row: string;
  readonly rules: RuleSql;
  readonly scope: RowScope;
}

function openRow(scope: RowScope, target: TableSchema): InnerRow {
  const { parameters, relations } = scope;
  const level = relations.level + 1;
  const row = `"~${level}"`;
  const rules = relations.compile(target, relations.grants(target), parameters, {
    ...relations,
    row,
    level,
  });
  return { target, row, rules, scope };
}

function joinAnd(conditions: readonly (string | undefined)[]): string {
  return conditions
    .filter((condition) => condition !== undefined)
    .map((condition) => `(${condition})`)
    .join(" and ");
}
