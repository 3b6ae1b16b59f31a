import Type from "typebox";
import { nextTicketNumber, ticketRef, TicketSummary } from "../tickets/index.ts";
import type { SqlParameters } from "#kernel/db/statement.ts";
import { listPage, listQuery } from "#kernel/list/list.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { countedPage, created, item } from "#kernel/operation/response.ts";
import { id, object, patch } from "#kernel/schema/schema.ts";
import { IncidentLinked, ProblemCreated, ProblemUpdated } from "./events.ts";
import { newest, SHOWN_MAX } from "./linked-incidents.ts";
import { ProblemsRead, ProblemsWrite } from "./problem.ts";
import { fields, Problem, problemMachine } from "./problem.ts";
import * as service from "./service.ts";
import * as store from "./store.ts";

const INCIDENTS_MAX = 100;

export const ByProblem = object({ id: ticketRef("problem", "prb") });
export const example = { params: { id: "PRB0000001" } };

/** Ids of incidents, as a body has them. */
export const IncidentIds = Type.Array(id("inc"), {
  minItems: 1,
  maxItems: INCIDENTS_MAX,
  uniqueItems: true,
});

export const listProblems = query({
  id: "problems.list",
  route: "GET /api/v1/itsm/problems",
  summary: "List problems",
  permission: ProblemsRead,
  query: object({
    ...listQuery,
    state: Type.Optional(Type.Enum([...problemMachine.states])),
    mine: Type.Optional(Type.Boolean({ description: "Only those that the caller is to work on" })),
  }),
  response: countedPage(Problem),
  run(ctx, { query: { state, mine, ...question } }) {
    const me = ctx.caller.principal?.id ?? null;
    const narrowed = [
      state !== undefined && ((to: SqlParameters) => `state = ${to.add(state, "text")}`),
      mine === true && ((to: SqlParameters) => `assignee_id = ${to.add(me, "text")}`),
    ].filter((one) => one !== false);
    return listPage(ctx, store.problemList, question, { narrowed, toItem: store.toProblem });
  },
});

export const listKnownErrors = query({
  id: "problems.list_known_errors",
  route: "GET /api/v1/itsm/known-errors",
  summary: "List known errors: problems whose cause is known, and how to live with them",
  description: "Those that are not resolved yet. `q` looks into what they are and how to get by.",
  permission: ProblemsRead,
  query: object(listQuery),
  response: countedPage(Problem),
  run: (ctx, { query: question }) =>
    listPage(ctx, store.knownErrorList, question, {
      narrowed: [() => "state = 'known_error'"],
      toItem: store.toProblem,
    }),
});

const { title, ...others } = fields;

export const createProblem = command({
  id: "problems.create",
  route: "POST /api/v1/itsm/problems",
  summary: "Raise a problem",
  description: "With `incidentIds`, the incidents that it causes are linked to it at once.",
  permission: ProblemsWrite,
  body: object({
    title,
    description: Type.Optional(others.description),
    priority: Type.Optional(others.priority),
    assigneeId: Type.Optional(others.assigneeId),
    teamId: Type.Optional(others.teamId),
    ciIds: Type.Optional(others.ciIds),
    rootCause: Type.Optional(others.rootCause),
    workaround: Type.Optional(others.workaround),
    incidentIds: Type.Optional(IncidentIds),
  }),
  response: created(Problem, { location: (problem) => `/api/v1/itsm/problems/${problem.id}` }),
  emits: [ProblemCreated, IncidentLinked],
  example: {
    body: { title: "The mail gateway drops connections", description: "Every night", priority: 2 },
  },
  prepare: (platform, _, caller) => nextTicketNumber(platform, caller, "problem"),
  run: (ctx, { body }, number) => service.create(ctx, body, number),
});

const ShownProblem = Type.Object(
  {
    ...Problem.properties,
    incidents: Type.Array(TicketSummary, {
      description: `The last ${SHOWN_MAX} that were linked; all of them are a list of their own`,
    }),
  },
  { title: "ProblemWithIncidents" },
);

export const getProblem = query({
  id: "problems.get",
  route: "GET /api/v1/itsm/problems/{id}",
  summary: "Read a problem, with the incidents that it causes",
  permission: ProblemsRead,
  params: ByProblem,
  response: item(ShownProblem),
  example,
  async run(ctx, { params }) {
    const problem = await store.get(ctx.tx, params.id);
    return { ...problem, incidents: await newest(ctx, problem.id) };
  },
});

export const updateProblem = command({
  id: "problems.update",
  route: "PATCH /api/v1/itsm/problems/{id}",
  summary: "Edit a problem",
  description:
    "Null clears what may be empty; a known error keeps its cause and its workaround. A closed " +
    "problem is not edited. What changes nothing is no event.",
  permission: ProblemsWrite,
  params: ByProblem,
  body: patch(fields),
  allowNoop: true,
  response: item(Problem),
  emits: [ProblemUpdated],
  fails: [problemMachine.refusal],
  example: { ...example, body: { workaround: "Restart the gateway.", priority: 1 } },
  run: (ctx, { params, body }) => service.update(ctx, params.id, body),
});
