import { conditionToSql, type ConditionField, type ConditionFieldKind } from "../condition/sql.ts";
import { parseCondition } from "../condition/parse-condition.ts";
import type { RelativeClock } from "../condition/relative-time.ts";
import { toTypedCondition } from "../condition/typed-condition.ts";
import type { SqlParameters } from "../condition/sql-text.ts";
import { invalidField, invalidInput } from "../operation/failure.ts";

/** The filterable fields with their kinds and SQL expressions. */
export interface FilterFields {
  readonly kindOf: (name: string) => ConditionFieldKind | undefined;
  readonly fieldOf: (name: string) => ConditionField | undefined;
  readonly parameters: SqlParameters;
  /** The time for relative times such as `$now-30d`. Without it, they are rejected. */
  readonly clock?: RelativeClock | undefined;
}

/** Translates a filter to SQL: the text of a query parameter, or a condition in a body. */
export function filterSql(
  filter: string | Readonly<Record<string, unknown>>,
  { kindOf, fieldOf, parameters, clock }: FilterFields,
): string {
  const condition = typeof filter === "string" ? parseFilter(filter) : filter;
  const path = typeof filter === "string" ? "?filter" : "/filter";
  const typed = toTypedCondition(condition, kindOf, clock ? { clock } : {});
  if ("errors" in typed) {
    const errors = typed.errors.map((error) => ({ ...error, path: path + error.path }));
    throw invalidInput(errors);
  }
  return conditionToSql(parseCondition(typed.condition).tree, fieldOf, parameters);
}

function parseFilter(filter: string): unknown {
  try {
    return JSON.parse(filter);
  } catch {
    throw invalidField("?filter", "must be JSON");
  }
}

/** SQL that is true if one of the texts contains the search text, ignoring case. */
export function searchSql(q: string, texts: readonly string[], parameters: SqlParameters): string {
  const pattern = parameters.add(`%${q.replaceAll(/[\\%_]/g, "\\$&")}%`, "text");
  // Uses the database's locale, because the column collation ignores the case of ASCII letters only.
  const parts = texts.map((sql) => `${sql} collate "default" ilike ${pattern}`);
  // Every parameter must be used.
  return parts.length === 0 ? `${pattern} is null` : parts.join(" or ");
}
