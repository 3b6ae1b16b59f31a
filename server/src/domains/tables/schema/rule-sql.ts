import { conditionToSql, type ConditionField } from "#kernel/condition/sql.ts";
import { parseCondition } from "#kernel/condition/parse-condition.ts";
import type { Condition } from "#kernel/condition/condition.ts";
import { quotedColumn } from "../sql-names.ts";
import type { TableSchema } from "./table-schema.ts";
import type { SqlParameters } from "#kernel/db/statement.ts";
import { SYSTEM_COLUMNS } from "../table.ts";
import { ALWAYS_VISIBLE, type Grants } from "./grants.ts";

/** A table as one person sees it, in SQL. */
export interface RuleSql {
  /** What holds for the records that they see; undefined when it does for all. */
  readonly where: string | undefined;
  /** A field as they see it, to be selected, compared and sorted by; undefined when there is none. */
  readonly field: (name: string) => ConditionField | undefined;
  /** Whether it is the column itself, so that an index on it serves. */
  readonly isPlain: (name: string) => boolean;
}

/** Writes what grants mean into a statement on the table, whose columns it names without a prefix. */
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

/** A condition on the true values of a table's fields, as a rule has it. It was checked when saved. */
function conditionSql(table: TableSchema, where: Condition, parameters: SqlParameters): string {
  const { tree, errors: faults } = parseCondition(where);
  // What stands in the place of a fault holds always, and a rule must never allow more than it says.
  if (faults.length > 0) throw new Error(`A rule of ${table.slug} is no condition.`);
  return conditionToSql(tree, (name) => unrestrictedField(table, name), parameters);
}

/** A field as it is. */
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
