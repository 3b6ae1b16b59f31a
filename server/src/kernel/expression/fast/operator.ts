import { evaluationFailure, type ErrorPosition } from "../error-messages.ts";
import {
  type Closure,
  fallBackToPool,
  type FastEvaluation,
  type FastOperand,
  consumeBudget,
  cannotCompile,
} from "./evaluation.ts";
import { chargeBudget, equal, isArray, textOf, toBoolean } from "./value.ts";

/** The closure of a binary operator. */
export function operator(
  sign: string,
  left: FastOperand,
  right: FastOperand,
  place: ErrorPosition,
): FastOperand {
  const make = OPERATORS.get(sign);
  if (!make) throw cannotCompile;
  return { run: make(left.run, right.run, place), weight: 1 + left.weight + right.weight };
}

/** The closure of a minus before something. */
export function negation(part: FastOperand, place: ErrorPosition): FastOperand {
  const run: Closure = (input, machine) => {
    const value = part.run(input, machine);
    if (value === undefined) return undefined;
    if (typeof value !== "number") throw evaluationFailure("D1002", place);
    return -value;
  };
  return { run, weight: 1 + part.weight };
}

type Maker = (left: Closure, right: Closure, place: ErrorPosition) => Closure;

const OPERATORS: ReadonlyMap<string, Maker> = new Map<string, Maker>([
  ["+", arithmetic((left, right) => left + right)],
  ["-", arithmetic((left, right) => left - right)],
  ["*", arithmetic((left, right) => left * right)],
  ["/", arithmetic((left, right) => left / right)],
  ["%", arithmetic((left, right) => left % right)],
  ["<", comparison((order) => order < 0)],
  ["<=", comparison((order) => order <= 0)],
  [">", comparison((order) => order > 0)],
  [">=", comparison((order) => order >= 0)],
  ["=", equality((same) => same)],
  ["!=", equality((same) => !same)],
  ["and", conjunction],
  ["or", disjunction],
  ["&", concatenation],
  ["in", membership],
]);

function arithmetic(compute: (left: number, right: number) => number): Maker {
  return (left, right, place) => (input, machine) => {
    const a = left(input, machine);
    const b = right(input, machine);
    if (a !== undefined && typeof a !== "number") throw evaluationFailure("T2001", place);
    if (b !== undefined && typeof b !== "number") throw evaluationFailure("T2002", place);
    if (a === undefined || b === undefined) return undefined;
    const result = compute(a, b);
    // JSONata treats what is beyond all numbers differently from place to place.
    if (!Number.isFinite(result)) throw fallBackToPool;
    return result;
  };
}

function comparison(holds: (order: number) => boolean): Maker {
  return (left, right, place) => (input, machine) => {
    const a = left(input, machine);
    const b = right(input, machine);
    if (typeof a === "number" && typeof b === "number") return holds(a - b);
    if (typeof a === "string" && typeof b === "string") return holds(orderOf(a, b));
    if (!isComparable(a) || !isComparable(b)) throw evaluationFailure("T2010", place);
    if (a === undefined || b === undefined) return undefined;
    throw evaluationFailure("T2009", place);
  };
}

function isComparable(value: unknown): boolean {
  return value === undefined || typeof value === "number" || typeof value === "string";
}

function orderOf(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

function equality(holds: (same: boolean) => boolean): Maker {
  return (left, right) => (input, machine) => {
    const a = left(input, machine);
    const b = right(input, machine);
    if (a === undefined || b === undefined) return false;
    return holds(equal(a, b, machine));
  };
}

function conjunction(left: Closure, right: Closure): Closure {
  return (input, machine) =>
    toBoolean(left(input, machine), machine) && toBoolean(right(input, machine), machine);
}

function disjunction(left: Closure, right: Closure): Closure {
  return (input, machine) =>
    toBoolean(left(input, machine), machine) || toBoolean(right(input, machine), machine);
}

function concatenation(left: Closure, right: Closure): Closure {
  return (input, machine) => {
    const a = left(input, machine);
    const b = right(input, machine);
    const text = `${orEmpty(a, machine)}${orEmpty(b, machine)}`;
    consumeBudget(machine, chargeBudget(text));
    return text;
  };
}

function orEmpty(value: unknown, machine: FastEvaluation): string {
  return value === undefined ? "" : textOf(value, machine);
}

function membership(left: Closure, right: Closure): Closure {
  return (input, machine) => {
    const value = left(input, machine);
    const members = right(input, machine);
    if (value === undefined || members === undefined) return false;
    if (!isArray(members)) return members === value;
    consumeBudget(machine, members.length);
    // By identity, as JSONata does: two objects that look alike are not the same.
    return members.includes(value);
  };
}
