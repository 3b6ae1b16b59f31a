import { conditionToSql, type ConditionField } from "#kernel/condition/sql.ts";
import { parseCondition } from "#kernel/condition/parse-condition.ts";
import type { Condition } from "#kernel/condition/condition.ts";
import { quotedColumn } from "../sql-names.ts";
import type { TableSchema } from "./table-schema.ts";
import type { SqlParameters } from "#kernel/db/statement.ts";
import { SYSTEM_COLUMNS } from "../table.ts";
import { ALWAYS_VISIBLE, type Grants } from "./grants.ts";

/** The rules of a table for one person, in SQL. */
export interface RuleSql {
  /** The condition on visible records; undefined when all are visible. */
  readonly where: string | undefined;
  /** A field as the person sees it, to be selected, compared and sorted by; undefined when there is none. */
  readonly field: (name: string) => ConditionField | undefined;
  /** True when the field is the column itself, so that an index on it serves. */
  readonly isPlain: (name: string) => boolean;
}

/** Compiles grants into a statement on the table, whose columns it names without a prefix. */
export function compileRules(
  table: TableSchema,
  grants: Grants,
  parameters: SqlParameters,
): RuleSql {
  if (!grants)
    return {
      where: undefined,
      field: (name) => unrestrictedField(table, name),
      isPlain: () => true,
    };
  const compiled = grants.map(({ where, fields }) => ({
    fields,
    sql: where ? conditionSql(table, where, parameters) : "true",
  }));
  const where =
    compiled.length === 0 ? "false" : compiled.map(({ sql }) => `(${sql})`).join(" or ");
  const grantsFor = (name: string) =>
    compiled.filter(({ fields }) => !fields || fields.has(name) || ALWAYS_VISIBLE.has(name));
  const isPlain = (name: string) => grantsFor(name).length === compiled.length;
  return {
    where,
    isPlain,
    field: (name) => {
      const field = unrestrictedField(table, name);
      if (!field || isPlain(name)) return field;
      const conditions = grantsFor(name).map(({ sql }) => `(${sql})`);
      // Typed, so that a column that is never seen still has its own type.
      const sql =
        conditions.length === 0
          ? `case when false then ${field.sql} end`
          : `case when ${conditions.join(" or ")} then ${field.sql} end`;
      return { ...field, sql };
    },
  };
}

/** The condition of a rule, on stored values. It was checked when the rule was saved. */
function conditionSql(table: TableSchema, where: Condition, parameters: SqlParameters): string {
  const { tree, errors } = parseCondition(where);
  // An invalid part would hold always, and a rule must never allow more than it says.
  if (errors.length > 0) throw new Error(`A rule of ${table.slug} is no condition.`);
  return conditionToSql(tree, (name) => unrestrictedField(table, name), parameters);
}

/** A field as it is stored. */
export function unrestrictedField(table: TableSchema, name: string): ConditionField | undefined {
  const column = table.byName.get(name);
  if (column) {
    const { columnType, indexed, quoted } = column;
    const containing = indexed && columnType.index === "gin";
    return {
      sql: quoted,
      kind: columnType.kind,
      type: columnType.parameterType,
      hasContainmentIndex: containing,
    };
  }
  const kind = SYSTEM_KINDS.get(name);
  return kind && { sql: quotedColumn(name), kind };
}

const SYSTEM_KINDS: ReadonlyMap<string, ConditionField["kind"]> = new Map(
  SYSTEM_COLUMNS.map(([name]) => [name, name.endsWith("At") ? "time" : "text"]),
);
