/**
 * The second wall: what runs is a statement of ours with the person's inside. Each table that it names
 * is a common table expression of that name, with the columns and the rows that the person sees.
 */
import type { Principal } from "#kernel/access/caller.ts";
import { quoteIdentifier } from "#domains/tables/sql-names.ts";
import type { TableSchema } from "#domains/tables/schema/table-schema.ts";
import { type Grants, resolveGrants } from "#domains/tables/schema/grants.ts";
import { compileRules } from "#domains/tables/schema/rule-sql.ts";
import { SqlParameters } from "#kernel/db/statement.ts";
import { SYSTEM_COLUMNS } from "#domains/tables/table.ts";
import type { Inspection } from "./guard/guard.ts";

/** So much text may an answer be; what is beyond is left out. */
export const ANSWER_BYTES_MAX = 16 * 1024 * 1024;

/** How many columns of ours come before those of the person. */
export const OWN_COLUMNS = 4;

export interface WrappedStatement {
  readonly text: string;
  readonly values: readonly unknown[];
  /** How many characters stand before the person's statement. */
  readonly prefix: number;
}

export interface WrapOptions {
  /** Of the tables that the statement names those that the person may read. */
  readonly tables: readonly TableSchema[];
  readonly person: Principal | undefined;
  readonly values: readonly unknown[];
  readonly rowsMax: number;
}

/** The statement that runs, for one that was inspected. Its parameters keep their numbers. */
export function wrapStatement(inspection: Inspection, options: WrapOptions): WrappedStatement {
  const { tables, person, values, rowsMax } = options;
  const parameters = new SqlParameters();
  parameters.values.push(...values);
  const views = tables.map((table) =>
    tableExpression(table, { person, parameters, names: inspection.names }),
  );
  const prefix = `with ${views.map((view) => `${view},\n`).join("")}${PREFIX}`;
  const after = SUFFIX.replace("$rows", String(rowsMax + 1));
  return {
    text: `${prefix}${inspection.text}${after}`,
    values: parameters.values,
    prefix: prefix.length,
  };
}

/** Whether the person may read anything of the table. */
export function isReadable(table: TableSchema, person: Principal | undefined): boolean {
  return resolveGrants(table.rules, "read", person)?.length !== 0;
}

/** These names can be no table's, so that nothing that a person writes means them. */
const PREFIX = `"(answer)" as materialized (
select octet_length((answer.*)::text) as "(own)", answer.* from (select * from (\n`;
/**
 * One row more than wanted tells that there are more. Their number is told even when no row is, as the
 * first is too large for us: a value of a gigabyte must not get here.
 */
const SUFFIX = `
) as answer limit $rows) as answer),
"(sized)" as (
  select row_number() over sofar as "(at)", sum(a."(own)") over sofar as "(size)", a.*
    from "(answer)" as a window sofar as (rows unbounded preceding))
select c."(count)", s.*
  from (select count(*) as "(count)" from "(answer)") as c
  left join "(sized)" as s on s."(size)" <= ${ANSWER_BYTES_MAX}
 order by s."(at)"`;

interface ExpressionOptions {
  readonly person: Principal | undefined;
  readonly parameters: SqlParameters;
  /** What columns are called in the statement. */
  readonly names: ReadonlySet<string>;
}

function tableExpression(
  table: TableSchema,
  { person, parameters, names }: ExpressionOptions,
): string {
  const grants = resolveGrants(table.rules, "read", person);
  const rules = compileRules(table, grants, parameters);
  const columns = selectableColumns(table, names).map(([field, name]) => {
    const { sql } = rules.field(field) ?? { sql: "null" };
    return `${sql} as ${quoteIdentifier(name)}`;
  });
  const select = `select ${columns.join(", ")} from ${table.base}`;
  const name = quoteIdentifier(table.slug);
  if (!hidesRows(grants)) return `${name} as not materialized (${select})`;
  // A fence: what the statement asks of rows is only asked of those that came through.
  return `${name} as materialized (${select} where ${rules.where ?? "true"})`;
}

function hidesRows(grants: Grants): boolean {
  return grants !== undefined && grants.every(({ where }) => where !== null);
}

/** Fields and their names in SQL, first as they are, then in other spellings that the statement has. */
function selectableColumns(table: TableSchema, names: ReadonlySet<string>): [string, string][] {
  const all: [string, string][] = [
    ...SYSTEM_COLUMNS.map(([field, name]): [string, string] => [field, name]),
    ...table.columns.map(({ name }): [string, string] => [name, name]),
  ];
  const aliases = all.flatMap(([field, name]) =>
    [field, field.toLowerCase()]
      .filter((other, at, both) => other !== name && both.indexOf(other) === at && names.has(other))
      .map((other): [string, string] => [field, other]),
  );
  return [...all, ...aliases];
}
