import { Failure, type FieldError, Invalid } from "#kernel/operation/failure.ts";

/** Throws a failure that names every fault, if there is one. */
export function assertNoFaults(faults: readonly FieldError[]): void {
  const [first] = faults;
  if (!first) return;
  throw new Failure(Invalid, { detail: `${first.path} ${first.message}`, errors: faults });
}
