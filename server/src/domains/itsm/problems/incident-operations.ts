import { TicketSummary } from "../tickets/index.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { pageQuery } from "#kernel/operation/pagination.ts";
import { noContent, item, page } from "#kernel/operation/response.ts";
import { id, object } from "#kernel/schema/schema.ts";
import { IncidentLinked, IncidentUnlinked } from "./events.ts";
import * as incidents from "./linked-incidents.ts";
import { ByProblem, example, IncidentIds } from "./operations.ts";
import { ProblemsRead, ProblemsWrite } from "./problem.ts";
import { Problem } from "./problem.ts";
import * as service from "./service.ts";
import * as store from "./store.ts";

const EXAMPLE_INCIDENT = "inc_01jzt3n5k8q2x4v6w8y0z2b4d6";

export const listIncidentsOfProblem = query({
  id: "problems.list_incidents",
  route: "GET /api/v1/itsm/problems/{id}/incidents",
  summary: "List the incidents that a problem causes, the last linked first",
  permission: ProblemsRead,
  params: ByProblem,
  query: object(pageQuery),
  response: page(TicketSummary),
  example,
  async run(ctx, { params, query: question }) {
    const problem = await store.get(ctx.tx, params.id);
    return incidents.page(ctx, problem.id, question);
  },
});

export const linkIncidents = command({
  id: "problems.link_incidents",
  route: "POST /api/v1/itsm/problems/{id}/incidents",
  summary: "Say that a problem causes these incidents",
  description: "They show its workaround from then on. Those that are linked already stay so.",
  permission: ProblemsWrite,
  params: ByProblem,
  body: object({ incidentIds: IncidentIds }),
  allowNoop: true,
  response: item(Problem),
  emits: [IncidentLinked],
  example: { ...example, body: { incidentIds: [EXAMPLE_INCIDENT] } },
  run: (ctx, { params, body }) => service.linkIncidents(ctx, params.id, body.incidentIds),
});

export const unlinkIncident = command({
  id: "problems.unlink_incident",
  route: "DELETE /api/v1/itsm/problems/{id}/incidents/{incidentId}",
  summary: "Say that a problem does not cause an incident after all",
  permission: ProblemsWrite,
  params: object({ ...ByProblem.properties, incidentId: id("inc") }),
  response: noContent(),
  emits: [IncidentUnlinked],
  example: { params: { ...example.params, incidentId: EXAMPLE_INCIDENT } },
  run: (ctx, { params }) => service.unlinkIncident(ctx, params.id, params.incidentId),
});
