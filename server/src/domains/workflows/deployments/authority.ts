import type { Caller } from "#kernel/access/caller.ts";

/**
 * To which permissions a caller's workflow is confined, of those that the person has: a token that was
 * made for less must not gain the rest through a workflow. Undefined for a person who is there in
 * person, whose rights are looked up as they are when it runs.
 */
export function confinementOf({ credential, permissions }: Caller): readonly string[] | undefined {
  return credential?.kind === "session" ? undefined : [...permissions].toSorted();
}
