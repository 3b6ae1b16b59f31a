/** Conditions in `check`, as the options of columns. */
import type { A_Expr, Node } from "libpg-query";
import { recordsOf, textsOf } from "#domains/queries/guard/findings.ts";
import type { ColumnTypeName } from "#domains/tables/table.ts";
import { valueOf } from "./constant.ts";
import { numberOf, rejectSql } from "./sql-error.ts";

/** What a check says of one column. */
export interface CheckFound {
  readonly column: string;
  readonly options: Readonly<Record<string, unknown>>;
  /** The type that it makes of a column of text. */
  readonly type?: ColumnTypeName;
}

const KEPT =
  "only a check of one column is kept: that it is in a list of texts, compares with a number, or " +
  "has at most so many characters";

/** The checks that are joined by `and` in a condition. */
export function checksIn(condition: Node | undefined): readonly CheckFound[] {
  if (!condition) return rejectSql(KEPT);
  if ("BoolExpr" in condition && condition.BoolExpr.boolop === "AND_EXPR") {
    return (condition.BoolExpr.args ?? []).flatMap((part) => checksIn(part));
  }
  if (!("A_Expr" in condition)) return rejectSql(KEPT, anyPlace(condition));
  return [checkIn(condition.A_Expr)];
}

function checkIn(expression: A_Expr): CheckFound {
  const { kind, lexpr, rexpr } = expression;
  const operator = textsOf(expression.name).join(".");
  if (kind === "AEXPR_IN" && operator === "=") {
    return listed(
      expression,
      recordsOf(rexpr).flatMap(({ List: list }) => itemsOf(list)),
    );
  }
  if (kind === "AEXPR_OP_ANY" && operator === "=") {
    return listed(
      expression,
      rexpr && "A_ArrayExpr" in rexpr ? (rexpr.A_ArrayExpr.elements ?? []) : [],
    );
  }
  if (kind === "AEXPR_BETWEEN") {
    const [min, max] = recordsOf(rexpr)
      .flatMap(({ List: list }) => itemsOf(list))
      .map(numberOf);
    if (min === undefined || max === undefined) return rejectSql(KEPT, expression);
    return { column: columnOf(lexpr, expression), options: { min, max } };
  }
  if (kind !== "AEXPR_OP") return rejectSql(KEPT, expression);
  return compared(expression, operator);
}

function listed(expression: A_Expr, members: readonly Node[]): CheckFound {
  const values = members.map(valueOf);
  if (values.length === 0 || values.some((value) => typeof value !== "string")) {
    rejectSql(KEPT, expression);
  }
  return { column: columnOf(expression.lexpr, expression), options: { values }, type: "enum" };
}

/** Whole numbers are assumed: for others a bound that is left out can't be told. */
function compared(expression: A_Expr, operator: string): CheckFound {
  const bound = numberOf(expression.rexpr);
  const { lexpr } = expression;
  if (bound === undefined) return rejectSql(KEPT, expression);
  if (lexpr && "FuncCall" in lexpr) {
    const { funcname, args } = lexpr.FuncCall;
    const counts = ["char_length", "length"].includes(textsOf(funcname).join("."));
    if (!counts || !["<=", "<"].includes(operator)) return rejectSql(KEPT, expression);
    const maxLength = operator === "<" ? bound - 1 : bound;
    return { column: columnOf(args?.[0], expression), options: { maxLength } };
  }
  const column = columnOf(lexpr, expression);
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
      return rejectSql(KEPT, expression);
  }
}

/** The options with bounds that are left out turned into those that are not, for whole numbers. */
export function settled(
  type: ColumnTypeName,
  { above, below, ...options }: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  if (above === undefined && below === undefined) return options;
  if (type !== "integer") {
    rejectSql("of a column that is not of whole numbers only the checks >= and <= are kept");
  }
  return {
    ...options,
    ...(typeof above === "number" && { min: Math.floor(above) + 1 }),
    ...(typeof below === "number" && { max: Math.ceil(below) - 1 }),
  };
}

function columnOf(node: Node | undefined, at: A_Expr): string {
  const [name, ...others] = node && "ColumnRef" in node ? textsOf(node.ColumnRef.fields) : [];
  return name === undefined || others.length > 0 ? rejectSql(KEPT, at) : name;
}

function itemsOf(list: unknown): readonly Node[] {
  const { items } = list as { items?: readonly Node[] };
  return items ?? [];
}

function anyPlace(node: Node): { location?: number } {
  const [fields] = Object.values(node) as { location?: number }[];
  return fields ?? {};
}
