/** What other areas may use of the desk. */
export { TicketPanel } from "./ticket/ticket-panel.tsx";
export { ticketPath } from "./ticket-kind.ts";
