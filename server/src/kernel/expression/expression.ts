/**
 * Expressions are JSONata over a scope of JSON values, see https://docs.jsonata.org. `$eval` is not available.
 * `$now()` and `$millis()` return the time of the evaluation context.
 */
import { ExpressionError, type ExpressionPlace } from "./expression-failure.ts";
import { FELL_BACK } from "./fast/compile.ts";
import { isObject } from "./fast/value.ts";
import type { ExpressionPool, EvaluationOutcome } from "./pool/pool.ts";
import { analyzeExpression, type ExpressionAnalysis } from "./analyze.ts";
import { ANY_NAME, joinReferences, type References } from "./references.ts";

/** The context of an evaluation, except its scope. */
export interface EvaluationContext {
  readonly pool: ExpressionPool;
  /** The workspace: the pool is shared fairly between keys. */
  readonly key: string;
  /** The result of `$now()` and `$millis()`. */
  readonly nowMs: number;
  /** Values for `$name` variables. */
  readonly bindings?: Readonly<Record<string, unknown>>;
  readonly signal?: AbortSignal;
  /** Called for each template expression without a value. */
  readonly onMissing?: (place: ExpressionPlace) => void;
}

/** A compiled expression. */
export interface Expression {
  readonly text: string;
  readonly references: References;
  /**
   * The result, or a promise of it if the pool evaluates it. Throws or rejects with an `ExpressionFailure`. A
   * result can share parts with the scope, so both are read-only.
   */
  evaluate(scope: unknown, context: EvaluationContext): unknown;
}

/** Checks an expression. Returns its issues, references and names. */
export function checkExpression(
  text: string,
): Pick<ExpressionAnalysis, "issues" | "references" | "paths" | "variables"> {
  const { issues, references, paths, variables } = analyzeExpression(text);
  return { issues, references, paths, variables };
}

/** Compiles an expression. Recent compilations are cached. */
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

/** The analysis of a valid expression. Throws its first issue. */
export function analyzeOrThrow(text: string): ExpressionAnalysis {
  const analysis = analyzeExpression(text);
  const [issue] = analysis.issues;
  if (!issue) return analysis;
  throw new ExpressionError("syntax", issue.message, { position: issue.position });
}

/** Evaluates on the main thread, if the expression is in the fast subset. */
export function evaluateInProcess(
  { fast }: ExpressionAnalysis,
  scope: unknown,
  { nowMs, bindings }: EvaluationContext,
): unknown {
  // JSONata treats an array at the root as one value, and bindings can hide functions.
  if (!fast || bindings || Array.isArray(scope)) return FELL_BACK;
  const value = fast(scope, nowMs);
  // JSON has no negative zero.
  return value === 0 ? 0 : value;
}

/** Evaluates several expressions over one scope in one pool request. */
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

/** The value of an outcome. Throws its failure. */
export function unwrapOutcome(outcome: EvaluationOutcome | undefined): unknown {
  if (outcome?.failure) throw outcome.failure;
  return outcome?.value;
}

function toJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (error) {
    // A stack overflow.
    if (!(error instanceof RangeError)) throw error;
    throw new ExpressionError(
      "too_large",
      "The input of the expression has too many levels of nesting.",
    );
  }
}

/**
 * Removes unread parts of the scope to send less data to the pool. Non-enumerable properties are found only by
 * name.
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
