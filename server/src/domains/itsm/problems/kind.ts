import { ticketRouted } from "../assignment/index.ts";
import { ticketCommands, type TicketKind } from "../tickets/index.ts";
import {
  applyProblemTransition,
  Problem,
  problemEventData,
  problemMachine,
  ProblemsRead,
  ProblemsWrite,
} from "./problem.ts";
import { problemList, problemStore } from "./store.ts";

export const problemKind: TicketKind = {
  kind: "problem",
  plural: "problems",
  prefix: "prb",
  path: "/api/v1/itsm/problems",
  table: "problems",
  identityFields: ["workaround"],
  machine: problemMachine,
  read: ProblemsRead,
  write: ProblemsWrite,
  reporting: { list: problemList, permission: ProblemsRead },
};

/** Emitted when a rule assigned a problem to a member or a team. */
export const ProblemRouted = ticketRouted(problemKind);

export const EXAMPLE_PROBLEM = "PRB0000001";

export const problemCommands = ticketCommands({
  kind: problemKind,
  machine: problemMachine,
  schema: Problem,
  toData: problemEventData,
  store: problemStore,
  applyTransition: applyProblemTransition,
  example: EXAMPLE_PROBLEM,
});
