/**
 * Restricts access to traces. A trace contains rows read with one user's rights, so showing it to others would
 * bypass table access rules.
 */
import { type Caller, isInPerson } from "#kernel/access/caller.ts";
import { permission } from "#kernel/access/permission.ts";

/** Granted to builders, who can change the access rules of tables anyway. */
export const TracesRead = permission(
  "traces:read",
  "View all input and output of runs and executions, including data that access rules hide",
  ["builder"],
);

/**
 * True if a caller can see what was read and written with the rights of another user. Rows can be hidden from the
 * caller by access rules. That user can see it in person, and so can callers with the permission.
 */
export function canSeeTrace(caller: Caller, runAs: string | null): boolean {
  if (caller.permissions.has(TracesRead.name)) return true;
  // A token has fewer rights than its user, so it needs the permission. The same applies to code that acts for the
  // user, because its author must not see more through it.
  return isInPerson(caller) && runAs !== null && caller.principal?.id === runAs;
}
