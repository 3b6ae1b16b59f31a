import { conditionToSql, type ConditionField } from "#kernel/condition/sql.ts";
import { parseCondition } from "#kernel/condition/parse-condition.ts";
import type { Condition } from "#kernel/condition/condition.ts";
import { quotedColumn } from "../sql-names.ts";
import type { TableSchema } from "./table-schema.ts";
import type { SqlParameters } from "#kernel/db/statement.ts";
import { SYSTEM_COLUMNS } from "../table.ts";
import { compileComputed, type RowScope } from "./computed-sql.ts";
import { ALWAYS_VISIBLE, type Grants } from "./grants.ts";
import type { RuleSql, TableField, TableRelations } from "./table-field.ts";

/**
 * Compiles grants into a statement on the table, whose columns it names without a prefix. Computed fields
 * and paths are there where `relations` are.
 */
export function compileRules(
  table: TableSchema,
  grants: Grants,
  parameters: SqlParameters,
  relations?: TableRelations,
): RuleSql {
  const compiled = grants?.map(({ where, fields }) => ({
    fields,
    sql: where ? conditionSql(table, where, parameters) : "true",
  }));
  const grantsFor = (name: string) =>
    compiled?.filter(({ fields }) => !fields || fields.has(name) || ALWAYS_VISIBLE.has(name)) ?? [];
  const isPlain = (name: string) => !compiled || grantsFor(name).length === compiled.length;
  const guard = (name: string) => (isPlain(name) ? undefined : joinOr(grantsFor(name)));
  const compileField = (name: string): TableField | undefined => {
    const field =
      unrestrictedField(table, name) ??
      (relations && compileComputed({ table, rules, parameters, relations, entered }, name));
    // A reference that is hidden leads nowhere.
    const condition = field && guard(name.split(".")[0] ?? name);
    if (condition === undefined) return field;
    // Typed, so that a column that is never seen still has its own type.
    const { batch: _, join, ...rest } = field as TableField;
    const guarded = (sql: string): string => `case when ${condition} then ${sql} end`;
    return {
      ...rest,
      sql: guarded(rest.sql),
      ...(join && { join: { ...join, show: (value: string) => guarded(join.show(value)) } }),
    };
  };
  const entered: RowScope["entered"] = new Map();
  // A condition may name a field 200 times, and a formula as often what it is made of.
  const fields = new Map<string, TableField | undefined>();
  const rules: RuleSql = {
    where: compiled && joinOr(compiled),
    isPlain,
    guard,
    field: (name) => {
      if (!fields.has(name)) fields.set(name, compileField(name));
      return fields.get(name);
    },
  };
  return rules;
}

function joinOr(compiled: readonly { readonly sql: string }[]): string {
  return compiled.length === 0 ? "false" : compiled.map(({ sql }) => `(${sql})`).join(" or ");
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
