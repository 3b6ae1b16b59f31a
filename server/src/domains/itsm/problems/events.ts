import Type from "typebox";
import { TicketSummary } from "../tickets/index.ts";
import { changeEvent, event } from "#kernel/log/event.ts";
import { id } from "#kernel/schema/schema.ts";
import { Problem } from "./problem.ts";

const about = (summary: string) => ({ resource: "problem", summary, data: Problem });

export const ProblemCreated = event("problem.created", about("A problem was created."));
export const ProblemUpdated = changeEvent("problem.updated", about("A problem was updated."));
export const InvestigationStarted = event(
  "problem.investigation_started",
  about("The investigation of a problem started."),
);
export const KnownErrorDeclared = event(
  "problem.known_error_declared",
  about("A problem was declared a known error."),
);
export const ProblemResolved = event("problem.resolved", about("A problem was resolved."));
export const ProblemClosed = event("problem.closed", about("A resolved problem was closed."));
export const ProblemReopened = event("problem.reopened", about("A problem was reopened."));

const Linked = Type.Object(
  {
    problemId: id("prb"),
    incident: TicketSummary,
    // Events of earlier versions do not have this field.
    linkId: Type.Optional(id("lnk")),
  },
  { title: "ProblemIncident" },
);

export const IncidentLinked = event("problem.incident_linked", {
  resource: "problem",
  summary: "An incident was linked to a problem.",
  data: Linked,
});
export const IncidentUnlinked = event("problem.incident_unlinked", {
  resource: "problem",
  summary: "An incident was unlinked from a problem.",
  data: Linked,
});
