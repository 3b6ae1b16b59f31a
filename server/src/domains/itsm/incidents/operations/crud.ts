import { nextTicketNumber } from "../../tickets/index.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { countedPage, created, item } from "#kernel/operation/response.ts";
import { object, patch } from "#kernel/schema/schema.ts";
import {
  IncidentAssigned,
  IncidentCancelled,
  IncidentClosed,
  IncidentCreated,
  IncidentEscalated,
  IncidentReopened,
  IncidentResolved,
  IncidentUpdated,
} from "../incident.ts";
import {
  Incident,
  incidentMachine,
  Resolution,
  ResolutionCode,
  StateName,
  told,
} from "../incident.ts";
import { IncidentQuery, listIncidents as pageOf } from "../list.ts";
import { IncidentsRead, IncidentsWrite } from "../incident.ts";
import * as service from "../service.ts";
import * as store from "../store.ts";
import { ById, example, PATH } from "../kind.ts";

export const listIncidents = query({
  id: "incidents.list",
  route: `GET ${PATH}`,
  summary: "List incidents, the newest first",
  permission: IncidentsRead,
  query: IncidentQuery,
  response: countedPage(Incident),
  run: (ctx, { query: question }) => pageOf(ctx, question),
});

export const createIncident = command({
  id: "incidents.create",
  route: `POST ${PATH}`,
  summary: "Raise an incident",
  description:
    "It is `new`. Its `priority` follows from `impact` and `urgency`, 3 unless given, by the " +
    "workspace's matrix. The person affected is whoever raises it, unless `callerId` says otherwise.",
  permission: IncidentsWrite,
  body: object({ ...patch(told).properties, title: told.title }),
  response: created(Incident, { location: ({ id }) => `${PATH}/${id}` }),
  emits: [IncidentCreated, IncidentAssigned],
  example: {
    body: { title: "The mail server does not answer", impact: 1, urgency: 2, severity: "high" },
  },
  prepare: (platform, _input, caller) => nextTicketNumber(platform, caller, "incident"),
  run: (ctx, { body }, number) => service.create(ctx, body, number),
});

export const getIncident = query({
  id: "incidents.get",
  route: `GET ${PATH}/{id}`,
  summary: "Read an incident",
  permission: IncidentsRead,
  params: ById,
  response: item(Incident),
  example,
  run: ({ tx }, { params }) => store.get(tx, params.id),
});

export const updateIncident = command({
  id: "incidents.update",
  route: `PATCH ${PATH}/{id}`,
  summary: "Change an incident",
  description:
    "What is not named stays as it is, and when all is like that already, nothing happens. A `state` " +
    "must be one that the present one leads to (409 otherwise). `resolved` needs a `resolution` and " +
    "the permission `incidents:resolve`; `onHoldReason` belongs to `on_hold`.",
  permission: IncidentsWrite,
  params: ById,
  body: patch({
    ...told,
    state: StateName,
    onHoldReason: Incident.properties.onHoldReason,
    resolution: Resolution,
    resolutionCode: ResolutionCode,
  }),
  response: item(Incident),
  emits: [
    IncidentUpdated,
    IncidentAssigned,
    IncidentEscalated,
    IncidentResolved,
    IncidentClosed,
    IncidentReopened,
    IncidentCancelled,
  ],
  allowNoop: true,
  fails: [incidentMachine.refusal],
  example: { ...example, body: { state: "in_progress", urgency: 1 } },
  run: (ctx, { params, body }) => service.change(ctx, params.id, body),
});

export const assignIncident = command({
  id: "incidents.assign",
  route: `POST ${PATH}/{id}/assign`,
  summary: "Give an incident to somebody, to a team, or to nobody",
  description: "Null takes it from them. When it is like that already, nothing happens.",
  permission: IncidentsWrite,
  params: ById,
  body: patch({ assigneeId: told.assigneeId, teamId: told.teamId }),
  response: item(Incident),
  emits: [IncidentUpdated, IncidentAssigned, IncidentEscalated],
  allowNoop: true,
  example: { ...example, body: { assigneeId: "usr_01jzt3n5k8q2x4v6w8y0z2b4d6" } },
  run: (ctx, { params, body }) => service.assign(ctx, params.id, body),
});
