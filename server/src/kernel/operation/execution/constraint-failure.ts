import { sqlStateOf } from "../../db/errors.ts";
import { Failure, type FailureType } from "../failure.ts";

const UNIQUE_VIOLATION = "23505";

/** The declared failure for a violated unique constraint. */
export function toConstraintFailure(
  fails: readonly FailureType[] | undefined,
  error: unknown,
): Failure | undefined {
  if (sqlStateOf(error) !== UNIQUE_VIOLATION) return undefined;
  const { constraint } = error as { constraint?: string };
  const type = fails?.find((candidate) => candidate.constraint === constraint);
  return constraint !== undefined && type ? new Failure(type) : undefined;
}
