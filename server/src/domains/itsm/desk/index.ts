export { itemIdsSql, setItems, ticketsOnItems } from "./items.ts";
export {
  refColumn,
  TICKET_KINDS,
  type TicketHead,
  type TicketKind,
  type TicketKindName,
  TicketKindPoint,
  ticketRef,
  TicketSummary,
} from "./kind.ts";
export {
  actionBetween,
  actionsIn,
  type Machine,
  machine,
  moved,
  type Move,
  wrongState,
} from "./machine.ts";
export { numberOf, takeNumber, type TicketNumber } from "./numbers.ts";
export { assertThere, membersOf, teamsOf } from "./people.ts";
export { type DeskSettings, deskSettings, Level, Priority, priorityOf } from "./settings.ts";
