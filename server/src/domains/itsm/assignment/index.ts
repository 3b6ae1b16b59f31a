import { domain } from "#kernel/domain.ts";
import { absenceReads, absences, AbsencesOwn } from "./absence.ts";
import { simulateRules } from "./simulation.ts";
import { rules } from "./rule.ts";

export { emitRouting, routeTicket, type Routing, ticketRouted } from "./route-ticket.ts";

export const assignment = domain({
  name: "assignment",
  summary: "Assignment rules, which assign tickets to members and teams, and absences.",
  environmentScoped: false,
  permissions: [AbsencesOwn],
  events: [...Object.values(rules.events), ...Object.values(absences.events)],
  operations: [...rules.operations, simulateRules, ...absences.operations, ...absenceReads],
});
