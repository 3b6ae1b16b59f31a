import { nextTicketNumber, takeCommand, ticketParams } from "../tickets/index.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { countedPage, created, item, withRevision } from "#kernel/operation/response.ts";
import { object, patch } from "#kernel/schema/schema.ts";
import {
  Incident,
  IncidentAssigned,
  IncidentCancelled,
  IncidentClosed,
  IncidentCreated,
  IncidentEscalated,
  incidentFields,
  incidentMachine,
  IncidentReopened,
  IncidentResolved,
  IncidentsRead,
  IncidentsWrite,
  IncidentUpdated,
  Resolution,
  ResolutionCode,
  StateName,
} from "./incident.ts";
import { EXAMPLE_INCIDENT, incidentCommands, incidentKind } from "./kind.ts";
import { IncidentQuery, listIncidents as readPage } from "./list.ts";
import * as service from "./service.ts";
import { incidentStore } from "./store.ts";

const { path } = incidentKind;

const listIncidents = query({
  id: "incidents.list",
  route: `GET ${path}`,
  summary: "List incidents, the newest first",
  permission: IncidentsRead,
  query: IncidentQuery,
  response: countedPage(withRevision(Incident)),
  run: (ctx, input) => readPage(ctx, input.query),
});

const createIncident = command({
  id: "incidents.create",
  route: `POST ${path}`,
  summary: "Raise an incident",
  description:
    "It is `new`. Its `priority` follows from `impact` and `urgency`, 3 unless given, by the " +
    "workspace's matrix. The person affected is whoever raises it, unless `callerId` says otherwise.",
  permission: IncidentsWrite,
  body: object({ ...patch(incidentFields).properties, title: incidentFields.title }),
  response: created(Incident, { location: ({ id }) => `${path}/${id}` }),
  emits: [IncidentCreated, IncidentAssigned],
  example: {
    body: { title: "The mail server does not answer", impact: 1, urgency: 2, severity: "high" },
  },
  prepare: (platform, _input, caller) => nextTicketNumber(platform, caller, "incident"),
  run: (ctx, { body }, number) => service.createIncident(ctx, body, number),
});

const getIncident = query({
  id: "incidents.get",
  route: `GET ${path}/{id}`,
  summary: "Read an incident",
  permission: IncidentsRead,
  params: ticketParams(incidentKind),
  response: item(Incident),
  example: { params: { id: EXAMPLE_INCIDENT } },
  run: ({ tx }, { params }) => incidentStore.get(tx, params.id),
});

const updateIncident = incidentCommands.command("update", {
  route: `PATCH ${path}/{id}`,
  summary: "Change an incident",
  description:
    "What is not named stays as it is, and when all is like that already, nothing happens. A `state` " +
    "must be one that the present one leads to (409 otherwise). `resolved` needs a `resolution` and " +
    "the permission `incidents:resolve`; `onHoldReason` belongs to `on_hold`.",
  body: patch({
    ...incidentFields,
    state: StateName,
    onHoldReason: Incident.properties.onHoldReason,
    resolution: Resolution,
    resolutionCode: ResolutionCode,
  }),
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
  fails: [incidentMachine.wrongState],
  example: { state: "in_progress", urgency: 1 },
  run: (ctx, incident, body) => service.updateIncident(ctx, incident, body),
});

const assignIncident = incidentCommands.command("assign", {
  summary: "Give an incident to somebody, to a team, or to nobody",
  description: "Null takes it from them. When it is like that already, nothing happens.",
  body: patch({ assigneeId: incidentFields.assigneeId, teamId: incidentFields.teamId }),
  emits: [IncidentUpdated, IncidentAssigned, IncidentEscalated],
  allowNoop: true,
  example: { assigneeId: "usr_01jzt3n5k8q2x4v6w8y0z2b4d6" },
  async run(ctx, incident, body) {
    await service.assertIncidentReferences(ctx, body);
    return service.saveChanges(ctx, incident, { ...incident, ...body });
  },
});

const takeIncident = takeCommand(incidentKind, incidentCommands, {
  emits: [IncidentUpdated, IncidentAssigned],
  async assign(ctx, incident, assigneeId) {
    const next = { ...incident, assigneeId };
    const after = await incidentCommands.saveChanges(ctx, incident, next, IncidentUpdated);
    incidentCommands.emit(ctx, IncidentAssigned, after);
    return after;
  },
});

export const incidentOperations = [
  listIncidents,
  createIncident,
  getIncident,
  updateIncident,
  assignIncident,
  takeIncident,
];
