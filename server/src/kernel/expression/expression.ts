/**
 * Expressions are JSONata over a scope of JSON values. See https://docs.jsonata.org for the language;
 * `$eval` is not available, and `$now()` and `$millis()` give the time that the evaluation was given.
 */
import { ExpressionError } from "./expression-failure.ts";
import { FELL_BACK } from "./fast/compile.ts";
import { isObject } from "./fast/value.ts";
import type { ExpressionIssue } from "./function-names.ts";
import type { ExpressionPool, EvaluationOutcome } from "./pool/pool.ts";
import { analyzeExpression, type ExpressionAnalysis } from "./analyze.ts";
import { ANY_NAME, joinReferences, type References } from "./references.ts";

/** What an evaluation needs beside its scope. */
export interface Evaluation {
  readonly pool: ExpressionPool;
  /** Whose evaluation it is: keys share the pool fairly, so it is the workspace's. */
  readonly key: string;
  /** What `$now()` and `$millis()` say. */
  readonly nowMs: number;
  /** Values for `$name` variables. */
  readonly bindings?: Readonly<Record<string, unknown>>;
  readonly signal?: AbortSignal;
}

/** A compiled expression. */
export interface Expression {
  readonly text: string;
  readonly references: References;
  /**
   * The result, or a promise of it when the pool has to do it. Throws or rejects with an
   * `ExpressionFailure`. A result may share parts with the scope: take both for read-only.
   */
  evaluate(scope: unknown, evaluation: Evaluation): unknown;
}

/** What is wrong with an expression, and what it reads of its scope. */
export function checkExpression(text: string): {
  readonly faults: readonly ExpressionIssue[];
  readonly references: References;
} {
  const { faults, references } = analyzeExpression(text);
  return { faults, references };
}

/** Compiles an expression, at no cost when its text was compiled not long ago. */
export function compileExpression(text: string): Expression {
  const reading = sound(text);
  return {
    text,
    references: reading.references,
    evaluate: (scope, evaluation) => {
      const value = evaluateHere(reading, scope, evaluation);
      if (value !== FELL_BACK) return value;
      return evaluateInPool([reading], scope, evaluation).then(([outcome]) => valueOf(outcome));
    },
  };
}

/** The reading of a text that is an expression; throws the first fault otherwise. */
export function sound(text: string): ExpressionAnalysis {
  const reading = analyzeExpression(text);
  const [fault] = reading.faults;
  if (!fault) return reading;
  throw new ExpressionError("syntax", fault.message, { position: fault.position });
}

/** The result, when it can be had at once. */
export function evaluateHere(
  { fast }: ExpressionAnalysis,
  scope: unknown,
  { nowMs, bindings }: Evaluation,
): unknown {
  // JSONata treats an array at the root as one value, and bindings may hide functions.
  if (!fast || bindings || Array.isArray(scope)) return FELL_BACK;
  const value = fast(scope, nowMs);
  // JSON knows no negative zero.
  return value === 0 ? 0 : value;
}

/** The outcomes of several expressions over one scope, in one trip to the pool. */
export async function evaluateInPool(
  readings: readonly ExpressionAnalysis[],
  scope: unknown,
  { pool, key, nowMs, bindings, signal }: Evaluation,
): Promise<readonly EvaluationOutcome[]> {
  const references = joinReferences(readings.map((reading) => reading.references));
  return pool.evaluate({
    key,
    nowMs,
    expressions: readings.map(({ text, writes }) => ({ text, writes })),
    input: jsonOf(narrowed(scope, references)),
    ...(bindings && { bindings: jsonOf(bindings) }),
    ...(signal && { signal }),
  });
}

/** The value of an outcome; throws its failure. */
export function valueOf(outcome: EvaluationOutcome | undefined): unknown {
  if (outcome?.failure) throw outcome.failure;
  return outcome?.value;
}

function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (error) {
    // It overflows the stack.
    if (!(error instanceof RangeError)) throw error;
    throw new ExpressionError("too_large", "What the expression reads nests too deeply.");
  }
}

/** The part of a scope that is read, since all else would travel for nothing. */
function narrowed(scope: unknown, { roots, steps, secrets }: References): unknown {
  if (!isObject(scope) || roots.includes(ANY_NAME)) return scope;
  const parts = pick(scope, roots);
  for (const [name, names] of [["steps", steps] as const, ["secrets", secrets] as const]) {
    const part = parts[name];
    if (isObject(part) && !names.includes(ANY_NAME)) parts[name] = pick(part, names);
  }
  return parts;
}

function pick(
  from: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Record<string, unknown> {
  const present = names.filter((name) => Object.hasOwn(from, name));
  return Object.fromEntries(present.map((name) => [name, from[name]]));
}
