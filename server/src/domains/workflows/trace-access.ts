/**
 * Access to traces. A run or a script reads rows with the rights of one person, and its trace keeps them: for
 * others it would be a way around the rules of tables.
 */
import type { Caller } from "#kernel/access/caller.ts";
import { permission } from "#kernel/access/permission.ts";

/** Builders have it, who may change the rules of tables anyway. */
export const TracesRead = permission(
  "traces:read",
  "See all that runs and executions read and wrote, also what rules of tables hide",
  ["builder"],
);

/**
 * True when a caller may see what was read and written in somebody's name: rows that rules may hide from the
 * caller. That person may, in person, and whoever has the permission for it.
 */
export function canSeeTrace(
  { permissions, principal, credential }: Caller,
  runAs: string | null,
): boolean {
  if (permissions.has(TracesRead.name)) return true;
  // A token does less than its person: it needs the permission.
  return credential?.kind === "session" && runAs !== null && principal?.id === runAs;
}
