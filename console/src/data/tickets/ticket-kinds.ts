import { TICKET_KIND } from "@millrace/client/enums";
import { choicesOf } from "../../ui/form/choices.ts";

export type TicketKind = (typeof TICKET_KIND)[number];

/** The ticket kinds with their labels for headings and filters. */
export const TICKET_KINDS = choicesOf(TICKET_KIND, {
  incident: "Incidents",
  request: "Requests",
  problem: "Problems",
  change: "Changes",
});
