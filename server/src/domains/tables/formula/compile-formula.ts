/**
 * Formulas: a typed subset of the expression language, compiled to SQL on one record.
 *
 * A field without a value is null, like a missing one in an expression: arithmetic and comparisons with null result
 * in null, an equality with it is false, and in a text it is empty. What cannot be computed, such as a division by
 * zero, is null too. Numbers have double precision and are rounded to 15 digits at the end, so that 0.1 + 0.2 =
 * 0.3. Whatever SQL evaluates differently is rejected when the formula is saved.
 */
import pg from "pg";
import { ExpressionError } from "#kernel/expression/expression-failure.ts";
import { parse } from "#kernel/expression/parse.ts";
import type {
  Binary,
  CallNode,
  Condition,
  PathNode,
  SyntaxTree,
} from "#kernel/expression/syntax-tree.ts";
import type { ConditionFieldKind } from "#kernel/condition/sql.ts";
import { FORMULA_FUNCTIONS, type FormulaArgument, type FormulaKind } from "./formula-functions.ts";

export interface FormulaField {
  readonly sql: string;
  readonly kind: ConditionFieldKind;
}

/** A formula as SQL, or an error. */
export type CompiledFormula =
  | {
      readonly sql: string;
      readonly kind: FormulaKind;
      readonly parts: number;
      /** False if PostgreSQL does not guarantee that the value of a record never changes. */
      readonly isImmutable: boolean;
    }
  | { readonly error: string };

const NODES_MAX = 200;

/** Compiles a formula; `resolve` finds its fields and paths. */
export function compileFormula(
  expression: string,
  resolve: (name: string) => FormulaField | undefined,
): CompiledFormula {
  try {
    const state: Compilation = { resolve, nodes: 0, isImmutable: true };
    const { sql, kind } = compile(state, parse(expression));
    const { nodes: parts, isImmutable } = state;
    return { sql: kind === "number" ? `(${sql})::numeric` : sql, kind, parts, isImmutable };
  } catch (error) {
    if (error instanceof Refusal || error instanceof ExpressionError)
      return { error: error.message };
    throw error;
  }
}

class Refusal extends Error {}

function refuse(message: string): never {
  throw new Refusal(message);
}

interface Compilation {
  readonly resolve: (name: string) => FormulaField | undefined;
  nodes: number;
  isImmutable: boolean;
}

type Compiled = FormulaArgument;

function compile(state: Compilation, tree: SyntaxTree): Compiled {
  state.nodes += 1;
  if (state.nodes > NODES_MAX) refuse(`must have at most ${NODES_MAX} parts`);
  if (tree.predicate ?? tree.stages ?? tree.group) refuse("must not select or group");
  const compiled = compileKnown(state, tree);
  return compiled ?? refuse(`must not use ${NOUNS[tree.type] ?? `a ${tree.type}`}`);
}

/** Compiles a node of a supported kind; undefined for others. */
function compileKnown(state: Compilation, tree: SyntaxTree): Compiled | undefined {
  if (tree.type === "number" || tree.type === "string" || tree.type === "value") {
    return compileLiteral(tree.value);
  }
  if (tree.type === "path") return compilePath(state, tree);
  if (tree.type === "binary") return compileBinary(state, tree);
  if (tree.type === "condition") return compileCondition(state, tree);
  if (tree.type === "function") return compileCall(state, tree);
  if (tree.type === "unary") {
    if (tree.value !== "-") return refuse("must not create a list or an object");
    return { sql: `(- ${compileAs(state, tree.expression, "number").sql})`, kind: "number" };
  }
  if (tree.type !== "block") return undefined;
  const [only, ...others] = tree.expressions;
  if (!only || others.length > 0) return refuse("must be a single expression");
  return compile(state, only);
}

const NOUNS: Readonly<Record<string, string>> = {
  variable: "variables",
  lambda: "custom functions",
  wildcard: "`*`",
  descendant: "`**`",
  regex: "regular expressions",
  bind: "variables",
};

function compileLiteral(value: string | number | boolean | null): Compiled {
  if (typeof value === "number") {
    return { sql: `${pg.escapeLiteral(String(value))}::float8`, kind: "number", literal: value };
  }
  if (typeof value === "boolean") return { sql: String(value), kind: "boolean", literal: value };
  if (value === null) return refuse("must not use null; an empty field has no value");
  if (!value.isWellFormed() || value.includes("\0")) return refuse("must be well-formed text");
  return { sql: `(${pg.escapeLiteral(value)}::text collate "C")`, kind: "text", literal: value };
}

function compilePath({ resolve }: Compilation, { steps, keepSingletonArray }: PathNode): Compiled {
  const words = steps.map((step) => {
    const isPlain = step.type === "name" && !step.stages && !step.predicate && !step.group;
    return isPlain && !step.focus && !step.index
      ? step.value
      : refuse("must use plain field names");
  });
  const name = words.join(".");
  const field = keepSingletonArray ? undefined : resolve(name);
  if (!field) return refuse(`contains ${name}, which is not a field of this table`);
  const { kind } = field;
  if (kind === "json" || kind === "texts") {
    return refuse(`contains ${name}, which can't be used in formulas`);
  }
  return { sql: kind === "number" ? `(${field.sql})::float8` : field.sql, kind };
}

function compileAs(state: Compilation, tree: SyntaxTree, kind: FormulaKind): Compiled {
  const compiled = compile(state, tree);
  if (compiled.kind === kind) return compiled;
  return refuse(`contains ${KIND_NOUNS[compiled.kind]} instead of ${KIND_NOUNS[kind]}`);
}

const KIND_NOUNS: Readonly<Record<FormulaKind, string>> = {
  text: "a text",
  number: "a number",
  boolean: "true or false",
  time: "a time",
  date: "a day",
};

const ARITHMETIC: Readonly<Record<string, (left: string, right: string) => string>> = {
  "+": (left, right) => `(${left} + ${right})`,
  "-": (left, right) => `(${left} - ${right})`,
  "*": (left, right) => `public.formula_times(${left}, ${right})`,
  "/": (left, right) => `public.formula_over(${left}, ${right})`,
  "%": (left, right) => `mod((${left})::numeric, nullif((${right})::numeric, 0))::float8`,
};
const EQUALITIES: Readonly<Record<string, string>> = { "=": "=", "!=": "<>" };
const ORDERS: ReadonlySet<string> = new Set(["<", "<=", ">", ">="]);

function compileBinary(state: Compilation, { value: operator, lhs, rhs }: Binary): Compiled {
  const arithmetic = ARITHMETIC[operator];
  if (arithmetic) {
    const sides = [lhs, rhs].map((side) => compileAs(state, side, "number").sql);
    return { sql: arithmetic(sides[0] ?? "", sides[1] ?? ""), kind: "number" };
  }
  if (operator === "and" || operator === "or") {
    const sides = [lhs, rhs].map(
      (side) => `coalesce(${compileAs(state, side, "boolean").sql}, false)`,
    );
    return { sql: `(${sides.join(` ${operator} `)})`, kind: "boolean" };
  }
  const [left, right] = [compile(state, lhs), compile(state, rhs)];
  if (operator === "&") {
    const sides = [left, right].map((side) => `coalesce(${toText(state, side)}, '')`);
    return { sql: `(${sides.join(" || ")})`, kind: "text" };
  }
  const equality = EQUALITIES[operator];
  if (equality === undefined && !ORDERS.has(operator))
    return refuse(`must not use \`${operator}\``);
  if (left.kind !== right.kind) {
    return refuse(`compares ${KIND_NOUNS[left.kind]} with ${KIND_NOUNS[right.kind]}`);
  }
  if (equality !== undefined) {
    return { sql: `coalesce(${left.sql} ${equality} ${right.sql}, false)`, kind: "boolean" };
  }
  if (left.kind === "boolean") return refuse("must not compare true and false with < or >");
  return { sql: `(${left.sql} ${operator} ${right.sql})`, kind: "boolean" };
}

function compileCondition(state: Compilation, tree: Condition): Compiled {
  const condition = compileAs(state, tree.condition, "boolean");
  const then = compile(state, tree.then);
  const otherwise = tree.else && compile(state, tree.else);
  if (otherwise && otherwise.kind !== then.kind) {
    return refuse(`gives ${KIND_NOUNS[then.kind]} or ${KIND_NOUNS[otherwise.kind]}`);
  }
  const rest = otherwise ? ` else ${otherwise.sql}` : "";
  return { sql: `(case when ${condition.sql} then ${then.sql}${rest} end)`, kind: then.kind };
}

function compileCall(state: Compilation, { procedure, arguments: args }: CallNode): Compiled {
  const name = procedure.type === "variable" ? procedure.value : "";
  const known = Object.hasOwn(FORMULA_FUNCTIONS, name) ? FORMULA_FUNCTIONS[name] : undefined;
  if (!known) return refuse(`must not call $${name}`);
  const { takes, optional = 0, counts = [], gives, sql } = known;
  if (args.length > takes.length || args.length < takes.length - optional) {
    return refuse(`calls $${name} with the wrong number of arguments (${args.length})`);
  }
  const given = args.map((argument, index) => {
    const kind = takes[index] ?? "any";
    const compiled = kind === "any" ? compile(state, argument) : compileAs(state, argument, kind);
    const { literal } = compiled;
    const isCount = Number.isInteger(literal) && Number(literal) >= 0 && Number(literal) <= 1_000;
    if (counts.includes(index) && !isCount) {
      return refuse(`must call $${name} with a plain number`);
    }
    return compiled;
  });
  const texts = given.map((argument) =>
    name === "string" ? toText(state, argument) : argument.sql,
  );
  return { sql: sql(texts, given), kind: gives };
}

/**
 * The text of a value in API form. All texts of a formula have the same collation; otherwise PostgreSQL cannot
 * compare them.
 */
function toText(state: Compilation, { sql, kind }: Compiled): string {
  if (kind === "date" || kind === "time") state.isImmutable = false;
  switch (kind) {
    case "text":
      return sql;
    case "number":
      return `(trim_scale((${sql})::numeric)::text collate "C")`;
    case "boolean":
      return `((${sql})::text collate "C")`;
    case "date":
      return `(to_char(${sql}, 'YYYY-MM-DD') collate "C")`;
    case "time":
      return `(to_char(${sql} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') collate "C")`;
  }
}
