import { conditionToSql, type ConditionField, type ConditionFieldKind } from "../condition/sql.ts";
import { parseCondition } from "../condition/parse-condition.ts";
import type { RelativeClock } from "../condition/relative-time.ts";
import { toTypedCondition } from "../condition/typed-condition.ts";
import type { SqlParameters } from "../condition/sql-text.ts";
import { invalidField, invalidInput } from "../operation/failure.ts";

/** The fields that a filter may name: their kinds, and their expressions in SQL. */
export interface FilterFields {
  readonly kindOf: (name: string) => ConditionFieldKind | undefined;
  readonly fieldOf: (name: string) => ConditionField | undefined;
  readonly parameters: SqlParameters;
  /** Relative times as `$now-30d` are seen from it; without one there are none. */
  readonly clock?: RelativeClock | undefined;
}

/** A filter as SQL: the text of a query parameter, or the condition that a body has. */
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

/** SQL that is true when one of these texts contains the search text, whatever the case. */
export function searchSql(q: string, texts: readonly string[], parameters: SqlParameters): string {
  const pattern = parameters.add(`%${q.replaceAll(/[\\%_]/g, "\\$&")}%`, "text");
  // By the database's own locale: that of the columns knows the case of no letter beyond ASCII.
  const parts = texts.map((sql) => `${sql} collate "default" ilike ${pattern}`);
  // The parameter must stand somewhere.
  return parts.length === 0 ? `${pattern} is null` : parts.join(" or ");
}
