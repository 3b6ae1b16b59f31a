/**
 * Closures for the expressions that most people write: paths, comparisons, arithmetic, texts, objects.
 *
 * They give exactly what JSONata gives, at once and without a promise: `trigger.input.amount > 100` takes
 * a fraction of a microsecond instead of a trip to another process. What is outside of the subset has no
 * closure, and what turns out to be odd or long while it runs is handed over: then the pool does it all.
 */
import { evaluationFailure, type Place } from "../wording.ts";
import { isFunctionName } from "../names.ts";
import type { Apply, Block, Call, Condition, Named, Pair, Path, Tree } from "../tree.ts";
import { type NativeFunction, nativeFunction } from "./functions.ts";
import { type Closure, handOver, type Machine, type Part, UNITS_MAX, unsupported } from "./machine.ts";
import { negation, operator } from "./operator.ts";
import { filtered, filtersOf, nameStep, path, type Step } from "./path.ts";
import { isArray } from "./value.ts";

/** Evaluates against a scope, or returns `HANDED_OVER`. */
export type FastExpression = (scope: unknown, nowMs: number) => unknown;

export const HANDED_OVER = Symbol("handed over");

/** The closure of a whole expression; nothing when it is not one of the subset. */
export function compileFast(tree: Tree): FastExpression | undefined {
  const part = partOf(tree);
  if (!part) return undefined;
  const { run } = part;
  return (scope, nowMs) => {
    const machine: Machine = { root: scope, nowMs, units: UNITS_MAX, variables: [] };
    try {
      return run(scope, machine);
    } catch (error) {
      // A text or a stack that is too long is the pool's to say.
      if (error === handOver || error instanceof RangeError) return HANDED_OVER;
      throw error;
    }
  };
}

function partOf(tree: Tree): Part | undefined {
  try {
    return compile(tree, new Map());
  } catch (error) {
    if (error === unsupported) return undefined;
    throw error;
  }
}

/** The variables that are bound at a place in the text, each in a slot of its own. */
type Names = ReadonlyMap<string, number>;

function compile(tree: Tree, names: Names): Part {
  refuseMarks(tree);
  if (tree.type === "path") return pathOf(tree, names);
  if (tree.keepArray) throw unsupported;
  const filters = filtersOf(tree.predicate, (expr) => compile(expr, names));
  return filtered(bare(tree, names), filters, false);
}

function bare(tree: Tree, names: Names): Part {
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
      return operator(tree.value, compile(tree.lhs, names), compile(tree.rhs, names), placeOf(tree));
    case "unary":
      if (tree.value === "-") return negation(compile(tree.expression, names), placeOf(tree));
      if (tree.value === "[") return arrayOf(tree.expressions, names);
      return objectOf(tree.lhs, names, placeOf(tree));
    case "condition":
      return condition(tree, names);
    case "block":
      return block(tree, names);
    case "function":
      return call(tree, [], names);
    case "apply":
      return application(tree, names);
    default:
      throw unsupported;
  }
}

/** Groups, bindings of places and arrays that do not dissolve are left to JSONata. */
function refuseMarks(tree: Tree): void {
  const { group, tuple, focus, index, ancestor, consarray } = tree;
  if (group || tuple || focus || index || ancestor || consarray) throw unsupported;
}

function pathOf(tree: Path, names: Names): Part {
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

function variable({ value: name }: Named, names: Names): Part {
  const slot = names.get(name);
  if (slot !== undefined) return { run: (_, machine) => machine.variables[slot], weight: 1 };
  if (name === "") return { run: (input) => input, weight: 1 };
  if (name === "$") return { run: (_, machine) => machine.root, weight: 1 };
  if (isFunctionName(name)) throw unsupported;
  return { run: () => undefined, weight: 1 };
}

function arrayOf(items: readonly Tree[], names: Names): Part {
  const parts = items.map((item) => compile(item, names));
  // An array written within an array stays one; any other dissolves.
  const written = items.map((item) => item.type === "unary" && item.value === "[");
  const run: Closure = (input, machine) => {
    const members: unknown[] = [];
    for (const [index, part] of parts.entries()) {
      const value = part.run(input, machine);
      if (value === undefined) continue;
      if (written[index] || !isArray(value)) members.push(value);
      else members.push(...spent(value, machine));
    }
    return members;
  };
  return { run, weight: 1 + weightOf(parts) };
}

function spent(members: readonly unknown[], machine: Machine): readonly unknown[] {
  machine.units -= members.length;
  if (machine.units < 0) throw handOver;
  return members;
}

function objectOf(pairs: readonly Pair[], names: Names, place: Place): Part {
  const keys = pairs.map(([key]) => compile(key, names));
  const values = pairs.map(([, value]) => compile(value, names));
  const run: Closure = (input, machine) => {
    // JSONata groups the members of an array by their keys.
    if (isArray(input)) throw handOver;
    const taken = new Map<string, Part>();
    for (const [index, part] of keys.entries()) {
      const key = part.run(input, machine);
      const value = values[index];
      if (key === undefined || !value) continue;
      if (typeof key !== "string") throw evaluationFailure("T1003", place);
      if (key === "__proto__" || key.startsWith("_jsonata_")) throw handOver;
      if (taken.has(key)) throw evaluationFailure("D1009", place);
      taken.set(key, value);
    }
    const made: Record<string, unknown> = {};
    for (const [key, part] of taken) {
      const value = part.run(input, machine);
      if (value !== undefined) made[key] = value;
    }
    return made;
  };
  return { run, weight: 1 + weightOf(keys) + weightOf(values) };
}

function condition(tree: Condition, names: Names): Part {
  const asked = compile(tree.condition, names);
  const yes = compile(tree.then, names);
  const no = tree.else ? compile(tree.else, names) : undefined;
  const run: Closure = (input, machine) =>
    truthOf(asked, input, machine) ? yes.run(input, machine) : no?.run(input, machine);
  return { run, weight: 1 + asked.weight + yes.weight + (no?.weight ?? 0) };
}
