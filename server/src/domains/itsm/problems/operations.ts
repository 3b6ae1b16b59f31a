import { authorOf } from "#kernel/access/caller.ts";
import Type, { type Static } from "typebox";
import {
  assertReferencesExist,
  checkLabels,
  invalidTransition,
  labelFields,
  takeCommand,
  nextTicketNumber,
  pastTickets,
  readPastTicket,
  ticketParams,
  TicketSummary,
  type TicketNumber,
} from "../tickets/index.ts";
import type { SqlParameters } from "#kernel/db/statement.ts";
import { listPage, listQuery } from "#kernel/list/list.ts";
import { asOfListQuery, listPastPage, NO_REVISION, PastTooLong } from "#kernel/list/past-list.ts";
import { asOfQuery, PastNotKept } from "#kernel/log/past-state.ts";
import { command, query } from "#kernel/operation/operation.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { countedPage, created, item, withRevision } from "#kernel/operation/response.ts";
import { newId } from "#kernel/schema/id.ts";
import { object, patch } from "#kernel/schema/schema.ts";
import { IncidentLinked, ProblemCreated, ProblemUpdated } from "./events.ts";
import { EXAMPLE_PROBLEM, problemCommands, problemKind, ProblemRouted } from "./kind.ts";
import { emitRouting, routeTicket } from "../assignment/index.ts";
import {
  assertIncidents,
  IncidentIds,
  linkIncidents,
  NEWEST_INCIDENTS_MAX,
  readNewestIncidents,
} from "./linked-incidents.ts";
import {
  applyEdit,
  Problem,
  problemFields,
  problemMachine,
  ProblemsRead,
  ProblemsWrite,
} from "./problem.ts";
import { readPastIncidents } from "./past-incidents.ts";
import { knownErrorList, problemList, problemStore } from "./store.ts";

const PRIORITY_DEFAULT = 3;

const { path } = problemKind;
const { toTicket: toItem } = problemStore;

const listProblems = query({
  id: "problems.list",
  route: `GET ${path}`,
  summary: "List problems",
  permission: ProblemsRead,
  query: object({
    ...listQuery,
    ...asOfListQuery,
    state: Type.Optional(Type.Enum([...problemMachine.states])),
    mine: Type.Optional(
      Type.Boolean({ description: "Returns only problems that are assigned to you" }),
    ),
  }),
  response: countedPage(withRevision(Problem)),
  fails: [PastNotKept, PastTooLong],
  run(ctx, { query: { state, mine, asOf, ...page } }) {
    const me = ctx.caller.principal?.id ?? null;
    const narrowed = [
      state !== undefined && ((to: SqlParameters) => `state = ${to.add(state, "text")}`),
      mine === true && ((to: SqlParameters) => `assignee_id = ${to.add(me, "text")}`),
    ].filter((condition) => condition !== false);
    if (asOf === undefined) {
      return listPage(ctx, problemList, page, { conditions: narrowed, toItem });
    }
    return listPastPage(
      ctx,
      problemList,
      { ...page, asOf },
      {
        past: pastTickets(problemKind),
        conditions: narrowed,
        // Events use the response schema.
        toItem: (past) => ({ ...past, ...NO_REVISION }) as unknown as ReturnType<typeof toItem>,
      },
    );
  },
});

const listKnownErrors = query({
  id: "problems.list_known_errors",
  route: "GET /api/v1/itsm/known-errors",
  summary: "List known errors",
  description:
    "Returns known errors that are not resolved. `q` searches the texts and workarounds.",
  permission: ProblemsRead,
  query: object(listQuery),
  response: countedPage(withRevision(Problem)),
  run: (ctx, { query: page }) =>
    listPage(ctx, knownErrorList, page, { conditions: [() => "state = 'known_error'"], toItem }),
});

const ProblemInput = object({
  ...patch({ ...problemFields, ...labelFields }).properties,
  title: problemFields.title,
  incidentIds: Type.Optional(IncidentIds),
});

const createProblem = command({
  id: "problems.create",
  effect: "ordinary",
  route: `POST ${path}`,
  summary: "Create a problem",
  description: "`incidentIds` links incidents to the problem.",
  permission: ProblemsWrite,
  body: ProblemInput,
  response: created(Problem, { location: ({ id }) => `${path}/${id}` }),
  emits: [ProblemCreated, IncidentLinked, ProblemRouted],
  example: {
    body: { title: "The mail gateway drops connections", description: "Every night", priority: 2 },
  },
  prepare: (platform, _, caller) => nextTicketNumber(platform, caller, "problem"),
  run: (ctx, { body }, number) => create(ctx, body, number),
});

async function create(
  ctx: WriteContext<typeof ProblemCreated | typeof IncidentLinked | typeof ProblemRouted>,
  { incidentIds = [], ...input }: Static<typeof ProblemInput>,
  number: TicketNumber,
): Promise<Problem> {
  const { assigneeId = null, teamId = null, ciIds = [] } = input;
  const [labels, , incidents] = await Promise.all([
    checkLabels(ctx, "problem", input),
    assertReferencesExist(ctx, { users: { "/assigneeId": assigneeId }, teamId, ciIds }),
    assertIncidents(ctx, incidentIds),
  ]);
  const at = ctx.now.toISOString();
  const draft: Problem = {
    id: newId("prb", ctx.now.getTime()),
    number: number.number,
    state: "open",
    description: "",
    priority: PRIORITY_DEFAULT,
    rootCause: null,
    workaround: null,
    ...input,
    ...labels,
    assigneeId,
    teamId,
    ciIds: ciIds.toSorted(),
    resolution: null,
    knownErrorAt: null,
    resolvedAt: null,
    closedAt: null,
    createdBy: authorOf(ctx.caller),
    createdAt: at,
    updatedAt: at,
    revision: 1,
  };
  const routing = await routeTicket(ctx, problemKind, "created", draft);
  const problem = { ...draft, ...routing?.fields };
  await problemStore.insert(ctx, problem, number);
  problemCommands.emit(ctx, ProblemCreated, problem);
  emitRouting(ctx, problemKind, problem, routing);
  await linkIncidents(ctx, problem, incidents);
  return problem;
}

const ProblemWithIncidents = Type.Object(
  {
    ...Problem.properties,
    incidents: Type.Array(TicketSummary, {
      description: `The last ${NEWEST_INCIDENTS_MAX} linked incidents. Use the list operation for all of them`,
    }),
  },
  { title: "ProblemWithIncidents" },
);

const getProblem = query({
  id: "problems.get",
  route: `GET ${path}/{id}`,
  summary: "Get a problem with its linked incidents",
  description:
    "`asOf` also returns the incidents of that time. If the incidents have too many events for one request, the response is 422 `past_too_long`.",
  permission: ProblemsRead,
  params: ticketParams(problemKind),
  query: object(asOfQuery),
  response: item(ProblemWithIncidents),
  fails: [PastNotKept, PastTooLong],
  example: { params: { id: EXAMPLE_PROBLEM } },
  async run(ctx, { params, query: { asOf } }) {
    const present = await problemStore.get(ctx.tx, params.id);
    const { id } = present;
    if (asOf === undefined) {
      return { ...present, incidents: await readNewestIncidents(ctx, id) };
    }
    const problem = await readPastTicket<typeof present>(ctx, "problem", id, asOf);
    return { ...problem, incidents: [...(await readPastIncidents(ctx, id, asOf))] };
  },
});

const updateProblem = problemCommands.command("update", {
  effect: "ordinary",
  route: `PATCH ${path}/{id}`,
  summary: "Update a problem",
  description:
    "Null clears optional fields. A known error requires a root cause and a workaround. A closed problem can't be updated. If nothing changes, no event is appended.",
  body: patch({ ...problemFields, ...labelFields }),
  allowNoop: true,
  emits: [ProblemUpdated],
  fails: [problemMachine.wrongState],
  example: { workaround: "Restart the gateway.", priority: 1 },
  async run(ctx, before, body) {
    if (before.state === "closed") {
      throw invalidTransition(problemMachine, before.state, "A closed problem can't be updated.");
    }
    const { assigneeId, teamId, ciIds } = body;
    const labels = await checkLabels(ctx, "problem", body, before);
    const edit = { ...body, ...labels, ...(ciIds && { ciIds: ciIds.toSorted() }) };
    const next = applyEdit(before, edit);
    if (next === before) return before;
    await assertReferencesExist(ctx, { users: { "/assigneeId": assigneeId }, teamId, ciIds });
    return problemCommands.saveChanges(ctx, before, next, ProblemUpdated);
  },
});

const takeProblem = takeCommand(problemKind, problemCommands, {
  emits: [ProblemUpdated],
  assign: (ctx, problem, assigneeId) =>
    problemCommands.saveChanges(ctx, problem, { ...problem, assigneeId }, ProblemUpdated),
});

export const problemOperations = [
  listProblems,
  listKnownErrors,
  createProblem,
  getProblem,
  updateProblem,
  takeProblem,
];
