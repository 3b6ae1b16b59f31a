import Type from "typebox";
import { ticketRef } from "../../tickets/index.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { pageQuery } from "#kernel/operation/pagination.ts";
import { countedPage, noContent, item } from "#kernel/operation/response.ts";
import { line, object } from "#kernel/schema/schema.ts";
import {
  ChildLinked,
  ChildUnlinked,
  IncidentBroadcast,
  MajorDeclared,
  MajorEnded,
} from "../incident.ts";
import { Incident, incidentMachine, Reason } from "../incident.ts";
import { listChildren } from "../list.ts";
import * as major from "../major-incident.ts";
import { IncidentsRead, IncidentsWrite } from "../incident.ts";
import * as store from "../store.ts";
import { ById, example, PATH } from "../kind.ts";

const ChildRef = ticketRef("incident", "inc");

export const declareMajor = command({
  id: "incidents.declare_major",
  route: `POST ${PATH}/{id}/major`,
  summary: "Declare an incident a major one",
  description:
    "A major incident can have others as children, and word of it goes to all concerned.",
  permission: IncidentsWrite,
  params: ById,
  body: object({ reason: Type.Optional(Reason) }),
  bodyOptional: true,
  response: item(Incident),
  emits: [MajorDeclared],
  fails: [incidentMachine.refusal, major.AlreadyMajor, major.IsChild],
  example: { ...example, body: { reason: "No branch can sell" } },
  run: (ctx, { params, body }) => major.declareMajor(ctx, params.id, body.reason ?? null),
});

export const endMajor = command({
  id: "incidents.end_major",
  route: `DELETE ${PATH}/{id}/major`,
  summary: "Make a major incident an ordinary one",
  description: "Its children become incidents of their own again.",
  permission: IncidentsWrite,
  params: ById,
  response: item(Incident),
  emits: [ChildUnlinked, MajorEnded],
  fails: [major.NotMajor],
  example,
  run: (ctx, { params }) => major.endMajor(ctx, params.id),
});

export const listIncidentChildren = query({
  id: "incidents.list_children",
  route: `GET ${PATH}/{id}/children`,
  summary: "List the children of a major incident, the oldest first",
  permission: IncidentsRead,
  params: ById,
  query: object(pageQuery),
  response: countedPage(Incident),
  example,
  async run(ctx, { params, query: page }) {
    const { id } = await store.get(ctx.tx, params.id);
    return listChildren(ctx, id, page);
  },
});

export const addChild = command({
  id: "incidents.add_child",
  route: `POST ${PATH}/{id}/children`,
  summary: "Make an incident the child of a major one",
  description:
    "Answers with the child. A child has one parent and no children. When it is its child already, " +
    "nothing happens.",
  permission: IncidentsWrite,
  params: ById,
  body: object({ incidentId: ChildRef }),
  response: item(Incident),
  emits: [ChildLinked],
  allowNoop: true,
  fails: [major.NotMajor, major.IsChild, major.TooManyChildren],
  example: { ...example, body: { incidentId: "INC0000002" } },
  run: (ctx, { params, body }) => major.addChild(ctx, params.id, body.incidentId),
});

export const removeChild = command({
  id: "incidents.remove_child",
  route: `DELETE ${PATH}/{id}/children/{childId}`,
  summary: "Make a child an incident of its own again",
  description: "`If-Match` is about the parent.",
  permission: IncidentsWrite,
  params: object({ id: ById.properties.id, childId: ChildRef }),
  response: noContent(),
  emits: [ChildUnlinked],
  example: { params: { ...example.params, childId: "INC0000002" } },
  run: (ctx, { params }) => major.removeChild(ctx, params.id, params.childId),
});

export const broadcast = command({
  id: "incidents.broadcast",
  route: `POST ${PATH}/{id}/broadcast`,
  summary: "Tell all who have to do with a major incident how it stands",
  description:
    "Whoever watches, has or suffers from it or one of its children gets a notification, other than " +
    "the sender. The message is part of the timeline.",
  permission: IncidentsWrite,
  params: ById,
  body: object({ message: line(5_000) }),
  response: item(Incident),
  emits: [IncidentBroadcast],
  fails: [major.NotMajor],
  example: { ...example, body: { message: "Restored in two branches, an hour for the rest" } },
  run: (ctx, { params, body }) => major.broadcast(ctx, params.id, body.message),
});
