/**
 * Validates the values of a form without blocking the event loop. Who wrote the form chose its patterns, and who
 * fills it in the texts: together they may take for ever. So all but small and plain ones are checked in threads.
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

/** Returns the values with the form's defaults; throws a 422 with the errors of those that do not fit. */
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

/** So many take about two milliseconds. */
const QUICK_COMPARISONS_MAX = 10_000;
/** Keywords whose time does not grow with the parts alone; definitions are used more than once. */
const SLOW_KEYWORDS = /"(pattern|format|uniqueItems|\$ref)":/;

function isQuick(form: Form, values: FormValues): boolean {
  return (
    countComparisons(form, values) <= QUICK_COMPARISONS_MAX &&
    !SLOW_KEYWORDS.test(JSON.stringify(form))
  );
}
