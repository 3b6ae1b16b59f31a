import type { Operator } from "./operator.ts";

/** Collects the operands. `add` returns the placeholder for the SQL text. */
export interface SqlParameters {
  add(value: unknown, type: string): string;
}

/** The operators except the negations `ne` and `nin`. */
export type PlainOperator = Exclude<Operator, "ne" | "nin">;

/** A comparison of a value with an operand. */
export interface SqlComparison {
  readonly operator: PlainOperator;
  readonly operand: unknown;
  readonly parameters: SqlParameters;
}

/** The SQL operators of order comparisons. */
export const SQL_OPERATORS = { gt: ">", gte: ">=", lt: "<", lte: "<=" } as const;

/** SQL for order and substring comparisons of texts. */
export function textComparisonSql(
  sql: string,
  { operator, operand, parameters }: SqlComparison,
): string {
  if (typeof operand !== "string") return "false";
  const parameter = parameters.add(operand, "text");
  switch (operator) {
    case "gt":
    case "gte":
    case "lt":
    case "lte":
      // The column keeps its collation, so the index is used; the collation of the operand decides for both.
      return `${sql} ${SQL_OPERATORS[operator]} ${parameter} collate "C"`;
    case "contains":
      return `strpos(${sql}, ${parameter}) > 0`;
    case "startsWith":
      return `${sql} ^@ ${parameter}`;
    case "endsWith":
      return `right(${sql}, length(${parameter})) = ${parameter}`;
    case "eq":
    case "in":
    case "exists":
      throw new Error("This is no comparison of a text's order or parts.");
  }
}
