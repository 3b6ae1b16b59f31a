/** Major incidents: the incidents that have the same cause are their children. */
import Type from "typebox";
import { Failure, failure, invalidField, NotFound } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { pageQuery } from "#kernel/operation/pagination.ts";
import { countedPage, noContent, withRevision } from "#kernel/operation/response.ts";
import { line, object } from "#kernel/schema/schema.ts";
import { invalidTransition, refColumn, ticketParams, ticketRef } from "../tickets/index.ts";
import {
  ChildLinked,
  ChildUnlinked,
  Incident,
  IncidentBroadcast,
  incidentMachine,
  IncidentsRead,
  IncidentsWrite,
  MajorDeclared,
  MajorEnded,
  OptionalReason,
  StatusNotice,
} from "./incident.ts";
import { EXAMPLE_INCIDENT, incidentCommands, incidentKind } from "./kind.ts";
import { listChildren } from "./list.ts";
import { countChildren, incidentStore, lockChildren } from "./store.ts";

const CHILDREN_MAX = 500;
const EXAMPLE_CHILD = "INC0000002";

const { save, emit } = incidentCommands;
const { path } = incidentKind;
const ById = ticketParams(incidentKind);
const ChildRef = ticketRef("incident", "inc");

const NotMajor = failure(
  "incident_not_major",
  409,
  "Only a major incident has that; declare it one first.",
);
const AlreadyMajor = failure("incident_already_major", 409, "The incident is a major one already.");
const IsChild = failure(
  "incident_is_child",
  409,
  "An incident is the child of one major incident at most, and of none if it is one itself.",
);
const TooManyChildren = failure(
  "incident_too_many_children",
  409,
  `A major incident has at most ${CHILDREN_MAX} children.`,
);

const declareMajor = incidentCommands.command("declare_major", {
  effect: "ordinary",
  route: `POST ${path}/{id}/major`,
  summary: "Declare an incident a major one",
  description:
    "A major incident can have others as children, and word of it goes to all concerned.",
  body: OptionalReason,
  states: incidentMachine.states.filter((state) => !incidentMachine.finalStates.includes(state)),
  emits: [MajorDeclared],
  fails: [incidentMachine.wrongState, AlreadyMajor, IsChild],
  example: { reason: "No branch can sell" },
  async run(ctx, incident, { reason = null }) {
    const { state } = incident;
    if (incidentMachine.finalStates.includes(state)) {
      const detail = `What is ${state} can't become a major incident.`;
      throw invalidTransition(incidentMachine, state, detail);
    }
    if (incident.isMajor) throw new Failure(AlreadyMajor);
    if (incident.parentId !== null) throw new Failure(IsChild);
    const after = await save(ctx, incident, { ...incident, isMajor: true });
    void ctx.send(
      "update incidents set major_since = $2, broadcast = null, broadcast_at = null where id = $1",
      [incident.id, ctx.now],
    );
    emit(ctx, MajorDeclared, after, { reason });
    return after;
  },
});

const endMajor = incidentCommands.command("end_major", {
  effect: "drastic",
  route: `DELETE ${path}/{id}/major`,
  summary: "Make a major incident an ordinary one",
  description: "Its children become incidents of their own again.",
  emits: [ChildUnlinked, MajorEnded],
  fails: [NotMajor],
  async run(ctx, incident) {
    assertMajor(incident);
    for (const child of await lockChildren(ctx.tx, incident.id)) await unlink(ctx, incident, child);
    const after = await save(ctx, incident, { ...incident, isMajor: false });
    void ctx.send("update incidents set major_since = null where id = $1", [incident.id]);
    emit(ctx, MajorEnded, after);
    return after;
  },
});

const ChildIncident = Type.Object(Incident.properties, { title: "ChildIncident" });

const listIncidentChildren = query({
  id: "incidents.list_children",
  route: `GET ${path}/{id}/children`,
  summary: "List the children of a major incident, the oldest first",
  permission: IncidentsRead,
  params: ById,
  query: object(pageQuery),
  response: countedPage(withRevision(ChildIncident)),
  example: { params: { id: EXAMPLE_INCIDENT } },
  async run(ctx, { params, query: page }) {
    const { id } = await incidentStore.get(ctx.tx, params.id);
    return listChildren(ctx, id, page);
  },
});

export const addChild = incidentCommands.command("add_child", {
  effect: "ordinary",
  route: `POST ${path}/{id}/children`,
  summary: "Make an incident the child of a major one",
  description:
    "Answers with the child. A child has one parent and no children. When it is its child already, " +
    "nothing happens.",
  body: object({ incidentId: ChildRef }),
  emits: [ChildLinked],
  allowNoop: true,
  fails: [NotMajor, IsChild, TooManyChildren],
  example: { incidentId: EXAMPLE_CHILD },
  async run(ctx, parent, { incidentId }) {
    assertMajor(parent);
    const [child] = await incidentStore.lockWhere(
      ctx.tx,
      `${refColumn(incidentId)} = $1`,
      incidentId,
    );
    if (!child) throw invalidField("/incidentId", "is not an incident");
    if (child.id === parent.id) throw invalidField("/incidentId", "is the incident itself");
    if (child.parentId === parent.id) return child;
    if (child.parentId !== null || child.isMajor) throw new Failure(IsChild);
    if ((await countChildren(ctx.tx, parent.id)) >= CHILDREN_MAX) {
      throw new Failure(TooManyChildren);
    }
    const linked = await save(ctx, child, { ...child, parentId: parent.id });
    emit(ctx, ChildLinked, parent, { child: toSummary(linked) });
    return linked;
  },
});

export const removeChild = command({
  id: "incidents.remove_child",
  route: `DELETE ${path}/{id}/children/{childId}`,
  summary: "Make a child an incident of its own again",
  description: "`If-Match` is about the parent.",
  permission: IncidentsWrite,
  params: object({ id: ById.properties.id, childId: ChildRef }),
  response: noContent(),
  emits: [ChildUnlinked],
  example: { params: { id: EXAMPLE_INCIDENT, childId: EXAMPLE_CHILD } },
  async run(ctx, { params }) {
    const parent = await incidentStore.lock(ctx.tx, params.id);
    ctx.expectRevision(parent.revision);
    const child = await incidentStore.lock(ctx.tx, params.childId);
    if (child.parentId !== parent.id) throw new Failure(NotFound);
    await unlink(ctx, parent, child);
  },
});

const broadcast = incidentCommands.command("broadcast", {
  effect: "ordinary",
  summary: "Tell all who have to do with a major incident how it stands",
  description:
    "Whoever watches, has or suffers from it or one of its children gets a notification, other than " +
    "the sender, as does whoever said that the outage concerns them. The message is part of the timeline, and " +
    "everybody in the workspace sees it with the outage. With `statusPage` it stands on the status page of " +
    "the workspace too, word for word, under the title that is given there and never the incident's own.",
  body: object({ message: line(5_000), statusPage: Type.Optional(StatusNotice) }),
  emits: [IncidentBroadcast],
  fails: [NotMajor],
  example: { message: "Restored in two branches, an hour for the rest" },
  run(ctx, incident, { message, statusPage }) {
    assertMajor(incident);
    void ctx.send("update incidents set broadcast = $2, broadcast_at = $3 where id = $1", [
      incident.id,
      message,
      ctx.now,
    ]);
    emit(ctx, IncidentBroadcast, incident, { message, ...(statusPage && { statusPage }) });
    return incident;
  },
});

export const majorIncidentOperations = [
  declareMajor,
  endMajor,
  listIncidentChildren,
  addChild,
  removeChild,
  broadcast,
];

function assertMajor({ isMajor }: Incident): void {
  if (!isMajor) throw new Failure(NotMajor);
}

async function unlink(
  ctx: WriteContext<typeof ChildUnlinked>,
  parent: Incident,
  child: Incident,
): Promise<void> {
  const unlinked = await save(ctx, child, { ...child, parentId: null });
  emit(ctx, ChildUnlinked, parent, { child: toSummary(unlinked) });
}

function toSummary({ id, number, title, state }: Incident) {
  return { kind: "incident" as const, id, number, title, state };
}
