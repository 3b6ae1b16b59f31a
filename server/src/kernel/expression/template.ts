/**
 * Templates: JSON whose strings may hold `{{ expression }}`.
 *
 * A string that is one expression and nothing else has the value of its result, of whatever type. In any
 * other, results are put into the text: objects and arrays as JSON, nothing and null as nothing. Where a
 * whole value has no result, a member of an object is left out and one of an array is null. `\{{` stands
 * for `{{`. Names of members are never templates.
 */
import { type Evaluation, evaluateHere, evaluateInPool, sound, valueOf } from "./expression.ts";
import { ExpressionError } from "./expression-failure.ts";
import { FELL_BACK } from "./fast/compile.ts";
import { compileTemplatePlan, type TemplateSlot, type TemplateFault } from "./template-plan.ts";
import { analyzeExpression, type ExpressionAnalysis } from "./analyze.ts";
import { joinReferences, type References } from "./references.ts";

export type { TemplateFault } from "./template-plan.ts";

/** A compiled template. */
export interface Template {
  /** It has no expression: its value is the same for every scope, and costs nothing. */
  readonly isConstant: boolean;
  readonly references: References;
  /**
   * The value, or a promise of it when the pool is needed. Throws or rejects with an
   * `ExpressionFailure`. A value may share parts with the template and the scope: take it for read-only.
   */
  evaluate(scope: unknown, evaluation: Evaluation): unknown;
}

/** Everything that is wrong with a template; empty when it is one. */
export function checkTemplate(value: unknown): readonly TemplateFault[] {
  const { slots, faults } = compileTemplatePlan(value);
  const ofSlots = slots.flatMap(({ text, path, offset }) =>
    analyzeExpression(text).faults.map(({ position, message }) => ({
      path,
      message,
      position: offset + position,
    })),
  );
  return [...faults, ...ofSlots];
}

/** What the expressions of a template read, whether or not all of them are sound. */
export function templateReferences(value: unknown): References {
  return joinReferences(
    compileTemplatePlan(value).slots.map(({ text }) => analyzeExpression(text).references),
  );
}

/** Compiles a template; throws what is wrong with it. */
export function compileTemplate(value: unknown): Template {
  const { slots, faults, fill } = compileTemplatePlan(value);
  const [fault] = faults;
  if (fault) throw new ExpressionError("syntax", `A string ${fault.message}.`, fault);
  const readings = slots.map((slot) => locating(slot, () => sound(slot.text)));
  const references = joinReferences(readings.map((reading) => reading.references));
  if (slots.length === 0) {
    const constant = fill([]);
    return { isConstant: true, references, evaluate: () => constant };
  }
  return {
    isConstant: false,
    references,
    evaluate: (scope, evaluation) => {
      const results = readings.map((reading, index) =>
        locating(slots[index], () => evaluateHere(reading, scope, evaluation)),
      );
      if (!results.includes(FELL_BACK)) return fill(results);
      return complete({ slots, readings, results }, scope, evaluation).then(fill);
    },
  };
}

interface Evaluated {
  readonly slots: readonly TemplateSlot[];
  readonly readings: readonly ExpressionAnalysis[];
  readonly results: readonly unknown[];
}

/** Asks the pool for the results that are still missing, for all of them at once. */
async function complete(
  { slots, readings, results }: Evaluated,
  scope: unknown,
  evaluation: Evaluation,
): Promise<readonly unknown[]> {
  const missing = readings.filter((_, index) => results[index] === FELL_BACK);
  const outcomes = [...(await evaluateInPool(missing, scope, evaluation))];
  return results.map((result, index) =>
    result === FELL_BACK ? locating(slots[index], () => valueOf(outcomes.shift())) : result,
  );
}

/** Says of a failure in which string it happened, and where. */
function locating<Result>(slot: TemplateSlot | undefined, run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    if (slot && error instanceof ExpressionError) throw error.at(slot.path, slot.offset);
    throw error;
  }
}
