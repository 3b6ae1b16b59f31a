/**
 * The second defence after the guard: the statement that runs is ours, with the person's inside. Each
 * table that it names is a common table expression of that name, with the columns and the rows that the
 * rules let the person see.
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

/** The size of a result; rows beyond it are left out. */
const RESULT_BYTES_MAX = 4 * 1024 * 1024;

/** The columns of the wrapping statement, before those of the person's. */
export const OWN_COLUMNS = 4;

export interface WrappedStatement {
  readonly text: string;
  readonly values: readonly unknown[];
  /** The characters before the person's statement. */
  readonly prefixLength: number;
}

export interface WrapOptions {
  /** The tables that the statement names and the person may read. */
  readonly tables: readonly OpenTable[];
  /** The platform's views among what it names. */
  readonly views: readonly OpenSqlView[];
  /** The values of the statement's own parameters, and then those of the rules. */
  readonly parameters: SqlParameters;
  readonly rowsMax: number;
}

/** Wraps a statement that has passed the guard. Its parameters keep their numbers. */
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

/** These names can be no table's, so that no statement of a person can name them. */
const PREFIX = `"(answer)" as materialized (
select octet_length((answer.*)::text) as "(own)", answer.* from (select * from (\n`;
/**
 * One row beyond the limit tells that there are more. The count comes even without any row, when the
 * first is too large: a value of a gigabyte must not get here.
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

/** A view of the platform; what the caller may not see does not come through. */
function viewExpression({ name, columns, from, where }: OpenSqlView): string {
  const select = `select ${columns.map((column) => `e.${quoteIdentifier(column.name)}`).join(", ")} from ${from} as e`;
  const quoted = quoteIdentifier(name);
  if (where === undefined) return `${quoted} as not materialized (${select})`;
  return `${quoted} as materialized (${select} where ${where})`;
}

/** `names` are those of all columns in the statement. */
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
  // An optimization fence: conditions of the statement are only evaluated on rows that came through.
  return `${name} as materialized (${select} where ${rules.where ?? "true"})`;
}

function hidesRows(grants: Grants): boolean {
  return grants !== undefined && grants.every(({ where }) => where !== null);
}

/** Fields and their names in SQL, first as they are, then in other spellings that the statement has. */
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
