/**
 * Access to traces. A run or a script reads rows with the rights of one person, and its trace keeps them: for
 * others it would be a way around the rules of tables.
 */
import { type Caller, isInPerson } from "#kernel/access/caller.ts";
import { permission } from "#kernel/access/permission.ts";

/**
 * Builders have it, who may change the rules of tables anyway.
 */
export const TracesRead = permission(
  "traces:read",
  "View all input and output of runs and executions, including data that access rules hide",
  ["builder"],
);

/**
 * True when a caller may see what was read and written in somebody's name: rows that rules may hide from the
 * caller. That person may, in person, and whoever has the permission for it.
 */
export function canSeeTrace(caller: Caller, runAs: string | null): boolean {
  if (caller.permissions.has(TracesRead.name)) return true;
  // A token does less than its person: it needs the permission. So does code that acts for them, whose author
  // must see no more by that than the author may.
  return isInPerson(caller) && runAs !== null && caller.principal?.id === runAs;
}
