/** Splits an incident by moving comments and attachments to a new incident. */
import Type from "typebox";
import { authorOf } from "#kernel/access/caller.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { event } from "#kernel/log/event.ts";
import { command } from "#kernel/operation/operation.ts";
import { created } from "#kernel/operation/response.ts";
import { newId } from "#kernel/schema/id.ts";
import { id, object } from "#kernel/schema/schema.ts";
import { nextTicketNumber, ticketParams, TicketSummary } from "../../tickets/index.ts";
import { assertTicketFits, copyComments, moveAttachments, moveComments } from "./taken-over.ts";
import {
  Incident,
  IncidentAssigned,
  IncidentCreated,
  incidentFields,
  IncidentsWrite,
} from "../incident.ts";
import { EXAMPLE_INCIDENT, incidentCommands, incidentKind, IncidentRouted } from "../kind.ts";
import { createIncident } from "../service.ts";
import { incidentStore } from "../store.ts";

const COMMENTS_MAX = 200;
const ATTACHMENTS_MAX = 50;

const taken = {
  commentIds: Type.Array(id("cmt"), { maxItems: COMMENTS_MAX, uniqueItems: true }),
  attachmentIds: Type.Array(id("att"), { maxItems: ATTACHMENTS_MAX, uniqueItems: true }),
};

export const IncidentSplit = event("incident.split", {
  resource: "incident",
  summary: "A part of an incident was moved to a new incident.",
  data: Type.Object({
    ...Incident.properties,
    into: TicketSummary,
    isCopy: Type.Boolean({ description: "Whether the comments were copied instead of moved" }),
    ...taken,
  }),
});

const { path } = incidentKind;

export const splitIncident = command({
  id: "incidents.split",
  effect: "ordinary",
  route: `POST ${path}/{id}/split`,
  summary: "Split an incident",
  description:
    "Creates an incident with the same caller, team, category, configuration items and tags, and links it (`relates_to`). The given comments are moved to it, or copied with `isCopy`. The given attachments are moved.",
  permission: IncidentsWrite,
  params: ticketParams(incidentKind),
  body: object({
    title: incidentFields.title,
    description: Type.Optional(incidentFields.description),
    commentIds: Type.Optional(taken.commentIds),
    attachmentIds: Type.Optional(taken.attachmentIds),
    isCopy: Type.Optional(Type.Boolean()),
  }),
  response: created(Incident, { location: (incident) => `${path}/${incident.id}` }),
  emits: [IncidentCreated, IncidentAssigned, IncidentRouted, IncidentSplit],
  example: {
    params: { id: EXAMPLE_INCIDENT },
    body: { title: "The printer does not print", commentIds: [] },
  },
  prepare: (platform, _input, caller) => nextTicketNumber(platform, caller, "incident"),
  async run(ctx, { params, body }, number) {
    const { title, description = "", commentIds = [], attachmentIds = [], isCopy = false } = body;
    const source = await incidentStore.lock(ctx.tx, params.id);
    ctx.expectRevision(source.revision);
    await Promise.all([
      assertTicketFits(ctx, "ticket_comments", source.id, commentIds),
      assertTicketFits(ctx, "ticket_attachments", source.id, attachmentIds),
    ]);
    const incident = await createIncident(ctx, inheritFrom(source, { title, description }), number);
    await (isCopy ? copyComments : moveComments)(ctx, commentIds, source.id, incident.id);
    await moveAttachments(ctx, attachmentIds, incident.id);
    await linkBoth(ctx, source.id, incident.id);
    const into = toSummary(incident);
    incidentCommands.emit(ctx, IncidentSplit, source, { into, isCopy, commentIds, attachmentIds });
    return incident;
  },
});

/** The fields copied from the original incident. */
function inheritFrom(
  {
    callerId,
    teamId,
    category,
    impact,
    urgency,
    severity,
    ciIds,
    tags = [],
    fields = {},
  }: Incident,
  own: { readonly title: string; readonly description: string },
) {
  const same = { callerId, teamId, category, impact, urgency, severity, ciIds };
  return { ...own, ...same, tags, fields };
}

function toSummary({ id: ticketId, number, title, state }: Incident) {
  return { kind: "incident" as const, id: ticketId, number, title, state };
}

async function linkBoth(ctx: WriteContext<never>, fromId: string, toId: string): Promise<void> {
  await ctx.send(
    `insert into ticket_links (id, type, from_kind, from_id, to_kind, to_id, created_by, created_at)
     values ($1, 'relates_to', 'incident', $2, 'incident', $3, $4, $5)`,
    [newId("lnk", ctx.now.getTime()), toId, fromId, authorOf(ctx.caller), ctx.now],
  );
}
