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

/** An incident in a list. */
const ListedIncident = Type.Object(
  { ...Incident.properties, ...talkFields },
  { title: "ListedIncident" },
);

const listIncidents = query({
  id: "incidents.list",
  route: `GET ${path}`,
  summary: "List incidents, the newest first",
  description:
    "All of them with `incidents:read`; otherwise those that the caller raised, that are for them, or that they " +
    "watch, without what those who work on them note for each other.",
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
  summary: "Raise an incident",
  description:
    "It is `new`. Its `priority` follows from `impact` and `urgency`, 3 unless given, by the " +
    "workspace's matrix. The person affected is whoever raises it, unless `callerId` says otherwise. Who does not " +
    "hold `incidents:write` raises it for themselves, with a title and a description.",
  permission: IncidentsOwn,
  body: object({
    ...patch({ ...incidentFields, ...labelFields }).properties,
    title: incidentFields.title,
  }),
  response: created(Incident, { location: ({ id }) => `${path}/${id}` }),
  emits: [IncidentCreated, IncidentAssigned, IncidentRouted],
  example: {
    body: { title: "The mail server does not answer", impact: 1, urgency: 2, severity: "high" },
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
  summary: "Read an incident",
  description:
    "Any of them with `incidents:read`; otherwise one's own, and those that one watches.",
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
  summary: "Change an incident",
  description:
    "What is not named stays as it is, and when all is like that already, nothing happens. A `state` " +
    "must be one that the present one leads to (409 otherwise). `resolved` needs a `resolution` and " +
    "the permission `incidents:resolve`; `onHoldReason` and `holdUntil`, the moment at which it comes " +
    "back by itself, belong to `on_hold`.",
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
  summary: "Give an incident to somebody, to a team, or to nobody",
  description: "Null takes it from them. When it is like that already, nothing happens.",
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
