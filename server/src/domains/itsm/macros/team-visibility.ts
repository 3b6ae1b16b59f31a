import type { Caller } from "#kernel/access/caller.ts";
import type { ListCondition } from "#kernel/list/list.ts";
import { DeskWrite } from "../tickets/index.ts";

/** Selects rows that are for all, or for one of the caller's teams. Desk managers see all rows. */
export function visibleToTeams(caller: Caller, table: string): ListCondition {
  if (caller.permissions.has(DeskWrite.name)) return () => "true";
  return (parameters) => {
    const me = parameters.add(caller.principal?.id ?? "", "text");
    return (
      `${table}.team_id is null or exists (select from team_members m ` +
      `where m.team_id = ${table}.team_id and m.user_id = ${me})`
    );
  };
}
