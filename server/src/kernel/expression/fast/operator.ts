import { evaluationFailure, type ErrorPosition } from "../error-messages.ts";
import {
  type Closure,
  fallBackToPool,
  type FastEvaluation,
  type FastOperand,
  consumeBudget,
  cannotCompile,
} from "./evaluation.ts";
import { textCost, isEqual, isArray, toText, toBoolean } from "./value.ts";

/** The closure of a binary operator. */
export function createOperator(
  sign: string,
  left: FastOperand,
  right: FastOperand,
  at: ErrorPosition,
): FastOperand {
  const make = OPERATORS.get(sign);
  if (!make) throw cannotCompile;
  return { run: make(left.run, right.run, at), weight: 1 + left.weight + right.weight };
}

/** The closure of a unary minus. */
export function createNegation(part: FastOperand, at: ErrorPosition): FastOperand {
  const run: Closure = (input, evaluation) => {
    const value = part.run(input, evaluation);
    if (value === undefined) return undefined;
    if (typeof value !== "number") throw evaluationFailure("D1002", at);
    return -value;
  };
  return { run, weight: 1 + part.weight };
}

type OperatorFactory = (left: Closure, right: Closure, at: ErrorPosition) => Closure;

const OPERATORS: ReadonlyMap<string, OperatorFactory> = new Map<string, OperatorFactory>([
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

function arithmetic(compute: (left: number, right: number) => number): OperatorFactory {
  return (left, right, at) => (input, evaluation) => {
    const a = left(input, evaluation);
    const b = right(input, evaluation);
    if (a !== undefined && typeof a !== "number") throw evaluationFailure("T2001", at);
    if (b !== undefined && typeof b !== "number") throw evaluationFailure("T2002", at);
    if (a === undefined || b === undefined) return undefined;
    const result = compute(a, b);
    // JSONata handles infinite numbers inconsistently.
    if (!Number.isFinite(result)) throw fallBackToPool;
    return result;
  };
}

function comparison(holds: (order: number) => boolean): OperatorFactory {
  return (left, right, at) => (input, evaluation) => {
    const a = left(input, evaluation);
    const b = right(input, evaluation);
    if (typeof a === "number" && typeof b === "number") return holds(a - b);
    if (typeof a === "string" && typeof b === "string") return holds(compareTexts(a, b));
    if (!isComparable(a) || !isComparable(b)) throw evaluationFailure("T2010", at);
    if (a === undefined || b === undefined) return undefined;
    throw evaluationFailure("T2009", at);
  };
}

function isComparable(value: unknown): boolean {
  return value === undefined || typeof value === "number" || typeof value === "string";
}

function compareTexts(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

function equality(holds: (same: boolean) => boolean): OperatorFactory {
  return (left, right) => (input, evaluation) => {
    const a = left(input, evaluation);
    const b = right(input, evaluation);
    if (a === undefined || b === undefined) return false;
    return holds(isEqual(a, b, evaluation));
  };
}

function conjunction(left: Closure, right: Closure): Closure {
  return (input, evaluation) =>
    toBoolean(left(input, evaluation), evaluation) &&
    toBoolean(right(input, evaluation), evaluation);
}

function disjunction(left: Closure, right: Closure): Closure {
  return (input, evaluation) =>
    toBoolean(left(input, evaluation), evaluation) ||
    toBoolean(right(input, evaluation), evaluation);
}

function concatenation(left: Closure, right: Closure): Closure {
  return (input, evaluation) => {
    const a = left(input, evaluation);
    const b = right(input, evaluation);
    const text = `${textOrEmpty(a, evaluation)}${textOrEmpty(b, evaluation)}`;
    consumeBudget(evaluation, textCost(text));
    return text;
  };
}

function textOrEmpty(value: unknown, evaluation: FastEvaluation): string {
  return value === undefined ? "" : toText(value, evaluation);
}

function membership(left: Closure, right: Closure): Closure {
  return (input, evaluation) => {
    const value = left(input, evaluation);
    const members = right(input, evaluation);
    if (value === undefined || members === undefined) return false;
    if (!isArray(members)) return members === value;
    consumeBudget(evaluation, members.length);
    // By identity, like JSONata: two equal objects are different members.
    return members.includes(value);
  };
}
