/** Words for failed changes. */
import { ApiError } from "./api.ts";

const CONFLICT =
  "Another user changed this since you opened it. Your change was not saved. Review the latest version.";

const SIGNED_OUT = "Your session expired and your change was not saved. Try again.";

/** Describes an error for users; a failed precondition is described as another user's change. */
export function describeRefusal(error: unknown): string {
  if (error instanceof ApiError && error.status === 412) return CONFLICT;
  if (error instanceof ApiError && error.status === 401) return SIGNED_OUT;
  return error instanceof Error ? error.message : String(error);
}

/** Returns whether a write failed because another user was first. */
export const isConflict = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 412;
