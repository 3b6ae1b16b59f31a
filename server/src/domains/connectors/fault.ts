import { Failure, type Fault, Invalid } from "#kernel/operation/failure.ts";

/** Throws a failure that names every fault, if there is one. */
export function assertNoFaults(faults: readonly Fault[]): void {
  const [first] = faults;
  if (!first) return;
  throw new Failure(Invalid, { detail: `${first.path} ${first.message}`, errors: faults });
}
