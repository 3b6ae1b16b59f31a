/**
 * Templates: JSON with `{{ expression }}` in strings.
 *
 * A string that consists of one expression has the value and type of its result. In other strings, results are
 * interpolated: objects and arrays as JSON, missing values and null as an empty text. A value without a result
 * is omitted from objects and null in arrays. `\{{` is an escaped `{{`. Member names are never templates.
 */
import {
  type EvaluationContext,
  evaluateInProcess,
  evaluateInPool,
  analyzeOrThrow,
  unwrapOutcome,
} from "./expression.ts";
import { ExpressionError } from "./expression-failure.ts";
import { FELL_BACK } from "./fast/compile.ts";
import { compileTemplatePlan, type TemplateSlot, type TemplateError } from "./template-plan.ts";
import { analyzeExpression, type ExpressionAnalysis } from "./analyze.ts";
import { joinReferences, type References } from "./references.ts";

export type { TemplateError, TemplateSlot } from "./template-plan.ts";

/** A compiled template. */
export interface Template {
  /** True without expressions. The value is then the same for every scope and needs no evaluation. */
  readonly isConstant: boolean;
  readonly references: References;
  /**
   * The value, or a promise of it if the pool is needed. Throws or rejects with an `ExpressionFailure`. A value
   * can share parts with the template and the scope, so it is read-only.
   */
  evaluate(scope: unknown, context: EvaluationContext): unknown;
}

/** The errors of a template. Empty if it is valid. */
export function checkTemplate(value: unknown): readonly TemplateError[] {
  const { slots, errors } = compileTemplatePlan(value);
  const slotErrors = slots.flatMap(({ text, path, offset }) =>
    analyzeExpression(text).issues.map(({ position, message }) => ({
      path,
      message,
      position: offset + position,
    })),
  );
  return [...errors, ...slotErrors];
}

/** Returns the expressions of a template with the paths of their strings. */
export function templateSlots(value: unknown): readonly TemplateSlot[] {
  return compileTemplatePlan(value).slots;
}

/** The references of a template's expressions, valid or not. */
export function templateReferences(value: unknown): References {
  return joinReferences(
    compileTemplatePlan(value).slots.map(({ text }) => analyzeExpression(text).references),
  );
}

/** Compiles a template. Throws its first error. */
export function compileTemplate(value: unknown): Template {
  const { slots, errors, fill } = compileTemplatePlan(value);
  const [error] = errors;
  if (error) throw new ExpressionError("syntax", `A string ${error.message}.`, error);
  const analyses = slots.map((slot) => withPosition(slot, () => analyzeOrThrow(slot.text)));
  const references = joinReferences(analyses.map((analysis) => analysis.references));
  if (slots.length === 0) {
    const constant = fill([]);
    return { isConstant: true, references, evaluate: () => constant };
  }
  return {
    isConstant: false,
    references,
    evaluate: (scope, context) => {
      const results = analyses.map((analysis, index) =>
        withPosition(slots[index], () => evaluateInProcess(analysis, scope, context)),
      );
      if (!results.includes(FELL_BACK)) return fill(tellMissing(slots, results, context));
      return completeInPool({ slots, analyses, results }, scope, context).then((complete) =>
        fill(tellMissing(slots, complete, context)),
      );
    },
  };
}

function tellMissing(
  slots: readonly TemplateSlot[],
  results: readonly unknown[],
  { onMissing }: EvaluationContext,
): readonly unknown[] {
  if (onMissing && results.includes(undefined)) {
    for (const [index, slot] of slots.entries()) if (results[index] === undefined) onMissing(slot);
  }
  return results;
}

interface PartialResults {
  readonly slots: readonly TemplateSlot[];
  readonly analyses: readonly ExpressionAnalysis[];
  readonly results: readonly unknown[];
}

/** Evaluates the remaining results in the pool in one request. */
async function completeInPool(
  { slots, analyses, results }: PartialResults,
  scope: unknown,
  context: EvaluationContext,
): Promise<readonly unknown[]> {
  const missing = analyses.filter((_, index) => results[index] === FELL_BACK);
  const outcomes = [...(await evaluateInPool(missing, scope, context))];
  return results.map((result, index) =>
    result === FELL_BACK
      ? withPosition(slots[index], () => unwrapOutcome(outcomes.shift()))
      : result,
  );
}

/** Adds the position in the template to a failure. */
function withPosition<Result>(slot: TemplateSlot | undefined, run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    if (slot && error instanceof ExpressionError) throw error.at(slot);
    throw error;
  }
}
