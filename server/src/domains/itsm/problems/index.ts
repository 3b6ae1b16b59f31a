import { collaboration, TicketKindPoint } from "../tickets/index.ts";
import { domain } from "#kernel/domain.ts";
import { contribute } from "#kernel/extension-point.ts";
import * as actions from "./transition-operations.ts";
import * as events from "./events.ts";
import * as incidents from "./incident-operations.ts";
import { problemKind } from "./problem.ts";
import {
  createProblem,
  getProblem,
  listKnownErrors,
  listProblems,
  updateProblem,
} from "./operations.ts";
import { ProblemsRead, ProblemsWrite } from "./problem.ts";

export { problemKind } from "./problem.ts";
export { ProblemsRead } from "./problem.ts";
export type { Problem } from "./problem.ts";
export { knownErrorList, toProblem } from "./store.ts";

const talk = collaboration(problemKind);

export const problems = domain({
  name: "problems",
  summary: "What lies behind incidents: its cause, how to live with it, how it is done away with.",
  permissions: [ProblemsRead, ProblemsWrite],
  events: [...Object.values(events), ...talk.events],
  operations: [
    listProblems,
    listKnownErrors,
    createProblem,
    getProblem,
    updateProblem,
    actions.investigateProblem,
    actions.declareKnownError,
    actions.resolveProblem,
    actions.closeProblem,
    actions.reopenProblem,
    incidents.listIncidentsOfProblem,
    incidents.linkIncidents,
    incidents.unlinkIncident,
    ...talk.operations,
  ],
  contributions: [contribute(TicketKindPoint, problemKind)],
});
