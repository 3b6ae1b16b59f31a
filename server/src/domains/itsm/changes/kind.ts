import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import type { TicketOnItem } from "../cmdb/index.ts";
import { ticketRouted } from "../assignment/index.ts";
import { taskEvents, ticketCommands, type TicketKind } from "../tickets/index.ts";
import { applyChangeTransition, Change, changeEventData } from "./change.ts";
import { changeMachine } from "./lifecycle.ts";
import { changeList } from "./list.ts";
import { ChangesRead, ChangesWrite } from "./permissions.ts";
import { changeStore } from "./store.ts";

export const changeKind: TicketKind = {
  kind: "change",
  plural: "changes",
  prefix: "chg",
  path: "/api/v1/itsm/changes",
  table: "changes",
  machine: changeMachine,
  read: ChangesRead,
  write: ChangesWrite,
  reporting: { list: changeList, permission: ChangesRead },
};

/** Emitted when a rule assigned a change to a member or a team. */
export const ChangeRouted = ticketRouted(changeKind);

/** Emitted for the tasks of a template when a change is created from it. */
export const ChangeTaskAdded = taskEvents(changeKind).Added;

export const EXAMPLE_CHANGE = "CHG0000042";

export const changeCommands = ticketCommands({
  kind: changeKind,
  machine: changeMachine,
  schema: Change,
  toData: changeEventData,
  store: changeStore,
  applyTransition: applyChangeTransition,
  example: EXAMPLE_CHANGE,
});

const OPEN_ON = `
  select i.item_id as "itemId", 'change' as kind, c.id, c.number, c.title, c.state
    from ticket_items i join changes c on c.id = i.ticket_id
   where i.item_id = any($1::text[]) and i.kind = 'change' and c.state <> all($2::text[])
   order by i.item_id, c.no`;

/** The unfinished changes of these items. */
export async function openChangesOn(
  tx: Tx,
  itemIds: readonly string[],
): Promise<readonly TicketOnItem[]> {
  if (itemIds.length === 0) return [];
  return queryRows<TicketOnItem>(tx, OPEN_ON, [itemIds, changeMachine.finalStates]);
}
