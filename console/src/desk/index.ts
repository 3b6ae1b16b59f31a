/** What other areas may use of the desk. */
export { TicketPanel } from "./ticket/ticket-panel.tsx";
export { ticketPath } from "./ticket-kind.ts";
export { toLines } from "./bulk/results.ts";
export { kindOf } from "./ticket-kind.ts";
export { Priority } from "./queue/due-mark.tsx";
