/**
 * Templates: JSON whose strings may hold `{{ expression }}`.
 *
 * A string that is one expression and nothing else has the value of its result, of whatever type. In any
 * other, results are interpolated: objects and arrays as JSON, a missing value and null as an empty text. Where
 * a whole value has no result, a member of an object is left out and one of an array is null. `\{{` stands
 * for `{{`. Names of members are never templates.
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
  /** It has no expression: its value is the same for every scope, and costs nothing. */
  readonly isConstant: boolean;
  readonly references: References;
  /**
   * The value, or a promise of it when the pool is needed. Throws or rejects with an
   * `ExpressionFailure`. A value may share parts with the template and the scope: take it for read-only.
   */
  evaluate(scope: unknown, context: EvaluationContext): unknown;
}

/** The errors of a template; empty when it is valid. */
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

/** The expressions of a template, each with the path of its string. */
export function templateSlots(value: unknown): readonly TemplateSlot[] {
  return compileTemplatePlan(value).slots;
}

/** The references of a template's expressions, valid or not. */
export function templateReferences(value: unknown): References {
  return joinReferences(
    compileTemplatePlan(value).slots.map(({ text }) => analyzeExpression(text).references),
  );
}

/** Compiles a template; throws its first error. */
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

/** Evaluates the results that are still missing in the pool, all of them at once. */
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
