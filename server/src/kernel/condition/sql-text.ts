import type { Operator } from "./operator.ts";

/** Where the operands go; it tells the place of each in the text. */
export interface SqlParameters {
  add(value: unknown, type: string): string;
}

/** An operator that is no negation of another one. */
export type PlainOperator = Exclude<Operator, "ne" | "nin">;

/** A comparison that SQL is written for. */
export interface SqlComparison {
  readonly operator: PlainOperator;
  readonly operand: unknown;
  readonly parameters: SqlParameters;
}

/** How order is written. */
export const SQL_OPERATORS = { gt: ">", gte: ">=", lt: "<", lte: "<=" } as const;

/** Order and parts of a text. */
export function textComparisonSql(
  sql: string,
  { operator, operand, parameters }: SqlComparison,
): string {
  if (typeof operand !== "string") return "false";
  const place = parameters.add(operand, "text");
  switch (operator) {
    case "gt":
    case "gte":
    case "lt":
    case "lte":
      // The column keeps its own name, for the index; the collation of the operand decides for both.
      return `${sql} ${SQL_OPERATORS[operator]} ${place} collate "C"`;
    case "contains":
      return `strpos(${sql}, ${place}) > 0`;
    case "startsWith":
      return `${sql} ^@ ${place}`;
    case "endsWith":
      return `right(${sql}, length(${place})) = ${place}`;
    case "eq":
    case "in":
    case "exists":
      throw new Error("This is no question about a text's order or parts.");
  }
}
