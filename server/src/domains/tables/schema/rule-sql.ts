import { conditionToSql, splitPath } from "#kernel/condition/sql.ts";
import { parseCondition } from "#kernel/condition/parse-condition.ts";
import type { TableSchema } from "./table-schema.ts";
import type { SqlParameters } from "#kernel/db/statement.ts";
import { compileComputed, type RowScope } from "./computed-sql.ts";
import { ALWAYS_VISIBLE, type Grant, type Grants } from "./grants.ts";
import { compileRulePath } from "./rule-path.ts";
import { storedField } from "./stored-field.ts";
import type { RuleSql, TableField, TableRelations } from "./table-field.ts";

/**
 * Compiles grants into a statement on the table, whose columns have no prefix. Computed fields and paths require
 * `relations`.
 */
export function compileRules(
  table: TableSchema,
  grants: Grants,
  parameters: SqlParameters,
  relations?: TableRelations,
): RuleSql {
  const compiled = grants?.map((grant) => ({
    fields: grant.fields,
    sql: grant.where ? conditionSql(table, grant, parameters, relations) : "true",
  }));
  const grantsFor = (name: string) =>
    compiled?.filter(({ fields }) => !fields || fields.has(name) || ALWAYS_VISIBLE.has(name)) ?? [];
  const isPlain = (name: string) => !compiled || grantsFor(name).length === compiled.length;
  const guard = (name: string) => (isPlain(name) ? undefined : joinOr(grantsFor(name)));
  const compileField = (name: string): TableField | undefined => {
    const field =
      storedField(table, name) ??
      (relations && compileComputed({ table, rules, parameters, relations, entered }, name));
    // A hidden reference cannot be followed.
    const condition = field && guard(name.split(".")[0] ?? name);
    if (condition === undefined) return field;
    // Typed, so that an always hidden column still has its own type.
    const { batch: _, join, ...rest } = field as TableField;
    const guarded = (sql: string): string => `case when ${condition} then ${sql} end`;
    return {
      ...rest,
      sql: guarded(rest.sql),
      ...(join && { join: { ...join, show: (value: string) => guarded(join.show(value)) } }),
    };
  };
  const entered: RowScope["entered"] = new Map();
  // Cached, because a condition may name a field 200 times, and a formula its sources as often.
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

/** Compiles a rule condition on stored values. Already validated when the rule was saved. */
function conditionSql(
  table: TableSchema,
  { where, paths }: Grant,
  parameters: SqlParameters,
  relations: TableRelations | undefined,
): string {
  const { tree, errors } = parseCondition(where);
  const pathField = (name: string) =>
    relations &&
    compileRulePath(table, name, {
      ...relations,
      column: (quoted) => `${relations.row}.${quoted}`,
    });
  const isMissing = (path: string): boolean => {
    const { root, words } = splitPath(path.split("."), (name) =>
      name.includes(".") ? pathField(name) : undefined,
    );
    return !root || (words.length > 0 && root.kind !== "json");
  };
  // An invalid condition would always hold, and a rule must not allow more than it states.
  if (errors.length > 0 || paths.some(isMissing)) {
    throw new Error(`A rule of ${table.slug} is no condition.`);
  }
  return conditionToSql(tree, (name) => storedField(table, name) ?? pathField(name), parameters);
}
