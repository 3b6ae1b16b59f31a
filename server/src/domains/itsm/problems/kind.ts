import type { TicketKind } from "../tickets/index.ts";
import { ProblemsRead, ProblemsWrite } from "./permissions.ts";
import { problemMachine } from "./problem.ts";
import { problemList, summariesOf } from "./store.ts";

/** Problems, as what all tickets have in common knows them. */
export const problemKind: TicketKind = {
  kind: "problem",
  plural: "problems",
  prefix: "prb",
  path: "/api/v1/itsm/problems",
  table: "problems",
  machine: problemMachine,
  read: ProblemsRead,
  write: ProblemsWrite,
  reported: { list: problemList, permission: ProblemsRead },
  summariesOf,
};
