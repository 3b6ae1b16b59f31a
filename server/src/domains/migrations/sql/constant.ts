import type { A_Const, FuncCall, Node } from "libpg-query";
import { textOf, textsOf } from "#domains/queries/index.ts";
import type { ColumnTypeName } from "#domains/tables/index.ts";
import { parseNumber, rejectSql } from "./sql-error.ts";

const NOW = "$now";
const TIMES = new Set(["SVFOP_CURRENT_TIMESTAMP", "SVFOP_CURRENT_DATE", "SVFOP_LOCALTIMESTAMP"]);
const TIME_FUNCTIONS = new Set([
  "now",
  "transaction_timestamp",
  "statement_timestamp",
  "clock_timestamp",
]);
const BOOLEAN_WORDS: ReadonlyMap<string, boolean> = new Map([
  ["t", true],
  ["true", true],
  ["f", false],
  ["false", false],
]);

/** Parses the default of a column with this type; null if there is none. */
export function parseDefault(expression: Node | undefined, type: ColumnTypeName): unknown {
  if (!expression) return null;
  const value = parseConstant(expression);
  if (value === null || value === NOW) return value;
  const convert = CONVERTERS[type];
  return convert && typeof value === "string" ? convert(value) : value;
}

/** Converts texts to values of other types; numbers are represented as texts too. */
const CONVERTERS: Readonly<Partial<Record<ColumnTypeName, (text: string) => unknown>>> = {
  integer: (text) => (text.trim() === "" ? text : Number(text)),
  boolean: (text) => BOOLEAN_WORDS.get(text.toLowerCase()) ?? text,
  json: parseJson,
};

/** Parses a constant, also with a cast or a sign, or the current time. */
export function parseConstant(node: Node): string | number | boolean | null {
  if ("TypeCast" in node && node.TypeCast.arg) return parseConstant(node.TypeCast.arg);
  if ("SQLValueFunction" in node && TIMES.has(textOf(node.SQLValueFunction.op))) return NOW;
  if ("FuncCall" in node && isNow(node.FuncCall)) return NOW;
  if ("A_Expr" in node) return -parseNegative(node.A_Expr);
  if ("A_Const" in node) return constantValue(node.A_Const);
  const [fields] = Object.values(node) as { location?: number }[];
  return rejectSql("a default must be a constant or the current time", fields);
}

function isNow({ funcname, args = [] }: FuncCall): boolean {
  const names = textsOf(funcname);
  const own = names.length === 1 || (names.length === 2 && names[0] === "pg_catalog");
  return own && args.length === 0 && TIME_FUNCTIONS.has(names.at(-1) ?? "");
}

function constantValue(node: A_Const): string | number | boolean | null {
  const { isnull, sval, boolval } = node;
  if (isnull) return null;
  if (sval) return textOf(sval.sval);
  if (boolval) return boolval.boolval ?? false;
  return parseNumber({ A_Const: node }) ?? rejectSql("this constant is not available", node);
}

/** The parser treats some signs as operators. */
function parseNegative({
  name,
  lexpr,
  rexpr,
  location = 0,
}: Extract<Node, { A_Expr: unknown }>["A_Expr"]) {
  const number =
    lexpr === undefined && textsOf(name).join() === "-" ? parseNumber(rexpr) : undefined;
  return number ?? rejectSql("a default must be a constant or the current time", { location });
}

/** A text that is not JSON stays a text, which is valid JSON too. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
