import { conditionToSql, type ConditionField, type ConditionFieldKind } from "../condition/sql.ts";
import { parseCondition } from "../condition/parse-condition.ts";
import { toTypedCondition } from "../condition/typed-condition.ts";
import type { SqlParameters } from "../condition/sql-text.ts";
import { Failure, invalidField, Invalid } from "../operation/failure.ts";

/** The fields of what is filtered: what they hold, and where they are in SQL. */
export interface FilterFields {
  readonly kindOf: (name: string) => ConditionFieldKind | undefined;
  readonly fieldOf: (name: string) => ConditionField | undefined;
  readonly parameters: SqlParameters;
}

/** A filter as SQL: the text of a query parameter, or the condition that a body has. */
export function filterSql(
  filter: string | Readonly<Record<string, unknown>>,
  { kindOf, fieldOf, parameters }: FilterFields,
): string {
  const given = typeof filter === "string" ? parsed(filter) : filter;
  const path = typeof filter === "string" ? "?filter" : "/filter";
  const typed = toTypedCondition(given, kindOf);
  if ("errors" in typed) {
    const errors = typed.errors.map((fault) => ({ ...fault, path: path + fault.path }));
    const [first] = errors;
    throw new Failure(Invalid, { detail: `${first?.path} ${first?.message}`, errors });
  }
  return conditionToSql(parseCondition(typed.condition).tree, fieldOf, parameters);
}

function parsed(filter: string): unknown {
  try {
    return JSON.parse(filter);
  } catch {
    throw invalidField("?filter", "must be JSON");
  }
}

/** Whether one of these texts has the words in it, whatever the case. */
export function searchSql(q: string, texts: readonly string[], parameters: SqlParameters): string {
  const place = parameters.add(`%${q.replaceAll(/[\\%_]/g, "\\$&")}%`, "text");
  // By the database's own locale: that of the columns knows the case of no letter beyond ASCII.
  const parts = texts.map((sql) => `${sql} collate "default" ilike ${place}`);
  // The parameter must stand somewhere.
  return parts.length === 0 ? `${place} is null` : parts.join(" or ");
}
