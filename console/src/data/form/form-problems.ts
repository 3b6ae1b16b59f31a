/** The problems of a sent form: by field, and above the fields if no field shows them. */
import { ApiError } from "../api.ts";
import { describeRefusal } from "../change.ts";
import { toFieldTitle } from "../error-words.ts";
import {
  isSame,
  placeOf,
  type Problem,
  toPlainProblem,
  toSentence,
  type Values,
  valueAt,
} from "./form-values.ts";

export interface Attempt {
  readonly error: unknown;
  /** What each field that the server refused had then: its error goes when that changes. */
  readonly values: Values;
}

/** What the server refused, but for what was changed since and for what is wrong again. */
export function serverProblems(
  { error, values: sent }: Attempt,
  values: Values,
  wrong: readonly Problem[],
): readonly Problem[] {
  if (!(error instanceof ApiError)) return [];
  return error.errors
    .map(({ path, message }) => ({ path, text: toPlainProblem(message) }))
    .filter(
      ({ path }) =>
        isSame(valueAt(sent, path), valueAt(values, path)) &&
        wrong.every((one) => one.path !== path),
    );
}

/** Problems without a field on the form: errors of other fields, and refusals of the whole request. */
export function listProblems(
  attempt: Attempt | undefined,
  problems: readonly Problem[],
  shown: ReadonlySet<string>,
): readonly string[] {
  if (attempt === undefined) return [];
  const told = problems
    .filter((problem) => placeOf(problem, shown) === undefined)
    .map(({ path, text }) => toSentence(toFieldTitle(path), text));
  const { error } = attempt;
  const isToldByField = error instanceof ApiError && error.errors.length > 0;
  if (error === undefined || isToldByField) return told;
  return [describeRefusal(error), ...told];
}
