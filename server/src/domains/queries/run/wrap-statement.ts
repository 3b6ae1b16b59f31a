/**
 * The second protection after the guard: the executed statement is generated, and contains the user's statement.
 * Each table in it is a common table expression with that name, with the columns and rows that the access rules
 * allow.
 */
import {
  type Grants,
  type OpenTable,
  quoteIdentifier,
  SYSTEM_COLUMNS,
  type TableSchema,
} from "#domains/tables/index.ts";
import type { OpenSqlView } from "#kernel/contributions/sql-view.ts";
import type { SqlParameters } from "#kernel/db/statement.ts";
import type { Inspection } from "../guard/guard.ts";

/** The size limit of a result; rows beyond it are omitted. */
const RESULT_BYTES_MAX = 4 * 1024 * 1024;

/** The columns of the wrapping statement, before the user's. */
export const OWN_COLUMNS = 4;

export interface WrappedStatement {
  readonly text: string;
  readonly values: readonly unknown[];
  /** The characters before the person's statement. */
  readonly prefixLength: number;
}

export interface WrapOptions {
  /** The tables in the statement that the user may read. */
  readonly tables: readonly OpenTable[];
  /** The platform views in the statement. */
  readonly views: readonly OpenSqlView[];
  /** The values of the statement's own parameters, followed by those of the rules. */
  readonly parameters: SqlParameters;
  readonly rowsMax: number;
}

/** Wraps a statement that passed the guard. Its parameters keep their numbers. */
export function wrapStatement(inspection: Inspection, options: WrapOptions): WrappedStatement {
  const { tables, views, parameters, rowsMax } = options;
  const expressions = [
    ...tables.map((table) => tableExpression(table, parameters, inspection.names)),
    ...views.map(viewExpression),
  ];
  const prefix = `with ${expressions.map((each) => `${each},\n`).join("")}${PREFIX}`;
  const after = SUFFIX.replace("$rows", String(rowsMax + 1));
  return {
    text: `${prefix}${inspection.text}${after}`,
    values: parameters.values,
    prefixLength: prefix.length,
  };
}

/** No table can have these names, so user statements cannot refer to them. */
const PREFIX = `"(answer)" as materialized (
select octet_length((answer.*)::text) as "(own)", answer.* from (select * from (\n`;
/**
 * One row beyond the limit shows that there are more. The count is returned even without rows, if the first one is
 * too large: a value of a gigabyte must not be transferred.
 */
const SUFFIX = `
) as answer limit $rows) as answer),
"(sized)" as (
  select row_number() over sofar as "(at)", sum(a."(own)") over sofar as "(size)", a.*
    from "(answer)" as a window sofar as (rows unbounded preceding))
select c."(count)", s.*
  from (select count(*) as "(count)" from "(answer)") as c
  left join "(sized)" as s on s."(size)" <= ${RESULT_BYTES_MAX}
 order by s."(at)"`;

/** A platform view, limited to the rows that the caller may see. */
function viewExpression({ name, columns, from, where }: OpenSqlView): string {
  const select = `select ${columns.map((column) => `e.${quoteIdentifier(column.name)}`).join(", ")} from ${from} as e`;
  const quoted = quoteIdentifier(name);
  if (where === undefined) return `${quoted} as not materialized (${select})`;
  return `${quoted} as materialized (${select} where ${where})`;
}

/** `names` contains all column names in the statement. */
function tableExpression(
  table: OpenTable,
  parameters: SqlParameters,
  names: ReadonlySet<string>,
): string {
  const { schema } = table;
  const rules = table.compileRules(parameters, schema.base, ({ base }) => base);
  const columns = selectableColumns(schema, names).map(([field, name]) => {
    const { sql } = rules.field(field) ?? { sql: "null" };
    return `${sql} as ${quoteIdentifier(name)}`;
  });
  const select = `select ${columns.join(", ")} from ${schema.base}`;
  const name = quoteIdentifier(schema.slug);
  if (!hidesRows(table.grants("read"))) return `${name} as not materialized (${select})`;
  // An optimization fence: conditions of the statement are evaluated only on visible rows.
  return `${name} as materialized (${select} where ${rules.where ?? "true"})`;
}

function hidesRows(grants: Grants): boolean {
  return grants !== undefined && grants.every(({ where }) => where !== null);
}

/** Fields and their SQL names, first unchanged, then in other spellings used by the statement. */
function selectableColumns(schema: TableSchema, names: ReadonlySet<string>): [string, string][] {
  const all: [string, string][] = [
    ...SYSTEM_COLUMNS.map(([field, name]): [string, string] => [field, name]),
    ...schema.columns.map(({ name }): [string, string] => [name, name]),
  ];
  const aliases = all.flatMap(([field, name]) =>
    [field, field.toLowerCase()]
      .filter((other, at, both) => other !== name && both.indexOf(other) === at && names.has(other))
      .map((other): [string, string] => [field, other]),
  );
  return [...all, ...aliases];
}
