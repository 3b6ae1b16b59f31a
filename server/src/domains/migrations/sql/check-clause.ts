/** Translates `check` conditions to options of columns. */
import type { A_Expr, Node } from "libpg-query";
import { recordsOf, textsOf } from "#domains/queries/index.ts";
import type { ColumnTypeName } from "#domains/tables/index.ts";
import { parseConstant } from "./constant.ts";
import { parseNumber, rejectSql } from "./sql-error.ts";

/** A check of one column, as options. */
export interface ColumnCheck {
  readonly column: string;
  readonly options: Readonly<Record<string, unknown>>;
  /** The type that it gives a text column. */
  readonly type?: ColumnTypeName;
}

const UNSUPPORTED_CHECK =
  "only checks of one column are supported: a list of strings, a comparison with a number, or a maximum length";

/** The checks that are joined by `and` in a condition. */
export function parseChecks(condition: Node | undefined): readonly ColumnCheck[] {
  if (!condition) return rejectSql(UNSUPPORTED_CHECK);
  if ("BoolExpr" in condition && condition.BoolExpr.boolop === "AND_EXPR") {
    return (condition.BoolExpr.args ?? []).flatMap((part) => parseChecks(part));
  }
  if (!("A_Expr" in condition)) return rejectSql(UNSUPPORTED_CHECK, locationOf(condition));
  return [parseCheck(condition.A_Expr)];
}

function parseCheck(expression: A_Expr): ColumnCheck {
  const { kind, lexpr, rexpr } = expression;
  const operator = textsOf(expression.name).join(".");
  if (kind === "AEXPR_IN" && operator === "=") {
    return parseListCheck(
      expression,
      recordsOf(rexpr).flatMap(({ List: list }) => listItems(list)),
    );
  }
  if (kind === "AEXPR_OP_ANY" && operator === "=") {
    return parseListCheck(
      expression,
      rexpr && "A_ArrayExpr" in rexpr ? (rexpr.A_ArrayExpr.elements ?? []) : [],
    );
  }
  if (kind === "AEXPR_BETWEEN") {
    const [min, max] = recordsOf(rexpr)
      .flatMap(({ List: list }) => listItems(list))
      .map(parseNumber);
    if (min === undefined || max === undefined) return rejectSql(UNSUPPORTED_CHECK, expression);
    return { column: columnName(lexpr, expression), options: { min, max } };
  }
  if (kind !== "AEXPR_OP") return rejectSql(UNSUPPORTED_CHECK, expression);
  return parseComparison(expression, operator);
}

function parseListCheck(expression: A_Expr, members: readonly Node[]): ColumnCheck {
  const values = members.map(parseConstant);
  if (values.length === 0 || values.some((value) => typeof value !== "string")) {
    rejectSql(UNSUPPORTED_CHECK, expression);
  }
  return { column: columnName(expression.lexpr, expression), options: { values }, type: "enum" };
}

/** Exclusive bounds are supported only for integers: other numbers have no next value. */
function parseComparison(expression: A_Expr, operator: string): ColumnCheck {
  const bound = parseNumber(expression.rexpr);
  const { lexpr } = expression;
  if (bound === undefined) return rejectSql(UNSUPPORTED_CHECK, expression);
  if (lexpr && "FuncCall" in lexpr) {
    const { funcname, args } = lexpr.FuncCall;
    const counts = ["char_length", "length"].includes(textsOf(funcname).join("."));
    if (!counts || !["<=", "<"].includes(operator)) return rejectSql(UNSUPPORTED_CHECK, expression);
    const maxLength = operator === "<" ? bound - 1 : bound;
    return { column: columnName(args?.[0], expression), options: { maxLength } };
  }
  const column = columnName(lexpr, expression);
  switch (operator) {
    case ">=":
      return { column, options: { min: bound } };
    case "<=":
      return { column, options: { max: bound } };
    case ">":
      return { column, options: { above: bound } };
    case "<":
      return { column, options: { below: bound } };
    default:
      return rejectSql(UNSUPPORTED_CHECK, expression);
  }
}

/** Turns exclusive bounds of whole numbers into inclusive ones. */
export function resolveBounds(
  type: ColumnTypeName,
  { above, below, ...options }: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  if (above === undefined && below === undefined) return options;
  if (type !== "integer") {
    rejectSql("columns that are not integers only support the checks >= and <=");
  }
  return {
    ...options,
    ...(typeof above === "number" && { min: Math.floor(above) + 1 }),
    ...(typeof below === "number" && { max: Math.ceil(below) - 1 }),
  };
}

function columnName(node: Node | undefined, at: A_Expr): string {
  const [name, ...others] = node && "ColumnRef" in node ? textsOf(node.ColumnRef.fields) : [];
  return name === undefined || others.length > 0 ? rejectSql(UNSUPPORTED_CHECK, at) : name;
}

function listItems(list: unknown): readonly Node[] {
  const { items } = list as { items?: readonly Node[] };
  return items ?? [];
}

function locationOf(node: Node): { location?: number } {
  const [fields] = Object.values(node) as { location?: number }[];
  return fields ?? {};
}
