const failedSteps = new WeakMap<object, number>();

/** Notes which step is to blame for an error, for who tells of it. */
export function markFailedStep<E>(error: E, step: number): E {
  if (typeof error === "object" && error !== null) failedSteps.set(error, step);
  return error;
}

/** The index of the step that is to blame; undefined when none is known. */
export function failedStepOf(error: unknown): number | undefined {
  return typeof error === "object" && error !== null ? failedSteps.get(error) : undefined;
}
