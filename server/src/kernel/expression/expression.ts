/**
 * Expressions are JSONata over a scope of JSON values. See https://docs.jsonata.org for the language;
 * `$eval` is not available, and `$now()` and `$millis()` return the time of the evaluation's context.
 */
import { ExpressionError, type ExpressionPlace } from "./expression-failure.ts";
import { FELL_BACK } from "./fast/compile.ts";
import { isObject } from "./fast/value.ts";
import type { ExpressionPool, EvaluationOutcome } from "./pool/pool.ts";
import { analyzeExpression, type ExpressionAnalysis } from "./analyze.ts";
import { ANY_NAME, joinReferences, type References } from "./references.ts";

/** The context of an evaluation, beside its scope. */
export interface EvaluationContext {
  readonly pool: ExpressionPool;
  /** The workspace: keys share the pool fairly. */
  readonly key: string;
  /** The result of `$now()` and `$millis()`. */
  readonly nowMs: number;
  /** Values for `$name` variables. */
  readonly bindings?: Readonly<Record<string, unknown>>;
  readonly signal?: AbortSignal;
  /** Told of each expression of a template that has no value. */
  readonly onMissing?: (place: ExpressionPlace) => void;
}

/** A compiled expression. */
export interface Expression {
  readonly text: string;
  readonly references: References;
  /**
   * The result, or a promise of it when the pool has to do it. Throws or rejects with an
   * `ExpressionFailure`. A result may share parts with the scope: take both for read-only.
   */
  evaluate(scope: unknown, context: EvaluationContext): unknown;
}

/** The issues of an expression, its references into the scope, and the names that it reads. */
export function checkExpression(
  text: string,
): Pick<ExpressionAnalysis, "issues" | "references" | "paths" | "variables"> {
  const { issues, references, paths, variables } = analyzeExpression(text);
  return { issues, references, paths, variables };
}

/** Compiles an expression, at no cost when its text was compiled not long ago. */
export function compileExpression(text: string): Expression {
  const analysis = analyzeOrThrow(text);
  return {
    text,
    references: analysis.references,
    evaluate: (scope, context) => {
      const value = evaluateInProcess(analysis, scope, context);
      if (value !== FELL_BACK) return value;
      return evaluateInPool([analysis], scope, context).then(([outcome]) => unwrapOutcome(outcome));
    },
  };
}

/** The analysis of a valid expression; throws its first issue otherwise. */
export function analyzeOrThrow(text: string): ExpressionAnalysis {
  const analysis = analyzeExpression(text);
  const [issue] = analysis.issues;
  if (!issue) return analysis;
  throw new ExpressionError("syntax", issue.message, { position: issue.position });
}

/** Evaluates on the main thread, where the expression is one of the fast subset. */
export function evaluateInProcess(
  { fast }: ExpressionAnalysis,
  scope: unknown,
  { nowMs, bindings }: EvaluationContext,
): unknown {
  // JSONata treats an array at the root as one value, and bindings may hide functions.
  if (!fast || bindings || Array.isArray(scope)) return FELL_BACK;
  const value = fast(scope, nowMs);
  // JSON knows no negative zero.
  return value === 0 ? 0 : value;
}

/** Evaluates several expressions over one scope, in one request to the pool. */
export async function evaluateInPool(
  analyses: readonly ExpressionAnalysis[],
  scope: unknown,
  { pool, key, nowMs, bindings, signal }: EvaluationContext,
): Promise<readonly EvaluationOutcome[]> {
  const references = joinReferences(analyses.map((analysis) => analysis.references));
  return pool.evaluate({
    key,
    nowMs,
    expressions: analyses.map(({ text, writes }) => ({ text, writes })),
    input: toJson(narrowScope(scope, references)),
    ...(bindings && { bindings: toJson(bindings) }),
    ...(signal && { signal }),
  });
}

/** The value of an outcome; throws its failure. */
export function unwrapOutcome(outcome: EvaluationOutcome | undefined): unknown {
  if (outcome?.failure) throw outcome.failure;
  return outcome?.value;
}

function toJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (error) {
    // The stack overflowed.
    if (!(error instanceof RangeError)) throw error;
    throw new ExpressionError("too_large", "What the expression reads nests too deeply.");
  }
}

/**
 * The part of a scope that is read: the rest need not travel to the pool. What is hidden in a scope,
 * since it is not enumerable, is read by name alone.
 */
function narrowScope(scope: unknown, { roots, ...named }: References): unknown {
  if (!isObject(scope)) return scope;
  if (roots.includes(ANY_NAME)) {
    const { secrets } = named;
    const isHidden = secrets.length > 0 && !Object.keys(scope).includes("secrets");
    return isHidden && isObject(scope["secrets"])
      ? { ...scope, secrets: pick(scope["secrets"], secrets) }
      : scope;
  }
  const parts = pick(scope, roots);
  for (const [name, names] of Object.entries(named)) {
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
