/**
 * Compiles the most common expressions to closures: paths, comparisons, arithmetic, texts, objects.
 *
 * They return exactly the result of JSONata, synchronously: `trigger.input.amount > 100` takes a fraction of a
 * microsecond instead of a request to another process. Expressions outside the subset have no closure. Unusual
 * values or long evaluations fall back to the pool at run time.
 */
import { isFunctionName } from "../function-names.ts";
import type {
  Apply,
  Block,
  CallNode,
  Condition,
  NamedNode,
  PathNode,
  SyntaxTree,
} from "../syntax-tree.ts";
import type { ErrorPosition } from "../error-messages.ts";
import { createArray, createObject } from "./construct.ts";
import { nativeFunction } from "./functions.ts";
import {
  type Closure,
  fallBackToPool,
  type FastEvaluation,
  type FastOperand,
  UNITS_MAX,
  cannotCompile,
} from "./evaluation.ts";
import { createNegation, createOperator } from "./operator.ts";
import { applyFilters, compileFilters, createNameStep, createPath, type PathStep } from "./path.ts";
import { toBoolean } from "./value.ts";

/** Evaluates against a scope, or returns `FELL_BACK`. */
export type FastExpression = (scope: unknown, nowMs: number) => unknown;

/** The result if the pool must evaluate the expression. */
export const FELL_BACK = Symbol("fell back");

/** The closure of a whole expression. Undefined if it is outside the subset. */
export function compileFast(tree: SyntaxTree): FastExpression | undefined {
  const operand = compileTree(tree);
  if (!operand) return undefined;
  const { run } = operand;
  return (scope, nowMs) => {
    const evaluation: FastEvaluation = { root: scope, nowMs, units: UNITS_MAX, variables: [] };
    try {
      return run(scope, evaluation);
    } catch (error) {
      // The pool rejects long texts and deeply nested values.
      if (error === fallBackToPool || error instanceof RangeError) return FELL_BACK;
      throw error;
    }
  };
}

function compileTree(tree: SyntaxTree): FastOperand | undefined {
  try {
    return compile(tree, new VariableScope());
  } catch (error) {
    if (error === cannotCompile) return undefined;
    throw error;
  }
}

/** The variables bound at a position in the text, each in a separate slot. */
class VariableScope {
  readonly #slots: ReadonlyMap<string, number>;
  readonly #count: { slots: number };

  constructor(slots: ReadonlyMap<string, number> = new Map(), count = { slots: 0 }) {
    this.#slots = slots;
    this.#count = count;
  }

  slotOf(name: string): number | undefined {
    return this.#slots.get(name);
  }

  with(name: string): { readonly names: VariableScope; readonly slot: number } {
    const slot = this.#count.slots;
    this.#count.slots += 1;
    return { names: new VariableScope(new Map([...this.#slots, [name, slot]]), this.#count), slot };
  }
}

function compile(tree: SyntaxTree, names: VariableScope): FastOperand {
  rejectAnnotations(tree);
  if (tree.keepArray && tree.type !== "path") throw cannotCompile;
  const filters = compileFilters(tree.predicate, (expr) => compile(expr, names));
  return applyFilters(compileUnapplyFilters(tree, names), filters, false);
}

/** A node without its filters. */
function compileUnapplyFilters(tree: SyntaxTree, names: VariableScope): FastOperand {
  const part = (of: SyntaxTree): FastOperand => compile(of, names);
  switch (tree.type) {
    case "string":
    case "number":
    case "value": {
      const { value } = tree;
      return { run: () => value, weight: 1 };
    }
    case "variable":
      return compileVariable(tree, names);
    case "binary":
      return createOperator(
        tree.value,
        part(tree.lhs),
        part(tree.rhs),
        errorPosition(tree, tree.value),
      );
    case "unary":
      if (tree.value === "-")
        return createNegation(part(tree.expression), errorPosition(tree, "-"));
      if (tree.value === "{") {
        const members = tree.lhs.map(([key, value]) => ({ key: part(key), value: part(value) }));
        return createObject(members, errorPosition(tree, "{"));
      }
      return createArray(
        tree.expressions.map((item) => ({ part: part(item), stays: isArray(item) })),
      );
    case "condition":
      return compileCondition(tree, part);
    case "block":
      return compileBlock(tree, names);
    case "function":
      return compileCall(tree, tree.arguments.map(part), names);
    case "apply":
      return compileApply(tree, names);
    case "path":
      return compilePath(tree, names);
    case "name":
    case "bind":
    case "partial":
    case "lambda":
    case "sort":
    case "transform":
    case "wildcard":
    case "descendant":
    case "parent":
    case "regex":
    case "operator":
      throw cannotCompile;
  }
}

/** JSONata evaluates groups, position bindings and arrays that do not flatten. */
function rejectAnnotations({ group, tuple, focus, index, ancestor, consarray }: SyntaxTree): void {
  if (group || tuple || focus || index || ancestor || consarray) throw cannotCompile;
}

function errorPosition(tree: SyntaxTree, token: string): ErrorPosition {
  return { position: tree.position, token };
}

function isArray(tree: SyntaxTree): boolean {
  return tree.type === "unary" && tree.value === "[";
}

function compilePath(tree: PathNode, names: VariableScope): FastOperand {
  const steps = tree.steps.map((step): PathStep => {
    rejectAnnotations(step);
    const filters = compileFilters(step.stages, (expr) => compile(expr, names));
    const isName = step.type === "name";
    const part = isName
      ? createNameStep(step.value, step.keepArray === true)
      : compile(step, names);
    return {
      ...applyFilters(part, filters, true),
      isVariable: step.type === "variable",
      ...(isName && filters.length === 0 && { name: step.value }),
    };
  });
  return createPath(steps, tree.keepSingletonArray === true);
}

function compileVariable({ value: name }: NamedNode, names: VariableScope): FastOperand {
  const slot = names.slotOf(name);
  if (slot !== undefined) return { run: (_, evaluation) => evaluation.variables[slot], weight: 1 };
  if (name === "") return { run: (input) => input, weight: 1 };
  if (name === "$") return { run: (_, evaluation) => evaluation.root, weight: 1 };
  if (isFunctionName(name)) throw cannotCompile;
  return { run: () => undefined, weight: 1 };
}

function compileCondition(tree: Condition, part: (of: SyntaxTree) => FastOperand): FastOperand {
  const test = part(tree.condition);
  const yes = part(tree.then);
  const no = tree.else && part(tree.else);
  const run: Closure = (input, evaluation) =>
    toBoolean(test.run(input, evaluation), evaluation)
      ? yes.run(input, evaluation)
      : no?.run(input, evaluation);
  return { run, weight: 1 + test.weight + yes.weight + (no?.weight ?? 0) };
}

/** A sequence of statements. Their bindings are visible to later statements and not outside. */
function compileBlock({ expressions }: Block, outer: VariableScope): FastOperand {
  let names = outer;
  const statements = expressions.map((statement): FastOperand => {
    if (statement.type !== "bind") return compile(statement, names);
    const { value: name } = statement.lhs;
    if (name === "" || name === "$" || statement.predicate || statement.keepArray) {
      throw cannotCompile;
    }
    const { run, weight } = compile(statement.rhs, names);
    const bound = names.with(name);
    names = bound.names;
    const assign: Closure = (input, evaluation) => {
      const value = run(input, evaluation);
      evaluation.variables[bound.slot] = value;
      return value;
    };
    return { run: assign, weight: weight + 1 };
  });
  const run: Closure = (input, evaluation) => {
    let result: unknown;
    for (const statement of statements) result = statement.run(input, evaluation);
    return result;
  };
  return { run, weight: statements.reduce((sum, { weight }) => sum + weight, 1) };
}

/** `value ~> $function(more)`. */
function compileApply({ lhs, rhs }: Apply, names: VariableScope): FastOperand {
  const part = (of: SyntaxTree): FastOperand => compile(of, names);
  if (rhs.keepArray || rhs.predicate || rhs.group) throw cannotCompile;
  if (rhs.type === "function") return compileCall(rhs, [lhs, ...rhs.arguments].map(part), names);
  throw cannotCompile;
}

function compileCall(
  { procedure, position }: CallNode,
  args: readonly FastOperand[],
  names: VariableScope,
): FastOperand {
  if (procedure.type !== "variable" || procedure.predicate) throw cannotCompile;
  const { value: name } = procedure;
  const native = names.slotOf(name) === undefined ? nativeFunction(name) : undefined;
  if (!native?.counts.includes(args.length)) throw cannotCompile;
  const at: ErrorPosition = { position, token: `$${name}` };
  const takesContext = native.takesContext === true && args.length === 0;
  const run: Closure = (input, evaluation) => {
    const values = takesContext ? [input] : args.map((arg) => arg.run(input, evaluation));
    return native.call(values, evaluation, at);
  };
  return { run, weight: args.reduce((sum, { weight }) => sum + weight, 2) };
}
