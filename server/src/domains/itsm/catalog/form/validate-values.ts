/**
 * Validates form values without blocking the event loop. The form author chooses the patterns and the requester the
 * texts, so together they can take forever. Only small and simple forms are validated outside of threads.
 */
import { invalidInput } from "#kernel/operation/failure.ts";
import { TaskThreads } from "#kernel/work/task-threads.ts";
import {
  type CheckedValues,
  checkValues,
  countComparisons,
  type FormValues,
} from "./check-values.ts";
import type { Form } from "./form.ts";

export interface FormTask {
  readonly form: Form;
  readonly values: FormValues;
}

const threads = new TaskThreads<FormTask, CheckedValues>({
  program: new URL("./form-thread.ts", import.meta.url),
  threads: 2,
  timeoutMs: 500,
  isStoppable: true,
});

const TOO_SLOW: CheckedValues = {
  errors: [{ path: "", message: "takes too long to validate" }],
};

/** Returns the values with form defaults. Throws 422 with the validation errors. */
export async function validateValues(
  workspace: string,
  form: Form,
  values: FormValues,
): Promise<FormValues> {
  const checked = isQuick(form, values)
    ? checkValues(form, values)
    : ((await threads.run(workspace, { form, values })) ?? TOO_SLOW);
  if ("values" in checked) return checked.values;
  throw invalidInput(
    checked.errors.map(({ path, message }) => ({ path: `/values${path}`, message })),
  );
}

/** This number takes about two milliseconds. */
const QUICK_COMPARISONS_MAX = 10_000;
/** Keywords whose duration depends on more than the number of parts. Definitions can be used several times. */
const SLOW_KEYWORDS = /"(pattern|format|uniqueItems|\$ref)":/;

function isQuick(form: Form, values: FormValues): boolean {
  return (
    countComparisons(form, values) <= QUICK_COMPARISONS_MAX &&
    !SLOW_KEYWORDS.test(JSON.stringify(form))
  );
}
