import Type from "typebox";
import { command } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import {
  IncidentCancelled,
  IncidentClosed,
  IncidentEscalated,
  IncidentReopened,
  IncidentResolved,
} from "../incident.ts";
import {
  Incident,
  incidentMachine,
  Reason,
  Resolution,
  ResolutionCode,
  Severity,
  TeamId,
  DEFAULT_RESOLUTION_CODE,
} from "../incident.ts";
import { IncidentsResolve, IncidentsWrite } from "../incident.ts";
import * as service from "../service.ts";
import { ById, example, PATH } from "../kind.ts";

const fails = [incidentMachine.refusal];

export const resolveIncident = command({
  id: "incidents.resolve",
  route: `POST ${PATH}/{id}/resolve`,
  summary: "Resolve an incident",
  description:
    "Its code is `solved` unless given. With `resolveChildren` those of its children that are open are resolved too, in the same way. A " +
    "resolved incident closes by itself after some days, as the desk's settings say.",
  permission: IncidentsResolve,
  params: ById,
  body: object({
    resolution: Resolution,
    resolutionCode: Type.Optional(ResolutionCode),
    resolveChildren: Type.Optional(Type.Boolean()),
  }),
  response: item(Incident),
  emits: [IncidentResolved],
  fails,
  example: { ...example, body: { resolution: "Replaced the disk", resolutionCode: "solved" } },
  run: (
    ctx,
    {
      params,
      body: {
        resolution,
        resolutionCode = DEFAULT_RESOLUTION_CODE,
        resolveChildren: withChildren = false,
      },
    },
  ) => service.resolve(ctx, params.id, { resolution, resolutionCode, withChildren }),
});

export const escalateIncident = command({
  id: "incidents.escalate",
  route: `POST ${PATH}/{id}/escalate`,
  summary: "Raise the severity of an incident, give it to another team, or both",
  description: "One of the two must be different from what it is (422 otherwise).",
  permission: IncidentsWrite,
  params: ById,
  body: object({
    severity: Type.Optional(Severity),
    teamId: Type.Optional(TeamId),
    reason: Reason,
  }),
  response: item(Incident),
  emits: [IncidentEscalated],
  fails,
  example: { ...example, body: { severity: "critical", reason: "The whole site is down" } },
  run: (ctx, { params, body }) => service.escalate(ctx, params.id, body),
});

export const closeIncident = command({
  id: "incidents.close",
  route: `POST ${PATH}/{id}/close`,
  summary: "Close a resolved incident",
  permission: IncidentsWrite,
  params: ById,
  response: item(Incident),
  emits: [IncidentClosed],
  fails,
  example,
  run: (ctx, { params }) => service.close(ctx, params.id),
});

export const reopenIncident = command({
  id: "incidents.reopen",
  route: `POST ${PATH}/{id}/reopen`,
  summary: "Have a resolved or closed incident worked on again",
  description: "Its resolution is forgotten, and `reopenCount` goes up.",
  permission: IncidentsWrite,
  params: ById,
  body: object({ reason: Type.Optional(Reason) }),
  bodyOptional: true,
  response: item(Incident),
  emits: [IncidentReopened],
  fails,
  example: { ...example, body: { reason: "It is back" } },
  run: (ctx, { params, body }) => service.reopen(ctx, params.id, body.reason ?? null),
});

export const cancelIncident = command({
  id: "incidents.cancel",
  route: `POST ${PATH}/{id}/cancel`,
  summary: "Cancel an incident that nobody has to resolve",
  permission: IncidentsWrite,
  params: ById,
  body: object({ reason: Type.Optional(Reason) }),
  bodyOptional: true,
  response: item(Incident),
  emits: [IncidentCancelled],
  fails,
  example: { ...example, body: { reason: "Raised twice" } },
  run: (ctx, { params, body }) => service.cancel(ctx, params.id, body.reason ?? null),
});
