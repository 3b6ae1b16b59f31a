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
  /** The values of rejected fields at that time: an error disappears when its value changes. */
  readonly values: Values;
}

/** Returns the server's errors, except for fields that changed since or have a new local error. */
export function serverProblems(
  { error, values: sent }: Attempt,
  values: Values,
  { wrong, inside }: { readonly wrong: readonly Problem[]; readonly inside?: string | undefined },
): readonly Problem[] {
  if (!(error instanceof ApiError)) return [];
  const whole = (parts: Values): Values => (inside === undefined ? parts : { [inside]: parts });
  return error.errors
    .map(({ path, message }) => ({ path, text: toPlainProblem(message) }))
    .filter(
      ({ path }) =>
        isSame(valueAt(whole(sent), path), valueAt(whole(values), path)) &&
        wrong.every((one) => one.path !== path),
    );
}

/** Moves the errors of a call below a field of the form: `/name` of a contact becomes `/contact/name`. */
export async function errorsAt<T>(field: string, reply: Promise<T>): Promise<T> {
  try {
    return await reply;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const errors = error.errors.map((one) => ({ ...one, path: `/${field}${one.path}` }));
    throw new ApiError(error.status, { ...error.problem, errors });
  }
}

/** Problems without a field on the form: errors of other fields, and errors of the whole request. */
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
