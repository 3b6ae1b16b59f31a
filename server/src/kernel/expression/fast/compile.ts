/**
 * Closures for the expressions that most people write: paths, comparisons, arithmetic, texts, objects.
 *
 * They give exactly what JSONata gives, at once and without a promise: `trigger.input.amount > 100` takes
 * a fraction of a microsecond instead of a trip to another process. What is outside of the subset has no
 * closure, and what turns out to be odd or long while it runs is handed over: then the pool does it all.
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
import { arrayOf, objectOf } from "./construct.ts";
import { nativeFunction } from "./functions.ts";
import {
  type Closure,
  fallBackToPool,
  type FastEvaluation,
  type FastOperand,
  UNITS_MAX,
  cannotCompile,
} from "./evaluation.ts";
import { negation, operator } from "./operator.ts";
import { filtered, filtersOf, nameStep, path, type Step } from "./path.ts";
import { toBoolean } from "./value.ts";

/** Evaluates against a scope, or returns `HANDED_OVER`. */
export type FastExpression = (scope: unknown, nowMs: number) => unknown;

/** Says that the pool has to do it. */
export const FELL_BACK = Symbol("handed over");

/** The closure of a whole expression; nothing when it is not one of the subset. */
export function compileFast(tree: SyntaxTree): FastExpression | undefined {
  const part = partOf(tree);
  if (!part) return undefined;
  const { run } = part;
  return (scope, nowMs) => {
    const machine: FastEvaluation = { root: scope, nowMs, units: UNITS_MAX, variables: [] };
    try {
      return run(scope, machine);
    } catch (error) {
      // A text that is too long or a value that nests too deeply is the pool's to refuse.
      if (error === fallBackToPool || error instanceof RangeError) return FELL_BACK;
      throw error;
    }
  };
}

function partOf(tree: SyntaxTree): FastOperand | undefined {
  try {
    return compile(tree, new Names());
  } catch (error) {
    if (error === cannotCompile) return undefined;
    throw error;
  }
}

/** The variables that are bound at a place in the text, each time in a slot of its own. */
class Names {
  readonly #slots: ReadonlyMap<string, number>;
  readonly #count: { slots: number };

  constructor(slots: ReadonlyMap<string, number> = new Map(), count = { slots: 0 }) {
    this.#slots = slots;
    this.#count = count;
  }

  slotOf(name: string): number | undefined {
    return this.#slots.get(name);
  }

  with(name: string): { readonly names: Names; readonly slot: number } {
    const slot = this.#count.slots;
    this.#count.slots += 1;
    return { names: new Names(new Map([...this.#slots, [name, slot]]), this.#count), slot };
  }
}

function compile(tree: SyntaxTree, names: Names): FastOperand {
  refuseMarks(tree);
  if (tree.keepArray && tree.type !== "path") throw cannotCompile;
  const filters = filtersOf(tree.predicate, (expr) => compile(expr, names));
  return filtered(bare(tree, names), filters, false);
}

/** What a node is without its filters. */
function bare(tree: SyntaxTree, names: Names): FastOperand {
  const part = (of: SyntaxTree): FastOperand => compile(of, names);
  switch (tree.type) {
    case "string":
    case "number":
    case "value": {
      const { value } = tree;
      return { run: () => value, weight: 1 };
    }
    case "variable":
      return variable(tree, names);
    case "binary":
      return operator(tree.value, part(tree.lhs), part(tree.rhs), placeOf(tree, tree.value));
    case "unary":
      if (tree.value === "-") return negation(part(tree.expression), placeOf(tree, "-"));
      if (tree.value === "{") {
        const members = tree.lhs.map(([key, value]) => ({ key: part(key), value: part(value) }));
        return objectOf(members, placeOf(tree, "{"));
      }
      return arrayOf(tree.expressions.map((item) => ({ part: part(item), stays: isArray(item) })));
    case "condition":
      return condition(tree, part);
    case "block":
      return block(tree, names);
    case "function":
      return call(tree, tree.arguments.map(part), names);
    case "apply":
      return application(tree, names);
    case "path":
      return pathOf(tree, names);
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

/** Groups, bindings of places and arrays that do not dissolve are left to JSONata. */
function refuseMarks({ group, tuple, focus, index, ancestor, consarray }: SyntaxTree): void {
  if (group || tuple || focus || index || ancestor || consarray) throw cannotCompile;
}

function placeOf(tree: SyntaxTree, token: string): ErrorPosition {
  return { position: tree.position, token };
}

function isArray(tree: SyntaxTree): boolean {
  return tree.type === "unary" && tree.value === "[";
}

function pathOf(tree: PathNode, names: Names): FastOperand {
  const steps = tree.steps.map((step): Step => {
    refuseMarks(step);
    const filters = filtersOf(step.stages, (expr) => compile(expr, names));
    const isName = step.type === "name";
    const part = isName ? nameStep(step.value, step.keepArray === true) : compile(step, names);
    return {
      ...filtered(part, filters, true),
      isVariable: step.type === "variable",
      ...(isName && filters.length === 0 && { name: step.value }),
    };
  });
  return path(steps, tree.keepSingletonArray === true);
}

function variable({ value: name }: NamedNode, names: Names): FastOperand {
  const slot = names.slotOf(name);
  if (slot !== undefined) return { run: (_, machine) => machine.variables[slot], weight: 1 };
  if (name === "") return { run: (input) => input, weight: 1 };
  if (name === "$") return { run: (_, machine) => machine.root, weight: 1 };
  if (isFunctionName(name)) throw cannotCompile;
  return { run: () => undefined, weight: 1 };
}

function condition(tree: Condition, part: (of: SyntaxTree) => FastOperand): FastOperand {
  const asked = part(tree.condition);
  const yes = part(tree.then);
  const no = tree.else && part(tree.else);
  const run: Closure = (input, machine) =>
    toBoolean(asked.run(input, machine), machine)
      ? yes.run(input, machine)
      : no?.run(input, machine);
  return { run, weight: 1 + asked.weight + yes.weight + (no?.weight ?? 0) };
}

/** Statements one after another. What they bind is seen by those after them, and not outside. */
function block({ expressions }: Block, outer: Names): FastOperand {
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
    const assign: Closure = (input, machine) => {
      const value = run(input, machine);
      machine.variables[bound.slot] = value;
      return value;
    };
    return { run: assign, weight: weight + 1 };
  });
  const run: Closure = (input, machine) => {
    let result: unknown;
    for (const statement of statements) result = statement.run(input, machine);
    return result;
  };
  return { run, weight: statements.reduce((sum, { weight }) => sum + weight, 1) };
}

/** `value ~> $function(more)`. */
function application({ lhs, rhs }: Apply, names: Names): FastOperand {
  const part = (of: SyntaxTree): FastOperand => compile(of, names);
  if (rhs.keepArray || rhs.predicate || rhs.group) throw cannotCompile;
  if (rhs.type === "function") return call(rhs, [lhs, ...rhs.arguments].map(part), names);
  throw cannotCompile;
}

function call(
  { procedure, position }: CallNode,
  args: readonly FastOperand[],
  names: Names,
): FastOperand {
  if (procedure.type !== "variable" || procedure.predicate) throw cannotCompile;
  const { value: name } = procedure;
  const native = names.slotOf(name) === undefined ? nativeFunction(name) : undefined;
  if (!native?.counts.includes(args.length)) throw cannotCompile;
  const place: ErrorPosition = { position, token: `$${name}` };
  const takesContext = native.takesContext === true && args.length === 0;
  const run: Closure = (input, machine) => {
    const values = takesContext ? [input] : args.map((arg) => arg.run(input, machine));
    return native.call(values, machine, place);
  };
  return { run, weight: args.reduce((sum, { weight }) => sum + weight, 2) };
}
