import Type from "typebox";
import {
  getTicketIdentity,
  labelFields,
  nextTicketNumber,
  readPastTicket,
  seesOwnOnly,
  talkFields,
  takeCommand,
  ticketForParty,
  ticketParams,
} from "../tickets/index.ts";
import { PastTooLong } from "#kernel/list/past-list.ts";
import { asOfQuery, PastNotKept } from "#kernel/log/past-state.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { countedPage, created, item, withRevision } from "#kernel/operation/response.ts";
import { InputTime, nullable, object, patch } from "#kernel/schema/schema.ts";
import {
  Incident,
  type IncidentData,
  IncidentAssigned,
  IncidentCancelled,
  IncidentClosed,
  IncidentCreated,
  IncidentEscalated,
  incidentFields,
  incidentMachine,
  IncidentReopened,
  IncidentResolved,
  IncidentsOwn,
  IncidentUpdated,
  Resolution,
  ResolutionCode,
  StateName,
} from "./incident.ts";
import { EXAMPLE_INCIDENT, incidentCommands, incidentKind, IncidentRouted } from "./kind.ts";
import { IncidentQuery, listIncidents as readPage } from "./list.ts";
import * as service from "./service.ts";
import { incidentStore } from "./store.ts";

const { path } = incidentKind;

const ListedIncident = Type.Object(
  { ...Incident.properties, ...talkFields },
  { title: "ListedIncident" },
);

const listIncidents = query({
  id: "incidents.list",
  route: `GET ${path}`,
  summary: "List incidents, newest first",
  description:
    "With `incidents:read`, returns all incidents. Otherwise returns incidents that you created or watch, and incidents with you as the caller, without internal notes.",
  permission: IncidentsOwn,
  query: IncidentQuery,
  response: countedPage(withRevision(ListedIncident)),
  fails: [PastNotKept, PastTooLong],
  run: (ctx, input) => readPage(ctx, input.query),
});

const createIncident = command({
  id: "incidents.create",
  effect: "ordinary",
  route: `POST ${path}`,
  summary: "Create an incident",
  description:
    "The state is `new`. `priority` is calculated from `impact` and `urgency` (default: 3) with the priority matrix of the workspace. The caller of the incident is you, unless you set `callerId`. Without `incidents:write`, you can only create incidents for yourself, with a title and a description.",
  permission: IncidentsOwn,
  body: object({
    ...patch({ ...incidentFields, ...labelFields }).properties,
    title: incidentFields.title,
  }),
  response: created(Incident, { location: ({ id }) => `${path}/${id}` }),
  emits: [IncidentCreated, IncidentAssigned, IncidentRouted],
  example: {
    body: { title: "The mail server does not respond", impact: 1, urgency: 2, severity: "high" },
  },
  prepare: (platform, _input, caller) => nextTicketNumber(platform, caller, "incident"),
  async run(ctx, { body }, number) {
    const incident = await service.createIncident(ctx, body, number);
    return seesOwnOnly(incidentKind, ctx.caller)
      ? ticketForParty(incidentKind, incident)
      : incident;
  },
});

const getIncident = query({
  id: "incidents.get",
  route: `GET ${path}/{id}`,
  summary: "Get an incident",
  description:
    "Requires `incidents:read` for incidents that you did not create, that are not for you, and that you do not watch.",
  permission: IncidentsOwn,
  params: ticketParams(incidentKind),
  query: object(asOfQuery),
  response: item(Incident),
  fails: [PastNotKept],
  example: { params: { id: EXAMPLE_INCIDENT } },
  async run(ctx, { params, query: { asOf } }) {
    const ownOnly = seesOwnOnly(incidentKind, ctx.caller);
    if (ownOnly) await getTicketIdentity(ctx, incidentKind, params.id);
    const present = await incidentStore.get(ctx.tx, params.id);
    const incident =
      asOf === undefined
        ? present
        : await readPastTicket<IncidentData>(ctx, "incident", present.id, asOf);
    return ownOnly ? ticketForParty(incidentKind, incident) : incident;
  },
});

const updateIncident = incidentCommands.command("update", {
  effect: "ordinary",
  route: `PATCH ${path}/{id}`,
  summary: "Update an incident",
  description:
    "Changes the given fields. If nothing changes, no event is appended. `state` must be a valid transition (otherwise 409). `resolved` requires a `resolution` and the permission `incidents:resolve`. `onHoldReason` and `holdUntil`, the end of the hold, are only allowed with `on_hold`.",
  body: patch({
    ...incidentFields,
    ...labelFields,
    state: StateName,
    onHoldReason: Incident.properties.onHoldReason,
    holdUntil: nullable(InputTime),
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
    IncidentRouted,
  ],
  allowNoop: true,
  fails: [incidentMachine.wrongState],
  example: { state: "in_progress", urgency: 1 },
  run: (ctx, incident, body) => service.updateIncident(ctx, incident, body),
});

const assignIncident = incidentCommands.command("assign", {
  effect: "ordinary",
  summary: "Assign an incident",
  description:
    "Assigns a member or a team. Null removes the assignment. If nothing changes, no event is appended.",
  body: patch({ assigneeId: incidentFields.assigneeId, teamId: incidentFields.teamId }),
  emits: [IncidentUpdated, IncidentAssigned, IncidentEscalated, IncidentRouted],
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
