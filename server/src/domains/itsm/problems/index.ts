import { WaitingWorkPoint } from "#kernel/contributions/waiting-work.ts";
import { collaboration, TicketKindPoint, assignedTickets } from "../tickets/index.ts";
import { ticketSearch } from "../tickets/index.ts";
import { SearchSourcePoint } from "#kernel/contributions/search-source.ts";
import { domain } from "#kernel/domain.ts";
import { InversePoint } from "#kernel/undo/inverse.ts";
import { contribute } from "#kernel/extension-point.ts";
import * as events from "./events.ts";
import { incidentInverse } from "./incident-inverse.ts";
import { problemKind, ProblemRouted } from "./kind.ts";
import { linkedIncidentOperations } from "./linked-incidents.ts";
import { problemOperations } from "./operations.ts";
import { ProblemsRead, ProblemsWrite } from "./problem.ts";
import { problemTransitions } from "./transitions.ts";

export { problemKind } from "./kind.ts";
export { type Problem, ProblemsRead } from "./problem.ts";
export { knownErrorList, problemStore } from "./store.ts";

const shared = collaboration(problemKind);

export const problems = domain({
  name: "problems",
  summary: "Problems: the causes of incidents, known errors and workarounds.",
  permissions: [ProblemsRead, ProblemsWrite],
  events: [...Object.values(events), ProblemRouted, ...shared.events],
  operations: [
    ...problemOperations,
    ...problemTransitions,
    ...linkedIncidentOperations,
    ...shared.operations,
  ],
  contributions: [
    contribute(InversePoint, {
      resourceType: "problem",
      updated: ["problem.updated"],
      get: "problems.get",
      update: "problems.update",
    }),
    contribute(InversePoint, incidentInverse),
    contribute(TicketKindPoint, problemKind),
    contribute(
      WaitingWorkPoint,
      assignedTickets(problemKind, problemKind.read, "t.state not in ('resolved', 'closed')"),
    ),
    contribute(SearchSourcePoint, ticketSearch(problemKind)),
  ],
});
